"""Columns as they were understood, and their cells as numbers and text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import wraps
from numbers import Real
from typing import Any, Protocol, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.formats import TableError, check_names_differ
from kernlearn.tables.notation import TRUTHS, date_in_words, parse_numbers
from kernlearn.tables.text import MISSING
from kernlearn.typing import Array, PandasFrame, PandasSeries

THINGS = ("sequence", "sparse row", "graph", "words")
USED = ("number", "category", "date", "row number", *THINGS)


@dataclass(frozen=True)
class Column:
    """The kind of a column of a table, and its treatment.

    Attributes
    ----------
    name : str
        Name in the table.
    kind : str
        "number", "category", "date" and "row number" are used, and with views "sequence",
        "sparse row", "graph" and "words"; "constant", "identifier", "empty", "text", "dropped" and
        "group" are not.
    action : str
        Treatment of the column, in words.
    notation : str
        Notation of the column's numbers or dates; empty for plain numbers and for dates like
        2024-01-31.
    """

    name: str
    kind: str
    action: str
    notation: str = ""

    @property
    def is_used(self) -> bool:
        """Whether the model sees it."""
        return self.kind in USED


def columns_used(columns: Sequence[Column], *kinds: str) -> list[str]:
    """Names of the columns that the model sees, or of those of some kinds.

    >>> columns_used([Column("a", "number", ""), Column("b", "constant", "")])
    ['a']
    """
    return [c.name for c in columns if c.is_used and (not kinds or c.kind in kinds)]


# Distances and variances are squares: beyond these sizes they would be infinite, or zero for a
# column that is not constant. Sums of millions of squares of the largest are floats too.
LARGEST, SMALLEST = 1e150, 1e-150
SECONDS_PER_DAY = 86_400.0


def typed_columns(frame: PandasFrame, columns: Sequence[Column], first_row: int = 0) -> PandasFrame:
    """The columns that a model sees, in its order and with its types.

    The types come from the table that the model was fitted to, so that a piece of another table is
    read in the same way whatever its own cells look like.

    Parameters
    ----------
    frame : DataFrame
        A table, or a piece of one; columns may be in any order, and there may be more.
    columns : sequence of Column
        From :func:`describe_columns`.
    first_row : int, default=0
        Number of the first row in its table, counted from 0.

    Returns
    -------
    DataFrame
        Floats for numbers and dates (days since 1970), NaN where missing; text for categories,
        empty where missing; things as they are, None where missing.
    """
    pd = load_pandas("reading a table")
    used = [column for column in columns if column.is_used]
    names = {column.name for column in used if column.kind != "row number"}
    missing = sorted(names - set(map(str, frame.columns)))
    if missing:
        shown = ", ".join(repr(name) for name in missing[:5])
        raise TableError(
            f"expected the columns that the model was fitted to, but {len(missing)} of "
            f"{len(names)} are missing ({shown}{', …' * (len(missing) > 5)}); add them, empty "
            "where they are not known"
        )
    series = {c.name: _typed(frame, c, first_row) for c in used}
    return pd.DataFrame(series, index=pd.RangeIndex(len(frame)))


def _typed(frame: PandasFrame, column: Column, first_row: int) -> NDArray[Any]:
    if column.kind == "row number":
        return np.arange(first_row, first_row + len(frame), dtype=float)
    cells = frame[column.name]
    if column.kind == "category":
        return as_text(cells)
    if column.kind in THINGS:
        return _as_things(cells)
    return written_numbers(cells, column, first_row)


def written_numbers(cells: PandasSeries, column: Column, first_row: int = 0) -> Array:
    """The numbers, or the days of dates, of a column; a cell that is none is refused."""
    read = as_dates if column.kind == "date" else as_numbers
    numbers = read(cells, column.notation)
    gaps = np.isnan(numbers)
    wrong = np.flatnonzero(gaps & cells.notna().to_numpy())
    if len(wrong):
        written = f", written like {_in_words(column)}," if column.notation else ""
        raise TableError(
            f"expected a {column.kind}{written} in every cell of column {column.name!r}, as in the "
            f"table that the model was fitted to, got {cells.iloc[wrong[0]]!r} in row "
            f"{first_row + wrong[0] + 1}; correct it, or leave the cell empty"
        )
    check_not_too_large(numbers, cells, column.name, first_row)
    return numbers


def _in_words(column: Column) -> str:
    return date_in_words(column.notation) if column.kind == "date" else column.notation


class _Reader(Protocol):
    def __call__(self, cells: PandasSeries, notation: str = "") -> Array: ...


def _each_text_once(read: _Reader) -> _Reader:
    """Let a column of text be read by its distinct values, of which it often has few."""

    @wraps(read)
    def reading(cells: PandasSeries, notation: str = "") -> Array:
        pd = load_pandas("reading a table")
        if pd.api.types.infer_dtype(cells, skipna=True) != "string":  # 1 and True are equal
            return read(cells, notation)
        codes, texts = pd.factorize(cells)
        values = np.append(read(pd.Series(texts), notation), np.nan)
        return np.asarray(values[codes], dtype=float)  # the code of missing cells is −1

    return reading


@_each_text_once
def as_numbers(cells: PandasSeries, notation: str = "") -> Array:
    """Floats, durations in days; NaN where a cell is missing or no number in the notation."""
    pd = load_pandas("reading a table")
    kind = cells.dtype.kind
    if kind in "biuf":
        return np.asarray(cells.to_numpy(dtype=float, na_value=np.nan))
    if kind == "m":
        return np.asarray(cells.dt.total_seconds(), dtype=float) / SECONDS_PER_DAY
    if kind in "Mc":
        return np.full(len(cells), np.nan)
    if notation:
        return parse_numbers(cells.tolist(), notation)
    found = pd.to_numeric(cells, errors="coerce")
    numbers: Array = found.to_numpy(dtype=float, na_value=np.nan)
    if np.isnan(pd.to_numeric(["1e400"], errors="coerce")).any():
        # Before version 3, pandas takes what is beyond all floats for text.
        for i in np.flatnonzero(np.isnan(numbers) & cells.notna().to_numpy()):
            numbers[i] = _beyond_floats(cells.iloc[i])
    return numbers


def _beyond_floats(cell: object) -> float:
    """Infinity for a number that is too large to be a float; NaN for all other text."""
    try:
        return float(cell) if isinstance(cell, str) and cell[-1:].isdigit() else np.nan
    except ValueError:
        return np.nan


@_each_text_once
def as_dates(cells: PandasSeries, notation: str = "") -> Array:
    """Days since 1970 as floats, NaN where a cell is missing or no date in the notation.

    Without one, dates are written like 2024-01-31. No word is a date.
    """
    pd = load_pandas("reading a table")
    if cells.dtype.kind in "biufm":
        return np.full(len(cells), np.nan)
    if cells.dtype.kind != "M":
        cells = cells.map(_written if notation else _with_a_digit, na_action="ignore")
    times = pd.to_datetime(cells, errors="coerce", format=notation or "ISO8601", utc=True)
    seconds = (times - pd.Timestamp("1970-01-01", tz="UTC")).dt.total_seconds()
    return np.asarray(seconds, dtype=float) / SECONDS_PER_DAY


def _written(cell: object) -> object:
    """A date as it is, anything else as text: pandas would take a number for seconds."""
    return cell if isinstance(cell, date) else str(cell).strip()


def _with_a_digit(cell: object) -> object:
    """A cell as it is, missing if it is a word: pandas takes "now" and "today" for the clock's.

    Numbers are text here: pandas would take them for times since 1970. Text of NumPy becomes a
    string, because pandas 2.2 reads no other text.
    """
    text = str(cell) if isinstance(cell, Real | str) else cell
    return None if isinstance(text, str) and not any(map(str.isdigit, text)) else text


def as_text(cells: PandasSeries) -> NDArray[np.object_]:
    """Text without blanks around it, empty where a cell is missing.

    A whole number reads the same whether it came as text, as an integer or as a float.
    """
    pd = load_pandas("reading a table")
    known = cells.notna().to_numpy()
    present = cells[known].tolist()
    if pd.api.types.infer_dtype(cells, skipna=True) == "string":
        # Distinct values are read once, since many cells often have few. This holds for text alone:
        # 1 and True are equal, and read differently.
        read = {cell: _text(cell) for cell in set(present)}
        found = [read[cell] for cell in present]
    else:
        found = [_text(cell) for cell in present]
    texts = np.full(len(cells), "", dtype=object)
    texts[known] = np.array(found, dtype=object)
    return texts


def _as_things(cells: PandasSeries) -> NDArray[np.object_]:
    """Cells as they are, None where missing."""
    values = np.array(cells, dtype=object)
    values[cells.isna().to_numpy()] = None
    return values


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def check_not_too_large(numbers: Array, cells: PandasSeries, name: str, first_row: int = 0) -> None:
    """Refuse numbers whose squares are no floats, infinite ones among them; NaN passes.

    `numbers` is what `cells` hold, which are indexed by their rows, from `first_row`.
    """
    wrong = np.flatnonzero(np.abs(numbers) > LARGEST)
    if len(wrong):
        row = first_row + int(cells.index[wrong[0]]) + 1
        raise TableError(
            f"expected finite numbers of size up to {LARGEST:g} in column {name!r}, but row {row} "
            f"has {str(cells.iloc[wrong[0]])[:60]!r}; correct it, leave the cell empty if it is "
            "not known, or give the column in another unit"
        )


def check_not_too_small(numbers: Array, name: str) -> None:
    """Refuse a column whose numbers are all so small that their squares vanish, but not zero."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if 0.0 < largest < SMALLEST:
        raise TableError(
            f"expected numbers of size {SMALLEST:g} or more in column {name!r}, got none above "
            f"{largest:g}; give the column in another unit"
        )


