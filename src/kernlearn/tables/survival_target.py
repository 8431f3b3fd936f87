"""The two columns of a time to an event."""

from __future__ import annotations

import numpy as np

from kernlearn.survival import SurvivalOutcome, survival_outcome
from kernlearn.tables.formats import TableError
from kernlearn.tables.target import Target
from kernlearn.tables.typed import as_numbers, as_text
from kernlearn.typing import Array, Indices, Mask, PandasFrame, PandasSeries

SURVIVAL = "survival"
_TRUE, _FALSE = ("true", "1"), ("false", "0")


def read_survival_target(frame: PandasFrame, event: str, time: str) -> Target:
    """Read when the event was seen, or until when it was not; rows that lack one are left out.

    Parameters
    ----------
    frame : DataFrame
        The table.
    event, time : str
        Names of the two columns.

    Returns
    -------
    Target
        A structured array of events and times, and of which rows.
    """
    outcome, rows = read_known_outcome(frame[event], frame[time])
    try:
        outcome.check_events()
    except ValueError as error:
        raise TableError(f"of the columns {event!r} and {time!r}: {error}") from None
    n_events = int(outcome.event.sum())
    reason = (
        f"survival, the time is {time!r}, and {event!r} says that the event was seen in {n_events} "
        f"of {len(rows)} rows"
    )
    return Target(SURVIVAL, outcome.structured, rows, reason)


def read_known_outcome(event: PandasSeries, time: PandasSeries) -> tuple[SurvivalOutcome, Indices]:
    """Events and times of the rows that have both, and the positions of these rows."""
    rows = np.flatnonzero(event.notna().to_numpy() & time.notna().to_numpy())
    if len(rows) == 0:
        raise TableError(
            f"no row has a value of both {event.name!r} and {time.name!r}; name other columns"
        )
    events, times = _events(event.iloc[rows]), _times(time.iloc[rows])
    return survival_outcome(event=events, time=times), rows


def _events(cells: PandasSeries) -> Mask:
    texts = np.char.lower(np.char.strip(as_text(cells).astype(str)))
    numbers = as_numbers(cells)
    is_event = np.isin(texts, _TRUE) | (numbers == 1.0)
    wrong = np.flatnonzero(~(is_event | np.isin(texts, _FALSE) | (numbers == 0.0)))
    if len(wrong):
        raise TableError(
            f"expected 0 and 1, or true and false, in the column {cells.name!r} of events, got "
            f"{str(cells.iloc[wrong[0]])[:60]!r} in row {_row(cells, wrong[0])}; write 1 where the "
            "event was seen and 0 where the row is censored"
        )
    return np.asarray(is_event)


def _times(cells: PandasSeries) -> Array:
    numbers = as_numbers(cells)
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0.0)))
    if len(wrong):
        raise TableError(
            f"expected numbers of zero or more in the column {cells.name!r} of times, got "
            f"{str(cells.iloc[wrong[0]])[:60]!r} in row {_row(cells, wrong[0])}; count from a "
            "start that every row has, in days for example"
        )
    return numbers


def _row(cells: PandasSeries, place: int) -> int:
    return int(cells.index[place]) + 1
