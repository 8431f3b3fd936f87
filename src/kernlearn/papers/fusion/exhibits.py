"""Table 1: test errors on sets with several sources."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.fusion.data import (
    MOST_TEST,
    MOST_TRAINING,
    TRAINING_SHARE,
    SourceSet,
    load_all,
)
from kernlearn.papers.fusion.methods import LEARNED, METHODS, chosen_names
from kernlearn.papers.method_comparison import N_SPLITS, method_table, run_method, timed_fit
from kernlearn.papers.tables import ComparisonTable
from kernlearn.runtime.phrases import counted

TASK = "fusion"


def reproduce_fusion(options: RunOptions, sets: Iterable[str] | None = None) -> ComparisonTable:
    """Errors with learned weights beside other methods, on all sets or on those named."""
    names = chosen_names(options.methods)
    data = load_all(options.data_dir, sets)
    return method_table(
        "Several sources: learned weights and what else there is",
        {name: run_method(partial(fit_cell, name), name, TASK, data, options) for name in names},
        options,
        rival=LEARNED,
        picture="fusion.png",
        number_format=".2f",
        notes=_notes(data, options),
    )


def fit_cell(method: str, data: SourceSet, index: int, seed: int) -> dict[str, float]:
    """Fit one method to one split: its error in per cent, and its seconds."""
    split = data.split(index, seed)
    predicted, seconds = timed_fit(lambda: METHODS[method](data, split.X_train), split)
    error = 100.0 * float(np.mean(predicted != split.y_test))
    return {"error": error, "seconds": seconds, "ratio": split.ratio}


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