Key = tuple[bool, float]


def typed_frame(
    table: object, columns: Sequence[Column], spellings: Mapping[str, Iterable[str]]
) -> PandasFrame:
    """The columns that a model sees, of a data frame however it was read.

    :func:`typed_columns` knows tables as `read_table` reads them, every cell of a text file as it
    is written. Other readers go further: they make ``true`` a truth and ``007`` the number 7, and
    leave ``?`` as text. Here marks of missing cells become missing ones, and truths and numbers in
    a column of categories are written as the model's own rows write them.

    Parameters
    ----------
    table : data frame
        A frame of pandas, or anything with ``to_pandas``; any index, columns in any order, and more
        columns than needed.
    columns : sequence of Column
        From :func:`describe_columns`.
    spellings : mapping from str to iterable of str
        Some of the texts that each column of categories had.

    Returns
    -------
    DataFrame
        As :func:`typed_columns` returns it.
    """
    frame = _as_pandas(table)
    names = set(columns_used(columns))
    own = [_name(name, j, names) for j, name in enumerate(frame.columns)]
    places = [j for j, name in enumerate(own) if name in names]
    found = [own[j] for j in places]
    check_names_differ(found, "the table")
    categories = set(columns_used(columns, "category"))
    used = frame.iloc[:, places].reset_index(drop=True)
    used.columns = found
    for place, name in enumerate(found):
        cells = _without_marks(used.iloc[:, place])
        if name in categories:
            cells = _respelled(cells, spellings.get(name, ()))
        used.isetitem(place, cells)
    return typed_columns(used, columns)


