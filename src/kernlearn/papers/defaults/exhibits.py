"""Table 1: classes. Table 2: numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from kernlearn.papers.defaults.data import (
    TRAINING_SHARE,
    TargetTable,
    load_classes,
    load_numbers,
)
from kernlearn.papers.defaults.methods import (
    CLASSES,
    METHODS,
    NUMBERS,
    TUNED_SVM,
    DefaultMethod,
    chosen_methods,
)
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import N_SPLITS, Cells, method_table, run_method, timed_fit
from kernlearn.papers.tables import ComparisonTable

Methods = Mapping[str, DefaultMethod]
Tables = Mapping[str, TargetTable]


def fit_cell(
    method: DefaultMethod, task: str, table: TargetTable, index: int, seed: int
) -> dict[str, float]:
    """Fit one method to one split: the error in per cent, or root mean squared; seconds."""
    split = table.split(index, seed)
    predicted, seconds = timed_fit(lambda: method.make(task, split.X_train, split.y_train), split)
    if task == CLASSES:
        error = 100.0 * float(np.mean(predicted != split.y_test))
    else:
        error = float(np.sqrt(np.mean((predicted - split.y_test) ** 2)))
    return {"error": error, "seconds": seconds, "ratio": split.ratio}


def reproduce_classification(
    options: RunOptions, methods: Methods = METHODS, tables: Tables | None = None
) -> ComparisonTable:
    """Errors on the thirteen sets of the IDA suite, or on other tables."""
    tables = load_classes(options.data_dir) if tables is None else tables
    n = options.splits or N_SPLITS
    published = ", ".join(
        f"{name} {min(n, table.partitions.n_published)}"
        for name, table in tables.items()
        if table.partitions is not None
    )
    note = (
        f"Test error in per cent, mean ± standard error over {n} splits of the published sizes; "
        f"of these are published ones: {published} (the others: seed {options.seed})."
    )
    title = "Classes: the IDA suite"
    found = _run(CLASSES, methods, tables, options)
    return method_table(
        title, found, options, TUNED_SVM, f"{CLASSES}.png", number_format=".2f", notes=(note,)
    )


def reproduce_regression(
    options: RunOptions, methods: Methods = METHODS, tables: Tables | None = None
) -> ComparisonTable:
    """Errors on five tables with a number to predict, or on other tables."""
    tables = load_numbers(options.data_dir) if tables is None else tables
    note = (
        "Root mean squared error in units of the target, mean ± standard error over "
        f"{options.splits or N_SPLITS} random splits, {TRAINING_SHARE:.0%} for training "
        f"(seed {options.seed}). Categories and missing cells are there as in the files."
    )
    title = "Numbers: five tables of UCI"
    found = _run(NUMBERS, methods, tables, options)
    return method_table(
        title, found, options, TUNED_SVM, f"{NUMBERS}.png", number_format=".4g", notes=(note,)
    )


def _run(task: str, methods: Methods, tables: Tables, options: RunOptions) -> dict[str, Cells]:
    return {
        method.name: run_method(partial(fit_cell, method, task), method.name, task, tables, options)
        for method in chosen_methods(options.methods, methods)
    }
