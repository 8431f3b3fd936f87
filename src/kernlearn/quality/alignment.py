r"""Kernel-target alignment: Lanckriet et al. (2004), section 4.7, and its centred form.

The alignment of K(w) with the labels is

.. math::

    \hat A(w) = \frac{q^\top w}{\lVert YY^\top\rVert_F\,\sqrt{w^\top S w}},
    \qquad q_i = \langle K_{i,tr}, YY^\top\rangle_F, \quad S_{ij} = \langle K_i, K_j\rangle_F .

It does not depend on the scale of w, so program (53) and its positive form are the same as
minimising :math:`\tfrac12 w^\top S w` over :math:`q^\top w = 1`, a quadratic program. The centred
form (Cortes, Mohri and Rostamizadeh 2012) has HKᵢH and HY in place of Kᵢ and Y, H = I − 11ᵀ/N.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.families.base import Family
from kernlearn.numerics.sums import blocked_product, column_means, inner_product
from kernlearn.typing import AnyFloatArray, Array

# Part of its squared length that centring leaves of a kernel: below, sums of squares have lost two
# digits or more, and below the second, the centred matrix itself has lost as many as that.
NEARLY_CONSTANT, ALL_BUT_CONSTANT = 1e-2, 1e-8


@dataclass(frozen=True, eq=False)
class FamilyAlignment:
    """The numbers that define the alignment of a family with labels."""

    agreement: Array  # The vector q, of shape (m,)
    inner_products: Array  # The matrix S, of shape (m, m)
    target_norm: float  # The Frobenius norm of YYᵀ

    def value(self, weights: Array) -> float:
        """The alignment of K(w), between −1 and 1."""
        length = float(np.sqrt(weights @ self.inner_products @ weights))
        return float(self.agreement @ weights) / (length * self.target_norm)


def alignment(family: Family, targets: Array, centered: bool = False) -> FamilyAlignment:
    """Alignment of ``family`` with the columns of ``targets`` (n, k) of −1 and +1."""
    Y = targets - targets.mean(axis=0) if centered else targets
    agreement = np.zeros(family.n_matrices)
    for column in Y.T:
        agreement += blocked_product(family.apply(column), column)
    with np.errstate(over="ignore", invalid="ignore"):
        S = family.inner_products(np.eye(family.n_matrices), blocked=True)
    if centered:
        N = family.n_points
        row_sums = family.apply(np.ones(N), labelled_only=False)
        totals = blocked_product(row_sums, np.ones(N))
        lengths = np.diagonal(S)
        cross = blocked_product(row_sums, row_sums.T)
        S = S - (2.0 / N) * cross + np.outer(totals, totals) / N**2
        flat = np.flatnonzero(~(np.diagonal(S) > NEARLY_CONSTANT * lengths))
        for i in flat:
            exact = not S[i, i] > ALL_BUT_CONSTANT * lengths[i]
            rest = _centred(family, int(i), exact)
            agreement[i] = inner_product(Y.T, blocked_product(Y.T, rest[: len(Y), : len(Y)]))
            S[i] = S[:, i] = family.products(rest)
            S[i, i] = inner_product(rest, rest)
    return FamilyAlignment(agreement, S, float(np.linalg.norm(Y.T @ Y)))


def _centred(family: Family, i: int, exact: bool) -> Array:
    """The i-th kernel, centred, which may be almost zero.

    Sums of squares would cancel; the matrix itself does not, or in long double far less. A kernel
    that is constant is zero then, and has no direction.
    """
    only = np.eye(family.n_matrices)[i]
    combine = family.combine_exactly if exact else family.combine
    K: AnyFloatArray = combine(only, labelled_only=False)
    size = np.abs(K).max()
    K = K - column_means(K)
    K = K - column_means(K.T)[:, None]
    if not np.abs(K).max() > 4 * len(K) * np.finfo(K.dtype).eps * size:
        K = np.zeros_like(K)
    return np.asarray(K, dtype=float)
