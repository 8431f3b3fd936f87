"""Numbers and dates as people write them: 1.234,50 and $1,234.50, 53 %, 31/12/2021, true.

A notation is kept as an example of itself, such as "$1,234.5" or "%d/%m/%Y": whoever reads another
table by it needs no more, and a user sees how a column was understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache

import numpy as np

from kernlearn.typing import Array

TRUE_OR_FALSE = "true or false"
TRUTHS = {"true": True, "false": False}
PLAIN, COMMAS, DECIMAL_COMMA = "1234.5", "1,234.5", "1.234,5"
# Nobody separates thousands before an exponent: 1.234e5 beside 2,5 is in no notation.
_EXPONENT = r"[eE][+-]?\d+"
_PATTERNS = {
    PLAIN: re.compile(rf"[+-]?(\d+\.?\d*|\.\d+)({_EXPONENT})?"),
    COMMAS: re.compile(rf"[+-]?(([1-9]\d{{0,2}}(,\d{{3}})+|\d+)(\.\d*)?|\d+(\.\d*)?{_EXPONENT})"),
    DECIMAL_COMMA: re.compile(
        rf"[+-]?(([1-9]\d{{0,2}}(\.\d{{3}})+|\d+)?(,\d+)?|\d+(,\d+)?{_EXPONENT})"
    ),
}
# A sign of a currency before the number; after it, that, a percentage or a unit.
_CURRENCIES = "$€£¥₹"
_BEFORE = re.compile(rf"[A-Z]{{0,3}}[{_CURRENCIES}] ?")
_AFTER = re.compile(rf" ?([{_CURRENCIES}%‰]|[A-Za-zµ°/²³]{{1,12}})")
_PARTS = re.compile(rf"([+-]?)([^\d+\-.,]*)([+-]?[\d.,\s]*[\d.,](?:{_EXPONENT})?)([^\d]*)")
# No number takes more characters, and the pattern would take long for a page of blanks.
_LONGEST = 60
_BLANK_BETWEEN_THOUSANDS = re.compile(r"(?<=\d)[ \u00a0\u202f](?=\d{3}(\D|$))")

_DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%d-%b-%Y",
    "%d/%m/%y", "%m/%d/%y", "%d.%m.%y",
)  # fmt: skip
_HOURS = ("%H:%M", "%H:%M:%S")
_DATES = (*_DAYS, *(f"{day} {hour}" for day in _DAYS for hour in _HOURS), *_HOURS)
_WORDS = {
    "%d": "day", "%m": "month", "%B": "month", "%b": "month", "%Y": "year", "%y": "year",
    "%H": "hour", "%M": "minute", "%S": "second",
}  # fmt: skip


def number_notation(cells: Iterable[object]) -> str | None:
    """Notation of numbers, if all cells are text and numbers in one notation.

    Plain numbers, as computers write them, have no notation. If commas may separate thousands or
    decimals in every cell, they separate thousands.

    >>> [number_notation(cells) for cells in (["1.234,50", "7,25"], ["$1,950.12", "$3"], ["True"])]
    ['1.234,5', '$1,234.5', 'true or false']
    >>> number_notation(["72.3 kg", "68 kg"]), number_notation(["A12", "A13"])
    ('1234.5 kg', None)
    """
    texts = _texts(cells)
    if not texts:
        return None
    if all(text.strip().lower() in TRUTHS for text in texts):
        return TRUE_OR_FALSE
    first = min(texts).strip()
    parts = _PARTS.fullmatch(first) if len(first) <= _LONGEST else None
    if parts is None or all(_PATTERNS[PLAIN].fullmatch(text.strip()) for text in texts):
        return None
    before, after = parts[2], parts[4]
    if (before and not _BEFORE.fullmatch(before)) or (after and not _AFTER.fullmatch(after)):
        return None
    for example in _PATTERNS:
        notation = f"{before}{example}{after}"
        number = _reader(notation)
        if notation != PLAIN and all(number(text) is not None for text in texts):
            return notation
    return None


def parse_numbers(cells: Iterable[object], notation: str) -> Array:
    """Floats, NaN where a cell is not a number in the notation; numbers are taken as they are."""
    number = cache(_reader(notation))

    def value(cell: object) -> float | None:
        if isinstance(cell, str):
            return number(cell)
        return float(cell) if isinstance(cell, int | float | np.number) else None

    return np.array([value(cell) for cell in cells], dtype=float)


def date_notation(cells: Iterable[object]) -> str | None:
    """The format of :func:`time.strptime` by which all cells are dates or times of the day.

    If days and months may stand in either order in every cell, the day comes first.

    >>> date_notation(["31/12/2021", "01/02/2022"]), date_notation(["12/31/2021", "01/02/2022"])
    ('%d/%m/%Y', '%m/%d/%Y')
    """
    texts = _texts(cells)
    forms = _DATES if texts else ()
    return next((form for form in forms if all(_is_date(text, form) for text in texts)), None)


def date_in_words(notation: str) -> str:
    """A format as a person says it.

    >>> date_in_words("%d/%m/%Y %H:%M")
    'day/month/year hour:minute'
    """
    return re.sub("%.", lambda found: _WORDS[found[0]], notation)


def is_notation(text: str) -> bool:
    """Whether it is one of these, or nothing: a file may be damaged."""
    examples = sum(text.count(example) for example in _PATTERNS)
    return text in ("", TRUE_OR_FALSE, *_DATES) or examples == 1


def _texts(cells: Iterable[object]) -> set[str]:
    """The different cells, if all are text."""
    different = set(cells)
    texts = {cell for cell in different if isinstance(cell, str)}
    return texts if len(texts) == len(different) else set()


def _is_date(text: str, form: str) -> bool:
    try:
        datetime.strptime(text.strip(), form)  # a date without a place
    except ValueError:
        return False
    return True


def _reader(notation: str) -> Callable[[str], float | None]:
    """Function that reads the number of a cell, None if the cell has another notation."""
    if notation == TRUE_OR_FALSE:
        return lambda text: TRUTHS.get(text.strip().lower())
    example = next(one for one in (COMMAS, DECIMAL_COMMA, PLAIN) if one in notation)
    before, after = notation.split(example)
    pattern = _PATTERNS[example]

    def number(text: str) -> float | None:
        sign, inner = "", text.strip()
        if before and inner[:1] in "+-":
            sign, inner = inner[0], inner[1:].strip()
        if before and inner.startswith(before.strip()):
            inner = inner[len(before.strip()) :].strip()
        elif before:
            return None
        if after and not inner.endswith(after.strip()):
            return None
        inner = inner[: len(inner) - len(after.strip())].strip() if after else inner
        inner = _BLANK_BETWEEN_THOUSANDS.sub("", inner)
        if not pattern.fullmatch(inner) or not any(map(str.isdigit, inner)):
            return None
        if example == DECIMAL_COMMA:
            inner = inner.replace(".", "").replace(",", ".")
        return float(sign + inner.replace(",", ""))

    return number
