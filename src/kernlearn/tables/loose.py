"""Tables of text that do not say how they are written: the ``.data`` files of repositories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import IO

__all__ = ["BLANKS", "delimiter_of", "names_and_rows"]

# Any run of spaces and tabs between two cells.
BLANKS = " "
_MARKS = (",", ";", "\t")


def delimiter_of(text: IO[str], longest: int) -> str:
    r"""What separates the cells of the first line: a comma, a semicolon, a tab, or else blanks.

    Tabs beside blanks are blanks. The text is read from its start afterwards.

    >>> import io
    >>> [delimiter_of(io.StringIO(line), 99) for line in ("1, 2, 3", "18.0  8\t'a car'", "1\t2")]
    [',', ' ', '\t']
    """
    line = ""
    while not line.strip():
        line = text.readline(longest)
        if not line:
            break
    text.seek(0)
    inner = line.strip()
    found = [mark for mark in _MARKS if mark in inner]
    is_blank = not found or (found == ["\t"] and BLANKS in inner)
    return BLANKS if is_blank else found[0]


def names_and_rows(rows: Iterator[list[str]]) -> tuple[list[str], Iterator[list[str]]]:
    """The names in the first row, or x1, x2, ... where it has none, and all other rows.

    The first row holds names if no cell of it is a number, but one of the second is. A table of
    text alone is taken for one without names, as repositories have them.

    >>> names_and_rows(iter([["a", "b"], ["c", "1"]]))[0], names_and_rows(iter([["a", "1"]]))[0]
    (['a', 'b'], ['x1', 'x2'])
    """
    start = list(islice(rows, 2))
    has_names = len(start) == 2 and not _has_number(start[0]) and _has_number(start[1])
    if has_names:
        return start[0], chain(start[1:], rows)
    width = len(start[0]) if start else 0
    return [f"x{j + 1}" for j in range(width)], chain(start, rows)


def _has_number(row: list[str]) -> bool:
    return any(_is_number(cell) for cell in row)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
