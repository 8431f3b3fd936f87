"""Kinds of the columns of a table: numbers, categories, dates, free text, identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from kernlearn.estimators.inputs.cells import is_category
from kernlearn.kernels._validation import is_frame
from kernlearn.runtime.phrases import counted
from kernlearn.tables.describe import describe_cells
from kernlearn.tables.notation import date_in_words, date_notation, number_notation
from kernlearn.tables.typed import Column, as_dates, as_numbers, written_numbers
from kernlearn.typing import Mask, PandasFrame, PandasSeries, Rows

NUMBER, CATEGORY, TEXT, DATE = "number", "category", "text", "date"
IDENTIFIER, IGNORED = "identifier", "ignore"
LEFT_OUT = (IDENTIFIER, IGNORED)
COLUMN_KINDS = (NUMBER, CATEGORY, TEXT, DATE, *LEFT_OUT)
# Further kinds, of sources.
SEQUENCE, GRAPH, KERNEL = "sequence", "graph", "kernel"
SOURCE_KINDS = (*COLUMN_KINDS, SEQUENCE, GRAPH, KERNEL)
# Columns that a description lists at most.
_LISTED = 30


@dataclass(frozen=True, eq=False)
class ColumnKinds:
    """The kind of every column of a table."""

    columns: list[Column]
    # Places of the numbers and dates that are written as text.
    written: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, X: Rows, names: Sequence[str], kinds: Mapping[str, str]) -> ColumnKinds:
        """From training rows, and the kinds that the user asks for by name or position."""
        if not is_frame(X):
            return cls([_array_column(name, kinds.get(name)) for name in names])
        cells = [X.iloc[:, j] for j in range(len(names))]
        both = zip(names, cells, strict=True)
        columns = [_frame_column(name, column, kinds.get(name)) for name, column in both]
        written = [
            j
            for j, column in enumerate(columns)
            if column.kind in (NUMBER, DATE) and is_category(cells[j])
        ]
        return cls(columns, written)

    @property
    def are_plain(self) -> bool:
        """Whether all columns can be read as they are."""
        return len(self.places) == len(self.columns) and not self.written

    @property
    def places(self) -> list[int]:
        """Places of the columns of numbers, dates and categories."""
        kinds = (NUMBER, DATE, CATEGORY)
        return [j for j, column in enumerate(self.columns) if column.kind in kinds]

    @property
    def texts(self) -> list[int]:
        """Places of the columns of free text."""
        return [j for j, column in enumerate(self.columns) if column.kind == TEXT]

    @property
    def are_categories(self) -> Mask:
        """Mask of the columns at `places` that are categories."""
        return np.array([self.columns[j].kind == CATEGORY for j in self.places], dtype=bool)

    def plain(self, X: Rows) -> Rows:
        """The columns of numbers, dates and categories; written numbers and dates as numbers."""
        if self.are_plain:
            return X
        places = self.places
        if not is_frame(X):
            return X[:, places]
        frame: PandasFrame = X.iloc[:, places].copy()
        for j in self.written:
            cells = X.iloc[:, j].reset_index(drop=True)
            frame.isetitem(places.index(j), written_numbers(cells, self.columns[j]))
        return frame

    def descriptions(self) -> dict[str, str]:
        """The kind of every column, in words."""
        return {column.name: column.action for column in self.columns}


def checked_kinds(
    columns: object, names: Sequence[str], kinds: Sequence[str] = COLUMN_KINDS
) -> dict[str, str]:
    """The kinds that a user asks for, by the names of columns; positions become names.

    >>> checked_kinds({1: "category"}, ["x0", "x1"])
    {'x1': 'category'}
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise ValueError(
            "expected columns to be None or a mapping from columns to kinds, got "
            f"{columns!r}; pass for example {{'note': 'text'}}"
        )
    found = {}
    for column, kind in columns.items():
        is_place = isinstance(column, int | np.integer) and not isinstance(column, bool)
        name = names[column] if is_place and -len(names) <= column < len(names) else column
        if name not in names:
            shown = ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
            raise ValueError(
                f"expected columns to name some of {shown}, or positions below {len(names)}, got "
                f"{column!r}; correct the name"
            )
        if kind not in kinds:
            raise ValueError(
                f"expected the kind of column {column!r} to be {', '.join(map(repr, kinds))}, got "
                f"{kind!r}; choose one of them"
            )
        found[str(name)] = str(kind)
    return found


def described(descriptions: Mapping[str, str]) -> str:
    """A line for every column, for people to read."""
    width = max(map(len, descriptions), default=0)
    lines = [f"  {name:{width}}  {words}" for name, words in list(descriptions.items())[:_LISTED]]
    more = len(descriptions) - _LISTED
    return "\n".join([*lines, f"  and {more} more"] if more > 0 else lines)


def kinds_html(kinds: Mapping[str, str]) -> str:
    """A table of the kinds for a notebook; empty if all columns are numbers."""
    if all(words.startswith(NUMBER) for words in kinds.values()):
        return ""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(words)}</td></tr>"
        for name, words in list(kinds.items())[:_LISTED]
    )
    more = len(kinds) - _LISTED
    rows += f"<tr><td>and {more} more</td><td></td></tr>" if more > 0 else ""
    return f"<table><tr><th>column</th><th>taken for</th></tr>{rows}</table>"


def _array_column(name: str, kind: str | None) -> Column:
    """A column of an array."""
    if kind in (TEXT, DATE):
        raise ValueError(
            f"expected column {name!r} to be 'number', 'category', 'identifier' or 'ignore' in an "
            f"array of numbers, got {kind!r}; pass a data frame"
        )
    return _column(name, kind or NUMBER)


def _frame_column(name: str, cells: PandasSeries, requested: str | None) -> Column:
    """A column of a data frame."""
    is_text = is_category(cells)
    if requested in (NUMBER, DATE) and is_text:
        return _column(name, requested, cells, _notation(name, cells, requested))
    if requested is not None:
        return _column(name, requested, cells)
    if not is_text:
        return _column(name, DATE if cells.dtype.kind == "M" else NUMBER, cells)
    if str(cells.dtype) == "category":
        return _column(name, CATEGORY, cells)
    found = describe_cells(name, cells)
    kind = found.kind if found.kind in COLUMN_KINDS else CATEGORY
    return _column(name, kind, cells, found.notation)


def _notation(name: str, cells: PandasSeries, kind: str) -> str:
    """Notation of the numbers or dates in a column of text; empty if plain."""
    present = cells[cells.notna()]
    read, find = (as_dates, date_notation) if kind == DATE else (as_numbers, number_notation)
    wrong = np.flatnonzero(np.isnan(read(present)))
    notation = find(present.tolist()) if len(wrong) else ""
    if notation is None:
        raise ValueError(
            f"expected a {kind} in every cell of column {name!r}, as columns asks for, got "
            f"{str(present.iloc[wrong[0]])[:60]!r}; correct the cell, or choose another kind"
        )
    return notation


_WORDS = {
    NUMBER: "number",
    DATE: "date, as a number of days",
    TEXT: "text, by the TF-IDF of its words",
    IDENTIFIER: "identifier, left out",
    IGNORED: "left out",
    CATEGORY: "category",
}


def _column(name: str, kind: str, cells: PandasSeries | None = None, notation: str = "") -> Column:
    """The column of a kind, with its treatment in words."""
    words = _WORDS[kind]
    if kind == CATEGORY and cells is not None:
        words = f"category, {counted(int(cells.nunique()), 'level')}"
    if notation:
        shown = date_in_words(notation) if kind == DATE else notation
        words = f"{words}, written like {shown}"
    return Column(name, kind, words, notation)
