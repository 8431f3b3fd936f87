r"""A point of a cone by few of its generators.

The interior-point method gives every pair a coefficient. By Carathéodory's theorem r of them
suffice for the same :math:`w = G^\top\alpha`, and non-negative least squares finds such ones: a
learned kernel then costs r sections, however many pairs it was learned from.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from kernlearn.typing import Array

# A generator is a candidate if its share of w is above this part of the largest share. Those
# at zero end near the tolerance of the method, far below.
_SHARE = 1e-6
# More candidates than this many times the rank are cut to those with the largest shares.
_CANDIDATES = 4


def sparse_generators(factor: Array, coef: Array, w: Array) -> Array:
    """Coefficients, mostly zero, with Gᵀα as near to w as the candidates allow."""
    lengths = np.sqrt(np.einsum("ij,ij->i", factor, factor))
    kept = without_negligible(coef, lengths)
    candidates = np.flatnonzero(kept)
    if len(candidates) == 0:
        return kept
    order = np.argsort(-(kept * lengths)[candidates], kind="stable")
    chosen = candidates[order[: _CANDIDATES * factor.shape[1]]]
    # Columns of one length: the method chooses by the gradient, which their scale would bend.
    try:
        solution = nnls(factor[chosen].T / lengths[chosen], w)[0]
    except RuntimeError:  # no convergence: the coefficients stay as they came
        return kept
    sparse: Array = np.zeros(len(coef))
    sparse[chosen] = solution / lengths[chosen]
    return sparse


def without_negligible(coef: Array, lengths: Array) -> Array:
    """The coefficients with zero for every share of w, α_p‖g_p‖, that is negligible."""
    shares = coef * lengths
    return np.where(shares > _SHARE * shares.max(initial=0.0), coef, 0.0)
