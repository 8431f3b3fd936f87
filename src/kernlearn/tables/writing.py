"""Write a table piece by piece; it takes its name once it is complete."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from kernlearn.runtime.atomic_files import atomic_file, is_replaceable
from kernlearn.runtime.optional import load_arrow
from kernlearn.tables.formats import FileFormat, TableError, table_format
from kernlearn.typing import PandasFrame

Write = Callable[[PandasFrame], None]
# Starts of a formula to spreadsheets, some of which drop a tab or a line break first.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def format_to_write(path: Path) -> FileFormat:
    """The format of a table that is to be written, by its name."""
    # A stream such as /dev/stdout has no ending.
    named = path if path.suffix or is_replaceable(path) else Path("stream.csv")
    wrong = TableError(
        f"could not write {path}: expected a name that ends in .csv, .tsv, .txt or .parquet, "
        "or one of these and .gz; choose such a name"
    )
    try:
        form = table_format(named)
    except TableError:
        raise wrong from None
    if form.is_spreadsheet:
        raise wrong
    return form


@contextmanager
def table_writer(path: Path, safe: bool = False) -> Iterator[Write]:
    """Open a table for writing; call what is yielded with one data frame after another.

    The ending of the path says how it is written; a device or pipe without an ending gets CSV. With
    `safe`, text in which a spreadsheet would see a formula has an apostrophe before it.
    """
    form = format_to_write(path)
    with atomic_file(path) as plain, ExitStack() as stack:
        file: Any = plain
        if form.is_gzip:
            # No time in the header: the same predictions make the same file.
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=plain, mtime=0))
        if form.delimiter is None:
            yield _parquet_writer(file, stack)
        else:
            yield _text_writer(file, form.delimiter or ",", stack, safe)


def _text_writer(file: BinaryIO, delimiter: str, stack: ExitStack, safe: bool) -> Write:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    stack.callback(text.detach)  # flushes, and leaves the file open
    n_written = 0

    def write(frame: PandasFrame) -> None:
        nonlocal n_written
        frame = _without_formulas(frame) if safe else frame
        frame.to_csv(text, sep=delimiter, index=False, header=n_written == 0)
        n_written += 1

    return write


def _parquet_writer(file: BinaryIO, stack: ExitStack) -> Write:
    arrow = load_arrow("writing Parquet")
    writer: Any = None

    def write(frame: PandasFrame) -> None:
        nonlocal writer
        table = arrow.Table.from_pandas(frame, preserve_index=False)
        if writer is None:
            writer = stack.enter_context(arrow.parquet.ParquetWriter(file, table.schema))
        writer.write_table(table)

    return write


def _without_formulas(frame: PandasFrame) -> PandasFrame:
    """The table with an apostrophe before every text that a spreadsheet would take for a formula.

    That is what begins with one of `FORMULA_STARTS`, unless it is a number. A spreadsheet shows the
    cell as text, without the apostrophe.
    """
    safe = frame.copy()
    for place, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "biufcmM":
            cells = [_as_text(cell) for cell in frame.iloc[:, place]]
            safe.isetitem(place, np.array(cells, dtype=object))
    safe.columns = [_as_text(name) for name in frame.columns]
    return safe


def _as_text(cell: object) -> object:
    """Return a cell that a spreadsheet would run as a formula, quoted; others as they are.

    >>> _as_text("=1+1"), _as_text("-1.5"), _as_text("a=b"), _as_text(-2)
    ("'=1+1", '-1.5', 'a=b', -2)
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
