"""Seconds of one call."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

from kernlearn.runtime.warnings import interrupts_end_everything

__all__ = ["Clock", "seconds_of"]

Clock = Callable[[], float]
# The first call of all also loads what it needs; calls so short are repeated, and the best counts.
SHORT = 0.5
REPEATS = 3


def seconds_of(call: Callable[[], Any], clock: Clock = time.perf_counter) -> float:
    """Seconds of a call; of the fastest of three, if it takes less than half a second.

    Parameters
    ----------
    call : callable
        What is timed. Its warnings are not shown.
    clock : callable
        Returns the time in seconds.

    Returns
    -------
    float
    """
    best = float("inf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(REPEATS):
            start = clock()
            with interrupts_end_everything():  # what half a fit took is of no use
                call()
            best = min(best, clock() - start)
            if best >= SHORT:
                break
    return best
