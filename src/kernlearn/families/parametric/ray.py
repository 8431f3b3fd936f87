"""One direction in the parameters of another family."""

from __future__ import annotations

import numpy as np

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array


class Ray(ParametricKernel):
    r"""The family :math:`k(x, z; c\,u)` of one parameter c, for a fixed direction u.

    Parameters
    ----------
    family : ParametricKernel
        The family of several parameters.
    direction : ndarray of shape (p,)
        The direction u, without negative entries.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.families.parametric import ARDPolynomial
    >>> from kernlearn.families.parametric.ray import Ray
    >>> line = Ray(ARDPolynomial(degree=1, offset=0.0), np.array([1.0, 3.0]))
    >>> line.matrix(np.array([[1.0, 1.0]]), None, np.array([2.0]))
    array([[8.]])
    """

    def __init__(self, family: ParametricKernel, direction: Array) -> None:
        self.family = family
        self.direction = direction

    def start(self, X: Array) -> Array:
        """The multiple of the direction that comes nearest to the family's own start."""
        u = self.direction
        return np.array([self.family.start(X) @ u / (u @ u)])

    def kernel(self, theta: Array) -> Kernel:
        """The kernel at c·u."""
        return self.family.kernel(theta[0] * self.direction)

    def matrix(self, X: Array, Y: Array | None, theta: Array) -> Array:
        """The matrix at c·u."""
        return self.family.matrix(X, Y, theta[0] * self.direction)

    def gradient(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        """By the chain rule, uᵀ times the family's."""
        slopes = self.family.gradient(X, theta[0] * self.direction, K, W)
        return np.array([self.direction @ slopes])

    def cross_gradient(self, X: Array, Y: Array, theta: Array, K: Array, W: Array) -> Array:
        """Likewise."""
        slopes = self.family.cross_gradient(X, Y, theta[0] * self.direction, K, W)
        return np.array([self.direction @ slopes])

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        """The family's columns, combined."""
        columns = self.family.jacobian_products(X, theta[0] * self.direction, K, v, Y)
        return (columns @ self.direction)[:, None]

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        """Both sides of the family's, combined."""
        u = self.direction
        return np.array([[u @ self.family.second(X, theta[0] * u, K, W) @ u]])
