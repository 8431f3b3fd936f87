"""Read tables: CSV, TSV, Parquet, .data, gzip of these, .xlsx; whole, in pieces, in little memory.

In little memory, a column of numbers takes eight bytes a cell, however the file writes them, and
each distinct cell of text is kept once. If memory still does not suffice, a random half of the rows
is kept, then a quarter, and so on: every row has the same chance, wherever it stands.
The cells of a text file stay text where the text is needed as it is written. Whether a column holds
numbers is known at its end: one that has held nothing else and then meets a word is read once more
from the start, as text.
"""

from __future__ import annotations

import gzip
import io
import warnings
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import getsizeof
from typing import Any

import numpy as np

from kernlearn.runtime.memory import require
from kernlearn.runtime.optional import load_arrow, load_pandas
from kernlearn.tables.encodings import checked_encoding, encoding_note, found_encoding
from kernlearn.tables.formats import (
    READING,
    FileFormat,
    ReadingOptions,
    TableError,
    check_names_differ,
    table_format,
)
from kernlearn.tables.spreadsheets import spreadsheet_chunks
from kernlearn.tables.text import delimiter_of, text_chunks
from kernlearn.tables.typed import LARGEST
from kernlearn.typing import Array, Indices, PandasFrame, PandasSeries


def read_table(
    path: str | Path, delimiter: str | None = None, encoding: str | None = None
) -> PandasFrame:
    """Read a whole table.

    Parameters
    ----------
    path : path
        A file of CSV, TSV or Parquet, or gzip of these, by its ending; of ``.xlsx``, the first
        sheet. One of ``.data``, as repositories have them, may lack a line of names: its columns
        are then x1, x2, ...
    delimiter : str, optional
        Delimiter of the cells; by default a comma, or a tab for ``.tsv``; for ``.data`` that of the
        first line: commas, semicolons, tabs or blanks.
    encoding : str, optional
        Encoding of the text, "latin-1" for example; by default that of a mark at the start, UTF-8
        if the file can be, and else Windows-1252, with a warning.

    Returns
    -------
    DataFrame
        Cells of a text file stay text here: what they are is decided for a column as a whole.
    """
    pd = load_pandas("reading a table")
    chunks: list[PandasFrame] = []
    size, n_rows = 0, READING.rows_of_a_piece
    for chunk in read_chunks(path, n_rows, delimiter, encoding=encoding):
        if chunks:
            # Pieces of one table are of about one size, and are put together in the end.
            size = size or int(chunks[0].memory_usage(deep=True).sum())
            require(
                2.0 * size * (len(chunks) + 1),
                f"the more than {n_rows * len(chunks):,} rows of {Path(path).name}",
                "use fewer rows or columns",
            )
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else pd.concat(chunks, ignore_index=True)


def read_chunks(
    path: str | Path,
    n_rows: int,
    delimiter: str | None = None,
    options: ReadingOptions = READING,
    encoding: str | None = None,
) -> Iterator[PandasFrame]:
    """Read a table in pieces, so that it need not fit in memory.

    Parameters
    ----------
    path : str or Path
        A file that :func:`read_table` reads.
    n_rows : int
        Rows of a piece.
    delimiter : str or None
        Delimiter of the cells; None for the one that the ending or the first line implies.
    options : ReadingOptions
        Limits on the cells of a piece and on the characters of a line.
    encoding : str or None
        As in :func:`read_table`.

    Yields
    ------
    DataFrame
        At least one, without rows if the table has none.
    """
    path = Path(path)
    if path.is_dir():
        raise TableError(f"expected a table, but {path} is a folder; name a file in it")
    form = table_format(path, delimiter)
    before = _state(path)
    try:
        if form.is_spreadsheet:
            yield from spreadsheet_chunks(path, n_rows)
        elif form.delimiter is None:
            yield from parquet_chunks(path, form, n_rows)
        else:
            yield from _text_chunks(path, form, n_rows, options, encoding)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(
            f"{path.name} is no complete gzip file ({error}); get it again, or unpack it"
        ) from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path.name} is not text in {error.encoding} ({error.reason} at byte {error.start}); "
            "pass --encoding with its own, or save it as CSV in UTF-8"
        ) from error
    except UnicodeError as error:  # UTF-16 without the mark that it begins with
        raise TableError(
            f"{path.name} is not text in {encoding} ({error}); pass --encoding with its own, or "
            "save it as CSV in UTF-8"
        ) from error
    if _state(path) != before:
        raise TableError(
            f"{path.name} was changed while it was read; wait until nothing writes to it, and try "
            "again"
        )


