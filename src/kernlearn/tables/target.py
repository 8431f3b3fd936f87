"""The column to predict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.runtime.phrases import counted, listed
from kernlearn.tables.describe import are_whole
from kernlearn.tables.formats import TableError
from kernlearn.tables.notation import TRUE_OR_FALSE, number_notation
from kernlearn.tables.typed import (
    as_dates,
    as_numbers,
    as_text,
    check_not_too_large,
    check_not_too_small,
)
from kernlearn.typing import Array, Indices, PandasSeries

MOST_CLASSES = 10
FEWEST_ROWS_OF_A_CLASS = 5
# 007 and 2e3 are names. Not so +1, which as text would come before -1.
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.0*)?")


@dataclass(frozen=True, eq=False)
class Target:
    """The values to predict, and of which rows.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    y : ndarray
        Text or whole numbers for classes, floats for regression.
    rows : ndarray
        Positions of the rows that have a value.
    reason : str
        Reason for the task, as a sentence.
    """

    task: str
    y: NDArray[Any]
    rows: Indices
    reason: str


def read_target(cells: PandasSeries, name: str, task: str = "auto") -> Target:
    """Tell classification from regression, and read the target.

    Text means classes. Numbers mean classes if all are whole and at most ten differ, with each on
    five rows at least on average; otherwise they mean regression. Classes are whole numbers if
    they are written as such, each in one way; otherwise they are what is written, as 01 and 02.

    Parameters
    ----------
    cells : Series
        The column.
    name : str
        Name of the column, for messages.
    task : {"auto", "classification", "regression"}, default="auto"
        The task; guessed by default.

    Returns
    -------
    Target
        The task, the values, and how they were read.
    """
    rows = np.flatnonzero(cells.notna().to_numpy())
    present = cells.iloc[rows]
    if len(rows) == 0:
        raise TableError(f"the target {name!r} has no value in any row; name another column")
    numbers, note = as_numbers(present), ""
    is_number = not np.isnan(numbers).any()
    if not is_number and task != "classification":
        numbers, note = _otherwise_written(numbers, present, name, task)
        is_number = bool(note)
    if not is_number and not np.isnan(as_dates(present)).any():
        raise TableError(
            f"the target {name!r} is a column of dates, expected numbers or classes; turn it into "
            "a number of days, or into classes"
        )
    found, reason = "classification", f"classification, since {name!r} holds text"
    if is_number:
        classes = _classes(numbers, present, name) if are_whole(numbers) else numbers
        found, reason = _task_of_numbers(numbers, classes, name)
    if task not in ("auto", found):
        found, reason = task, f"{task}, as asked for"
    if found == "regression":
        return Target(found, _checked_numbers(numbers, present, name), rows, reason + note)
    return Target(found, _checked_classes(numbers, present, name), rows, reason)


def _otherwise_written(
    numbers: Array, present: PandasSeries, name: str, task: str
) -> tuple[Array, str]:
    """Numbers that are written like 1.234,50 or $5, where they mean regression; and that they are.

    Classes stay as they are written.
    """
    notation = number_notation(present.tolist())
    if notation is None or notation == TRUE_OR_FALSE:
        return numbers, ""
    found = as_numbers(present, notation)
    if task == "auto" and _task_of_numbers(found, found, name)[0] != "regression":
        return numbers, ""
    return found, f", written like {notation}"


def _task_of_numbers(numbers: Array, classes: NDArray[Any], name: str) -> tuple[str, str]:
    """The task that numbers mean, and the reason; `classes` are the labels they would be."""
    n_classes = len(np.unique(classes))
    few = n_classes <= MOST_CLASSES and n_classes * FEWEST_ROWS_OF_A_CLASS <= len(numbers)
    if few and are_whole(numbers):
        return "classification", (
            f"classification, since {name!r} holds whole numbers, {n_classes} different ones (pass "
            "--task regression if they measure something)"
        )
    n_values = len(np.unique(numbers))
    return "regression", f"regression, since {name!r} holds numbers, {n_values} different ones"


def _checked_numbers(numbers: Array, present: PandasSeries, name: str) -> Array:
    wrong = np.flatnonzero(np.isnan(numbers))
    if len(wrong):
        raise TableError(
            f"expected a finite number in every cell of the target {name!r} for regression, got "
            f"{str(present.iloc[wrong[0]])[:60]!r}; correct it, or pass --task classification"
        )
    check_not_too_large(numbers, present, name)
    check_not_too_small(numbers, name)
    if np.ptp(numbers) == 0:
        raise TableError(
            f"the target {name!r} has one value, {numbers[0]:g}, in every row: there is nothing to "
            "learn; name another column"
        )
    return numbers


def _checked_classes(numbers: Array, present: PandasSeries, name: str) -> NDArray[Any]:
    y = _classes(numbers, present, name)
    classes = np.unique(y)
    if len(classes) == 1:
        raise TableError(
            f"the target {name!r} has one value, {classes.tolist()[0]!r}, in every row: there is "
            "nothing to learn; name another column"
        )
    if 2 * len(classes) > len(y):
        raise TableError(
            f"expected classes of {name!r} with two rows each on average, got {len(classes)} "
            f"classes of {len(y)} rows; join classes, leave the cells of rare ones empty, or pass "
            "--task regression if the target is a number"
        )
    return y


def _classes(numbers: Array, present: PandasSeries, name: str) -> NDArray[Any]:
    """Whole numbers where nothing is lost by that, the text of the cells otherwise.

    True and False are text, as they are in a file of text.
    """
    is_plain = present.dtype.kind != "b"
    are_exact = is_plain and are_whole(numbers) and bool((np.abs(numbers) < 2**53).all())
    if are_exact and _are_written_as_whole(present):
        return numbers.astype(np.int64)
    return _labels(present, name)


def _are_written_as_whole(present: PandasSeries) -> bool:
    """Whether text means whole numbers, each written in one way: 1 and 1.0 are two labels."""
    texts = {cell.strip() for cell in present.tolist() if isinstance(cell, str)}
    return all(map(_WHOLE.fullmatch, texts)) and len(set(map(float, texts))) == len(texts)


def _labels(present: PandasSeries, name: str) -> NDArray[Any]:
    labels = as_text(present).tolist()
    wrong = [label for label in labels if "\0" in label]
    if wrong:  # numpy would drop it at the end of a label, and so make two classes one
        raise TableError(
            f"expected classes of {name!r} without the character NUL, got {wrong[0][:60]!r}; "
            "rename them"
        )
    return np.array(labels, dtype=str)


def read_known_target(
    cells: PandasSeries, name: str, classes: NDArray[Any] | None
) -> tuple[NDArray[Any], Indices]:
    """The targets of new rows, as a fitted model knows them, and of which rows.

    Parameters
    ----------
    cells : Series
        The column.
    name : str
        Name of the column, for messages.
    classes : ndarray or None
        The labels of the model; None where it predicts numbers.

    Returns
    -------
    y, rows : ndarray
        Labels of `classes`, or floats, and the positions of the rows that have a value.
    """
    rows = np.flatnonzero(cells.notna().to_numpy())
    present = cells.iloc[rows]
    if len(rows) == 0:
        raise TableError(
            f"the target {name!r} has no value in any row; fill in what was observed, or use "
            "kernlearn predict"
        )
    if classes is None:
        return known_numbers(present, name), rows
    if classes.dtype.kind in "biuf":
        numbers = as_numbers(present)
        is_known = np.isin(numbers, classes)
        y = np.where(is_known, numbers, classes[0]).astype(classes.dtype)
    else:
        texts = as_text(present).astype(str)
        is_known, y = np.isin(texts, classes.astype(str)), texts
    _check_labels_known(is_known, present, name, classes)
    return y, rows


def known_numbers(present: PandasSeries, name: str, role: str = "target") -> Array:
    """The numbers in cells of which none is missing; messages call the column by its role."""
    numbers = as_numbers(present)
    if np.isnan(numbers).any():
        notation = number_notation(present.tolist())
        numbers = numbers if notation is None else as_numbers(present, notation)
    wrong = np.flatnonzero(np.isnan(numbers))
    if len(wrong):
        raise TableError(
            f"expected a number in every cell of the {role} {name!r}, got "
            f"{str(present.iloc[wrong[0]])[:60]!r} in row {int(present.index[wrong[0]]) + 1}; "
            "correct it, or leave the cell empty"
        )
    check_not_too_large(numbers, present, name)
    return numbers


def _check_labels_known(
    is_known: NDArray[np.bool_], present: PandasSeries, name: str, classes: NDArray[Any]
) -> None:
    if is_known.all():
        return
    first = int(np.flatnonzero(~is_known)[0])
    known = listed([repr(str(label)) for label in classes.tolist()], 8)
    raise TableError(
        f"expected the classes of {name!r} that the model knows ({known}), got "
        f"{str(present.iloc[first])[:60]!r} in row {int(present.index[first]) + 1}; other classes "
        f"are in {counted(int((~is_known).sum()), 'row')}: correct them, leave these cells empty, "
        "or fit a model to rows of all classes"
    )
