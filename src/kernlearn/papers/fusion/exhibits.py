"""Table 1: test errors on sets with several sources."""

from __future__ import annotations

import numpy as np

from kernlearn.papers.contest import N_DIVISIONS, contest_table, run_cells, timed_fit
from kernlearn.papers.fusion.data import (
    MOST_TEST,
    MOST_TRAINING,
    TRAINING_SHARE,
    SourceSet,
    load_all,
)
from kernlearn.papers.fusion.methods import LEARNED, METHODS, chosen_names
from kernlearn.papers.paper import Request
from kernlearn.papers.tables import ComparisonTable
from kernlearn.runtime.phrases import counted

__all__ = ["fit_cell", "reproduce_fusion"]

TASK = "fusion"


def reproduce_fusion(request: Request) -> ComparisonTable:
    """Errors with learned weights, beside what else can be done with several sources."""
    names = chosen_names(request.methods)
    sets = load_all(request.data_dir)
    return contest_table(
        "Several sources: learned weights and what else there is",
        {name: run_cells(fit_cell, name, TASK, sets, request) for name in names},
        request,
        rival=LEARNED,
        picture="fusion.png",
        number_format=".2f",
        notes=_notes(sets, request),
    )


def fit_cell(method: str, task: str, data: SourceSet, index: int, seed: int) -> dict[str, float]:
    """Fit one method to one division: its error in per cent, and its seconds."""
    part = data.divide(index, seed)
    predicted, seconds = timed_fit(
        lambda: METHODS[method](data, part.X_train), part.X_train, part.y_train, part.X_test
    )
    return {"error": 100.0 * float(np.mean(predicted != part.y_test)), "seconds": seconds}


def _notes(sets: dict[str, SourceSet], request: Request) -> tuple[str, ...]:
    published = ", ".join(name for name, data in sets.items() if data.published is not None)
    with_gaps = ", ".join(name for name, data in sets.items() if data.has_gaps)
    rows = "; ".join(
        f"{name} {len(data.y)}, {len(np.unique(data.y))}, {len(data.sources)}"
        for name, data in sets.items()
    )
    n = request.repetitions or N_DIVISIONS
    return (
        f"Test error in per cent, mean ± standard error over {counted(n, 'division')}, "
        f"{TRAINING_SHARE:.0%} for training but {MOST_TRAINING} rows at most, and "
        f"{MOST_TEST} at most for testing (seed {request.seed}). The first division of {published} "
        "is the published one, and the others have its sizes.",
        f"Rows, classes and sources: {rows}. Some rows lack a source in: {with_gaps}.",
    )
