"""Table 1: test errors on sets with several sources."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.fusion.data import (
    MOST_TEST,
    MOST_TRAINING,
    TRAINING_SHARE,
    SourceSet,
    load_all,
)
from kernlearn.papers.fusion.methods import LEARNED, METHODS
from kernlearn.papers.method_comparison import (
    N_SPLITS,
    MethodColumn,
    chosen_methods,
    fit_split,
    method_table,
)
from kernlearn.papers.tables import ComparisonTable
from kernlearn.runtime.phrases import counted


def reproduce_fusion(options: RunOptions, sets: Iterable[str] | None = None) -> ComparisonTable:
    """Errors with learned weights beside other methods, on all sets or on those named."""
    chosen_methods(options.methods, METHODS)  # refuses names before anything is read
    data = load_all(options.data_dir, sets)
    return method_table(
        "Several sources: learned weights and what else there is",
        "fusion",
        fit_cell,
        METHODS,
        data,
        options,
        rival=LEARNED,
        number_format=".2f",
        notes=_notes(data, options),
    )


def fit_cell(method: MethodColumn, data: SourceSet, index: int, seed: int) -> dict[str, float]:
    """Fit one method to one split."""
    return fit_split(method, data, data.split(index, seed))


def _notes(sets: dict[str, SourceSet], options: RunOptions) -> tuple[str, ...]:
    published = ", ".join(name for name, data in sets.items() if data.published is not None)
    with_gaps = ", ".join(name for name, data in sets.items() if data.has_gaps)
    rows = "; ".join(
        f"{name} {len(data.y)}, {len(np.unique(data.y))}, {len(data.sources)}"
        for name, data in sets.items()
    )
    n = options.splits or N_SPLITS
    return (
        f"Test error in per cent, mean ± standard error over {counted(n, 'split')}, "
        f"{TRAINING_SHARE:.0%} for training but {MOST_TRAINING} rows at most, and "
        f"{MOST_TEST} at most for testing (seed {options.seed}). The first split of {published} "
        "is the published one, and the others have its sizes.",
        f"Rows, classes and sources: {rows}. Some rows lack a source in: {with_gaps}.",
    )
