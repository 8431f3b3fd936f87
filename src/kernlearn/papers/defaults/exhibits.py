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
from kernlearn.papers.method_comparison import N_SPLITS, method_table, run_method, timed_fit
from kernlearn.papers.tables import ComparisonTable

__all__ = ["fit_cell", "reproduce_classification", "reproduce_regression"]

Methods = Mapping[str, DefaultMethod]


def fit_cell(
    method: DefaultMethod, task: str, table: TargetTable, index: int, seed: int
) -> dict[str, float]:
    """Fit one method to one split: the error in per cent, or root mean squared; its seconds."""
    split = table.split(index, seed)
    predicted, seconds = timed_fit(lambda: method.make(task, split.X_train, split.y_train), split)
    if task == CLASSES:
        error = 100.0 * float(np.mean(predicted != split.y_test))
    else:
        error = float(np.sqrt(np.mean((predicted - split.y_test) ** 2)))
    return {"error": error, "seconds": seconds}


def reproduce_classification(
    options: RunOptions,
    methods: Methods = METHODS,
    tables: Mapping[str, TargetTable] | None = None,
) -> ComparisonTable:
    """Errors on the thirteen sets of the IDA suite, or on other tables."""
    tables = load_classes(options.data_dir) if tables is None else tables
    n = options.splits or N_SPLITS
    published = ", ".join(
        f"{name} {min(n, table.partitions.n_published)}"
        for name, table in tables.items()
        if table.partitions is not None
    )
    notes = (
        "Test error in per cent, mean ± standard error over "
        f"{n} splits of the published sizes; of these are published ones: {published} "
        f"(the others: seed {options.seed}).",
    )
    return _table("Classes: the IDA suite", CLASSES, methods, tables, options, ".2f", notes)


def reproduce_regression(
    options: RunOptions,
    methods: Methods = METHODS,
    tables: Mapping[str, TargetTable] | None = None,
) -> ComparisonTable:
    """Errors on five tables with a number to predict, or on other tables."""
    tables = load_numbers(options.data_dir) if tables is None else tables
    notes = (
        "Root mean squared error in units of the target, mean ± standard error over "
        f"{options.splits or N_SPLITS} random splits, {TRAINING_SHARE:.0%} for training "
        f"(seed {options.seed}). Categories and missing cells are there as in the files.",
    )
    return _table("Numbers: five tables of UCI", NUMBERS, methods, tables, options, ".4g", notes)


def _table(
    title: str,
    task: str,
    methods: Methods,
    tables: Mapping[str, TargetTable],
    options: RunOptions,
    number_format: str,
    notes: tuple[str, ...],
) -> ComparisonTable:
    found = {
        method.name: run_method(partial(fit_cell, method, task), method.name, task, tables, options)
        for method in chosen_methods(options.methods, methods)
    }
    return method_table(
        title,
        found,
        options,
        rival=TUNED_SVM,
        picture=f"{task}.png",
        number_format=number_format,
        notes=notes,
    )
