"""Text columns as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_text", "numbers_of"]


def is_text(cells: Sequence[str]) -> bool:
    """Say whether some cell of a column is not a number.

    >>> is_text(["00202", "1.5e3"]), is_text(["1", "two"])
    (False, True)
    """
    try:
        for cell in cells:
            float(cell)
    except ValueError:
        return True
    return False


def numbers_of(cells: Sequence[str]) -> NDArray[np.float64]:
    """Return a column's numbers, or those of its categories: 1, 2, ... in sorted order.

    >>> numbers_of(["0.5", "02"])
    array([0.5, 2. ])
    >>> numbers_of(["two", "four", "two"])
    array([2., 1., 2.])
    """
    if not is_text(cells):
        return np.array([float(cell) for cell in cells])
    number = {category: float(i) for i, category in enumerate(sorted(set(cells)), start=1)}
    return np.array([number[cell] for cell in cells])
