"""Tables in spreadsheets: the first sheet of an .xlsx file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from kernlearn.runtime.optional import load_openpyxl, load_pandas
from kernlearn.runtime.phrases import counted, listed
from kernlearn.tables.formats import TableError, check_names_differ
from kernlearn.tables.text import MISSING
from kernlearn.typing import PandasFrame

Cells = tuple[object, ...]


def spreadsheet_chunks(path: Path, n_rows: int) -> Iterator[PandasFrame]:
    """Read the first sheet in pieces of up to `n_rows`, cells as a CSV file would have them.

    The first row holds the names. Columns and rows without any cell are left out. A formula is read
    as the value that was saved with it.
    """
    openpyxl = load_openpyxl("reading .xlsx")
    pd = load_pandas("reading a table")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError) as error:
        raise TableError(
            f"{path.name} is no .xlsx file that can be read ({error}); save it again, or as CSV"
        ) from error
    try:
        _note_other_sheets(path, [str(name) for name in book.sheetnames])
        rows = book.worksheets[0].iter_rows(values_only=True)
        names = _names(next(rows, ()), path)
        filled = (_checked(row, names, path) for row in rows if any(c is not None for c in row))

        def frame(piece: list[list[str | float]]) -> PandasFrame:
            return pd.DataFrame(piece, columns=pd.Index(names, dtype=object), dtype=object)

        yield frame(list(islice(filled, n_rows)))
        while piece := list(islice(filled, n_rows)):
            yield frame(piece)
    finally:
        book.close()


def _note_other_sheets(path: Path, names: list[str]) -> None:
    if len(names) > 1:
        others = listed([repr(name) for name in names[1:]], 3)
        warnings.warn(
            f"of the {counted(len(names), 'sheet')} of {path.name}, the first, {names[0]!r}, was "
            f"read; save {others} as a file of its own to read it",
            stacklevel=2,
        )


def _names(cells: Cells, path: Path) -> list[str]:
    texts = [_text(cell) for cell in cells]
    while texts and not isinstance(texts[-1], str):
        texts.pop()
    if not texts:
        raise TableError(f"{path.name} has no row of column names to begin with; add one")
    names = [cell if isinstance(cell, str) else "" for cell in texts]
    check_names_differ(names, path.name)
    return names


def _checked(row: Cells, names: list[str], path: Path) -> list[str | float]:
    beyond = [cell for cell in row[len(names) :] if cell is not None]
    if beyond:
        raise TableError(
            f"{path.name} has a cell {str(beyond[0])[:40]!r} in a column without a name; name the "
            "column in the first row, or clear the cell"
        )
    return [_text(cell) for cell in (*row, *[None] * (len(names) - len(row)))][: len(names)]


def _text(cell: object) -> str | float:
    """A cell as a CSV file would have it; NaN where it is missing.

    >>> [_text(cell) for cell in (5.0, 0.1, True, datetime(2024, 1, 31), " a ")]
    ['5', '0.1', 'True', '2024-01-31', 'a']
    """
    if cell is None:
        return np.nan
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ")
    text = cell.isoformat() if isinstance(cell, date | time) else str(cell).strip()
    return np.nan if text in MISSING else text
