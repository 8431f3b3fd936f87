"""Checks of the rows, targets and weights of a mixture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from kernlearn._cluster import is_lazy, on_this_machine
from kernlearn._device import to_host
from kernlearn.estimators.held_out.folds import draws_folds, make_folds
from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.estimators.inputs.cells import check_unique_names
from kernlearn.estimators.inputs.dask_rows import (
    check_takes_dask,
    chunked_table,
    in_memory,
    select_rows,
)
from kernlearn.estimators.inputs.labels import labels_of_classes
from kernlearn.estimators.inputs.row_order import row_order
from kernlearn.estimators.inputs.source_checks import (
    are_sources,
    checked_sources,
    row_codes,
    with_name,
)
from kernlearn.estimators.inputs.sources import Sources
from kernlearn.estimators.inputs.validation import (
    as_floats,
    check_every_target,
    check_one_outcome,
    sample_weights,
    validate_table,
)
from kernlearn.estimators.mixture.preparation.table import NumericRows
from kernlearn.estimators.mixture.targets.several_labels import checked_indicator, is_indicator
from kernlearn.kernels._validation import as_pandas_frame, is_frame
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Rows, Targets

# Sizes of cells as they came: the squares of the cubes of their squares are still numbers.
_SMALLEST, _LARGEST = 1e-25, 1e20
# Least weight, relative to the largest: a smaller one would have a ridge beyond all numbers.
_WEIGHTLESS = 1e-15
# Most cells of a sparse matrix whose rows are sorted like those of an array.
_SORTED_CELLS = 2_000_000


def checked_rows(estimator: BaseEstimator, X: Rows, reset: bool) -> Rows:
    """A data frame as it is, else numbers, NaN where missing; sparse in compressed rows.

    Several sources, and a list of texts or graphs, are one object of sources.
    """
    X = with_name(X)
    if are_sources(X) or (not reset and hasattr(estimator, "source_names_")):
        return checked_sources(estimator, X, reset)
    if reset:
        vars(estimator).pop("source_names_", None)
    if reset and is_lazy(X):
        rows = chunked_table(estimator, X, as_frame=True, min_rows=2, gaps=True)
        check_takes_dask(estimator, rows)
        estimator._note_device(X)
        return rows
    if reset:
        estimator._note_device(X)
    if not reset and _is_as_in_fit(estimator, X):
        return X
    X = as_pandas_frame(to_host(X))
    if is_frame(X):
        check_unique_names(X, "X")
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if X.shape[0] == 0:
            raise ValueError("expected rows in X, got 0 rows; pass one at least")
        if X.shape[1] == 0:
            raise ValueError("expected columns in X, got 0 columns; pass one at least")
        return X
    finite = True if issparse(X) else "allow-nan"
    table = validate_table(
        estimator, X, reset=reset, dtype="numeric", accept_sparse="csr", ensure_all_finite=finite
    )
    if issparse(table):
        return csr_array(as_floats(estimator, table))
    table = np.asarray(table)
    # Numbers of fewer digits are converted column by column, when they are read.
    is_plain = table.dtype.kind in "biuf" and table.dtype.itemsize <= 8
    return table if is_plain else as_floats(estimator, table)


@dataclass(frozen=True, eq=False)
class TrainingInput:
    """Rows of positive weight, with their targets."""

    rows: Rows
    target: Targets
    weight: Array  # of mean one
    groups: RowGroups
    folds: list[Indices] | None  # folds that the user gave; None if they are to be drawn


def _is_as_in_fit(estimator: BaseEstimator, X: Rows) -> bool:
    """Whether rows need no checks, which take longer than a prediction."""
    names = getattr(estimator, "feature_names_in_", None)
    n_rows, n_columns = X.shape if len(getattr(X, "shape", ())) == 2 else (0, 0)
    if n_rows == 0 or n_columns != estimator.n_features_in_:
        return False
    if hasattr(X, "iloc"):
        return names is not None and X.columns.tolist() == names.tolist()
    is_plain = type(X) is np.ndarray and X.dtype == np.float64
    return is_plain and names is None and not np.isinf(X).any()


def checked_with_target(
    estimator: BaseEstimator,
    X: Rows,
    y: Rows,
    sample_weight: Rows,
    groups: Rows,
    multi_output: bool,
    exact_rows: int,
) -> TrainingInput:
    """Rows, targets and weights, without the rows that do not count."""
    rows = checked_rows(estimator, X, reset=True)
    if rows.shape[0] <= exact_rows:  # before equal rows are looked for
        rows = in_memory(rows)
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; pass "
            "what is to be predicted for every row of X"
        )
    y = to_host(on_this_machine(y))
    check_every_target(estimator, y, numeric=multi_output)
    if not multi_output and takes_labels(estimator) and is_indicator(y):
        target = checked_indicator(estimator, y)
    elif multi_output:
        target = check_array(y, ensure_2d=False, dtype="numeric", input_name="y")
    else:
        check_one_outcome(estimator, y)
        target = column_or_1d(y, warn=True)
        if target.dtype.kind == "f":
            assert_all_finite(target, input_name="y")
        target = labels_of_classes(target)
    check_consistent_length(rows, target)
    weight = sample_weights(to_host(on_this_machine(sample_weight)), target)
    cells = row_codes(rows) if isinstance(rows, Sources) else rows
    known = RowGroups.of(cells, groups, len(target))
    return _counted(estimator, rows, np.asarray(target), weight, known, exact_rows)


def takes_labels(estimator: BaseEstimator) -> bool:
    """Whether an estimator takes several labels of a row."""
    tags = get_tags(estimator).classifier_tags
    return tags is not None and bool(tags.multi_label)


def _counted(
    estimator: BaseEstimator,
    rows: Rows,
    target: Targets,
    weight: Array,
    groups: RowGroups,
    exact_rows: int,
) -> TrainingInput:
    """The rows of positive weight; few rows are sorted, so that their order changes nothing.

    With folds given by the user, which may rely on the order of the rows, none are sorted.
    """
    kept = np.flatnonzero(weight > _WEIGHTLESS * weight.max())
    if len(kept) < 2:
        raise ValueError(
            f"{type(estimator).__name__} expected two rows of positive weight at least, got "
            "n_samples = 1; add rows"
        )
    cv, folds, order = estimator.cv, None, kept
    if not draws_folds(cv):
        folds = make_folds(cv, rows, target, kept, stratify=False, random_state=None, groups=groups)
    elif len(kept) <= exact_rows:
        rows, order = in_memory(select_rows(rows, kept)), np.arange(len(kept))
        target, weight, groups = target[kept], weight[kept], groups.subset(kept)
        is_small = rows.shape[0] * rows.shape[1] <= _SORTED_CELLS
        cells = rows.toarray() if issparse(rows) and is_small else rows
        cells = row_codes(rows) if isinstance(rows, Sources) else cells
        order = row_order(cells, target, order, is_classifier(estimator) and target.ndim == 1)
    if len(order) < len(target) or (order != np.arange(len(target))).any():
        rows, target, weight = select_rows(rows, order), target[order], weight[order]
        groups = groups.subset(order)
    weight = weight / weight.max()  # equal ones are then exactly one, in any unit
    return TrainingInput(rows, target, weight / weight.mean(), groups, folds)


def feature_names(estimator: BaseEstimator) -> list[str]:
    """The names of the user's columns, or x0, x1, ... if they have none."""
    if hasattr(estimator, "source_names_"):
        return list(estimator.source_names_)
    names: Sequence[Rows] = getattr(estimator, "feature_names_in_", ())
    return [str(name) for name in names] or [f"x{j}" for j in range(estimator.n_features_in_)]


def check_known(estimator: BaseEstimator, rows: Rows) -> None:
    """Refuse a table in which every cell is missing."""
    if issparse(rows) or isinstance(rows, Sources):
        return
    if bool(np.all(rows.isna() if is_frame(rows) else np.isnan(rows))):
        raise ValueError(
            f"{type(estimator).__name__} expected a table with some known cells, got "
            f"{counted(len(rows), 'row')} in which every cell is missing; look at how the "
            "table was read, or pass other columns"
        )


def check_cell_sizes(estimator: BaseEstimator, table: NumericRows) -> None:
    """Refuse cells whose powers are no numbers, which only tables as they came can have."""
    cells = table.data if issparse(table) else table
    largest = float(np.abs(cells).max(initial=0.0))
    if not estimator.standardize and largest and not _SMALLEST <= largest <= _LARGEST:
        raise ValueError(
            f"{type(estimator).__name__} with standardize=False expected the largest cell to be "
            f"between {_SMALLEST:g} and {_LARGEST:g}, got {largest:.3g}; leave standardize=True, "
            "or rescale the columns"
        )
