r"""Where the learned function lives: the span of the sections, in one of two coordinates.

Few pairs have their matrix K, and :math:`w = \alpha` with :math:`\|w\|^2 = w^\top K w`. Many have
an incomplete factor, :math:`K \approx GG^\top`, and :math:`w = G^\top\alpha` with the plain norm.

Both compute in the precision of what they are given, and know how far rounding may have led: a sum
of m products, in any order, is wrong by at most mε times the sum of their sizes (Higham 2002,
section 3.1), and entries of K are at most :math:`\sqrt{K_{pp} K_{qq}}`. With
:math:`S = \sum_p |\alpha_p| \sqrt{K_{pp}}` the value at p is then wrong by at most
:math:`\gamma\sqrt{K_{pp}}\,S`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor
from kernlearn.gram._greedy import factorise
from kernlearn.solvers.pairs.products import times_factor, times_transpose
from kernlearn.typing import Array, Indices

_ALL = slice(None)
# With fewer coefficients than this part of all, only their rows of the factor are read.
_FEW = 0.1
# LAPACK's eigenvalues of a symmetric matrix are right to a few ε of the largest.
_EIGENVALUES = 4.0 * np.finfo(float).eps


class Space(Protocol):
    """What a pair program needs of its kernel on pairs."""

    n_pairs: int
    terms: int
    """How many terms the longest sums have, from coefficients to values."""
    residual: Array
    """The diagonal of what K leaves out of the matrix that it stands for."""

    @property
    def defect(self) -> float:
        """Such a δ that K + δ diag(K) is positive semidefinite."""

    @property
    def nonnegative(self) -> bool:
        """Whether K is known to have no negative entry."""

    @property
    def lengths(self) -> Array:
        """The norm of every section."""

    @property
    def factored(self) -> FactorSpace:
        """The same with a factor, up to rounding."""

    def diagonal(self) -> Array:
        """The squared norm of every section."""

    def block(self, rows: Indices, columns: Indices) -> Array:
        """The entries of K at some rows and columns."""

    def lift(self, coef: Array) -> Array:
        """The function Σ α_p K_p, as w."""

    def values(self, w: Array, rows: Indices | slice = _ALL) -> Array:
        """The values of w on the pairs, or on some of them."""

    def squared_norm(self, w: Array) -> Any:
        """‖w‖², as a scalar of w's precision."""

    def norm_error(self, size: Any, square: Any, gamma: float) -> Any:
        """What rounding may have changed in ‖w‖² = `square`, given S and γ."""

    def restricted(self, rows: Indices) -> Space:
        """The space of some of the pairs."""


class DenseSpace:
    """The matrix K of the pairs, (n_pairs, n_pairs)."""

    def __init__(self, K: Array) -> None:
        self.K = K
        self.n_pairs = self.terms = len(K)
        self.residual = np.zeros(len(K))

    @cached_property
    def lengths(self) -> Array:
        """The norms of the sections."""
        return np.sqrt(self.K.diagonal())

    @cached_property
    def defect(self) -> float:
        """What rounding may have taken from the least eigenvalue, relative to the diagonal."""
        used = self.lengths > 0
        if not used.any():
            return 0.0
        lengths = self.lengths[used]
        # One after the other: the product of two lengths may be below the least number.
        K = self.K if used.all() else self.K[np.ix_(used, used)]
        unit = K / lengths / lengths[:, None]
        if _surely_psd(unit):
            return 0.0
        eigenvalues = np.linalg.eigvalsh(unit)
        return max(-float(eigenvalues[0]), 0.0) + _EIGENVALUES * float(eigenvalues[-1])

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no entry is negative."""
        return bool(self.K.min() >= 0)

    @cached_property
    def factored(self) -> FactorSpace:
        """The complete factor of K, up to rounding, by pivots."""
        factor, pivots, *_ = factorise(
            lambda rows: lambda chosen: self.K[chosen][:, rows], self.diagonal(), 0.0, None
        )
        return FactorSpace(factor, pivots)

    def diagonal(self) -> Array:
        """The diagonal of K."""
        return self.K.diagonal()

    def block(self, rows: Indices, columns: Indices) -> Array:
        """A part of K."""
        return self.K[rows[:, None], columns]

    def lift(self, coef: Array) -> Array:
        """The coefficients themselves."""
        return coef

    def values(self, w: Array, rows: Indices | slice = _ALL) -> Array:
        """K w."""
        return np.asarray(self.K[rows] @ w)

    def squared_norm(self, w: Array) -> Any:
        """Return wᵀKw."""
        return w @ (self.K @ w)

    def norm_error(self, size: Any, square: Any, gamma: float) -> Any:
        """Every value is wrong by γ√K_pp S, and a sum of them by as much again."""
        return gamma * size * size

    def restricted(self, rows: Indices) -> DenseSpace:
        """The matrix of some of the pairs."""
        return DenseSpace(self.block(rows, rows))


def _surely_psd(unit: Array) -> bool:
    """Whether a Cholesky factor proves a matrix of unit diagonal, known to rounding, to be so.

    A factor in numbers is that of a matrix whose entries differ by at most (n + 1)ε from the given
    ones (Higham 2002, section 10.1), so that n(n + 1)ε less on the diagonal must leave one.
    """
    n = len(unit)
    less = unit.copy()
    less.flat[:: n + 1] -= n * (n + 8) * np.finfo(float).eps
    try:
        lower_factor(less)
    except LinAlgError:
        return False
    return True


class FactorSpace:
    """A factor G of shape (n_pairs, r) whose rows `pivots` are lower triangular.

    It is fastest as the transpose of a C-ordered array.
    """

    defect = 0.0
    nonnegative = False

    def __init__(self, factor: Array, pivots: Indices, residual: Array | None = None) -> None:
        self.factor, self.pivots = factor, pivots
        self.n_pairs = len(factor)
        self.terms = sum(factor.shape)
        self.residual = np.zeros(len(factor)) if residual is None else residual

    @cached_property
    def lengths(self) -> Array:
        """The lengths of the rows of G."""
        return np.sqrt(self.diagonal())

    @property
    def factored(self) -> FactorSpace:
        """Itself."""
        return self

    def diagonal(self) -> Array:
        """The squared lengths of the rows of G."""
        return np.asarray(np.einsum("ij,ij->i", self.factor, self.factor))

    def block(self, rows: Indices, columns: Indices) -> Array:
        """A part of GGᵀ."""
        return np.asarray(self.factor[rows] @ self.factor[columns].T)

    def lift(self, coef: Array) -> Array:
        """Return Gᵀα."""
        used = np.flatnonzero(coef)
        if len(used) < _FEW * len(coef):
            return times_transpose(self.factor[used], coef[used])
        return times_transpose(self.factor, coef)

    def values(self, w: Array, rows: Indices | slice = _ALL) -> Array:
        """G w."""
        return times_factor(self.factor[rows], w)

    def squared_norm(self, w: Array) -> Any:
        """Return wᵀw."""
        return w @ w

    def norm_error(self, size: Any, square: Any, gamma: float) -> Any:
        """The vector w is wrong by γS in length."""
        moved = gamma * size
        return moved * (2.0 * np.sqrt(square) + moved) + gamma * square

    def restricted(self, rows: Indices) -> FactorSpace:
        """Some rows of the factor; none of them counts as a pivot."""
        return FactorSpace(np.ascontiguousarray(self.factor.T[:, rows]).T, np.arange(0))
