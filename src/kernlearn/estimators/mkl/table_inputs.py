"""The table of an estimator of combinations: checked once, several views side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster import Chunked, is_lazy, on_this_machine
from kernlearn._device import to_host
from kernlearn.estimators.inputs.dask_rows import chunked_table
from kernlearn.estimators.inputs.row_kinds import table_options, target_of, unchanged_rows
from kernlearn.estimators.inputs.validation import as_floats, sample_weights, validate_table
from kernlearn.estimators.inputs.views import (
    are_views,
    check_same_matrices,
    converted_views,
    frame_column_names,
    hstack_views,
    matrices_of,
    reordered_views,
)
from kernlearn.estimators.mkl.parameters import CombinationParameters
from kernlearn.kernels._validation import as_pandas_frame
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Rows


class TableInputs:
    """Checks of points and targets; facts about the table are stored in the estimator."""

    def __init__(self, estimator: CombinationParameters) -> None:
        self.estimator, self.kernels = estimator, estimator._readers()
        self.gaps = estimator.missing is not None

    def checked(self, X: Rows, reset: bool) -> Rows:
        """X as scikit-learn checks it; a data frame stays one for the kernels."""
        if reset:
            self.estimator._note_device(X)
        if reset and is_lazy(X):
            return self._chunked_rows(X)
        X = self._one_table(X, reset)
        if self.estimator._judged_by_kernels(X):
            return unchanged_rows(self.estimator, X, reset)
        options = table_options(self.kernels, self.gaps)
        table = validate_table(self.estimator, X, reset=reset, dtype="numeric", **options)
        return self._kernel_input(X, table)

    def checked_with_target(self, X: Rows, y: Rows, **options: Any) -> tuple[Any, NDArray[Any]]:
        """X as `checked` returns it, and y of the same length."""
        self.estimator._note_device(X)
        y = to_host(on_this_machine(y))
        if is_lazy(X):
            rows = self._chunked_rows(X)
            return rows, target_of(self.estimator, rows, y, **options)
        X = self._one_table(X, reset=True)
        if self.estimator._judged_by_kernels(X):
            rows = unchanged_rows(self.estimator, X, reset=True)
            return rows, target_of(self.estimator, rows, y, **options)
        options = {**options, **table_options(self.kernels, self.gaps)}
        table, target = validate_table(self.estimator, X, y, dtype="numeric", **options)
        return self._kernel_input(X, table), target

    def checked_unlabeled(self, X: Rows, X_unlabeled: Rows) -> Rows:
        """Further points of the same columns."""
        if X_unlabeled is None:
            return None
        if is_lazy(X) or is_lazy(X_unlabeled):
            raise ValueError(
                "expected X_unlabeled=None with a Dask collection, got some; fit to X.compute() "
                "and X_unlabeled.compute()"
            )
        of_views = are_views(X, self.kernels)
        X, X_unlabeled = as_pandas_frame(X), self._one_table(X_unlabeled, reset=False)
        if not of_views and hasattr(X, "iloc") != hasattr(X_unlabeled, "iloc"):
            raise ValueError(
                "expected X_unlabeled of the same kind as X, got a data frame and an array; "
                "convert one of them"
            )
        n_columns = getattr(self.estimator, "n_features_in_", None)  # None if rows are things
        shape = getattr(X_unlabeled, "shape", None) or np.shape(X_unlabeled)
        if n_columns is not None and (len(shape) != 2 or shape[1] != n_columns):
            raise ValueError(
                f"expected X_unlabeled with {counted(n_columns, 'column')}, as X has, got shape "
                f"{shape}; pass the same columns for both"
            )
        return self.estimator._checked(X_unlabeled, reset=False)

    def weights(self, sample_weight: Rows, rows: Rows) -> Array:
        """Weights of the checked rows; ones if none are given."""
        return sample_weights(to_host(on_this_machine(sample_weight)), rows)

    def _kernel_input(self, X: Rows, checked: Rows) -> Rows:
        """A data frame as it came; a memory map, too, which is read and converted in blocks."""
        kept = hasattr(X, "iloc") or isinstance(X, np.memmap)
        return X if kept else as_floats(self.estimator, checked)

    def _chunked_rows(self, X: Rows) -> Chunked:
        """The rows of a Dask collection, which stay where they are."""
        self._forget_views()
        if self.gaps:
            raise ValueError(
                f"expected missing=None with a Dask collection, got {self.estimator.missing!r}, "
                "for which all rows have to be on one machine; fit to X.compute()"
            )
        return chunked_table(self.estimator, X, as_frame=self.kernels is not None)

    def _one_table(self, X: Rows, reset: bool) -> Rows:
        """X, or its views side by side; frames of other makers as those of pandas."""
        if reset:
            self._forget_views()
        if not are_views(X, self.kernels):
            return as_pandas_frame(X)
        attributes = vars(self.estimator)
        takes_views = "kernels" in self.estimator.get_params(deep=False)
        if not takes_views or not (reset or "views_" in attributes):
            raise ValueError(
                f"{type(self.estimator).__name__} expected one table, got several views; fit an "
                "estimator of combinations, such as MKLClassifier, to the same views, or put them "
                "side by side"
            )
        matrices = matrices_of(X)
        if reset and matrices:
            self.estimator._view_matrices = matrices
        elif matrices:
            check_same_matrices(matrices, attributes.get("_view_matrices", {}))
        X = converted_views(X)
        if not reset:
            # Files of earlier versions have no names of columns.
            X = reordered_views(X, attributes["views_"], attributes.get("_view_columns", {}))
        table, places = hstack_views(X, self.kernels, self.gaps)
        if reset:
            self.estimator.views_, self.estimator._view_columns = places, frame_column_names(X)
        return table

    def _forget_views(self) -> None:
        """Delete the views of an earlier fit."""
        for name in ("views_", "_view_columns", "_view_matrices"):
            self.estimator.__dict__.pop(name, None)
