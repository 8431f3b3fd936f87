"""The columns of a data frame as numbers, or as categories in text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.kernels._validation import is_frame
from kernlearn.typing import Array, PandasFrame, PandasSeries, Rows

_DAY = timedelta(days=1)
_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_KINDS = {"M": "dates", "m": "durations", **dict.fromkeys("biuf", "numbers")}


def check_unique_names(X: Rows, name: str) -> None:
    """Refuse a data frame in which two columns have one name."""
    if not is_frame(X) or getattr(X.columns, "is_unique", True):
        return
    twice = X.columns[X.columns.duplicated()].unique().tolist()
    shown = ", ".join(map(repr, twice[:5])) + ", …" * (len(twice) > 5)
    raise ValueError(
        f"expected a name of its own for every column of {name}, got {shown} more than once; "
        "rename these columns, or leave copies out"
    )


def is_category(column: PandasSeries) -> bool:
    """Whether a column holds categories: text, or whatever is neither number nor date."""
    if str(column.dtype) == "category":
        return True
    if column.dtype.kind in "biufcmM":
        return False
    cells = column[column.notna()].tolist()
    return not (all(map(_is_number, cells)) or all(map(_is_time, cells)))


def numbers(column: PandasSeries, name: str) -> Array:
    """Floats, NaN where a cell is missing; dates and durations in days."""
    if column.dtype.kind in "mM":
        values = _in_days(column)
    elif column.dtype.kind in "biuf":
        values = column.to_numpy(dtype=float, na_value=np.nan)
    else:
        values = _each_number(column, name)
    if np.isinf(values).any():
        raise ValueError(
            f"expected finite numbers in column {name!r}, got infinity; correct the cell, or "
            "leave it empty"
        )
    return np.asarray(values, dtype=float)


def frame_numbers(
    frame: PandasFrame, dtypes: Sequence[Any], places: Sequence[int], names: Sequence[str]
) -> Array:
    """Several columns of a data frame as floats; columns of plain numbers are read together."""
    cells = np.zeros((len(frame), len(places)))
    is_plain = np.array(
        [isinstance(dtypes[j], np.dtype) and dtypes[j].kind in "biuf" for j in places], dtype=bool
    )
    plain = [j for j, alone in zip(places, is_plain, strict=True) if alone]
    if plain:
        cells[:, is_plain] = frame.iloc[:, plain].to_numpy(dtype=float)
    for place in np.flatnonzero(~is_plain | np.isinf(cells).any(axis=0)).tolist():
        j = places[place]
        cells[:, place] = numbers(frame.iloc[:, j], names[j])
    return cells


def kinds(column: PandasSeries) -> set[str]:
    """The kinds of a column's cells that :func:`numbers` takes; none if all are missing."""
    if column.dtype.kind in _KINDS:
        return {_KINDS[column.dtype.kind]} if column.notna().any() else set()
    return {_kind(cell) for cell in column[column.notna()].tolist()}


def texts(column: PandasSeries) -> NDArray[np.str_]:
    """Categories as text, empty where a cell is missing.

    A gap makes floats of a column of integers: 1 and 1.0 are one category.
    """
    cells = column.tolist()
    if all(type(cell) is str for cell in cells):
        return np.array(cells, dtype=str)
    both = zip(cells, column.isna().tolist(), strict=True)
    return np.array(["" if missing else _text(cell) for cell, missing in both], dtype=str)


def texts_of_numbers(cells: Array) -> NDArray[np.str_]:
    """Categories of an array of numbers as text, empty where a cell is missing.

    >>> texts_of_numbers(np.array([1.0, 2.5, np.nan])).tolist()
    ['1', '2.5', '']
    """
    values, places = np.unique(np.asarray(cells, dtype=float), return_inverse=True)
    found = np.array(["" if value != value else _text(value) for value in values.tolist()])
    return np.asarray(found[places.reshape(-1)])


def _is_number(cell: object) -> bool:
    return isinstance(cell, Real | Decimal)


def _is_time(cell: object) -> bool:
    return isinstance(cell, _TIMES) or _is_period(cell)


def _kind(cell: object) -> str:
    if isinstance(cell, time):
        return "times of day"
    if isinstance(cell, timedelta | np.timedelta64):
        return "durations"
    return "dates" if _is_time(cell) else "numbers"


def _is_period(cell: object) -> bool:
    """A month, a quarter or another stretch of time, of pandas."""
    return hasattr(cell, "start_time")


def _in_days(column: PandasSeries) -> Array:
    """A column of dates or durations, in the unit in which it holds them."""
    kind = "datetime64" if column.dtype.kind == "M" else "timedelta64"
    dtype = getattr(column.dtype, "pyarrow_dtype", column.dtype)
    unit = (
        np.datetime_data(dtype)[0] if isinstance(dtype, np.dtype) else getattr(dtype, "unit", "s")
    )
    times = column.to_numpy(dtype=f"{kind}[{unit}]")
    day = np.array(1, dtype="timedelta64[D]").astype(f"timedelta64[{unit}]")
    return np.where(np.isnat(times), np.nan, times.astype("int64") / day.astype("int64"))


def _each_number(column: PandasSeries, name: str) -> Array:
    """Numbers of a column that may hold anything, cell by cell."""
    values, cells = np.full(len(column), np.nan), column.tolist()
    for row in np.flatnonzero(column.notna()):
        cell = cells[row]
        try:
            values[row] = _number(cell)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"expected real numbers or dates in column {name!r}, got {cell!r} in row {row}; "
                "correct such cells, or leave them empty"
            ) from None
    return values


def _number(cell: Any) -> float:
    """A number, or days since 1970 or midnight or of a duration."""
    cell = cell.start_time if _is_period(cell) else cell
    if isinstance(cell, np.datetime64 | np.timedelta64):
        cell = cell.astype(f"{cell.dtype.kind}8[us]").item()
    if isinstance(cell, datetime):
        known = cell if cell.tzinfo else cell.replace(tzinfo=UTC)
        return (known - datetime(1970, 1, 1, tzinfo=UTC)) / _DAY
    if isinstance(cell, date):
        return float(cell.toordinal() - date(1970, 1, 1).toordinal())
    if isinstance(cell, time):
        since = timedelta(0, cell.second, cell.microsecond, 0, cell.minute, cell.hour)
        return since / _DAY
    return cell / _DAY if isinstance(cell, timedelta) else float(cell)


def _text(cell: Any) -> str:
    whole = isinstance(cell, float | np.floating | Decimal) and cell == cell // 1
    return str(int(cell)) if whole else str(cell)
