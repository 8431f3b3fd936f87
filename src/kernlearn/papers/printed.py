"""Tables of the papers, transcribed into CSV files, and our numbers in their cells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from kernlearn.papers.tables import DASH, TableEntry

Row = tuple[str, ...]


class Printed(NamedTuple):
    """A printed number, and the number printed behind ±; None where nothing is printed."""

    number: float | None
    spread: float | None = None

    @property
    def both(self) -> tuple[float, float]:
        """The number and the spread, where both are printed."""
        if self.number is None or self.spread is None:
            raise ValueError(f"expected a number and its spread, got {self}; transcribe both.")
        return self.number, self.spread


PrintedTable = Mapping[Row, Mapping[str, Printed]]


def read_printed(path: Path, n_names: int = 1) -> dict[Row, dict[str, Printed]]:
    """Read the cells of a table by row and column; a row is named by its first cells.

    A cell is a number, ``number ± spread``, or a dash where nothing is printed. The table has no
    such cell where the file has an empty one.
    """
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = header[n_names:]
    return {
        tuple(row[:n_names]): {
            column: _printed(cell)
            for column, cell in zip(columns, row[n_names:], strict=True)
            if cell
        }
        for row in rows
    }


def _printed(cell: str) -> Printed:
    if cell == DASH:
        return Printed(None)
    return Printed(*map(float, cell.split(" ± ")))


def columns_of(table: PrintedTable) -> tuple[str, ...]:
    """Names of the columns, in their order."""
    return tuple(next(iter(table.values())))


def printed_entries(
    printed: PrintedTable,
    sets: Collection[str],
    ours: Callable[[Row, str], Sequence[float | None]],
    number_format: str | Callable[[Row, str], str],
    spread: Literal["standard error", "standard deviation"] = "standard error",
) -> list[TableEntry]:
    """Return an entry for every printed cell of these sets, and ``ours(row, column)`` beside it."""
    return [
        TableEntry(
            row,
            column,
            cell.number,
            ours(row, column),
            number_format if isinstance(number_format, str) else number_format(row, column),
            cell.spread,
            spread,
        )
        for row, cells in printed.items()
        if row[0] in sets
        for column, cell in cells.items()
    ]
