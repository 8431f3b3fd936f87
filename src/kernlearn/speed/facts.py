"""What was measured, as JSON values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from kernlearn.runtime.memory import available
from kernlearn.speed.ladder import Ladder
from kernlearn.speed.measure import Trial

__all__ = ["speed_facts"]

MINUTE = 60.0


def speed_facts(trial: Trial, ladders: Sequence[Ladder]) -> dict[str, Any]:
    """The trial, the cores, and for every ladder its seconds and what they say.

    Parameters
    ----------
    trial : Trial
        What was measured.
    ladders : sequence of Ladder
        The unit's first.

    Returns
    -------
    dict
        `exponent`, `rows_in_memory` and `rows_in_a_minute` are extrapolated from the two largest
        sizes, and None with fewer, or where they lie too far beyond. `memory` are the bytes that a
        fit asks for before it begins, `rows_in_memory` those for which what is free now suffices;
        no more of them are promised in a minute.
    """
    there = available()
    return {
        **asdict(trial),
        "rows": list(trial.rows),
        "cores": os.cpu_count(),
        "free_memory": there,
        "methods": [_ladder_facts(ladder, ladders[0], there) for ladder in ladders],
    }


def _ladder_facts(ladder: Ladder, unit: Ladder, there: int | None) -> dict[str, Any]:
    growth = ladder.growth
    in_memory = ladder.rows_in_memory(there)
    in_a_minute = None if growth is None else growth.rows_in(MINUTE)
    if growth is not None and in_memory is not None and growth.value_at(in_memory) <= MINUTE:
        in_a_minute = in_memory
    return {
        "method": ladder.name,
        "name": ladder.title,
        "rows": list(ladder.rows),
        "seconds": list(ladder.seconds),
        "times_unit": ladder.times(unit),
        "exponent": None if growth is None else growth.exponent,
        "memory": list(ladder.memory) or None,
        "rows_in_memory": in_memory,
        "rows_in_a_minute": in_a_minute,
        "max_rows": ladder.max_rows,
        "note": ladder.note,
    }
