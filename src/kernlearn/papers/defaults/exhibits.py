"""Table 1: classes. Table 2: numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kernlearn.papers.defaults.data import (
    TRAINING_SHARE,
    TargetTable,
    load_classes,
    load_numbers,
)
from kernlearn.papers.defaults.methods import CLASSES, METHODS, NUMBERS, TUNED_SVM
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import (
    N_SPLITS,
    MethodColumn,
    fit_split,
    method_table,
)
from kernlearn.papers.tables import ComparisonTable

Methods = Mapping[str, MethodColumn]
Tables = Mapping[str, TargetTable]


def fit_cell(
    task: str, method: MethodColumn, table: TargetTable, index: int, seed: int
) -> dict[str, float]:
    """Fit one method to one split."""
    return fit_split(method, task, table.split(index, seed), task == NUMBERS)


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
    return _compared("Classes: the IDA suite", CLASSES, methods, tables, options, ".2f", note)


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
    return _compared("Numbers: five tables of UCI", NUMBERS, methods, tables, options, ".4g", note)


def _compared(
    title: str,
    task: str,
    methods: Methods,
    tables: Tables,
    options: RunOptions,
    number_format: str,
    note: str,
) -> ComparisonTable:
    return method_table(
        title,
        task,
        partial(fit_cell, task),
        methods,
        tables,
        options,
        rival=TUNED_SVM,
        number_format=number_format,
        notes=(note,),
    )
