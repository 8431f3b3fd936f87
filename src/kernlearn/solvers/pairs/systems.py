r"""The linear system of a Newton step, for each kind of cone.

With D and E the positive diagonals that are left of the complementarity conditions,
:math:`h = F^\top D 1`, :math:`d = 1^\top D 1`, and A the matrix that takes the coefficients of a
cone to :math:`x = A^\top\alpha`, a step solves

.. math::

    (Q + F^\top D F)\,\Delta x + h\,\Delta b - \Delta u = p, \quad
    h^\top \Delta x + d\,\Delta b = q, \quad
    \Delta x + A^\top E A\,\Delta u = c .

Eliminating b leaves :math:`H = Q + F^\top D F - h h^\top / d`, which is positive definite.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrmm, dtrsv
from scipy.linalg.lapack import dpotrf

from kernlearn.solvers.pairs.pair_kernel import times_factor, times_transpose, weighted_gram
from kernlearn.typing import Array


class Breakdown(Exception):
    """Rounding has left a matrix that is not positive definite: no further step is possible."""


class FreeSystem:
    r"""A program min ½xᵀQx + Σ [1 − t(Fx + b)]₊ without a cone: x = w, Q = I/C and F = G.

    Its Newton steps cost one weighted product and r³/3. Programs over a cone x = Aᵀα, α ≥ 0, derive
    from it; `inside` is a vector u with Au > 0.
    """

    def __init__(self, factor: Array, C: float, inside: Array | None = None) -> None:
        self.F, self._C = factor, C
        self.inside = np.zeros(factor.shape[1]) if inside is None else inside

    def curvature(self, x: Array) -> Array:
        """Q x."""
        return x / self._C

    def forward(self, x: Array, u: Array) -> tuple[Array, Array]:
        """F x and A u."""
        return times_factor(self.F, x), np.empty(0)

    def adjoint(self, v: Array, alpha: Array) -> tuple[Array, Array]:
        """Fᵀ v and Aᵀ α."""
        return times_transpose(self.F, v), np.zeros(self.F.shape[1])

    def factorise(self, D: Array, E: Array) -> None:
        """Prepare the steps at these diagonals."""
        H = self._reduced(D)
        H.flat[:: len(H) + 1] += 1.0 / self._C
        self._L = _cholesky(H)

    def solve(self, p: Array, q: float, c: Array) -> tuple[Array, float, Array]:
        """Return Δx, Δb and Δu."""
        dx = _solve(self._L, self._without_b(p, q))
        return dx, self._b(q, dx), np.zeros_like(dx)

    def _reduced(self, D: Array) -> Array:
        self._h, self._d = times_transpose(self.F, D), float(D.sum())
        return weighted_gram(self.F, D, self._h / self._d)

    def _without_b(self, p: Array, q: float) -> Array:
        return p - self._h * (q / self._d)

    def _b(self, q: float, step: Array) -> float:
        return (q - float(self._h @ step)) / self._d


class CoordinateSystem(FreeSystem):
    """x = α itself: F and CQ are parts of K, and A = I. The cheaper cone at nearly full rank."""

    def __init__(self, F: Array, Q: Array, inside: Array) -> None:
        super().__init__(F, 1.0, inside)
        self._Q = Q

    def curvature(self, x: Array) -> Array:
        """Q x."""
        return self._Q @ x

    def forward(self, x: Array, u: Array) -> tuple[Array, Array]:
        """F x and A u."""
        return times_factor(self.F, x), u

    def adjoint(self, v: Array, alpha: Array) -> tuple[Array, Array]:
        """Fᵀ v and Aᵀ α."""
        return times_transpose(self.F, v), alpha

    def factorise(self, D: Array, E: Array) -> None:
        """Prepare the steps at these diagonals."""
        self._E = E
        H = self._reduced(D)
        H += self._Q
        H.flat[:: len(H) + 1] += 1.0 / E
        self._L = _cholesky(H)

    def solve(self, p: Array, q: float, c: Array) -> tuple[Array, float, Array]:
        """Return Δx, Δb and Δu."""
        dx = _solve(self._L, self._without_b(p + c / self._E, q))
        return dx, self._b(q, dx), (c - dx) / self._E


class RowSystem(FreeSystem):
    r"""x = w in the cone of rows of G: Q = I/C, F = G. The cost is linear in the number of pairs.

    With :math:`H = LL^\top` and :math:`\Delta u = L v` the unknown v solves
    :math:`(I + L^\top A^\top E A L) v = L^\top c - L^{-1} p`, which is positive definite without
    an inverse having been formed.
    """

    def __init__(self, factor: Array, rows: Array, C: float, inside: Array) -> None:
        super().__init__(factor, C, inside)
        self._A = rows

    def forward(self, x: Array, u: Array) -> tuple[Array, Array]:
        """F x and A u."""
        if self._A is not self.F:
            return times_factor(self.F, x), times_factor(self._A, u)
        # One pass over the factor for both: at this size its reading takes the time.
        both = times_factor(self.F, np.column_stack([x, u]))
        return both[:, 0], both[:, 1]

    def adjoint(self, v: Array, alpha: Array) -> tuple[Array, Array]:
        """Fᵀ v and Aᵀ α."""
        if self._A is not self.F:
            return times_transpose(self.F, v), times_transpose(self._A, alpha)
        both = times_transpose(self.F, np.column_stack([v, alpha]))
        return both[:, 0], both[:, 1]

    def factorise(self, D: Array, E: Array) -> None:
        """Prepare the steps at these diagonals."""
        super().factorise(D, E)
        M = dtrmm(1.0, self._L, weighted_gram(self._A, E), side=1, lower=1)
        M = dtrmm(1.0, self._L, M, side=0, lower=1, trans_a=1)
        M[np.diag_indices_from(M)] += 1.0
        self._M = _cholesky(M)

    def solve(self, p: Array, q: float, c: Array) -> tuple[Array, float, Array]:
        """Return Δx, Δb and Δu."""
        half = dtrsv(self._L, self._without_b(p, q), lower=1)
        v = _solve(self._M, self._L.T @ c - half)
        dx = dtrsv(self._L, v + half, lower=1, trans=1)
        return dx, self._b(q, dx), self._L @ v


def _cholesky(H: Array) -> Array:
    """The lower factor with zeros above, column by column as LAPACK keeps it."""
    # The matrix is symmetric, and its transpose is what LAPACK reads without a copy.
    L, info = dpotrf(H.T, lower=1, clean=1, overwrite_a=1)
    if info != 0 or not np.isfinite(L[-1, -1]):
        raise Breakdown
    return np.asarray(L)


def _solve(L: Array, rhs: Array) -> Array:
    # One right-hand side: the solvers for many would spend their time on preparing the matrix.
    return np.asarray(dtrsv(L, dtrsv(L, rhs, lower=1), lower=1, trans=1))
