"""A whole table in little memory, block by block as it is read.

A column of numbers takes eight bytes a cell, whatever it is in the file; of text each distinct cell
is kept once. Where even that takes more than there is room for, a random half of the rows is kept,
then a quarter, and so on: every row has the same chance, wherever it stands.

The cells of a text file stay text where the text is needed as it is written. Whether a column holds
numbers is known at its end: one that has held nothing else and then meets a word is read once more
from the start, as text.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from sys import getsizeof

import numpy as np

from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.formats import READING, ReadingOptions
from kernlearn.tables.reading import read_chunks
from kernlearn.tables.typed import LARGEST
from kernlearn.typing import Array, Indices, PandasFrame, PandasSeries

POINTER = 8


@dataclass(frozen=True, eq=False)
class CompactTable:
    """A table, or a sample of its rows.

    Attributes
    ----------
    frame : DataFrame
        The rows that were kept, in order; the index has their numbers, from 0.
    n_rows : int
        Rows of the file.
    """

    frame: PandasFrame
    n_rows: int


def read_compact(
    path: str | Path,
    delimiter: str | None = None,
    as_written: Collection[str] = (),
    room: float = np.inf,
    seed: int = 0,
    options: ReadingOptions = READING,
) -> CompactTable:
    """Read a table, numbers as numbers, as many of its rows as there is room for.

    Parameters
    ----------
    path, delimiter
        As in :func:`kernlearn.tables.read_table`.
    as_written : collection of str
        Columns whose cells are to stay as they are written, numbers or not.
    room : float, default=inf
        Bytes that the table may take.
    seed : int, default=0
        Draws the rows that are kept where there is not room for all.
    options : ReadingOptions
        How much of the file is looked at together.

    Returns
    -------
    CompactTable
    """
    as_text = set(as_written)
    while True:
        table = _Collected(as_text, room, seed)
        for chunk in read_chunks(path, options.rows_of_a_piece, delimiter, options):
            turned = table.add(chunk)
            if turned:
                as_text |= turned
                break
        else:
            return CompactTable(table.frame(), table.n_rows)


class _Collected:
    """The blocks so far."""

    def __init__(self, as_text: Collection[str], room: float, seed: int) -> None:
        self.n_rows = 0
        self._as_text, self._room = set(as_text), room
        self._random, self._share = np.random.default_rng(seed), 1.0
        self._pieces: dict[str, list[PandasSeries]] = {}
        self._numbers: list[Indices] = []
        self._keys: list[Array] = []
        self._cells: dict[str, dict[str, str]] = {}
        self._holds_numbers: set[str] = set()
        self._of_text = 0

    def add(self, chunk: PandasFrame) -> set[str]:
        """Take a block; the columns that are no numbers, although those before held only these."""
        chunk.columns = [str(name) for name in chunk.columns]
        keys = self._random.random(len(chunk))
        kept = np.flatnonzero(keys < self._share)
        self._keys.append(keys[kept])
        self._numbers.append(self.n_rows + kept)
        self.n_rows += len(chunk)
        turned = set()
        for name in chunk.columns:
            cells = self._compact(name, chunk[name])
            if cells is None:
                turned.add(name)
            else:
                self._pieces.setdefault(name, []).append(cells.iloc[kept])
        if not turned and self._size() > self._room:
            self._thin()
        return turned

    def frame(self) -> PandasFrame:
        """All that was kept, put together column by column so that little exists twice."""
        pd = load_pandas("reading a table")
        index = np.concatenate(self._numbers)
        columns = {}
        for name in list(self._pieces):
            joined = pd.concat(self._pieces.pop(name), ignore_index=True)
            columns[name] = joined.set_axis(index)
        return pd.DataFrame(columns, index=index, columns=list(columns), copy=False)

    def _compact(self, name: str, cells: PandasSeries) -> PandasSeries | None:
        """The cells as numbers, or as text of which each is kept once; None if they turned."""
        if cells.dtype.kind != "O" or str(cells.dtype) == "category":
            return cells
        if name not in self._as_text:
            numbers = _numbers(cells)
            if numbers is not None:
                self._holds_numbers |= {name} if numbers.notna().any() else set()
                return numbers
            if name in self._holds_numbers:
                return None
            self._as_text.add(name)
        return self._shared(name, cells)

    def _shared(self, name: str, cells: PandasSeries) -> PandasSeries | None:
        pd = load_pandas("reading a table")
        known = self._cells.setdefault(name, {})
        values = np.empty(len(cells), dtype=object)
        for i, cell in enumerate(cells.tolist()):
            if type(cell) is str and cell not in known:
                known[cell] = cell
                self._of_text += getsizeof(cell)
            values[i] = known[cell] if type(cell) is str else cell
        return pd.Series(values, dtype=object)

    def _size(self) -> float:
        rows = sum(map(len, self._keys))
        return rows * POINTER * (len(self._pieces) + 2) + self._share * self._of_text

    def _thin(self) -> None:
        """Keep rows of smaller keys only, until they fit."""
        while self._size() > self._room and sum(map(len, self._keys)) > 1:
            self._share /= 2.0
            kept = [np.flatnonzero(keys < self._share) for keys in self._keys]
            for pieces in self._pieces.values():
                pieces[:] = [piece.iloc[k] for piece, k in zip(pieces, kept, strict=True)]
            self._keys = [keys[k] for keys, k in zip(self._keys, kept, strict=True)]
            self._numbers = [rows[k] for rows, k in zip(self._numbers, kept, strict=True)]


def _numbers(cells: PandasSeries) -> PandasSeries | None:
    """Floats, NaN where missing; None if a cell is something else, or too large to be squared."""
    pd = load_pandas("reading a table")
    found = pd.to_numeric(cells, errors="coerce").astype(float)
    lost = found.isna() & cells.notna()
    return None if lost.any() or (found.abs() > LARGEST).any() else found
