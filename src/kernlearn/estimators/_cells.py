"""The columns of a data frame as numbers, or as categories in text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SECONDS_PER_DAY = 86_400.0


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, whose columns may be of different types."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_category(column: Any) -> bool:
    """Whether a column holds categories: text, or whatever is neither number nor date."""
    if str(column.dtype) == "category":
        return True
    if column.dtype.kind in "biufmM":
        return False
    present = column[column.notna()].tolist()
    return not all(isinstance(cell, int | float | np.number) for cell in present)


def numbers(column: Any, name: str) -> Array:
    """Floats, NaN where a cell is missing; dates and durations in days."""
    kind = column.dtype.kind
    if kind in "mM":
        unit = "timedelta64[s]" if kind == "m" else "datetime64[s]"
        times = column.to_numpy(dtype=unit)
        values = np.where(np.isnat(times), np.nan, times.astype("int64") / _SECONDS_PER_DAY)
    else:
        try:
            values = column.to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            raise ValueError(
                f"expected numbers in column {name!r}, as in the table of the fit, got "
                f"{column.iloc[0]!r} and the like; correct the cells, or leave them empty"
            ) from None
    if np.isinf(values).any():
        raise ValueError(
            f"expected finite numbers in column {name!r}, got infinity; correct the cell, or "
            "leave it empty"
        )
    return np.asarray(values, dtype=float)


def texts(column: Any) -> NDArray[np.str_]:
    """Categories as text, empty where a cell is missing."""
    cells = zip(column.tolist(), column.isna().tolist(), strict=True)
    return np.array(["" if missing else str(cell) for cell, missing in cells], dtype=str)
