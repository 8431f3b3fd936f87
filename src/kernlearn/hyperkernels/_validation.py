"""Checks of the pairs that a hyperkernel is called with, and the distinct pairs of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import (
    as_floats,
    check_numbers,
    check_rows,
    is_finite,
    is_frame,
)
from kernlearn.typing import Array, Indices, RandomState, Rows

# A kernel gives matrices; the diagonals of blocks of this size hold the values for pairs. Smaller
# blocks compute fewer values in vain, larger ones need fewer calls (measured).
BLOCK = 64


# Largest size of a negative eigenvalue of h that is rounding, relative to its largest one.
_ROUNDING = 1e-10


def check_pairs(pairs: Rows, name: str, things: bool = False) -> Array:
    """Return `pairs` as a float64 array (n_pairs, 2, n_features) of finite numbers.

    Pairs of `things` that are no numbers are returned as an array of objects (n_pairs, 2).
    """
    if things and not _are_numbers(pairs):
        return _pairs_of_things(pairs, name)
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


def _are_numbers(pairs: Rows) -> bool:
    if isinstance(pairs, np.ndarray):
        return pairs.dtype.kind in "biuf" and pairs.ndim == 3
    try:
        values = np.asarray(pairs)
    except ValueError:  # of different lengths
        return False
    return values.dtype.kind in "biuf" and values.ndim == 3


def _pairs_of_things(pairs: Rows, name: str) -> Array:
    if isinstance(pairs, np.ndarray) and pairs.ndim >= 2 and pairs.shape[1] == 2 and len(pairs):
        return pairs
    if not isinstance(pairs, Sequence) or len(pairs) == 0 or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"{name} must be a list of pairs, each with its two points, got {type(pairs).__name__};"
            " pass for example [(x, z), (s, t)]."
        )
    values = np.empty((len(pairs), 2), dtype=object)
    for i, pair in enumerate(pairs):  # assigned at once, points of one length would be unpacked
        values[i, 0], values[i, 1] = pair
    return values


def check_points(X: Rows, name: str, things: bool) -> Array:
    """Return the points as an array of numbers or, where they may be `things`, of these."""
    if not things:
        return check_numbers(X, name)
    rows = check_rows(X, name)
    is_table = rows.ndim == 2 and (is_frame(rows) or rows.dtype.kind in "biuf")
    return check_numbers(rows, name) if is_table else np.asarray(rows)


def check_one_pair(pair: Rows, things: bool = False) -> Array:
    """Return one pair, of shape (2, n_features), as a table of pairs (1, 2, n_features)."""
    if things and not _are_numbers([pair]):
        return _pairs_of_things([pair], "pair")
    values = as_floats(pair, "pair")
    if values.ndim != 2 or len(values) != 2:
        raise ValueError(
            f"pair must have shape (2, n_features), got shape {values.shape}; pass its two points, "
            "for example X[[i, j]]."
        )
    return check_pairs(values[None], "pair")


def check_same_features(points: Array, pairs: Array, name: str) -> None:
    """Refuse points that do not have as many features as the pairs they are compared with."""
    if pairs.ndim != 3 or pairs.dtype == object:
        return  # things have no features
    n_features, expected = points.shape[-1], pairs.shape[2]
    if points.dtype == object or n_features != expected:
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
    for start in range(0, len(left), BLOCK):
        rows = slice(start, start + BLOCK)
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


def check_positive_semidefinite(h: Array, name: str, where: str = "") -> None:
    """Refuse a matrix h that is not symmetric and positive semidefinite, but for rounding."""
    eigenvalues = np.linalg.eigvalsh(0.5 * h + 0.5 * h.T)
    allowed = _ROUNDING * max(float(np.abs(h).max()), float(eigenvalues[-1]))
    if eigenvalues[0] < -allowed or np.abs(h - h.T).max() > allowed:
        raise ValueError(
            f"{name} must be symmetric and positive semidefinite{where}, got the smallest "
            f"eigenvalue {eigenvalues[0]:.3g} and differences of {np.abs(h - h.T).max():.3g} to "
            "its transpose; choose a kernel, such as a Gaussian."
        )
