"""Tables 2 and 3: test errors with one scale for all inputs (RBF), and with one for each (ARD)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kernlearn.comparison import Comparison, compare
from kernlearn.papers.cawley2014.columns import Column, run_columns
from kernlearn.papers.cawley2014.departures import PRINTED, departures_note
from kernlearn.papers.cawley2014.protocol import load_sets, partitions_note
from kernlearn.papers.cawley2014.published import MEAN_RANKS, TABLE_2_COLUMNS, TABLE_3_COLUMNS
from kernlearn.papers.paper import Request
from kernlearn.papers.tables import ComparisonTable, Entry

__all__ = ["marks_note", "reproduce_error_table"]

COLUMNS = {2: TABLE_2_COLUMNS, 3: TABLE_3_COLUMNS}
KERNELS = {2: "RBF", 3: "ARD"}
RANK_ROW = "mean rank"
LEVEL = 0.05


def reproduce_error_table(number: int, request: Request) -> ComparisonTable:
    """Run Table 2 or 3, or some of its columns, and return our errors beside the published ones."""
    sets = load_sets(request.data_dir)
    methods = _chosen(number, request.methods)
    columns = run_columns(methods, sets, request)
    entries = [
        Entry((name,), method, *_printed(method, name, column.errors[name]))
        for name in sets
        for method, column in columns.items()
    ]
    marks: tuple[str, ...] = ()
    if methods == COLUMNS[number]:
        comparison = compare({method: column.errors for method, column in columns.items()})
        ranks = zip(methods, MEAN_RANKS[number], comparison.ranks, strict=True)
        entries += [
            Entry((RANK_ROW,), method, printed, [float(ours)], ".4f")
            for method, printed, ours in ranks
        ]
        marks = (marks_note(columns, comparison),)
    notes = (
        "Test error in per cent, mean ± standard error over the partitions.",
        departures_note(columns.values()),
        *marks,
        partitions_note(sets, request),
        *(column.note() for column in columns.values()),
    )
    title = f"Cawley and Talbot (2014), Table {number}: {KERNELS[number]} kernel"
    return ComparisonTable(title, ("data",), methods, tuple(entries), notes)


def _chosen(number: int, asked: Collection[str]) -> tuple[str, ...]:
    """Return the columns that were asked for, in the order of the table; all if none were."""
    unknown = [name for name in asked if name not in COLUMNS[number]]
    if unknown:
        raise ValueError(
            f"expected --method to name columns of Table {number}, {', '.join(COLUMNS[number])}, "
            f"got {unknown[0]}: choose among these."
        )
    return tuple(name for name in COLUMNS[number] if not asked or name in asked)


def _printed(method: str, name: str, errors: list[float]) -> tuple[float, list[float], str, float]:
    mean, error = PRINTED[method][name]
    return mean, errors, ".3f", error


def marks_note(columns: Mapping[str, Column], comparison: Comparison) -> str:
    """Name the best method of each row, and in brackets those not told apart from it.

    The paper prints the former bold and the latter, by Wilcoxon's signed-rank test over the
    partitions at the level 0.05, in italics.
    """
    best, alike = comparison.best, comparison.indistinguishable(LEVEL)
    rows = []
    for name in best.index:
        text = f"{name} " + ", ".join(_short(method) for method in columns if best[method][name])
        others = [_short(method) for method in columns if alike[method][name]]
        rows.append(f"{text} ({', '.join(others)})" if others else text)
    return (
        "Best of ours, and in brackets what Wilcoxon's test over the partitions does not tell from "
        f"it at {LEVEL}: {'; '.join(rows)}."
    )


def _short(method: str) -> str:
    return method.removesuffix("-LSSVM")
