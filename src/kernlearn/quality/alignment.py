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
from numpy.typing import NDArray

from kernlearn.families.base import Family
from kernlearn.quality.machine import Array

# Squared length that is left of a centred kernel: below, cancellation has taken most digits.
NEARLY_CONSTANT = 1e-8


@dataclass(frozen=True, eq=False)
class Alignment:
    """The numbers that define the alignment of a family with labels.

    Parameters
    ----------
    agreement : ndarray of shape (m,)
        The vector q.
    inner_products : ndarray of shape (m, m)
        The matrix S.
    target_norm : float
        The Frobenius norm of YYᵀ.
    """

    agreement: Array
    inner_products: Array
    target_norm: float

    def value(self, weights: Array) -> float:
        """The alignment of K(w), between −1 and 1."""
        length = float(np.sqrt(weights @ self.inner_products @ weights))
        return float(self.agreement @ weights) / (length * self.target_norm)


def alignment(family: Family, targets: Array, centered: bool = False) -> Alignment:
    """Alignment of ``family`` with the columns of ``targets`` (n, k) of −1 and +1."""
    Y = targets - targets.mean(axis=0) if centered else targets
    agreement = np.zeros(family.n_matrices)
    for column in Y.T:
        agreement += family.apply(column) @ column
    with np.errstate(over="ignore", invalid="ignore"):
        S = family.inner_products(np.eye(family.n_matrices))
    if centered:
        N = family.n_points
        row_sums = family.apply(np.ones(N), labelled_only=False)
        totals = row_sums.sum(axis=1)
        lengths = np.diagonal(S)
        S = S - (2.0 / N) * row_sums @ row_sums.T + np.outer(totals, totals) / N**2
        flat = np.flatnonzero(~(np.diagonal(S) > NEARLY_CONSTANT * lengths))
        if len(flat):
            _mend(family, Y, flat, agreement, S)
    return Alignment(agreement, S, float(np.linalg.norm(Y.T @ Y)))


def _mend(family: Family, Y: Array, flat: NDArray[np.intp], agreement: Array, S: Array) -> None:
    """Put in what kernels that are nearly constant have left once they are centred.

    Sums of their squares cancel to nothing; the matrices themselves, centred in long double, do
    not. A kernel that is constant is zero then, and has no direction.
    """
    n = len(Y)
    for i in flat:
        K = family.combine_exactly(np.eye(family.n_matrices)[i], labelled_only=False)
        size = np.abs(K).max()
        K -= K.mean(axis=0)
        K -= K.mean(axis=1)[:, None]
        if not np.abs(K).max() > 4 * len(K) * np.finfo(np.longdouble).eps * size:
            K[:] = 0
        rest = np.asarray(K, dtype=float)
        agreement[i] = float(np.sum(Y * (rest[:n, :n] @ Y)))
        S[i] = S[:, i] = family.products(rest)
        S[i, i] = float(np.sum(rest * rest))
