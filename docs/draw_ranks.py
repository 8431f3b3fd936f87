"""Draw the critical-difference diagram of the tables that played no part in the design.

``python docs/draw_ranks.py`` reads ``reproduced/results/defaults/textbook_tables.md`` and writes
``images/untouched_tables.png``, with a fingerprint of the results in its metadata. Mean ranks and
seconds of both tasks are averaged, by the number of tables.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from kernlearn.comparison.rank_tests import critical_difference, maximal_groups
from kernlearn.inspection import CriticalDifferenceDisplay

RESULTS = Path(__file__).parent / "reproduced" / "results" / "defaults" / "textbook_tables.md"
PICTURE = Path(__file__).parent / "images" / "untouched_tables.png"
LEVEL = 0.05


def table() -> tuple[list[str], dict[str, list[float]]]:
    """The methods, and the numbers of every row by its name."""
    header, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in RESULTS.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    )
    return header[1:], {name: [float(cell) for cell in cells] for name, *cells in rows}


def averages() -> tuple[int, dict[str, float], dict[str, float]]:
    """The number of tables, and mean ranks and seconds of the methods over all of them."""
    methods, rows = table()
    counts = {
        found[2]: int(found[1])
        for name in rows
        if (found := re.fullmatch(r"mean rank, (\d+) tables of (\w+)", name))
    }
    n = sum(counts.values())

    def mean(row: str) -> dict[str, float]:
        parts = [
            [counts[task] * value for value in rows[row.format(n=counts[task], task=task)]]
            for task in counts
        ]
        sums = map(sum, zip(*parts, strict=True))
        return {name: total / n for name, total in zip(methods, sums, strict=True)}

    return n, mean("mean rank, {n} tables of {task}"), mean("seconds, {task}")


def display() -> CriticalDifferenceDisplay:
    """The diagram, with the seconds of a fit beside the names."""
    n, ranks, seconds = averages()
    names = {"Kernel": "kernlearn"}  # its two estimators, which the table calls so
    labels = [f"{names.get(name, name)} ({seconds[name]:.2g} s)" for name in ranks]
    width = critical_difference(len(ranks), n, LEVEL)
    groups = [[labels[j] for j in run] for run in maximal_groups(list(ranks.values()), width)]
    return CriticalDifferenceDisplay(list(ranks.values()), labels, width, groups)


def fingerprint() -> str:
    """What identifies the results that a picture was drawn from."""
    return f"results {zlib.crc32(RESULTS.read_text(encoding='utf-8').encode()):08x}"


if __name__ == "__main__":
    drawn = display().plot()
    metadata = {"Description": fingerprint()}
    drawn.figure_.savefig(PICTURE, dpi=110, bbox_inches="tight", metadata=metadata)