def _name(name: object, place: int, known: Collection[str]) -> str:
    """Name of a column as the model knows it, or else as a text file has it.

    The latter has no blanks around it, and is empty if pandas calls the column unnamed.

    >>> _name(" b", 1, {"b"}), _name("Unnamed: 0", 0, {""})
    ('b', '')
    """
    text = str(name)
    if text in known:
        return text
    return "" if text == f"Unnamed: {place}" else text.strip()


def _as_pandas(table: Any) -> PandasFrame:
    pd = load_pandas("predicting for a table")
    is_other = not isinstance(table, pd.DataFrame) and hasattr(table, "to_pandas")
    frame = table.to_pandas() if is_other else table
    if not isinstance(frame, pd.DataFrame):
        raise TableError(
            "expected a data frame with the columns that the model was fitted to, got "
            f"{type(table).__name__}; read the table by pandas.read_csv, or name the columns by "
            "pandas.DataFrame(rows, columns=[...])"
        )
    if len(frame) == 0:
        raise TableError("the table has no rows below its column names; add rows")
    return frame


def _without_marks(cells: PandasSeries) -> PandasSeries:
    if cells.dtype.kind != "O":
        return cells
    cells = cells.astype(object)  # categories and text of pandas too
    marked = [isinstance(cell, str) and cell.strip() in MISSING for cell in cells]
    return cells.mask(np.array(marked), np.nan)


def _respelled(cells: PandasSeries, known: Iterable[str]) -> PandasSeries:
    """Truths and numbers as `known` spells them, where it spells each in one way."""
    spelled: dict[Key, set[str]] = {}
    for text in set(known):
        value = _value(text)
        if value is not None:
            spelled.setdefault(value, set()).add(text)
    sure = {value: texts.pop() for value, texts in spelled.items() if len(texts) == 1}
    values = np.empty(len(cells), dtype=object)
    for i, (cell, missing) in enumerate(zip(cells.tolist(), cells.isna().tolist(), strict=True)):
        is_value = isinstance(cell, Real) and not missing
        values[i] = np.nan if missing else sure.get(_key(cell), cell) if is_value else cell
    return load_pandas("predicting for a table").Series(values, dtype=object)


def _key(value: SupportsFloat) -> Key:
    """Key of a value, by which True differs from 1."""
    return isinstance(value, bool), float(value)


def _value(text: str) -> Key | None:
    """Key of the value that other readers make of a text; None if they keep the text.

    >>> _value("007"), _value("true"), _value("red")
    ((False, 7.0), (True, 1.0), None)
    """
    if text.lower() in TRUTHS:
        return _key(TRUTHS[text.lower()])
    try:
        return _key(float(text))
    except ValueError:
        return None
