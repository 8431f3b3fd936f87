"""Criteria of a kernel itself, from their definition, in long double."""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Array, LongArray


def centre(K: Array | LongArray) -> LongArray:
    """HKH in long double; zero where that is rounding, since a constant has no direction."""
    centred = K.astype(np.longdouble)
    centred = centred - centred.mean(axis=0)
    centred = centred - centred.mean(axis=1)[:, None]
    rounding = 4 * len(K) * np.finfo(np.longdouble).eps * np.abs(K).max()
    return centred if np.abs(centred).max() > rounding else np.zeros_like(centred)


def alignment_of(K: LongArray, y: Array, centered: bool) -> float:
    """⟨K, yyᵀ⟩ over the labelled points, by the norms of K over all points and of yyᵀ."""
    t = y.astype(np.longdouble)
    if centered:
        K = centre(K)
        t = t - t.mean()
    size = np.abs(K).max()
    if size == 0:
        return 0.0
    K = K / size
    n = len(t)
    return float((t @ K[:n, :n] @ t) / (np.sqrt((K**2).sum()) * (t @ t)))


def minus_log_det(K: LongArray) -> float:
    """−log det K by elimination, infinite where a pivot is not positive."""
    rest, total = K.copy(), np.longdouble(0.0)
    while len(rest):
        pivot = rest[0, 0]
        if not pivot > 0:
            return np.inf
        total += np.log(pivot)
        rest = rest[1:, 1:] - np.outer(rest[1:, 0], rest[1:, 0] / pivot)
    return -float(total)
