"""The interface of first-level learning to a kernel with parameters θ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.families.parametric.theta_penalties import AlongRay, SquaredNorm, ThetaPenalty
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Rows

# Central differences err by h² and by eps/h: this relative step balances the two.
_RELATIVE_STEP = float(np.cbrt(np.finfo(float).eps))


class ParametricKernel(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    r"""A family of kernels :math:`k(x, z; \theta)`, smooth in its parameters θ ≥ 0.

    A new family defines `start` and `kernel`; all derivatives then come by central differences.
    Defining `matrix`, `gradient`, `jacobian_products` and `second` as well makes it fast;
    `kernlearn.testing.check_parametric_kernel` tests whatever was defined. Tables are float64
    arrays of finite numbers. A family with ``takes_things = True`` has rows of any kind, such as
    strings, in an array of objects; its `read` may turn them into an array that all other methods
    but `kernel` are given then. If a matrix cannot be computed, `matrix` raises OverflowError,
    or ``numpy.linalg.LinAlgError``: a search then steps back from that θ. Other errors end the fit.
    An argument `K` is ``matrix(X, None, theta)``, so that nothing is computed twice.

    Attributes
    ----------
    floor : float
        The least share of ``start(X)`` that learning may set a parameter to: zero where zero
        makes sense, as it leaves a column out of an ARD kernel.
    per_column : bool
        Whether θ has one scale for every column, each in the inverse square of the column's unit.
    follows_arrays : bool
        Whether `matrix` and `gradient` take arrays of PyTorch and CuPy too, and work where those
        are.
    takes_things : bool
        Whether the rows may be other things than numbers: text, graphs, arrays of any length.
    signed : bool
        Whether θ may have any sign: then nothing bounds it.

    Examples
    --------
    A family of one's own:

    >>> import numpy as np
    >>> from kernlearn.families.parametric import ParametricKernel
    >>> from kernlearn.kernels import Laplacian
    >>> class LaplacianFamily(ParametricKernel):
    ...     def start(self, X):
    ...         return np.array([1.0 / np.ptp(X, axis=0).sum()])
    ...     def kernel(self, theta):
    ...         return Laplacian(gamma=float(theta[0]))
    >>> X = np.array([[0.0], [1.0]])
    >>> family = LaplacianFamily()
    >>> K = family.matrix(X, None, family.start(X))
    >>> family.gradient(X, family.start(X), K, np.ones((2, 2))).round(6)  # -2/e
    array([-0.735759])
    """

    floor: float = 1e-6
    per_column: bool = False
    follows_arrays: bool = False
    takes_things: bool = False
    takes_sparse: bool = False
    signed: bool = False

    def fitted_to(self, X: Rows) -> ParametricKernel:
        """The family with all that it takes from training rows, such as an alphabet."""
        return self

    def read(self, X: Rows) -> Array:
        """The rows as `matrix` and its derivatives take them."""
        rows: Array = X
        return rows

    @abstractmethod
    def start(self, X: Array) -> Array:
        """A sensible θ for these data, of shape (p,), every entry positive unless θ is signed."""

    def size(self, start: Array) -> Array:
        """The usual size of every entry of θ, positive."""
        return start

    @property
    def penalty(self) -> ThetaPenalty:
        """Ω(θ), which learning weighs by μ: half of the squared length of θ."""
        return SquaredNorm()

    @abstractmethod
    def kernel(self, theta: Array) -> Kernel:
        """The kernel at θ, to be called on any data."""

    def matrix(self, X: Array, Y: Array | None, theta: Array) -> Array:
        """The matrix K(θ) between the rows of `X` and those of `Y`, or of `X` itself."""
        return self.kernel(theta)(X, Y)

    def diag(self, X: Array, theta: Array) -> Array:
        """The diagonal of ``matrix(X, None, theta)``."""
        return self.kernel(theta).diag(X)

    def gradient(self, X: Array, theta: Array, K: Array, W: Array, Y: Array | None = None) -> Array:
        r"""All of :math:`\sum_{ij} W_{ij}\,\partial K_{ij}/\partial\theta_r`, of shape (p,).

        With `Y` the matrix is that between the rows of `X` and those of `Y`, and so is `K`.
        """
        return np.array([np.vdot(W, self._slope(X, theta, r, Y)) for r in range(len(theta))])

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        r"""All of :math:`(\partial K/\partial\theta_r)\,v` as columns, of shape (n, p).

        With `Y`, as in `gradient`.
        """
        return np.column_stack([self._slope(X, theta, r, Y) @ v for r in range(len(theta))])

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        r"""All of :math:`\sum_{ij} W_{ij}\,\partial^2 K_{ij}/\partial\theta_r\partial\theta_s`."""
        rows = []
        for r in range(len(theta)):
            above, below, width = _stepped(theta, r)
            ahead = self.gradient(X, above, self.matrix(X, None, above), W)
            behind = self.gradient(X, below, self.matrix(X, None, below), W)
            rows.append((ahead - behind) / width)
        half = 0.5 * np.array(rows)
        return half + half.T

    def dual_minimum(self, X: Array, a: Array, mu: float) -> tuple[float, float] | None:
        r"""A factor t, and the least :math:`\mu\Omega - \tfrac12t^2\sum_k a_k^TK(\theta)a_k`.

        From the columns of `a`, which sum to zero, this makes a lower bound of the criterion over
        all θ. The factor is at most one, and such that there is a minimum. None where it is
        not known, as in families that are not convex.
        """
        return None

    def along(self, direction: Array) -> ParametricKernel:
        """The family of one parameter c ≥ 0 with θ = c · direction."""
        return Ray(self, direction)

    @classmethod
    def stack(cls, families: Sequence[ParametricKernel]) -> ParametricKernel | None:
        """One family for as many tables of one size as there are families, or None.

        If there is one, its `matrix`, `gradient`, `jacobian_products` and `second` take stacks of
        tables (B, n, d), of matrices and of θ (B, p), and work where the tables are.
        """
        return None

    def _slope(self, X: Array, theta: Array, r: int, Y: Array | None = None) -> Array:
        """∂K/∂θ_r by central differences."""
        above, below, width = _stepped(theta, r)
        return (self.matrix(X, Y, above) - self.matrix(X, Y, below)) / width


class Ray(ParametricKernel):
    r"""The family :math:`k(x, z; c\,u)` of one parameter c, for a fixed direction u."""

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

    def gradient(self, X: Array, theta: Array, K: Array, W: Array, Y: Array | None = None) -> Array:
        """By the chain rule, uᵀ times the family's gradient."""
        slopes = self.family.gradient(X, theta[0] * self.direction, K, W, Y)
        return np.array([self.direction @ slopes])

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        """The family's columns, combined."""
        columns = self.family.jacobian_products(X, theta[0] * self.direction, K, v, Y)
        return (columns @ self.direction)[:, None]

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        """Second derivatives of the family, combined on both sides."""
        u = self.direction
        return np.array([[u @ self.family.second(X, theta[0] * u, K, W) @ u]])

    def diag(self, X: Array, theta: Array) -> Array:
        """The diagonal at c·u."""
        return self.family.diag(X, theta[0] * self.direction)

    @property
    def penalty(self) -> ThetaPenalty:
        """Penalty of the family at c·u."""
        return AlongRay(self.family.penalty, self.direction)


def _stepped(theta: Array, r: int) -> tuple[Array, Array, float]:
    """θ a little above and below in entry r, never below zero, and how far apart the two are."""
    above, below = np.array(theta, dtype=float), np.array(theta, dtype=float)
    step = _RELATIVE_STEP * (theta[r] if theta[r] > 0 else 1.0)
    above[r] += step
    below[r] = max(below[r] - step, 0.0)
    return above, below, float(above[r] - below[r])
