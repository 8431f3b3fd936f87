"""Rows as a model is given them: what kernels and preparations read of a table to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kernlearn.export.expression import (
    Node,
    as_float,
    column_input,
    constant,
    equals,
    is_missing,
    joined,
    level_codes,
    table_input,
    take,
)
from kernlearn.typing import Array


class RowTable(Protocol):
    """Columns of rows that are yet to come."""

    @property
    def width(self) -> int:
        """Number of columns."""

    def numbers(self, places: Sequence[int]) -> Node:
        """Some columns as numbers, NaN where missing, of shape (n, columns)."""

    def rows_of_levels(self, place: int, levels: Sequence[str], rows: Array) -> Node:
        """The row of an array for each level of a column, the last row for all other levels."""

    def chosen(self, places: Sequence[int]) -> RowTable:
        """The table of some columns."""


@dataclass(frozen=True, eq=False)
class NumberTable:
    """A table of numbers."""

    node: Node
    width: int

    @classmethod
    def from_input(cls, name: str, width: int, place: tuple[str, ...] = ()) -> NumberTable:
        """The table as a user gives it."""
        return cls(table_input(name, width, place), width)

    def numbers(self, places: Sequence[int]) -> Node:
        """Some columns."""
        if list(places) == list(range(self.width)):
            return self.node
        return take(self.node, np.asarray(places, dtype=np.int64), axis=1)

    def rows_of_levels(self, place: int, levels: Sequence[str], rows: Array) -> Node:
        """Rows for categories that are numbers: the empty level is a missing cell."""
        cells = self.numbers([place])
        known = np.array([float(level) if level else np.nan for level in levels])
        gaps = np.isnan(known)
        codes = as_float(equals(cells, np.where(gaps, 0.0, known))) * (~gaps).astype(float)
        # A missing cell equals nothing.
        codes = codes + as_float(is_missing(cells)) * gaps.astype(float)
        found: Node = codes @ (rows[:-1] - rows[-1]) + rows[-1]
        return found

    def chosen(self, places: Sequence[int]) -> NumberTable:
        """Some columns."""
        return NumberTable(self.numbers(places), len(places))


@dataclass(frozen=True, eq=False)
class FrameTable:
    """The columns of a data frame, each an input of its own."""

    names: list[str]  # what the inputs are called
    places: list[tuple[str | int, ...]]  # where rows have them: names, or numbers of columns
    notations: list[str | None]  # how numbers are written, where they may be text

    @classmethod
    def from_input(
        cls,
        names: Sequence[str],
        source: str | None = None,
        notations: Sequence[str | None] | None = None,
    ) -> FrameTable:
        """The table as a user gives it, alone or within a source."""
        written: list[str | None] = list(notations or [None] * len(names))
        if source is None:
            return cls(list(names), [(name,) for name in names], written)
        # A source of one thing for each row has no columns.
        inputs = [source if name == source else f"{source}: {name}" for name in names]
        return cls(inputs, [(source, name) for name in names], written)

    def at(self, numbers: Sequence[int]) -> FrameTable:
        """The table of a data frame whose columns have no names, by their numbers."""
        return FrameTable(self.names, [(number,) for number in numbers], self.notations)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    def numbers(self, places: Sequence[int]) -> Node:
        """Some columns side by side."""
        columns = [
            column_input(self.names[j], self.places[j], False, self.notations[j]) for j in places
        ]
        return joined(columns, 1)

    def rows_of_levels(self, place: int, levels: Sequence[str], rows: Array) -> Node:
        """Rows for the text of a category."""
        cells = column_input(self.names[place], self.places[place], True)
        return take(constant(rows), level_codes(cells, levels))

    def chosen(self, places: Sequence[int]) -> FrameTable:
        """Some columns."""
        return FrameTable(
            [self.names[j] for j in places],
            [self.places[j] for j in places],
            [self.notations[j] for j in places],
        )
