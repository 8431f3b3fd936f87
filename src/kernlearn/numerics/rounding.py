"""Decisions that rounding must not take.

The last digits of a sum depend on the order of its terms, and so on the processor, the number of
threads and the version of BLAS. A zero that was summed up need not be zero, and of two equal sums
either may be the smaller. Zeros are therefore judged here by the size of the terms, and the first
of several equals is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.typing import Array, Indices

EPS = float(np.finfo(np.float64).eps)
# Losses are the same up to this part of them: far above what the order of a sum changes, even after
# a factorisation, and far below differences in any data.
SAME = 1e-10
# Columns may come with rounding of their own, from whatever made them.
CONSTANT = 1e-12


def without_rounding(values: ArrayLike, size: ArrayLike, n_terms: int | Indices) -> Array:
    """Sums, exactly zero where they are no more than the rounding of `n_terms` of that size.

    Examples
    --------
    >>> without_rounding([0.1 + 0.2 - 0.3, 1e-10], 0.3, 3).tolist()
    [0.0, 1e-10]
    """
    sums: Array = np.asarray(values, dtype=np.float64)
    return np.where(np.abs(sums) > n_terms * EPS * np.asarray(size), sums, 0.0)


def standard_deviation(X: ArrayLike, weight: Array | None = None) -> Any:
    """NumPy's ``std(axis=0)``, exactly zero for what is constant up to rounding.

    It may overflow to infinity. `weight` says how much each row counts.

    Examples
    --------
    >>> float(np.std([0.1] * 3)) > 0.0, float(standard_deviation([0.1] * 3))
    (True, 0.0)
    """
    rows: Array = np.asarray(X, dtype=np.float64)
    if weight is not None:
        rows, weight = rows[weight > 0], weight[weight > 0]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(rows, axis=0, weights=weight)
        found = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weight))
    nothing = max(CONSTANT, len(rows) * EPS) * np.abs(rows).max(axis=0)
    return np.where(found > nothing, found, 0.0)[()]


def usual_weight(weight: Array) -> float:
    """The power of two that is nearest to the median weight: the unit of a λ or of one over a C.

    >>> usual_weight(np.array([0.9, 1.0, 1.1])), usual_weight(np.array([1e-8, 1e-8, 1e4])) * 2**27
    (1.0, 1.0)
    """
    return float(2.0 ** np.round(np.log2(np.median(weight))))


def is_less(one: float, other: float) -> bool:
    """Whether a loss is less than another by more than rounding; NaN never is."""
    return bool(one < other and not one >= other - SAME * abs(other))


def first_least(losses: Iterable[float]) -> int:
    """The place of the least loss, the first of those that are the same up to rounding.

    NaN is more than any number.

    Examples
    --------
    >>> first_least([0.7, 0.1 + 0.2, 0.3]), first_least([np.nan, np.inf, 2.0])
    (1, 2)
    """
    numbers = np.asarray(losses if isinstance(losses, np.ndarray) else list(losses), dtype=float)
    values = np.where(np.isnan(numbers), np.inf, numbers)
    least = float(values.min())
    return int(np.argmax((values <= least + SAME * abs(least)) | (values == least)))


def ranks(values: ArrayLike) -> Indices:
    """Ranks from zero, the same for neighbours that differ by no more than rounding.

    Equal rows have predictions that are equal on paper, but a product with many rows may sum each
    of them in another order.

    Examples
    --------
    >>> ranks([0.3, 7.0, 0.1 + 0.2, -1.0]).tolist()
    [1, 2, 1, 0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    order = np.argsort(numbers, kind="stable")
    size = np.abs(numbers).max(initial=0.0, where=np.isfinite(numbers))
    found = np.zeros(len(numbers), dtype=np.intp)
    with np.errstate(invalid="ignore"):  # infinities are equal to one another
        found[order[1:]] = np.cumsum(np.diff(numbers[order]) > CONSTANT * size)
    return found
