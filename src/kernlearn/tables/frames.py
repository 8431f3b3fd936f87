"""Data frames of other makers as a model of ours reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, SupportsFloat

import numpy as np

from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.column import Column, columns_used
from kernlearn.tables.errors import TableError, check_names_differ
from kernlearn.tables.notation import TRUTHS
from kernlearn.tables.text import MISSING
from kernlearn.tables.typed import typed_columns
from kernlearn.typing import PandasFrame, PandasSeries

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
        Of pandas, or anything with ``to_pandas``; any index, columns in any order, and there may
        be more.
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
    """As the model knows the column, or as a file of text names it.

    That is without blanks around it, and with nothing where pandas says that it is unnamed.

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
    """True is not 1 here."""
    return isinstance(value, bool), float(value)


def _value(text: str) -> Key | None:
    """What other readers make of a text, as a key; None where it stays text.

    >>> _value("007"), _value("true"), _value("red")
    ((False, 7.0), (True, 1.0), None)
    """
    if text.lower() in TRUTHS:
        return _key(TRUTHS[text.lower()])
    try:
        return _key(float(text))
    except ValueError:
        return None
