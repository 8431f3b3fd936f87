"""Tables as text: rows of cells between delimiters.

pandas would read them too, but it fills short rows up without a word, renames columns of one name,
and takes a cell too many in every row for an index.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np

from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted
from kernlearn.tables.formats import READING, ReadingOptions, TableError, check_names_differ
from kernlearn.typing import PandasFrame

# Marks of missing cells of pandas and R, and "?", as the repositories of data sets have.
MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "None", "NULL", "null", "<NA>"]
    + ["#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
)
OTHER_DELIMITERS = {";": "';'", "\t": "tabs", "|": "'|'", ",": "','"}
# Any run of spaces and tabs between two cells.
BLANKS = " "
_MARKS = (",", ";", "\t")
# Stands after the last line. No line of a table holds its first character.
_END = "\0end"


def text_chunks(
    text: IO[str],
    path: Path,
    delimiter: str,
    n_rows: int,
    is_loose: bool = False,
    options: ReadingOptions = READING,
) -> Iterator[PandasFrame]:
    """Read a table of text in pieces of up to `n_rows`, every cell as it is written.

    Every row must have a cell for each name in the first: a row of any other length would put
    cells under the names of their neighbours. A loose table may have no row of names, and blanks
    that separate its cells may be any number of them.

    Yields at least one data frame of text, NaN where a cell is missing.
    """
    pd = load_pandas("reading a table")
    by_blanks = is_loose and delimiter == BLANKS
    rows = _rows(_lines(text, path, by_blanks, options.longest_line), path, delimiter)
    first, rows = _names_and_rows(rows) if is_loose else (next(rows, []), rows)
    names = _names(first, path, delimiter)
    checked = _checked(rows, names, path, delimiter)

    def frame(piece: list[list[str | float]]) -> PandasFrame:
        return pd.DataFrame(piece, columns=pd.Index(names, dtype=object), dtype=object)

    n_rows = max(1, min(n_rows, options.cells_of_a_piece // len(names)))
    yield frame(list(islice(checked, n_rows)))
    while piece := list(islice(checked, n_rows)):
        yield frame(piece)


def _rows(lines: Iterator[str], path: Path, delimiter: str) -> Iterator[list[str]]:
    """The rows that are not blank."""
    # Blanks after a delimiter are of no meaning, unless they are the delimiter.
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=not delimiter.isspace())
    row: list[str] = []
    try:
        for row in reader:
            if row == [_END]:
                return
            if row not in ([], [""]):
                yield row
    except csv.Error as error:
        raise TableError(
            f"{path.name} is no table: {error} near line {reader.line_num}; quote cells that hold "
            "the delimiter or line breaks, and close every quote"
        ) from error
    raise TableError(
        f"{path.name} opens a quote that it never closes, in a row that begins with "
        f"{row[0][:40]!r}; close it, or write it twice within quotes"
    )


def _lines(text: IO[str], path: Path, by_blanks: bool, longest: int) -> Iterator[str]:
    while line := text.readline(longest):
        if "\0" in line:
            raise TableError(f"{path.name} holds bytes that are no text; save the table as CSV")
        if len(line) == longest:
            raise TableError(
                f"{path.name} has a line of more than {longest:,} characters, so it is no "
                "table of rows; save it as CSV"
            )
        yield BLANKS.join(line.split()) + "\n" if by_blanks else line
    yield _END


def _checked(
    rows: Iterator[list[str]], names: list[str], path: Path, delimiter: str
) -> Iterator[list[str | float]]:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise TableError(_wrong_length(row, number, names, path, delimiter))
        yield [np.nan if cell in MISSING else cell for cell in row]


def _wrong_length(row: list[str], number: int, names: list[str], path: Path, delimiter: str) -> str:
    cure = "fill it up with empty cells, or quote cells that hold line breaks"
    if len(row) > len(names):
        cure = f"quote cells that hold {OTHER_DELIMITERS.get(delimiter, repr(delimiter))}"
        if len(row) == len(names) + 1:
            cure += "; if every row has one more, name the first column or drop the last cell"
    other = _other_delimiter(names, delimiter)
    if other is not None:
        cure = f"the names look separated by {OTHER_DELIMITERS[other]}: pass --delimiter {other!r}"
    return (
        f"{path.name} is no table with {counted(len(names), 'column')} in every row: row {number} "
        f"has {counted(len(row), 'cell')}; {cure}"
    )


def _names(cells: list[str], path: Path, delimiter: str) -> list[str]:
    """The names of the columns, from the first row."""
    names = [cell.strip() for cell in cells]
    if not any(names):
        raise TableError(f"{path.name} has no line of column names to begin with; add one")
    check_names_differ(names, path.name)
    other = _other_delimiter(names, delimiter)
    if len(names) == 1 and other is not None:
        raise TableError(
            f"expected columns separated by {OTHER_DELIMITERS.get(delimiter, repr(delimiter))} in "
            f"{path.name}, got one column {names[0][:60]!r} that looks separated by "
            f"{OTHER_DELIMITERS[other]}; pass --delimiter {other!r}"
        )
    return names


def _other_delimiter(names: list[str], delimiter: str) -> str | None:
    """Delimiter that would at least double the number of names, or None."""
    counts = {
        mark: sum(name.count(mark) for name in names)
        for mark in OTHER_DELIMITERS
        if mark != delimiter
    }
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] >= len(names) else None


def delimiter_of(text: IO[str]) -> str:
    r"""Delimiter of the cells of the first line: a comma, a semicolon, a tab, or else blanks.

    Tabs beside blanks are blanks. The text is read from its start afterwards.

    >>> import io
    >>> [delimiter_of(io.StringIO(line)) for line in ("1, 2, 3", "18.0  8\t'a car'", "1\t2")]
    [',', ' ', '\t']
    """
    lines = iter(lambda: text.readline(READING.longest_line), "")
    inner = next((line.strip() for line in lines if line.strip()), "")
    text.seek(0)
    found = [mark for mark in _MARKS if mark in inner]
    is_blank = not found or (found == ["\t"] and BLANKS in inner)
    return BLANKS if is_blank else found[0]


def _names_and_rows(rows: Iterator[list[str]]) -> tuple[list[str], Iterator[list[str]]]:
    """The names in the first row, or x1, x2, ... where it has none, and all other rows.

    The first row holds names if no cell of it is a number, but one of the second is. A table of
    text alone is taken for one without names, as repositories have them.

    >>> _names_and_rows(iter([["a", "b"], ["c", "1"]]))[0], _names_and_rows(iter([["a", "1"]]))[0]
    (['a', 'b'], ['x1', 'x2'])
    """
    start = list(islice(rows, 2))
    if len(start) == 2 and not _has_number(start[0]) and _has_number(start[1]):
        return start[0], chain(start[1:], rows)
    width = len(start[0]) if start else 0
    return [f"x{j + 1}" for j in range(width)], chain(start, rows)


def _has_number(row: list[str]) -> bool:
    for cell in row:
        with suppress(ValueError):
            float(cell)
            return True
    return False
