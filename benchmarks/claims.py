"""Claims, and the table that the benchmarks print.

Nothing here imports the library, of which `small_fits` loads older states.
"""

from __future__ import annotations

from dataclasses import dataclass

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
