"""Criteria of a kernel itself, from their definition, in long double."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def alignment_of(K: NDArray[np.longdouble], y: Array, centered: bool) -> float:
    """⟨K, yyᵀ⟩ over the labelled points, by the norms of K over all points and of yyᵀ."""
    t = y.astype(np.longdouble)
    size = rounding = np.abs(K).max()
    if centered:
        K = K - K.mean(axis=0)
        K = K - K.mean(axis=1)[:, None]
        t = t - t.mean()
        rounding = 4 * len(K) * np.finfo(np.longdouble).eps * size
        size = np.abs(K).max()
    if not size >= rounding or size == 0:
        return 0.0  # a constant kernel has no direction once centred
    K = K / size
    n = len(t)
    return float((t @ K[:n, :n] @ t) / (np.sqrt((K**2).sum()) * (t @ t)))


def minus_log_det(K: NDArray[np.longdouble]) -> float:
    """−log det K by elimination, infinite where a pivot is not positive."""
    rest, total = K.copy(), np.longdouble(0.0)
    while len(rest):
        pivot = rest[0, 0]
        if not pivot > 0:
            return np.inf
        total += np.log(pivot)
        rest = rest[1:, 1:] - np.outer(rest[1:, 0], rest[1:, 0] / pivot)
    return -float(total)
