"""One method at increasing sizes, until the next would take too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kernlearn.speed.growth import Growth, fitted_growth

__all__ = ["Climb", "Ladder", "climb"]

Climb = tuple[tuple[int, ...], tuple[float, ...], str]

# Of a method measured once nothing is known; few grow faster than a matrix factorisation.
CAUTIOUS_EXPONENT = 3.0


@dataclass(frozen=True)
class Ladder:
    """Seconds of one method at the sizes it reached; the note says why not at the others.

    `max_rows` is what `kernlearn fit` gives it at most, `memory` the bytes that it asked for at
    each size; none where it asks for none.
    """

    name: str
    title: str
    rows: tuple[int, ...]
    seconds: tuple[float, ...]
    note: str = ""
    max_rows: int | None = None
    memory: tuple[float, ...] = ()

    @property
    def growth(self) -> Growth | None:
        """The power law through its seconds."""
        return fitted_growth(self.rows, self.seconds)

    def rows_in_memory(self, size: float | None) -> int | None:
        """The rows for which so many bytes suffice, by the power law of what it asked for.

        None where it asks for none, the system does not say, or they are too many to tell.
        """
        law = fitted_growth(self.rows, self.memory) if self.memory else None
        return None if law is None or size is None else law.rows_in(size)

    def times(self, unit: Ladder) -> float | None:
        """How many fits of the unit its largest fit takes, at the same size."""
        if not self.rows or self.rows[-1] not in unit.rows:
            return None
        return self.seconds[-1] / unit.seconds[unit.rows.index(self.rows[-1])]


def climb(
    seconds_of: Callable[[int], float],
    sizes: Sequence[int],
    limit: float,
    advance: Callable[[int], Any],
) -> Climb:
    """Measure sizes in their order, and stop before one that would go over the limit.

    What the next takes is read off the power law of those before it (a line at least); after the
    first, off a cubic. The first is always measured.

    Parameters
    ----------
    seconds_of : callable
        Seconds of one fit to so many rows. A `ValueError` or `MemoryError` ends the climb.
    sizes : sequence of int
        Increasing.
    limit : float
        Seconds that one fit may take.
    advance : callable
        Called with every size, measured or passed over.

    Returns
    -------
    rows : tuple of int
        Sizes measured.
    seconds : tuple of float
        What they took.
    note : str
        Why it stopped, or nothing.
    """
    rows: list[int] = []
    seconds: list[float] = []
    note = ""
    for size in sizes:
        if not note:
            note = _over_the_limit(rows, seconds, size, limit)
        if not note:
            try:
                seconds.append(seconds_of(size))
                rows.append(size)
            except ValueError as error:
                note = f"no fit to {size} rows: {error}"
            except MemoryError as error:
                reason = str(error) or "it needs more memory than there is"
                note = f"no fit to {size} rows: {reason}"
        advance(size)
    return tuple(rows), tuple(seconds), note


def _over_the_limit(rows: list[int], seconds: list[float], size: int, limit: float) -> str:
    if not rows:
        return ""
    law = fitted_growth(rows, seconds)
    # A fit reads every row: what grows slower so far will not for long.
    exponent = CAUTIOUS_EXPONENT if law is None else max(law.exponent, 1.0)
    expected = Growth(rows[-1], seconds[-1], exponent).value_at(size)
    if expected <= limit:
        return ""
    return (
        f"stopped before {size} rows, which would take about {float(f'{expected:.2g}'):g} s, over "
        f"the limit of {limit:g} s"
    )
