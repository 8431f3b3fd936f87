"""Rows by their positions: those that are left, and where some are among others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.typing import Indices


def complement(n: int, rows: Indices) -> Indices:
    """The positions below n that are not in `rows`, in increasing order.

    >>> complement(5, np.array([3, 0])).tolist()
    [1, 2, 4]
    """
    is_left = np.ones(n, dtype=bool)
    is_left[rows] = False
    return np.flatnonzero(is_left)


def places_within(blocks: Sequence[Indices], chosen: Indices, n: int) -> list[Indices]:
    """Positions of the rows of every block among the `chosen` of n rows, in increasing order.

    Rows that are not chosen are left out.

    >>> found = places_within([np.array([4, 1]), np.array([0, 2])], np.array([1, 2, 4]), 5)
    >>> [block.tolist() for block in found]
    [[0, 2], [1]]
    """
    place = np.full(n, -1)
    place[chosen] = np.arange(len(chosen))
    found = (place[block] for block in blocks)
    return [np.sort(block[block >= 0]) for block in found]
