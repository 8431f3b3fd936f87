r"""Intervals that hold a new target with a stated probability, from machines that miss some rows.

Let :math:`f^{(-i)}` be a machine trained without row i (alone, or with its fold) and :math:`r_i`
its residual there. The interval at x reaches from a lower quantile of
:math:`f^{(-i)}(x) - |r_i|` to an upper one of :math:`f^{(-i)}(x) + |r_i|` over all i: jackknife+,
or CV+ with folds (Barber, Candès, Ramdas and Tibshirani 2021). Whatever the distribution, for rows
that could come in any order it holds the target with a probability of at least 1 − 2(1 − coverage),
and in practice near the coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.typing import Array, Rows

# Numbers that a block of new points may take for each of a few matrices: sixteen megabytes.
_BLOCK = 2_000_000


def check_coverage(coverage: Any) -> float:
    """A number between zero and one."""
    is_number = isinstance(coverage, int | float | np.integer | np.floating)
    if not is_number or isinstance(coverage, bool) or not 0 < coverage < 1:
        raise ValueError(
            f"expected coverage between 0 and 1, both excluded, got {coverage!r}; try coverage=0.9"
        )
    return float(coverage)


def fewest_rows(coverage: float) -> int:
    """How many rows held out an interval of the coverage takes; of fewer it is infinite.

    >>> fewest_rows(0.9), fewest_rows(0.999)
    (9, 999)
    """
    return int(np.ceil(coverage / (1.0 - coverage) - 1e-9))


def plus_interval(values: Array, residuals: Array, coverage: float) -> Array:
    """The jackknife+ or CV+ intervals; inputs are checked.

    `values` of shape (n_new, n) are predictions at new points by the machine trained without row i,
    `residuals` of shape (n,) or (n_new, n) what that machine is wrong by. The ends, of shape
    (n_new, 2), are infinite where n rows are too few for the coverage.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.estimators.held_out.intervals import plus_interval
    >>> plus_interval(np.zeros((1, 9)), np.arange(1.0, 10.0), 0.8).tolist()
    [[-8.0, 8.0]]
    """
    n = values.shape[1]
    # Rounding must not take one more than (n + 1) times the coverage asks for.
    rank = int(np.ceil(coverage * (n + 1) - 1e-9))
    ends = np.full((len(values), 2), [-np.inf, np.inf])
    if rank <= n:
        size = np.abs(residuals)
        ends[:, 0] = -np.partition(size - values, rank - 1, axis=1)[:, rank - 1]
        ends[:, 1] = np.partition(values + size, rank - 1, axis=1)[:, rank - 1]
    return ends


def in_blocks(rows: Rows, n: int, compute: Callable[[Rows], Array]) -> Array:
    """`compute` for some of the rows at a time, so that n numbers for each of them fit."""
    return np.concatenate([compute(block) for block in _blocks(rows, max(_BLOCK // n, 1))])


def _blocks(rows: Rows, size: int) -> Iterator[Any]:
    n_rows = int(np.shape(rows)[0])
    for start in range(0, n_rows, size):
        yield _safe_indexing(rows, slice(start, start + size))
