"""The Gaussian kernel with one learned scale, or with one for every column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn._device import beside, column_dots, is_elsewhere, namespace
from kernlearn.families.parametric._squares import (
    centred_pair,
    mean_squares,
    middles,
    products,
    weighted_pairs,
    weighted_sums,
)
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.kernels import ARDGaussian, Gaussian, Kernel
from kernlearn.kernels._distances import gaussian_gram, squared_distances
from kernlearn.typing import Array, DeviceArray


class GaussianFamily(ParametricKernel):
    r"""All Gaussian kernels, :math:`k(x, z; \theta) = \exp(-\theta_1 \|x - z\|^2)`.

    This is equation (1) of Cawley and Talbot (2014). The kernel at θ is
    :class:`kernlearn.kernels.Gaussian` with γ = θ₁; the name of the family is ``"rbf"``.

    Parameters
    ----------
    weights : array-like of shape (d,), optional
        Non-negative weights of the columns in the squared distance; ones by default.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.families.parametric import GaussianFamily
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> GaussianFamily().matrix(X, None, np.array([0.5])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    follows_arrays = True

    def __init__(self, weights: Array | None = None) -> None:
        self.weights = weights

    def start(self, X: Array) -> Array:
        """One over the mean squared distance."""
        with np.errstate(over="ignore"):
            total = np.sum(mean_squares(X) * self._weights(X))
        return np.array([0.5 / np.clip(total, 1e-300, 1e300)])

    def kernel(self, theta: Array) -> Kernel:
        """The Gaussian kernel of this width."""
        if self.weights is None:
            return Gaussian(gamma=float(theta[0]))
        return ARDGaussian(theta[0] * np.asarray(self.weights, dtype=float))

    def matrix(self, X: Array, Y: Array | None, theta: Array) -> Array:
        """Equation (1) for all pairs of rows."""
        return gaussian_gram(X, X if Y is None else Y, theta[..., :1] * self._weights(X))

    def gradient(self, X: Array, theta: Array, K: Array, W: Array, Y: Array | None = None) -> Array:
        """The sum of -W∘K∘D, D the squared distances."""
        D = self._distances(X, theta, Y)
        if X.ndim > 2:
            return -_totals(W * K, D)[..., None]
        return np.array([-_total(W * K, D)])

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        """The one column -(K∘D)v."""
        return -((K * self._distances(X, theta, Y)) @ v[..., None])

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        """The sum of W∘K∘D∘D."""
        D = self._distances(X, theta)
        return _totals(W * K, D * D)[..., None, None]

    @classmethod
    def stack(cls, families: Sequence[ParametricKernel]) -> GaussianFamily | None:
        """One with a row of weights for each table."""
        weights = []
        for family in families:
            if type(family) is not GaussianFamily:
                return None
            weights.append(family.weights)
        has_weights = [each is not None for each in weights]
        if not any(has_weights):
            return cls()
        return cls(np.stack(weights)) if all(has_weights) else None  # type: ignore[arg-type]

    def _weights(self, X: Array) -> Array:
        return np.ones(X.shape[-1]) if self.weights is None else np.asarray(self.weights, float)

    def _distances(self, X: Array, theta: Array, Y: Array | None = None) -> Array:
        middle, roots = middles(X), beside(np.sqrt(self._weights(X))[..., None, :], X)
        rows = (X - middle) * roots
        columns = rows if Y is None else (Y - middle) * roots
        # As for the kernel itself: next to a point far away the product would lose the distances
        # of all others, and the slope would be that of another kernel.
        return squared_distances(rows, columns, unit=float(np.max(theta[..., 0])))


def _total(A: DeviceArray, B: DeviceArray) -> float:
    """The sum of the products of all entries."""
    return float(namespace(A).sum(A * B) if is_elsewhere(A) else np.vdot(A, B))


def _totals(A: Array, B: Array) -> Array:
    """The same for every pair of two stacks of matrices, where they are."""
    totals: Array = namespace(A).sum(column_dots(A, B), axis=-1)
    return totals


class ARDGaussianFamily(ParametricKernel):
    r"""All Gaussian kernels with automatic relevance determination (Cawley 2014, equation 2).

    .. math:: k(x, z; \theta) = \exp\Bigl(-\sum_r \theta_r (x_r - z_r)^2\Bigr), \qquad
              \frac{\partial K_{ij}}{\partial\theta_r} = -K_{ij}\,(x_{ir} - x_{jr})^2

    A parameter of zero leaves its column out. All derivatives come together, by matrix products.
    The kernel at θ is :class:`kernlearn.kernels.ARDGaussian`; the name of the family is ``"ard"``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.families.parametric import ARDGaussianFamily
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0]])
    >>> K = ARDGaussianFamily().matrix(X, None, np.array([1.0, 0.0]))
    >>> K.round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    >>> ARDGaussianFamily().gradient(X, np.array([1.0, 0.0]), K, np.ones((2, 2))).round(4)
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

    def gradient(self, X: Array, theta: Array, K: Array, W: Array, Y: Array | None = None) -> Array:
        """By one matrix product for all columns."""
        return -weighted_sums(*centred_pair(X, Y, theta), W * K)

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        """By one matrix product with 2d + 1 columns."""
        return -products(*centred_pair(X, Y, theta), K, v)

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        r"""From :math:`\partial^2 K_{ij} = K_{ij} (x_{ir}-x_{jr})^2 (x_{is}-x_{js})^2`."""
        return weighted_pairs(centred_pair(X, None, theta)[0], W * K)

    @classmethod
    def stack(cls, families: Sequence[ParametricKernel]) -> ARDGaussianFamily | None:
        """One for all, since it has no settings."""
        return cls() if all(type(family) is ARDGaussianFamily for family in families) else None

    def along(self, direction: Array) -> GaussianFamily:
        """A Gaussian kernel on columns weighted by the direction."""
        return GaussianFamily(direction)
