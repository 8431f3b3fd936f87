"""Table 1: classes. Table 2: numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernlearn.comparison import Comparison, compare
from kernlearn.comparison.signed_rank import signed_rank
from kernlearn.inspection import CriticalDifferenceDisplay
from kernlearn.papers.defaults.cells import N_DIVISIONS, Cells, run_method
from kernlearn.papers.defaults.data import TRAINING_SHARE, Table, load_classes, load_numbers
from kernlearn.papers.defaults.methods import CLASSES, NUMBERS, TUNED_SVM, chosen_methods
from kernlearn.papers.paper import Request
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.tables import ComparisonTable, Entry

__all__ = ["reproduce_classification", "reproduce_regression"]

LEVEL = 0.05
RANK, SECONDS = "mean rank", "seconds"


def reproduce_classification(request: Request) -> ComparisonTable:
    """Errors on the thirteen sets of the IDA suite."""
    tables = load_classes(request.data_dir)
    n = request.repetitions or N_DIVISIONS
    published = ", ".join(
        f"{name} {min(n, table.partitions.n_published)}"
        for name, table in tables.items()
        if table.partitions is not None
    )
    notes = (
        "Test error in per cent, mean ± standard error over "
        f"{n} divisions of the published sizes; of these are published ones: {published} "
        f"(the others: seed {request.seed}).",
    )
    return _table("Classes: the IDA suite", CLASSES, tables, request, ".2f", notes)


def reproduce_regression(request: Request) -> ComparisonTable:
    """Errors on five tables with a number to predict."""
    tables = load_numbers(request.data_dir)
    notes = (
        "Root mean squared error in units of the target, mean ± standard error over "
        f"{request.repetitions or N_DIVISIONS} random divisions, {TRAINING_SHARE:.0%} for training "
        f"(seed {request.seed}). Categories and missing cells are there as in the files.",
    )
    return _table("Numbers: five tables of UCI", NUMBERS, tables, request, ".4g", notes)


def _table(
    title: str,
    task: str,
    tables: Mapping[str, Table],
    request: Request,
    number_format: str,
    notes: tuple[str, ...],
) -> ComparisonTable:
    methods = chosen_methods(request.methods)
    found = {method.name: run_method(method, task, tables, request) for method in methods}
    errors = {name: _column(cells, "error") for name, cells in found.items()}
    entries = [
        Entry((name,), method, None, errors[method][name], number_format)
        for name in tables
        for method in found
    ]
    if len(found) > 1:
        comparison = compare(errors)
        entries += [
            Entry((RANK,), str(method), None, [float(rank)], ".2f")
            for method, rank in comparison.ranks.items()
        ]
        notes = (*notes, *_tests(comparison, errors, request, task))
    for method, cells in found.items():
        seconds = [value for values in _column(cells, SECONDS).values() for value in values]
        entries.append(Entry((SECONDS,), method, None, [float(np.mean(seconds))], ".2g"))
    return ComparisonTable(
        title, ("data",), tuple(found), tuple(entries), notes, has_published=False
    )


def _column(cells: Cells, key: str) -> dict[str, list[float]]:
    return {name: [cell[key] for cell in of_set] for name, of_set in cells.items()}


def _tests(
    comparison: Comparison,
    errors: Mapping[str, Mapping[str, list[float]]],
    request: Request,
    task: str,
) -> tuple[str, ...]:
    """What the tests say, and the diagram."""
    found = comparison.iman_davenport
    groups = "; ".join(" = ".join(map(str, group)) for group in comparison.groups(LEVEL)) or "none"
    difference = comparison.critical_difference(LEVEL)

    def draw(figure: Any) -> None:
        CriticalDifferenceDisplay.from_comparison(comparison, LEVEL, ax=figure.subplots())

    return (
        f"Friedman's test in the form of Iman and Davenport: p = {found.pvalue:.2g}. Nemenyi's "
        f"critical difference of mean ranks at {LEVEL}: {difference:.2f}; not told apart: "
        f"{groups}.",
        *(
            _against(TUNED_SVM, method, errors)
            for method in errors
            if TUNED_SVM in errors and method != TUNED_SVM
        ),
        save_picture(request.out / f"{task}.png", draw, width=8.0, height=2.6),
    )


def _against(rival: str, method: str, errors: Mapping[str, Mapping[str, list[float]]]) -> str:
    """Sets where Wilcoxon's test over the divisions tells a method from its rival."""
    better: list[str] = []
    worse: list[str] = []
    for name, ours in errors[method].items():
        theirs = errors[rival][name]
        if signed_rank(ours, theirs).pvalue <= LEVEL:
            (better if np.mean(ours) < np.mean(theirs) else worse).append(name)
    return (
        f"{method} against {rival}, Wilcoxon's test over the divisions at {LEVEL}: better on "
        f"{len(better)} ({', '.join(better) or 'none'}), worse on {len(worse)} "
        f"({', '.join(worse) or 'none'})."
    )
