"""Read tables: CSV, TSV, Parquet, .data, and gzip of these."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernlearn.runtime.memory import require
from kernlearn.runtime.optional import load_arrow, load_pandas
from kernlearn.tables.formats import (
    READING,
    FileFormat,
    ReadingOptions,
    TableError,
    check_names_differ,
    table_format,
)
from kernlearn.tables.text import delimiter_of, text_chunks
from kernlearn.typing import PandasFrame


def read_table(path: str | Path, delimiter: str | None = None) -> PandasFrame:
    """Read a whole table.

    Parameters
    ----------
    path : path
        A file of CSV, TSV or Parquet, or gzip of these, by its ending. One of ``.data``, as
        repositories have them, may lack a line of names: its columns are then x1, x2, ...
    delimiter : str, optional
        What separates the cells; by default a comma, or a tab for ``.tsv``; for ``.data`` what the
        first line has: commas, semicolons, tabs or blanks.

    Returns
    -------
    DataFrame
        Cells of a text file stay text here: what they are is decided for a column as a whole.
    """
    pd = load_pandas("reading a table")
    chunks: list[PandasFrame] = []
    size, n_rows = 0, READING.rows_of_a_piece
    for chunk in read_chunks(path, n_rows, delimiter):
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
) -> Iterator[PandasFrame]:
    """Read a table in pieces, so that it need not fit in memory.

    Parameters
    ----------
    path, delimiter
        As in :func:`read_table`.
    n_rows : int
        Rows of a piece.
    options : ReadingOptions
        How many cells a piece and how many characters a line may have.

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
        if form.delimiter is None:
            yield from parquet_chunks(path, form, n_rows)
        else:
            yield from _text_chunks(path, form, n_rows, options)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(
            f"{path.name} is no complete gzip file ({error}); get it again, or unpack it"
        ) from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path.name} is not text in UTF-8 ({error.reason} at byte {error.start}), so it is "
            "no table; save it as CSV in UTF-8"
        ) from error
    if _state(path) != before:
        raise TableError(
            f"{path.name} was changed while it was read; wait until nothing writes to it, and try "
            "again"
        )


def _state(path: Path) -> tuple[int, int] | None:
    """Size and time of the last change of a file; None of what is no file, a pipe say."""
    if not path.is_file():
        return None
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _text_chunks(
    path: Path, form: FileFormat, n_rows: int, options: ReadingOptions
) -> Iterator[PandasFrame]:
    with gzip.open(path, "rb") if form.is_gzip else path.open("rb") as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
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
