"""The polynomial kernel with a learned scale for every column."""

from __future__ import annotations

import numpy as np

from kernlearn.families.parametric._squares import product_forms
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.kernels import Polynomial, Stretched
from kernlearn.kernels._parameters import non_negative_vector
from kernlearn.typing import Array


class ARDPolynomialFamily(ParametricKernel):
    r"""All inhomogeneous polynomial kernels with scaled attributes (Cawley 2014, section 4).

    .. math:: k(x, z; \theta) = \Bigl(\sum_r \theta_r x_r z_r + c\Bigr)^p, \qquad
              \frac{\partial K_{ij}}{\partial\theta_r} = p\,B_{ij}^{p-1} x_{ir} x_{jr},

    where B is the matrix of the sums in brackets, so that K is B to the power p. The name of the
    family is ``"ard_polynomial"``.

    Parameters
    ----------
    degree : int, default=2
        The power p, at least one.
    offset : float, default=1.0
        The constant c, not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.families.parametric import ARDPolynomialFamily
    >>> ARDPolynomialFamily(degree=2).matrix(np.array([[1.0, 2.0]]), None, np.array([1.0, 0.5]))
    array([[16.]])
    """

    floor = 0.0
    per_column = True

    def __init__(self, degree: int = 2, offset: float = 1.0) -> None:
        self.degree = degree
        self.offset = offset

    def start(self, X: Array) -> Array:
        """Scales that give the points squares of one on average."""
        with np.errstate(over="ignore"):
            squares = np.mean(X * X, axis=0)
        squares = np.where(squares > 0, np.clip(squares, 1e-300, 1e300), 1.0)
        return np.asarray(1.0 / (X.shape[1] * squares))

    def kernel(self, theta: Array) -> Stretched:
        """The polynomial kernel with these scales."""
        roots = np.sqrt(non_negative_vector(theta, "The scales of ARDPolynomial"))
        return Stretched(Polynomial(self.degree, self.offset), roots)

    def gradient(self, X: Array, theta: Array, K: Array, W: Array, Y: Array | None = None) -> Array:
        r"""From :math:`\sum_{ij} M_{ij} x_{ir} y_{jr}` with :math:`M = p\,W \circ B^{p-1}`."""
        M = W * self._falling_power(X, theta, 1, Y)
        return np.asarray(np.einsum("ir,ir->r", X, M @ (X if Y is None else Y)))

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        r"""From :math:`x_{ir} \sum_j p B_{ij}^{p-1} x_{jr} v_j`."""
        columns = X if Y is None else Y
        return X * (self._falling_power(X, theta, 1, Y) @ (v[:, None] * columns))

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        r"""From :math:`p(p-1) \sum_{ij} W_{ij} B_{ij}^{p-2} x_{ir} x_{is} x_{jr} x_{js}`."""
        if self.degree == 1:
            return np.zeros((X.shape[1], X.shape[1]))
        return product_forms(X, W * self._falling_power(X, theta, 2))

    def _falling_power(self, X: Array, theta: Array, order: int, Y: Array | None = None) -> Array:
        """The derivative of B^p by B of this order: p B^(p-1) or p (p-1) B^(p-2)."""
        scaled = X * np.sqrt(theta)
        B = scaled @ (scaled if Y is None else Y * np.sqrt(theta)).T + self.offset
        factor = self.degree if order == 1 else self.degree * (self.degree - 1)
        return factor * np.power(B, self.degree - order)
