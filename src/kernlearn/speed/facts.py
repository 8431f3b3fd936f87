"""What was measured, as JSON values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

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
        `exponent` and `rows_in_a_minute` (extrapolated by it) are None with fewer than two sizes;
        the latter also where it lies too far beyond them.
    """
    return {
        **asdict(trial),
        "rows": list(trial.rows),
        "cores": os.cpu_count(),
        "methods": [_ladder_facts(ladder, ladders[0]) for ladder in ladders],
    }


def _ladder_facts(ladder: Ladder, unit: Ladder) -> dict[str, Any]:
    growth = ladder.growth
    return {
        "method": ladder.name,
        "name": ladder.title,
        "rows": list(ladder.rows),
        "seconds": list(ladder.seconds),
        "times_unit": ladder.times(unit),
        "exponent": None if growth is None else growth.exponent,
        "rows_in_a_minute": None if growth is None else growth.rows_in(MINUTE),
        "max_rows": ladder.max_rows,
        "note": ladder.note,
    }
