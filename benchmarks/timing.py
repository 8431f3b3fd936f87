"""Timing, and the table that the benchmarks print."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REPEATS = 5


def say(text: str) -> None:
    """Print a line of progress at once."""
    print(text, flush=True)


def best_of(n: int, function: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest of n calls, and the last result."""
    best = float("inf")
    for _ in range(n):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


@dataclass(frozen=True)
class Row:
    """One claim: what was measured, against what, and whether it holds."""

    claim: str
    measured: str
    holds: bool


def report(rows: list[Row]) -> None:
    """Print the claims as a Markdown table."""
    print("\n| claim | measured | holds |\n|---|---|---|")
    for row in rows:
        print(f"| {row.claim} | {row.measured} | {'yes' if row.holds else 'NO'} |")
