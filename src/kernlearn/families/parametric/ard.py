"""The Gaussian kernel with a learned scale for every column."""

from __future__ import annotations

from collections.abc import Sequence

from kernlearn.families.parametric._squares import (
    centred,
    mean_squares,
    middles,
    products,
    weighted_pairs,
    weighted_sums,
)
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.families.parametric.rbf import RBF
from kernlearn.kernels import ARDGaussian
from kernlearn.kernels._distances import gaussian_gram
from kernlearn.typing import Array


class ARD(ParametricKernel):
    r"""The Gaussian kernel with automatic relevance determination (Cawley 2014, equation 2).

    .. math:: k(x, z; \theta) = \exp\Bigl(-\sum_r \theta_r (x_r - z_r)^2\Bigr), \qquad
              \frac{\partial K_{ij}}{\partial\theta_r} = -K_{ij}\,(x_{ir} - x_{jr})^2

    A parameter of zero leaves its column out. All derivatives come together, by matrix products.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.families.parametric import ARD
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0]])
    >>> K = ARD().matrix(X, None, np.array([1.0, 0.0]))
    >>> K.round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    >>> ARD().gradient(X, np.array([1.0, 0.0]), K, np.ones((2, 2))).round(4)
    array([-0.7358, -2.943 ])
    """

    floor = 0.0
    per_column = True
    follows_arrays = True

    def start(self, X: Array) -> Array:
        """One over the mean squared distance that each column would give all columns together."""
        scales: Array = 0.5 / (X.shape[1] * mean_squares(X))
        return scales

    def kernel(self, theta: Array) -> ARDGaussian:
        """The Gaussian kernel with these widths."""
        return ARDGaussian(theta)

    def matrix(self, X: Array, Y: Array | None, theta: Array) -> Array:
        """Equation (2) for all pairs of rows."""
        return gaussian_gram(X, X if Y is None else Y, theta)

    def gradient(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        """By one matrix product for all columns."""
        rows = centred(X)
        return -weighted_sums(rows, rows, W * K)

    def cross_gradient(self, X: Array, Y: Array, theta: Array, K: Array, W: Array) -> Array:
        """By one matrix product for all columns."""
        middle = middles(X)
        return -weighted_sums(X - middle, Y - middle, W * K)

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        """By one matrix product with 2d + 1 columns."""
        middle = middles(X)
        return -products(X - middle, X - middle if Y is None else Y - middle, K, v)

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        r"""From :math:`\partial^2 K_{ij} = K_{ij} (x_{ir}-x_{jr})^2 (x_{is}-x_{js})^2`."""
        return weighted_pairs(centred(X), W * K)

    @classmethod
    def stack(cls, families: Sequence[ParametricKernel]) -> ARD | None:
        """One for all, since it has no settings."""
        return cls() if all(type(family) is ARD for family in families) else None

    def along(self, direction: Array) -> RBF:
        """A Gaussian kernel on columns weighted by the direction."""
        return RBF(direction)
