"""Seconds of one method at increasing sizes, and the power law through the largest."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.memory import available

Clock = Callable[[], float]
Result = TypeVar("Result")

FARTHEST = 30
MINUTE = 60.0
# After one size the growth is unknown; few methods grow faster than a matrix factorisation.
CAUTIOUS_EXPONENT = 3.0
# The first call of all also loads what it needs: calls shorter than this are repeated.
SHORT = 0.5
REPEATS = 3


def best_of(
    n: int, call: Callable[[], Result], clock: Clock = time.perf_counter, long: float = np.inf
) -> tuple[float, Result]:
    """Seconds of the fastest of n calls, and the last result; a call of `long` seconds ends it."""
    best = np.inf
    for _ in range(n):
        start = clock()
        result = call()
        best = min(best, clock() - start)
        if best >= long:
            break
    return float(best), result


def seconds_of(call: Callable[[], Any], clock: Clock = time.perf_counter) -> float:
    """Seconds of a call without its warnings; the best of three if below half a second."""
    with warnings.catch_warnings(), interrupts_end_everything():
        warnings.simplefilter("ignore")
        return best_of(REPEATS, call, clock, SHORT)[0]


@dataclass(frozen=True)
class Trial:
    """Fits to measure: "classification" or "regression", at increasing sizes.

    `time_limit` is in seconds, for one fit.
    """

    task: str
    rows: tuple[int, ...]
    columns: int = 10
    time_limit: float = 60.0
    seed: int = 0


@dataclass(frozen=True)
class Growth:
    r"""Seconds, or bytes, as a power of the rows, :math:`t(n) = t_0 \, (n / n_0)^p`.

    `rows` is :math:`n_0`, the largest size measured, and `value` is :math:`t_0`.
    """

    rows: int
    value: float
    exponent: float

    def value_at(self, rows: int) -> float:
        """The predicted value for a table of `rows` rows.

        >>> Growth(100, 2.0, 2.0).value_at(300)
        18.0
        """
        return float(self.value * (rows / self.rows) ** self.exponent)

    def rows_in(self, value: float) -> int | None:
        """Number of rows that take `value`; None beyond `FARTHEST` times the rows measured.

        >>> Growth(100, 2.0, 2.0).rows_in(18.0)
        300
        """
        if self.exponent <= 0.0 or self.value <= 0.0 or value <= 0.0:
            return None
        # In logarithms, because a small exponent would overflow as a power.
        ratio = float(np.log(value / self.value)) / self.exponent
        return round(self.rows * np.exp(ratio)) if ratio <= np.log(FARTHEST) else None


def fitted_growth(rows: Sequence[int], values: Sequence[float]) -> Growth | None:
    r"""The law through the last two measurements, or None for fewer, or where one took nothing.

    Smaller sizes are left out: the constant cost of a fit bends the line at its small end, and
    what is asked for lies beyond the other.

    >>> law = fitted_growth([100, 200, 400], [0.7, 0.8, 6.4])
    >>> round(law.exponent, 12), law.rows_in(51.2)
    (3.0, 800)
    """
    if len(rows) < 2 or min(values[-2:]) <= 0.0:
        return None
    grown = float(np.log(values[-1] / values[-2]))
    return Growth(rows[-1], values[-1], grown / float(np.log(rows[-1] / rows[-2])))


@dataclass(frozen=True)
class MethodTimings:
    """Seconds of one method at the sizes it reached; the note says why not at the others.

    `max_rows` is what `kernlearn fit` gives the method at most, `memory` the bytes that it asked
    for at each size; none where it asks for none.
    """

    name: str
    title: str
    rows: tuple[int, ...]
    seconds: tuple[float, ...]
    note: str = ""
    max_rows: int | None = None
    memory: tuple[float, ...] = ()

    def rows_in_memory(self, size: float | None) -> int | None:
        """The rows for which `size` bytes suffice; None if it is unknown."""
        law = fitted_growth(self.rows, self.memory) if self.memory else None
        return None if law is None or size is None else law.rows_in(size)

    def times(self, unit: MethodTimings) -> float | None:
        """Time of the largest fit, in fits of the unit at the same size."""
        if not self.rows or self.rows[-1] not in unit.rows:
            return None
        return self.seconds[-1] / unit.seconds[unit.rows.index(self.rows[-1])]

    def facts(self, unit: MethodTimings, free_memory: int | None) -> dict[str, Any]:
        """The timings as JSON values; see `speed_facts`."""
        growth = fitted_growth(self.rows, self.seconds)
        in_memory = self.rows_in_memory(free_memory)
        in_a_minute = None if growth is None else growth.rows_in(MINUTE)
        if growth is not None and in_memory is not None and growth.value_at(in_memory) <= MINUTE:
            in_a_minute = in_memory
        return {
            "method": self.name,
            "name": self.title,
            "rows": list(self.rows),
            "seconds": list(self.seconds),
            "times_unit": self.times(unit),
            "exponent": None if growth is None else growth.exponent,
            "memory": list(self.memory) or None,
            "rows_in_memory": in_memory,
            "rows_in_a_minute": in_a_minute,
            "max_rows": self.max_rows,
            "note": self.note,
        }


def speed_facts(trial: Trial, timings: Sequence[MethodTimings]) -> dict[str, Any]:
    """The trial, the cores, and the seconds of every method with their growth, the unit's first.

    `exponent`, `rows_in_memory` and `rows_in_a_minute` are extrapolated from the two largest
    sizes, and None with fewer, or where they lie too far beyond. `memory` are the bytes that a
    fit asks for before it begins, `rows_in_memory` those for which the free memory suffices;
    no more of them are promised in a minute.
    """
    free = available()
    return {
        **asdict(trial),
        "rows": list(trial.rows),
        "cores": os.cpu_count(),
        "free_memory": free,
        "methods": [each.facts(timings[0], free) for each in timings],
    }


def time_increasing(
    seconds_at: Callable[[int], float],
    sizes: Sequence[int],
    limit: float,
    advance: Callable[[int], Any],
) -> tuple[tuple[int, ...], tuple[float, ...], str]:
    """Measure sizes in their order, and stop before one that would go over the limit of seconds.

    The seconds of the next size are extrapolated by the power law of those before it (linear at
    least); after the first, by a cubic. The first is always measured. A `ValueError` or
    `MemoryError` ends the measurements. `advance` is called with every size, measured or not.
    Returns the sizes measured, their seconds, and why it stopped, if it did.
    """
    rows: list[int] = []
    seconds: list[float] = []
    note = ""
    for size in sizes:
        note = note or _over_the_limit(rows, seconds, size, limit)
        if not note:
            try:
                seconds.append(seconds_at(size))
                rows.append(size)
            except (ValueError, MemoryError) as error:
                reason = str(error) or "it needs more memory than there is"
                note = f"no fit to {size} rows: {reason}"
        advance(size)
    return tuple(rows), tuple(seconds), note


def _over_the_limit(rows: list[int], seconds: list[float], size: int, limit: float) -> str:
    if not rows:
        return ""
    law = fitted_growth(rows, seconds)
    # A fit reads every row: slower growth does not last.
    exponent = CAUTIOUS_EXPONENT if law is None else max(law.exponent, 1.0)
    expected = Growth(rows[-1], seconds[-1], exponent).value_at(size)
    if expected <= limit:
        return ""
    return (
        f"stopped before {size} rows, which would take about {float(f'{expected:.2g}'):g} s, over "
        f"the limit of {limit:g} s"
    )
