"""Pairs from which a metric is learned, and their labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernlearn.hyperkernels._validation import choose_pairs
from kernlearn.typing import Array, Indices


def pairs_of_classes(codes: Indices, n_pairs: int | None, seed: int) -> tuple[Indices, Array]:
    """Return pairs (i, j), i ≤ j, and +1 for points of one class, −1 for others.

    All m(m + 1)/2 of them, (i, i) included; or a sample without repetition, half of it from either
    label, or all of a label that has fewer.
    """
    m = len(codes)
    if n_pairs is None or n_pairs >= m * (m + 1) // 2:
        pairs = choose_pairs(m, None, None)
    else:
        pairs = _balanced_sample(codes, n_pairs, seed)
    return pairs, np.where(codes[pairs[:, 0]] == codes[pairs[:, 1]], 1.0, -1.0)


def _balanced_sample(codes: Indices, n_pairs: int, seed: int) -> Indices:
    # With points sorted by class, the partners of a point are a range of positions after it.
    order = np.argsort(codes, kind="stable")
    positions = np.arange(len(codes))
    ends = np.searchsorted(codes[order], codes[order], side="right")
    n_same, n_other = int((ends - positions).sum()), int((len(codes) - ends).sum())
    take_same = min(n_same, max(n_pairs // 2, n_pairs - n_other))
    drawn = check_random_state(seed).randint(np.iinfo(np.int32).max)
    generator = np.random.default_rng(int(drawn))
    same = _draw(positions, ends - positions, take_same, generator)
    other = _draw(ends, len(codes) - ends, n_pairs - take_same, generator)
    pairs = np.sort(order[np.concatenate([same, other])], axis=1)
    return np.asarray(pairs[np.lexsort(pairs.T)])


def _draw(starts: Indices, counts: Indices, number: int, generator: np.random.Generator) -> Indices:
    """Draw pairs of positions, uniformly from p with start_p, start_p + 1, … of its count."""
    above = np.cumsum(counts)
    numbers = generator.choice(int(above[-1]), number, replace=False, shuffle=False)
    first = np.searchsorted(above, numbers, side="right")
    return np.column_stack([first, starts[first] + numbers - (above - counts)[first]])


def merge_pairs(pairs: ArrayLike, same: ArrayLike, n_points: int) -> tuple[Indices, Array]:
    """Return each distinct pair (i, j), i ≤ j, once, with its label; refuse contradictions."""
    indices = _checked_indices(pairs, n_points)
    labels = _checked_same(same, len(indices))
    itself = (indices[:, 0] == indices[:, 1]) & (labels < 0)
    if itself.any():
        raise ValueError(
            f"expected a point to belong with itself, got the pair {indices[itself][0].tolist()} "
            "marked as different; drop it"
        )
    distinct, first, number = np.unique(
        np.sort(indices, axis=1), axis=0, return_index=True, return_inverse=True
    )
    merged = labels[first]
    wrong = np.flatnonzero(merged[number.ravel()] != labels)
    if len(wrong):
        raise ValueError(
            "expected one label for each pair, got both for the pair "
            f"{indices[wrong[0]].tolist()}; drop one of the two (the order of its points does not "
            "matter)"
        )
    return distinct, merged


def _checked_indices(pairs: ArrayLike, n_points: int) -> Indices:
    indices = np.asarray(pairs)
    if indices.ndim != 2 or indices.shape[1] != 2 or indices.dtype.kind not in "iu":
        raise ValueError(
            "expected pairs of row numbers of X, integers of shape (n_pairs, 2), got "
            f"{indices.dtype} of shape {indices.shape}; for pairs of points of shape "
            "(n_pairs, 2, n_features) pass X=None"
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= n_points):
        raise ValueError(
            f"expected row numbers from 0 to {n_points - 1} in pairs, got {indices.min()} to "
            f"{indices.max()}; they count the rows of X from zero"
        )
    return indices.astype(np.intp)


def _checked_same(same: ArrayLike, n_pairs: int) -> Array:
    labels = np.asarray(same)
    if labels.shape != (n_pairs,):
        raise ValueError(
            f"expected one entry of same for each of the {n_pairs} pairs, got shape "
            f"{labels.shape}; pass a list of that length"
        )
    values = set(np.unique(labels).tolist()) if labels.dtype.kind in "biuf" else {None}
    if not (values <= {0, 1} or values <= {-1, 1}):
        raise ValueError(
            "expected same to hold True and False, or 1 and -1, got "
            f"{sorted(map(str, values))[:4]}; mark every pair as one or the other"
        )
    if len(values) < 2:
        raise ValueError(
            "expected pairs that belong together and pairs that do not, got only one kind in "
            "same; add pairs of the other kind"
        )
    return np.where(labels > 0, 1.0, -1.0)
