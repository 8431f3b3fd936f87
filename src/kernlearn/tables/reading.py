"""Read tables: CSV, TSV, Parquet, and gzip of these."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from kernlearn._optional import load_arrow, load_pandas
from kernlearn.tables.errors import TableError
from kernlearn.tables.formats import TableFormat, table_format

__all__ = ["read_chunks", "read_table"]

MISSING = ["?"]  # besides what pandas takes for missing: an empty cell, NA, N/A, NaN, null, None
OTHER_DELIMITERS = {";": "';'", "\t": "tabs", "|": "'|'", ",": "','"}


def read_table(path: str | Path, delimiter: str | None = None) -> Any:
    """Read a whole table.

    Parameters
    ----------
    path : path
        A file of CSV, TSV or Parquet, or gzip of these, by its ending.
    delimiter : str, optional
        What separates the cells; by default a comma, or a tab for ``.tsv``.

    Returns
    -------
    DataFrame
        Cells of a text file stay text here: what they are is decided for a column as a whole.
    """
    pd = load_pandas("reading a table")
    chunks = list(read_chunks(path, 50_000, delimiter))
    return chunks[0] if len(chunks) == 1 else pd.concat(chunks, ignore_index=True)


def read_chunks(path: str | Path, n_rows: int, delimiter: str | None = None) -> Iterator[Any]:
    """Read a table in pieces, so that it need not fit in memory.

    Parameters
    ----------
    path, delimiter
        As in :func:`read_table`.
    n_rows : int
        Rows of a piece.

    Yields
    ------
    DataFrame
        At least one, without rows if the table has none.
    """
    path = Path(path)
    form = table_format(path, delimiter)
    try:
        if form.delimiter is None:
            yield from _parquet_chunks(path, form, n_rows)
        else:
            yield from _text_chunks(path, form, n_rows)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(
            f"{path.name} is no complete gzip file ({error}); get it again, or unpack it"
        ) from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path.name} is not text in UTF-8 ({error.reason} at byte {error.start}), so it is "
            "no table; save it as CSV in UTF-8"
        ) from error


def _text_chunks(path: Path, form: TableFormat, n_rows: int) -> Iterator[Any]:
    pd = load_pandas("reading a table")
    with _opened(path, form) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        header = _header(pd, text, path, str(form.delimiter))
        try:
            yield from pd.read_csv(
                text,
                sep=form.delimiter,
                names=header,
                header=None,
                index_col=False,
                dtype=str,
                na_values=MISSING,
                skipinitialspace=True,
                chunksize=n_rows,
                on_bad_lines="error",
            )
        except pd.errors.EmptyDataError:
            yield pd.DataFrame(columns=header, dtype=object)
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            raise TableError(
                f"{path.name} is no table with {len(header)} columns in every row "
                f"({' '.join(str(error).split())}); quote cells that hold the delimiter"
            ) from error


def _header(pd: Any, text: IO[str], path: Path, delimiter: str) -> list[str]:
    """The names of the columns, from the first line."""
    line = text.readline(10_000_000)
    if "\0" in line:
        raise TableError(f"{path.name} holds bytes that are no text; save the table as CSV")
    try:
        cells = pd.read_csv(
            io.StringIO(line),
            sep=delimiter,
            header=None,
            dtype=str,
            skipinitialspace=True,
            keep_default_na=False,
        )
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise TableError(
            f"{path.name} has no line of column names to begin with; add one"
        ) from error
    names = [str(name).strip() for name in cells.iloc[0]]
    _check_names(names, path, delimiter)
    return names


def _check_names(names: list[str], path: Path, delimiter: str) -> None:
    repeated = (
        sorted({name for name in names if names.count(name) > 1})[:3]
        if (len(set(names)) < len(names))
        else []
    )
    if repeated:
        raise TableError(
            f"expected columns with different names in {path.name}, got {repeated[0]!r} more than "
            "once; rename them"
        )
    if len(names) > 1:
        return
    found = [mark for mark in OTHER_DELIMITERS if mark != delimiter and mark in names[0]]
    if found:
        raise TableError(
            f"expected columns separated by {OTHER_DELIMITERS.get(delimiter, repr(delimiter))} in "
            f"{path.name}, got one column {names[0][:60]!r} that looks separated by "
            f"{OTHER_DELIMITERS[found[0]]}; pass --delimiter {found[0]!r}"
        )


def _parquet_chunks(path: Path, form: TableFormat, n_rows: int) -> Iterator[Any]:
    arrow = load_arrow("reading Parquet")
    source: Any = path
    if form.is_gzip:
        # The index of a Parquet file is at its end, so it has to be unpacked first.
        source = io.BytesIO(gzip.decompress(path.read_bytes()))
    try:
        with path.open("rb"):  # for the system's own message if it cannot be read
            table = arrow.parquet.ParquetFile(source)
        count = 0
        for batch in table.iter_batches(batch_size=n_rows):
            count += 1
            yield batch.to_pandas()
        if count == 0:
            yield table.schema_arrow.empty_table().to_pandas()
    except (arrow.ArrowException, ValueError) as error:
        raise TableError(
            f"{path.name} is no Parquet file that can be read ({error}); save it again, or as CSV"
        ) from error


def _opened(path: Path, form: TableFormat) -> Any:
    return gzip.open(path, "rb") if form.is_gzip else path.open("rb")
