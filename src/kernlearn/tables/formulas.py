"""Text that a spreadsheet would run."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["without_formulas"]

# What a spreadsheet takes for the beginning of a formula; some drop a tab or a line break first.
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def without_formulas(frame: Any) -> Any:
    """The table with an apostrophe before every text that a spreadsheet would take for a formula.

    That is what begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break, unless it is a
    number. A spreadsheet shows such a cell as text, without the apostrophe.

    Parameters
    ----------
    frame : DataFrame
        The table; not changed.

    Returns
    -------
    DataFrame
    """
    safe = frame.copy()
    for place, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "biufcmM":
            cells = [_as_text(cell) for cell in frame.iloc[:, place]]
            safe.isetitem(place, np.array(cells, dtype=object))
    safe.columns = [_as_text(name) for name in frame.columns]
    return safe


def _as_text(cell: Any) -> Any:
    """
    >>> _as_text("=1+1"), _as_text("-1.5"), _as_text("a=b"), _as_text(-2)
    ("'=1+1", '-1.5', 'a=b', -2)
    """
    if not isinstance(cell, str) or not cell.startswith(STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
