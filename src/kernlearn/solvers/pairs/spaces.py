r"""Where the learned function lives: the span of the sections, in one of two coordinates.

Few pairs have their matrix K, and :math:`w = \alpha` with :math:`\|w\|^2 = w^\top K w`. Many have
an incomplete factor, :math:`K \approx GG^\top`, and :math:`w = G^\top\alpha` with the plain norm.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.pairs.products import times_factor, times_transpose

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_ALL = slice(None)
# With fewer coefficients than this part of all, only their rows of the factor are read.
_FEW = 0.1


class Space(Protocol):
    """What a pair program needs of its kernel on pairs."""

    n_pairs: int

    def diagonal(self) -> Array:
        """The squared norm of every section."""

    def block(self, rows: Indices, columns: Indices) -> Array:
        """The entries of K at some rows and columns."""

    def lift(self, coef: Array) -> Array:
        """The function Σ α_p K_p, as w."""

    def values(self, w: Array, rows: Indices | slice = _ALL) -> Array:
        """The values of w on the pairs, or on some of them."""

    def squared_norm(self, w: Array) -> float:
        """‖w‖²."""

    def restricted(self, rows: Indices) -> Space:
        """The space of some of the pairs."""


class DenseSpace:
    """The matrix K of the pairs, (n_pairs, n_pairs)."""

    def __init__(self, K: Array) -> None:
        self.K = K
        self.n_pairs = len(K)

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

    def squared_norm(self, w: Array) -> float:
        """Return wᵀKw."""
        return float(w @ (self.K @ w))

    def restricted(self, rows: Indices) -> DenseSpace:
        """The matrix of some of the pairs."""
        return DenseSpace(self.block(rows, rows))


class FactorSpace:
    """A factor G of shape (n_pairs, r) whose rows `pivots` are lower triangular.

    It is fastest as the transpose of a C-ordered array.
    """

    def __init__(self, factor: Array, pivots: Indices) -> None:
        self.factor, self.pivots = factor, pivots
        self.n_pairs = len(factor)

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

    def squared_norm(self, w: Array) -> float:
        """Return wᵀw."""
        return float(w @ w)

    def restricted(self, rows: Indices) -> FactorSpace:
        """Some rows of the factor; none of them counts as a pivot."""
        return FactorSpace(np.ascontiguousarray(self.factor.T[:, rows]).T, np.arange(0))