def _state(path: Path) -> tuple[int, int] | None:
    """Size and time of the last change of a file; None for a path that is no file, a pipe say."""
    if not path.is_file():
        return None
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _text_chunks(
    path: Path, form: FileFormat, n_rows: int, options: ReadingOptions, encoding: str | None
) -> Iterator[PandasFrame]:
    known = found_encoding(path) if encoding is None else checked_encoding(encoding)
    note = encoding_note(path, known) if encoding is None else None
    if note is not None:
        warnings.warn(note, stacklevel=3)
    with gzip.open(path, "rb") if form.is_gzip else path.open("rb") as file:
        text = io.TextIOWrapper(file, encoding=known, newline="")
        delimiter = form.delimiter or delimiter_of(text)
        yield from text_chunks(text, path, delimiter, n_rows, form.is_loose, options)


PIECE = 2**24


def parquet_chunks(path: Path, form: FileFormat, n_rows: int) -> Iterator[PandasFrame]:
    """Read a table of Parquet in pieces of `n_rows`, with the types of the file.

    A named index of pandas is a column like any other.
    """
    arrow = load_arrow("reading Parquet")
    # The index of a Parquet file is at its end, so it has to be unpacked first.
    source = _unpacked(path) if form.is_gzip else path
    try:
        with path.open("rb"):  # for the system's own message if it cannot be read
            table = arrow.parquet.ParquetFile(source)
        _check_columns(arrow, table.schema_arrow, path)
        batch = None
        for batch in table.iter_batches(batch_size=n_rows):
            yield _frame(batch)
        if batch is None:
            yield _frame(table.schema_arrow.empty_table())
    except TableError:
        raise
    except (arrow.ArrowException, ValueError, TypeError, OverflowError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's; pyarrow calls damage an OSError too, but without a number
        raise TableError(
            f"{path.name} is no Parquet file that can be read ({error}); save it again, or as CSV"
        ) from error


def _unpacked(path: Path) -> io.BytesIO:
    unpacked = io.BytesIO()
    with gzip.open(path, "rb") as file:
        while piece := file.read(PIECE):
            unpacked.write(piece)
            require(2 * unpacked.tell(), f"what {path.name} unpacks to", "use a smaller table")
    return unpacked


def _check_columns(arrow: Any, schema: Any, path: Path) -> None:
    check_names_differ(schema.names, path.name)
    for field in schema:
        if arrow.types.is_nested(field.type):
            raise TableError(
                f"expected one value in every cell of {path.name}, got column {field.name!r} of "
                f"type {str(field.type)[:60]}; give every part of it a column of its own"
            )


def _frame(batch: Any) -> PandasFrame:
    frame = batch.to_pandas()
    is_named = any(name is not None for name in frame.index.names)
    return frame.reset_index(drop=not is_named)


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
    encoding: str | None = None,
) -> CompactTable:
    """Read a table, numbers as numbers, as many of its rows as there is room for.

    Parameters
    ----------
    path : str or Path
        A file that :func:`kernlearn.tables.read_table` reads.
    delimiter : str or None
        Delimiter of the cells; None for the one that the ending or the first line implies.
    as_written : collection of str
        Columns whose cells are to stay as they are written, numbers or not.
    room : float, default=inf
        Bytes that the table may take.
    seed : int, default=0
        Draws the rows that are kept where there is not room for all.
    options : ReadingOptions
        Sizes of the pieces of the file.
    encoding : str or None
        As in :func:`kernlearn.tables.read_table`.

    Returns
    -------
    CompactTable
        The rows that were kept, and the number of all rows.
    """
    as_text = set(as_written)
    while True:
        table = _Collected(as_text, room, seed)
        for chunk in read_chunks(path, options.rows_of_a_piece, delimiter, options, encoding):
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
