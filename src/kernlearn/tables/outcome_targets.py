"""Targets beyond classes and numbers: counts, several outcomes, and grades within groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.runtime.phrases import counted, listed
from kernlearn.tables.formats import TableError
from kernlearn.tables.target import Target, known_numbers
from kernlearn.tables.typed import as_text
from kernlearn.typing import Array, Indices, Mask, PandasFrame, PandasSeries, Targets

COUNTS, OUTCOMES, RANKING = OUTCOME_TASKS = ("counts", "outcomes", "ranking")
# Beyond it a double has no whole numbers.
_LARGEST_COUNT = 2.0**53


def read_counts(frame: PandasFrame, target: str, exposure: str | None) -> Target:
    """Read counts and what each was counted in; rows that lack one are left out.

    Parameters
    ----------
    frame : DataFrame
        The table.
    target : str
        Name of the column of counts.
    exposure : str or None
        Name of the column of times, areas or populations; None for one in every row.

    Returns
    -------
    Target
        A structured array of counts and exposures, and of which rows.
    """
    y, rows = read_known_counts(frame, target, exposure)
    if np.ptp(y["count"]) == 0:
        raise TableError(
            f"the target {target!r} has one value, {y['count'][0]:g}, in every row: there is "
            "nothing to learn; name another column"
        )
    of = "" if exposure is None else f" in the exposure {exposure!r}"
    n_zero = int((y["count"] == 0).sum())
    reason = f"counts{of}, as asked for; {counted(n_zero, 'row')} of {len(y)} with a count of zero"
    return Target(COUNTS, y, rows, reason)


def read_known_counts(
    frame: PandasFrame, target: str, exposure: str | None
) -> tuple[Targets, Indices]:
    """Counts and exposures of the rows that have both, and the positions of these rows."""
    rows = _known_rows(frame, [target] if exposure is None else [target, exposure])
    counts = known_numbers(frame[target].iloc[rows], target)
    cells = frame[target].iloc[rows]
    _check(counts >= 0, cells, f"counts of zero or more in the target {target!r}", "correct it")
    is_count = (counts == np.floor(counts)) & (counts <= _LARGEST_COUNT)
    cure = "give what was counted, and name its time or area by --exposure"
    _check(is_count, cells, f"whole numbers in the target {target!r} with --counts", cure)
    y = np.ones(len(rows), dtype=[("count", float), ("exposure", float)])
    y["count"] = counts
    if exposure is not None:
        y["exposure"] = exposures_of(frame.iloc[rows], exposure)
    return y, rows


def exposures_of(frame: PandasFrame, name: str) -> Array:
    """Exposures above zero, for every row."""
    if name not in frame.columns:
        raise TableError(
            f"expected the column {name!r} of exposures, which the counts were learned with, in "
            "the table, got none of that name; add it, with 1 in every row for rates"
        )
    cells = frame[name]
    numbers = np.full(len(cells), np.nan)
    known = np.flatnonzero(cells.notna().to_numpy())
    if len(known):
        numbers[known] = known_numbers(cells.iloc[known], name, "exposure")
    expected = f"exposures above zero in the column {name!r}"
    _check(numbers > 0, cells, expected, "leave out rows in which nothing could be counted")
    return numbers


def read_outcomes(frame: PandasFrame, targets: Sequence[str]) -> Target:
    """Read several columns of numbers; rows that lack one are left out.

    Parameters
    ----------
    frame : DataFrame
        The table.
    targets : sequence of str
        Names of the columns.

    Returns
    -------
    Target
        An array with a column for each outcome, and of which rows.
    """
    y, rows = read_known_outcomes(frame, targets)
    for place in np.flatnonzero(np.ptp(y, axis=0) == 0)[:1]:
        raise TableError(
            f"the target {targets[place]!r} has one value, {y[0, place]:g}, in every row: there is "
            "nothing to learn; leave it out"
        )
    shown = listed([repr(name) for name in targets], 6)
    return Target(OUTCOMES, y, rows, f"regression of {len(targets)} outcomes: {shown}")


def read_known_outcomes(frame: PandasFrame, targets: Sequence[str]) -> tuple[Array, Indices]:
    """Numbers of the rows that have all outcomes, and the positions of these rows."""
    rows = _known_rows(frame, targets)
    columns = [known_numbers(frame[name].iloc[rows], name) for name in targets]
    return np.column_stack(columns), rows


def read_ranking(frame: PandasFrame, target: str, by: str) -> Target:
    """Read grades and the groups within which they order rows; rows that lack one are left out.

    Parameters
    ----------
    frame : DataFrame
        The table.
    target : str
        Name of the column of grades, larger ones first.
    by : str
        Name of the column of groups, such as the query of a row.

    Returns
    -------
    Target
        A structured array of grades and numbers of groups, and of which rows.
    """
    y, rows = read_known_ranking(frame, target, by)
    n_groups = len(np.unique(y["group"]))
    ordered = sum(np.ptp(y["grade"][y["group"] == code]) > 0 for code in range(n_groups))
    reason = (
        f"ranking by {target!r} within {n_groups} groups of {by!r}, of which {ordered} have rows "
        "of unlike grades"
    )
    return Target(RANKING, y, rows, reason)


def read_known_ranking(frame: PandasFrame, target: str, by: str) -> tuple[Targets, Indices]:
    """Grades and groups of the rows that have both, and the positions of these rows."""
    rows = _known_rows(frame, [target, by])
    y = np.zeros(len(rows), dtype=[("grade", float), ("group", np.intp)])
    y["grade"] = known_numbers(frame[target].iloc[rows], target)
    y["group"] = np.unique(as_text(frame[by].iloc[rows]).astype(str), return_inverse=True)[1]
    if not any(np.ptp(y["grade"][y["group"] == code]) > 0 for code in np.unique(y["group"])):
        raise TableError(
            f"every group of {by!r} has equal values of {target!r} in all its rows: there is no "
            "order to learn; name another column by --rank-by"
        )
    return y, rows


def _known_rows(frame: PandasFrame, names: Sequence[str]) -> Indices:
    """The rows with a value in all columns."""
    rows = np.flatnonzero(frame[list(names)].notna().all(axis=1).to_numpy())
    if len(rows) == 0:
        shown = " and ".join(repr(name) for name in names)
        raise TableError(f"no row has a value of {shown}; name other columns")
    return rows


def _check(is_right: Mask, cells: PandasSeries, expected: str, cure: str) -> None:
    wrong = np.flatnonzero(~is_right)
    if len(wrong):
        raise TableError(
            f"expected {expected}, got {str(cells.iloc[wrong[0]])[:60]!r} in row "
            f"{int(cells.index[wrong[0]]) + 1}; {cure}"
        )
