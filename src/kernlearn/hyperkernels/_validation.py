"""Checks of the pairs that a hyperkernel is called with, and the distinct pairs of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import as_floats, is_finite
from kernlearn.typing import Array, Indices, RandomState

# A kernel gives matrices; the diagonals of blocks of this size hold the values for pairs. Smaller
# blocks compute fewer values in vain, larger ones need fewer calls (measured).
_BLOCK = 64


def check_pairs(pairs: ArrayLike, name: str) -> Array:
    """Return `pairs` as a float64 array (n_pairs, 2, n_features) of finite numbers."""
    values = as_floats(pairs, name)
    if values.ndim != 3 or values.shape[1] != 2 or 0 in values.shape:
        raise ValueError(
            f"{name} must have shape (n_pairs, 2, n_features) with at least one pair and one "
            f"feature, got shape {values.shape}; build it for example with "
            "np.stack([X[i], X[j]], axis=1)."
        )
    if not is_finite(values):
        pair, point, feature = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"{name} must hold finite numbers only, got {values[pair, point, feature]} in pair "
            f"{pair}, point {point}, feature {feature}; remove or impute such entries."
        )
    return values


def check_one_pair(pair: ArrayLike) -> Array:
    """Return one pair, of shape (2, n_features), as a table of pairs (1, 2, n_features)."""
    values = as_floats(pair, "pair")
    if values.ndim != 2 or len(values) != 2:
        raise ValueError(
            f"pair must have shape (2, n_features), got shape {values.shape}; pass its two points, "
            "for example X[[i, j]]."
        )
    return check_pairs(values[None], "pair")


def check_same_features(n_features: int, expected: int, name: str) -> None:
    """Refuse points that do not have as many features as the pairs they are compared with."""
    if n_features != expected:
        raise ValueError(
            f"{name} must have as many features as the pairs, got {n_features} for {expected}; "
            "pass all points with the same features."
        )


def check_weights(weights: ArrayLike, n_pairs: int) -> Array:
    """Return one finite, non-negative weight for each pair."""
    values = as_floats(weights, "weights")
    if values.shape != (n_pairs,) or not is_finite(values) or values.min() < 0:
        raise ValueError(
            f"weights must be {n_pairs} non-negative finite numbers, one for each pair, got "
            f"{weights!r}; a negative weight need not give a kernel, so clip or drop it."
        )
    return values


def values_of_pairs(kernel: Kernel, left: Array, right: Array) -> Array:
    """Return k(left_p, right_p) for every p, in time and memory proportional to their number."""
    values: Array = np.empty(len(left))
    for start in range(0, len(left), _BLOCK):
        rows = slice(start, start + _BLOCK)
        values[rows] = kernel(left[rows], right[rows]).diagonal()
    return values


def check_not_negative(values: Array, kernel: Kernel, owner: str) -> None:
    """Refuse a base kernel that goes negative: its sections need not be kernels."""
    if values.min() < 0:
        raise ValueError(
            f"{owner} needs a kernel that is never negative, got {values.min():.3g} from "
            f"{kernel!r}; choose a Gaussian, or square it with kernel ** 2."
        )


def quiet() -> np.errstate:
    """No warnings: overflow is found in the values, and underflow to zero is the right answer."""
    return np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")


def choose_pairs(m: int, n_pairs: int | None, random_state: RandomState) -> Indices:
    """Return all pairs (i, j) with i ≤ j < m, or `n_pairs` of them, by j and then by i.

    A sample is uniform, but for one pair (i, i) that is put in if none was drawn. Inputs are
    checked.
    """
    total = m * (m + 1) // 2
    if n_pairs is None or n_pairs >= total:
        second, first = np.tril_indices(m)
        return np.column_stack([first, second])
    random = check_random_state(random_state)
    # The older interface would shuffle all pairs to choose a few.
    generator = np.random.default_rng(int(random.randint(np.iinfo(np.int32).max)))
    numbers = generator.choice(total, n_pairs, replace=False, shuffle=False)
    # Pair number p is (i, j) with p = j(j + 1)/2 + i, and the root is exact enough to find j.
    second = ((np.sqrt(8.0 * numbers + 1.0) - 1.0) / 2.0).astype(np.intp)
    pairs = np.column_stack([numbers - second * (second + 1) // 2, second])
    if not (pairs[:, 0] == pairs[:, 1]).any():
        pairs[0] = generator.integers(m)
    return pairs[np.lexsort(pairs.T)]
