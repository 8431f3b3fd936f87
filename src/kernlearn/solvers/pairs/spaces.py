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


class Space(Protocol):
    """What a pair program needs of its kernel on pairs."""

    n_pairs: int

    def lift(self, coef: Array) -> Array:
        """The function Σ α_p K_p, as w."""

    def values(self, w: Array) -> Array:
        """The values of w on every pair."""

    def squared_norm(self, w: Array) -> float:
        """‖w‖²."""


class DenseSpace:
    """The matrix K of the pairs, (n_pairs, n_pairs)."""

    def __init__(self, K: Array) -> None:
        self.K = K
        self.n_pairs = len(K)

    def lift(self, coef: Array) -> Array:
        """The coefficients themselves."""
        return coef

    def values(self, w: Array) -> Array:
        """K w."""
        return np.asarray(self.K @ w)

    def squared_norm(self, w: Array) -> float:
        """Return wᵀKw."""
        return float(w @ (self.K @ w))


class FactorSpace:
    """A factor G of shape (n_pairs, r) whose rows `pivots` are lower triangular.

    It is fastest as the transpose of a C-ordered array.
    """

    def __init__(self, factor: Array, pivots: NDArray[np.intp]) -> None:
        self.factor, self.pivots = factor, pivots
        self.n_pairs = len(factor)

    def lift(self, coef: Array) -> Array:
        """Return Gᵀα."""
        return times_transpose(self.factor, coef)

    def values(self, w: Array) -> Array:
        """G w."""
        return times_factor(self.factor, w)

    def squared_norm(self, w: Array) -> float:
        """Return wᵀw."""
        return float(w @ w)
