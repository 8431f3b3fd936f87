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
from kernlearn.quality.machine import Array


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
        # A constant kernel is zero once centred; rounding must not give it a direction.
        kept = np.diagonal(S) > 1e-12 * lengths
        S, agreement = S * np.outer(kept, kept), agreement * kept
    return Alignment(agreement, S, float(np.linalg.norm(Y.T @ Y)))
