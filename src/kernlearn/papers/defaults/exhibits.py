"""Table 1: classes. Table 2: numbers."""

from __future__ import annotations

from collections.abc import Mapping

from kernlearn.papers.contest import N_DIVISIONS, contest_table, run_cells
from kernlearn.papers.defaults.cells import fit_cell
from kernlearn.papers.defaults.data import TRAINING_SHARE, Table, load_classes, load_numbers
from kernlearn.papers.defaults.methods import CLASSES, NUMBERS, TUNED_SVM, chosen_methods
from kernlearn.papers.paper import Request
from kernlearn.papers.tables import ComparisonTable

__all__ = ["reproduce_classification", "reproduce_regression"]


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
    names = [method.name for method in chosen_methods(request.methods)]
    return contest_table(
        title,
        {name: run_cells(fit_cell, name, task, tables, request) for name in names},
        request,
        rival=TUNED_SVM,
        picture=f"{task}.png",
        number_format=number_format,
        notes=notes,
    )
