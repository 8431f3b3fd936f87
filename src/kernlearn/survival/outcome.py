"""Times to an event, and whether it was seen: read from the forms that people have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.runtime.phrases import counted
from kernlearn.survival.numbers import as_numbers
from kernlearn.typing import Array, Indices, Mask, Rows

_FORMS = (
    "a structured array of (event, time), as scikit-survival's Surv.from_arrays makes, a data "
    "frame of two columns, or event= and time="
)
_DATES = (
    "convert dates to days since a start that every row has, for example (last - start) / "
    "np.timedelta64(1, 'D')"
)


@dataclass(frozen=True, eq=False)
class SurvivalOutcome:
    """Right-censored times: until when each row was observed, and whether it had the event.

    Attributes
    ----------
    time : ndarray of shape (n,)
        When the event was seen, or until when it was not.
    event : ndarray of bool of shape (n,)
        Whether the event was seen.
    """

    time: Array
    event: Mask

    def __len__(self) -> int:
        return len(self.time)

    @property
    def signed(self) -> Array:
        """Times in one array, with the sign bit set where they are censored."""
        return np.copysign(self.time, np.where(self.event, 1.0, -1.0))

    @classmethod
    def of_signed(cls, signed: Array) -> SurvivalOutcome:
        """The outcome of such an array."""
        return cls(np.abs(signed), ~np.signbit(signed))

    @property
    def structured(self) -> NDArray[np.void]:
        """A structured array of (event, time), as scikit-survival takes it."""
        y = np.empty(len(self), dtype=[("event", bool), ("time", float)])
        y["event"], y["time"] = self.event, self.time
        return y

    def subset(self, rows: Indices | Mask) -> SurvivalOutcome:
        """The outcome of some rows."""
        return SurvivalOutcome(self.time[rows], self.event[rows])

    def check_events(self, min_events: int = 2) -> None:
        """Refuse outcomes that nothing can be learned from."""
        n_events = int(self.event.sum())
        if n_events < min_events:
            found = "none: every row is censored" if n_events == 0 else str(n_events)
            raise ValueError(
                f"expected {counted(min_events, 'event')} at least, got {found}; add rows, or "
                "check that True marks the event and False marks censoring"
            )
        if np.ptp(self.time) == 0.0:
            raise ValueError(
                f"expected times that differ, got {self.time[0]:g} in every row; check that the "
                "column of times was chosen, and not a constant"
            )


def survival_outcome(y: Rows = None, *, event: Rows = None, time: Rows = None) -> SurvivalOutcome:
    """Read right-censored times from any of the usual forms.

    Parameters
    ----------
    y : structured array, data frame, SurvivalOutcome or array of shape (n, 2), optional
        The event and the time of every row. If one of two columns or fields holds truth values, it
        is the event; if both or neither do, the first is, as in scikit-survival.
    event : array-like of shape (n,), optional
        In place of y: whether the event was seen. True or 1 for an event, False or 0 for a
        censored row.
    time : array-like of shape (n,), optional
        In place of y: the time of the event, or the end of the observation.

    Returns
    -------
    SurvivalOutcome
        Times and events, checked.

    Examples
    --------
    >>> from kernlearn.survival import survival_outcome
    >>> survival_outcome(event=[True, False], time=[3.0, 5.0]).time
    array([3., 5.])
    """
    if (event is None) != (time is None) or (y is None) == (event is None):
        given = [
            name
            for name, value in (("y", y), ("event", event), ("time", time))
            if value is not None
        ]
        raise ValueError(
            f"expected {_FORMS}, got {' and '.join(given) or 'nothing'}; pass one of these forms"
        )
    if isinstance(y, SurvivalOutcome):
        event, time = y.event, y.time
    elif y is not None:
        event, time = _two_columns(y)
    found = SurvivalOutcome(_times(time), _events(event))
    if len(found.time) != len(found.event):
        raise ValueError(
            f"expected an event for every time, got {len(found.event)} events and "
            f"{len(found.time)} times; pass arrays of one length"
        )
    if len(found.time) == 0:
        raise ValueError("expected rows with a time and an event, got 0 rows; pass one at least")
    return found


def _two_columns(y: Rows) -> tuple[Rows, Rows]:
    """The event and the time."""
    if hasattr(y, "to_pandas") and not hasattr(y, "iloc"):
        y = y.to_pandas()
    if hasattr(y, "iloc") and getattr(y, "ndim", 0) == 2:
        columns = [np.asarray(y.iloc[:, i]) for i in range(y.shape[1])]
    else:
        table = np.asarray(y)
        if table.dtype.names is not None:
            columns = [table[name].ravel() for name in table.dtype.names]
        else:
            columns = list(table.T) if table.ndim == 2 else []
    if len(columns) != 2:
        shape = getattr(y, "shape", None) or np.shape(y)
        raise ValueError(
            f"expected y as {_FORMS}, got {type(y).__name__} of shape {shape}; a time alone does "
            "not say whether the event was seen"
        )
    first, second = (_are_events(column) for column in columns)
    return (columns[1], columns[0]) if second and not first else (columns[0], columns[1])


def _are_events(column: NDArray[np.generic]) -> bool:
    if column.dtype.kind in "bcmM":
        return column.dtype.kind == "b"
    try:
        return bool(np.isin(column.astype(float), [0.0, 1.0]).all())
    except (TypeError, ValueError):
        return False


def _events(event: Rows) -> Mask:
    values = np.asarray(event)
    if values.ndim != 1:
        raise ValueError(
            f"expected events of shape (n,), got shape {values.shape}; pass one truth value per row"
        )
    if not _are_events(values):
        others = (value for value in values.tolist() if not _are_events(np.asarray([value])))
        other = next(others, values[0])  # a date of zero or one nanosecond is listed as a number
        raise ValueError(
            f"expected events that are truth values, or 0 and 1, got {other!r}; pass for example "
            "event=(status == 'dead')"
        )
    return np.asarray(values.astype(float) == 1.0)


def _times(time: Rows) -> Array:
    values = as_numbers(time, "times", _DATES)
    if values.ndim != 1:
        raise ValueError(
            f"expected times of shape (n,), got shape {values.shape}; pass one number per row"
        )
    if not np.isfinite(values).all():
        raise ValueError(
            f"expected times that are finite, got {values[~np.isfinite(values)][0]}; drop the rows "
            "without a time"
        )
    if (values < 0).any():
        raise ValueError(
            f"expected times of zero or more, got {values.min():g}; count from a start that lies "
            "before every event"
        )
    return values
