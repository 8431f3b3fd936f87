"""Numbers that can be reckoned with.

Scales, distances and variances are squares. Beyond these limits they would be infinite, or zero for
a column that is not constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.tables.errors import TableError

__all__ = ["check_not_too_large", "check_not_too_small"]

# Sums of millions of their squares are floats too.
LARGEST, SMALLEST = 1e150, 1e-150


def check_not_too_large(numbers: Any, cells: Any, name: str, first_row: int = 0) -> None:
    """Refuse numbers whose squares are no floats, infinite ones among them; NaN passes.

    Parameters
    ----------
    numbers : ndarray
        What `cells` hold.
    cells : Series
        Indexed by the numbers of their rows, from 0.
    name : str
        Name of the column.
    first_row : int, default=0
        What has to be added to these row numbers.
    """
    wrong = np.flatnonzero(np.abs(numbers) > LARGEST)
    if len(wrong):
        row = first_row + int(cells.index[wrong[0]]) + 1
        raise TableError(
            f"expected finite numbers of size up to {LARGEST:g} in column {name!r}, but row {row} "
            f"has {str(cells.iloc[wrong[0]])[:60]!r}; correct it, leave the cell empty if it is "
            "not known, or give the column in another unit"
        )


def check_not_too_small(numbers: Any, name: str) -> None:
    """Refuse a column whose numbers are all so small that their squares vanish, but not zero."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if 0.0 < largest < SMALLEST:
        raise TableError(
            f"expected numbers of size {SMALLEST:g} or more in column {name!r}, got none above "
            f"{largest:g}; give the column in another unit"
        )
