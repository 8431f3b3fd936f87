"""Timing, and the table that the benchmarks print."""

from __future__ import annotations

from dataclasses import dataclass

from kernlearn.speed.timings import best_of

__all__ = ["REPEATS", "Row", "best_of", "report", "say"]

REPEATS = 5


def say(text: str) -> None:
    """Print a line of progress at once."""
    print(text, flush=True)


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
