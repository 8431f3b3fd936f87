"""Kinds of the columns of a table, and their treatment."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kernlearn.runtime.phrases import counted
from kernlearn.tables.formats import TableError
from kernlearn.tables.notation import (
    COMMAS,
    DECIMAL_COMMA,
    TRUE_OR_FALSE,
    date_in_words,
    date_notation,
    number_notation,
)
from kernlearn.tables.typed import (
    Column,
    as_dates,
    as_numbers,
    as_text,
    check_not_too_large,
    check_not_too_small,
)
from kernlearn.typing import Array, PandasFrame, PandasSeries

# More columns than this for one category column would drown the others; the rest share one. With
# 30, errors were up to a third larger where the target differs between sixty levels.
MAX_CATEGORIES = 100
# Text with more values than this may be free, if it differs in most rows.
FEW_TEXTS = 30
# Fewer rows than this can hold different values by chance.
ROWS_FOR_IDENTIFIER = 20
# Largest share of repeated cells of an identifier.
DIFFERENT = 0.9
# Names and codes have fewer words on average; reviews and notes have more.
WORDS_OF_PROSE = 3


def describe_columns(
    frame: PandasFrame,
    names: Sequence[str],
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
) -> list[Column]:
    """Tell numbers, categories and dates apart, and find columns that a model cannot use.

    In this order: a column without a value is empty; one value makes a constant; numbers in every
    cell make a number, unless they count the rows; dates like 2024-01-31 in every cell make a date;
    numbers or dates in every cell that are written in one other way (1.234,50, $5, 53 %, true,
    31/12/2021) make a number or a date, too;
    a column where half of the cells or more, but not all, are numbers is refused; text of a word
    or two that differs in nine rows of ten or more is an identifier, and so are whole numbers named
    id; other text that differs in most rows is free text; the rest are categories.

    Parameters
    ----------
    frame : DataFrame
        The table.
    names : sequence of str
        The columns to look at.
    categorical : collection of str, optional
        Columns to take as categories whatever they look like.
    drop : collection of str, optional
        Columns to leave out.

    Returns
    -------
    list of Column
        In the order of `names`.
    """
    return [
        Column(name, "dropped", "left out, as asked for")
        if name in drop
        else _described(name, frame[name], name in categorical)
        for name in names
    ]


def describe_cells(name: str, cells: PandasSeries) -> Column:
    """Description of one column that holds text, by the same rules.

    Numbers and text in one column are categories here: a data frame holds them as they are.
    """
    try:
        return _described(name, cells.reset_index(drop=True), is_category=False)
    except TableError:
        return _category(name, as_text(cells[cells.notna()]), int(cells.isna().sum()))


def _described(name: str, cells: PandasSeries, is_category: bool) -> Column:
    known = cells.notna()
    present = cells if known.all() else cells[known]
    n_missing = len(cells) - len(present)
    if len(present) == 0:
        return Column(name, "empty", "left out: no cell has a value")
    if is_category:
        return _category(name, as_text(present), n_missing)
    numbers = as_numbers(present)
    if not np.isnan(numbers).any():
        check_not_too_large(numbers, present, name)
        check_not_too_small(numbers, name)
        # A file of text would have words for what is a truth in one of Parquet.
        notation = TRUE_OR_FALSE if present.dtype.kind == "b" else ""
        return replace(_number(name, numbers, n_missing), notation=notation)
    dates = as_dates(present)
    if not np.isnan(dates).any():
        return _date(name, dates, n_missing)
    column = _in_other_words(name, present, n_missing)
    if column is not None:
        return column
    _check_one_type(name, present, numbers)
    return _text_column(name, present, n_missing)


def _in_other_words(name: str, present: PandasSeries, n_missing: int) -> Column | None:
    """A column of numbers or dates that are not written as computers do; None for other text."""
    notation = number_notation(present.tolist())
    if notation is not None:
        numbers = as_numbers(present, notation)
        check_not_too_large(numbers, present, name)
        found, note = _number(name, numbers, n_missing), f"written like {notation}"
        note = "1 where it is true" if notation == TRUE_OR_FALSE else note
    else:
        notation = date_notation(present.tolist())
        if notation is None:
            return None
        found = _date(name, as_dates(present, notation), n_missing)
        note = f"written as {date_in_words(notation)}"
    if not found.is_used:
        return found
    return replace(found, action=f"{found.action}; {note}", notation=notation)


def _number(name: str, numbers: Array, n_missing: int) -> Column:
    if n_missing == 0 and np.ptp(numbers) == 0:
        return Column(name, "constant", f"left out: every cell is {numbers[0]:g}")
    if n_missing == 0 and _counts_rows(name, numbers):
        return Column(name, "identifier", "left out: it numbers the rows")
    if n_missing == 0 and _is_named(name) and are_whole(numbers) and _differ(numbers):
        return _identifier(name, len(np.unique(numbers)), len(numbers))
    return Column(name, "number", _filled("used as a number", n_missing, "the median"))


def _date(name: str, dates: Array, n_missing: int) -> Column:
    if n_missing == 0 and np.ptp(dates) == 0:
        return Column(name, "constant", "left out: every cell is the same date")
    return Column(name, "date", _filled("turned into a number of days", n_missing, "the median"))


def _counts_rows(name: str, numbers: Array) -> bool:
    """Whether whole numbers go up or down by one, or differ in every row under a telling name."""
    if len(numbers) < ROWS_FOR_IDENTIFIER or not are_whole(numbers):
        return False
    steps = np.diff(numbers)
    if (steps == 1).all() or (steps == -1).all():
        return True
    return _is_named(name) and len(np.unique(numbers)) == len(numbers)


def are_whole(numbers: Array) -> bool:
    """Whether numbers have no fraction."""
    return bool((numbers == np.floor(numbers)).all())


def _is_named(name: str) -> bool:
    return name.lower() == "id" or name.lower().endswith(("_id", " id", ".id"))


def _differ(cells: Array | NDArray[np.object_]) -> bool:
    """Whether nearly all cells differ, and are many enough for that to mean something."""
    n = len(cells)
    return n >= ROWS_FOR_IDENTIFIER and len(set(cells.tolist())) >= DIFFERENT * n


def _identifier(name: str, n_values: int, n_rows: int) -> Column:
    """An identifier of which some values repeat."""
    return Column(
        name,
        "identifier",
        f"left out: an identifier, {n_values} values in {n_rows} rows; --groups holds the rows of "
        "one value out together",
    )


def _check_one_type(name: str, present: PandasSeries, plain: Array) -> None:
    """Refuse a column that is half numbers or more, in the notation that most of these have."""
    readings = {"": plain} | {form: as_numbers(present, form) for form in (COMMAS, DECIMAL_COMMA)}
    shares = {form: float(np.mean(~np.isnan(numbers))) for form, numbers in readings.items()}
    notation = max(shares, key=lambda form: shares[form])
    if shares[notation] < 0.5:
        return
    written = f" written like {notation}" if notation else ""
    place = int(np.flatnonzero(np.isnan(readings[notation]))[0])
    raise TableError(
        f"column {name!r} mixes numbers and text: {shares[notation]:.0%} of its cells are "
        f"numbers{written}, but row {int(present.index[place]) + 1} has "
        f"{str(present.iloc[place])[:60]!r}; correct it, leave the cell empty if it is not known, "
        "or pass --categorical or --drop with the column's name"
    )


def _text_column(name: str, present: PandasSeries, n_missing: int) -> Column:
    texts = as_text(present)
    n_values, n = len(set(texts)), len(texts)
    if _differ(texts) and sum(len(text.split()) for text in texts) < WORDS_OF_PROSE * n:
        if n_values < n:
            return _identifier(name, n_values, n)
        return Column(name, "identifier", "left out: its text differs in every row")
    if (n_values > FEW_TEXTS and 2 * n_values > n) or n_values == n >= ROWS_FOR_IDENTIFIER:
        return Column(name, "text", f"left out: free text, {n_values} different values")
    return _category(name, texts, n_missing)


def _category(name: str, texts: NDArray[np.object_], n_missing: int) -> Column:
    values = set(texts)
    if len(values) == 1 and n_missing == 0:
        return Column(name, "constant", f"left out: every cell is {next(iter(values))!r}")
    words = f"one column of 0 and 1 for each of {counted(len(values), 'value')}"
    if len(values) > MAX_CATEGORIES:
        words = (
            f"one column of 0 and 1 for each of the {MAX_CATEGORIES - 1} most frequent of "
            f"{counted(len(values), 'value')}, and one for the rest"
        )
    return Column(name, "category", _filled(words, n_missing, "the most frequent value"))


def _filled(words: str, n_missing: int, by: str) -> str:
    if n_missing == 0:
        return words
    return f"{words}; {counted(n_missing, 'missing cell')} filled by {by}"
