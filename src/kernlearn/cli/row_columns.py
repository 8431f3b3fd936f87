"""Columns of groups and of the time order."""

from __future__ import annotations

import numpy as np

from kernlearn.runtime.phrases import counted
from kernlearn.tables import Column, TableError, describe_columns
from kernlearn.tables.typed import as_dates, as_numbers, as_text
from kernlearn.typing import Array, Indices, PandasFrame, PandasSeries, Targets

# With ten groups, any usual split trains on five at least: as many as there are folds.
FEWEST_GROUPS = 10


def read_groups(frame: PandasFrame, name: str, rows: Indices, option: str = "--groups") -> Targets:
    """The label of the group of every row; refused with empty cells, or where groups are few."""
    cells = frame[name].iloc[rows]
    _check_known(cells, name, option, "the group of the row")
    groups = as_text(cells)
    found = sorted(set(groups))
    if len(found) < FEWEST_GROUPS:
        listed = ", ".join(repr(label) for label in found)
        raise TableError(
            f"expected at least {FEWEST_GROUPS} groups in column {name!r}, which {option} names, "
            f"got {counted(len(found), 'group')} ({listed}): groups are held out as a whole; name "
            f"the column of smaller groups, or leave {option} out"
        )
    return groups


def read_times(frame: PandasFrame, name: str, rows: Indices) -> Array:
    """The time of every row as a number; refused where cells are empty, or have no order."""
    cells = frame[name].iloc[rows]
    _check_known(cells, name, "--time-order", "the time of the row")
    numbers = as_numbers(cells)
    if np.isnan(numbers).any():
        numbers = as_dates(cells)
    if np.isnan(numbers).any():
        numbers = _written_otherwise(frame.iloc[rows], name)
    if len(np.unique(numbers)) < 2:
        raise TableError(
            f"expected at least 2 different times in column {name!r}, which --time-order names, "
            f"got {str(cells.iloc[0])[:40]!r} in every row; name another column"
        )
    return numbers


def _written_otherwise(frame: PandasFrame, name: str) -> Array:
    """Numbers and dates that are written like 1.234,50 or 31/12/2021."""
    wrong = frame[name].iloc[0]
    try:
        column = describe_columns(frame, [name])[0]
    except TableError as error:
        raise TableError(f"--time-order: {error}") from error
    if column.kind in ("number", "date"):
        read = as_dates if column.kind == "date" else as_numbers
        return read(frame[name], column.notation)
    raise TableError(
        f"expected numbers or dates in column {name!r}, which --time-order names, got "
        f"{str(wrong)[:40]!r} in row {int(frame.index[0]) + 1}; write dates like 2024-01-31, or "
        "name another column"
    )


def _check_known(cells: PandasSeries, name: str, option: str, what: str) -> None:
    text = as_text(cells)
    empty = np.flatnonzero(text == "")
    if len(empty):
        raise TableError(
            f"expected a value in every cell of column {name!r}, which {option} names, got "
            f"{counted(len(empty), 'empty cell')}, the first in row "
            f"{int(cells.index[empty[0]]) + 1}; write {what} there, or leave such rows out"
        )


def not_an_input(column: Column, groups: str | None) -> Column:
    """The column, left out of the inputs if it is the column of groups."""
    if column.name != groups:
        return column
    return Column(column.name, "group", "left out: rows of one value are held out together")
