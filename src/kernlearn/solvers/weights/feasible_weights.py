"""Weights as they are returned: negligible ones zero, the total restored, K(w) ⪰ 0."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor
from kernlearn.families.base import Family
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.numerics.sums import EPS, rounding
from kernlearn.typing import Array

NEGLIGIBLE = 1e-9  # share of the sum of all shares
MOST_PULLED = 1e-3  # share of the inner weights: beyond it, moving is not worth it


def without_negligible(weights: Array, shares: Array) -> Array:
    """The weights with exact zeros where a matrix has a share that is rounding.

    The shares are terms of the constraint or of the trace, whichever are larger.
    """
    # Of their sum, not of their sizes: large weights that cancel make small ones count.
    kept = np.abs(shares) > NEGLIGIBLE * abs(float(shares.sum()))
    if kept.all() or not kept.any():
        return weights
    return np.asarray(np.where(kept, weights, 0.0))


def rescaled_to_total(weights: Array, normaliser: Array, total: float) -> Array:
    """The weights stretched until Σ wᵢrᵢ = total."""
    exact = weights.astype(np.longdouble)
    size = exact @ normaliser
    if not size > 0 or abs(size / total - 1.0) <= 4 * EPS:
        return weights
    return np.asarray(exact * (total / size)).astype(float)


def pulled_into_cone(
    family: Family, weights: Array, inside: Array, allowed: float = 0.0
) -> tuple[Array, float]:
    """Weights moved towards ``inside`` until K(w) ⪰ 0 to rounding, or as far as is worth it.

    With them comes the lowest eigenvalue of K(w), if it is negative; down to −`allowed` it may be.
    The bound is one over the cone: were weights outside of it returned, their value could lie
    below that of all others. At ``inside``, K(w) ⪰ 0 for certain.
    """
    value, vector = lowest_eigenpair(family.combine(weights, labelled_only=False))
    moved = weights
    for _ in range(4):
        if -value <= allowed:
            break
        # Where the lowest eigenvector has no more than rounding at the inner point, nothing helps.
        room = float(vector @ family.combine(inside, labelled_only=False) @ vector)
        share = 1.1 * -value / (room - value) if room > 0 else 1.0
        if share > MOST_PULLED:
            break
        moved = (1.0 - share) * moved + share * inside
        value, vector = lowest_eigenpair(family.combine(moved, labelled_only=False))
    return moved, value


def lowest_eigenpair(K: Array) -> tuple[float, Array]:
    """The most negative eigenvalue, zero if it is rounding, and its eigenvector."""
    n = len(K)
    size = float(np.abs(K.diagonal()).max())
    allowed = 4.0 * rounding(n) * max(size, float(np.linalg.norm(K)) / np.sqrt(n))
    # Single precision takes half the time. It has more rounding, so as much is taken off the
    # diagonal, and an indefinite matrix breaks down early.
    coarse = allowed * float(np.finfo(np.float32).eps) / EPS
    if _has_factor(K, np.float32, -coarse) or _has_factor(K, np.float64, allowed):
        return 0.0, np.zeros(n)
    values, vectors = lowest_eigenpairs(K, 1)
    value = float(values[0])
    return (0.0 if value >= -allowed else value), vectors[:, 0]


def _has_factor(K: Array, dtype: type, shift: float) -> bool:
    """Whether K with a shift of its diagonal has a Cholesky factor in this precision."""
    with np.errstate(over="ignore"):
        shifted: Array = K.astype(dtype)
        shifted.flat[:: len(K) + 1] = K.diagonal() + shift
    try:
        factor = lower_factor(shifted)
    except LinAlgError:
        return False
    # Beyond its range there are no numbers, of which every row has its share on the diagonal.
    return bool(np.isfinite(factor.diagonal()).all())
