"""Estimators on Dask collections: rows that stay where they are, predictions that are yet to be."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from kernlearn._cluster import Chunked, is_lazy, lazily
from kernlearn._device import HOST
from kernlearn.estimators.inputs.cells import check_unique_names
from kernlearn.families.kernel_pool import is_family
from kernlearn.gram.rows import check_finite_rows
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Indices, Rows

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class Prepared:
    """The preparation of a chunk: checked numbers, or a data frame for kernels."""

    as_frame: bool  # whether kernels take the frame itself
    # Whether all its columns are numbers; else the kernels check the columns that they read.
    numeric: bool
    gaps: bool = False  # whether cells may be missing

    def __call__(self, table: Rows, start: int) -> Rows:
        """The prepared chunk whose first row has this number."""
        if not self.numeric or (self.gaps and self.as_frame):
            return table
        numbers = np.asarray(table).astype(np.float64, copy=False)
        check_finite_rows(
            np.nan_to_num(numbers, posinf=np.inf, neginf=np.inf) if self.gaps else numbers, start
        )
        return table if self.as_frame else numbers


def chunked_table(
    estimator: BaseEstimator, X: Rows, as_frame: bool, min_rows: int = 1, gaps: bool = False
) -> Chunked:
    """Check a Dask collection as scikit-learn checks a table, without reading rows.

    The estimator stores number and names of the columns. `as_frame` passes data frames on to
    kernels, columns of text among them; there must be the `min_rows` rows; with `gaps` cells
    may be missing.
    """
    is_frame = hasattr(X, "columns")
    numeric = not is_frame or all(dtype.kind in "biuf" for dtype in X.dtypes)
    if not (numeric or as_frame):
        text = [str(name) for name, dtype in X.dtypes.items() if dtype.kind not in "biuf"]
        raise ValueError(
            f"X must hold real numbers, got other things in the columns {', '.join(text[:8])}; "
            "encode them, or pass kernels that read them."
        )
    rows = Chunked.of(X, Prepared(as_frame and is_frame, numeric, gaps))
    if len(rows) < min_rows:
        raise ValueError(
            f"Found array with {len(rows)} sample(s) (shape={rows.shape}) while a minimum of "
            f"{min_rows} is required by {type(estimator).__name__}."
        )
    for name in ("n_features_in_", "feature_names_in_"):  # of an earlier fit
        vars(estimator).pop(name, None)
    columns = X._meta if is_frame else np.empty((0, rows.shape[1]))
    check_unique_names(columns, "X")
    validate_data(estimator, columns, skip_check_array=True)
    return rows


def check_takes_dask(estimator: BaseEstimator, rows: Rows) -> None:
    """Refuse parameters that need all rows on one machine, or a device, for rows on a cluster."""
    if not isinstance(rows, Chunked):
        return
    if is_family(getattr(estimator, "kernels", None)):
        raise ValueError(
            "expected a list of kernels with a Dask collection, got "
            f"{type(estimator.kernels).__name__}, whose kernels are looked at on one machine; fit "
            "to X.compute(), or pass a list"
        )
    conditions = {
        "certify": getattr(getattr(estimator, "options", None), "certify", None),
        "device": getattr(estimator, "device", None),
    }
    for name, value in conditions.items():
        if value not in (None, HOST):
            raise ValueError(
                f"expected {name}=None with a Dask collection, got {value!r}, which takes all rows "
                "on one machine; fit to X.compute(), or leave it out"
            )


def select_rows(rows: Rows, chosen: Indices) -> Rows:
    """Some rows of a checked table, wherever these are."""
    return rows.subset(chosen) if isinstance(rows, Chunked) else _safe_indexing(rows, chosen)


def evenly_spaced_rows(rows: Rows, max_rows: int) -> Rows:
    """Rows to learn the looks of a table from: all of one that is here, else some of them."""
    if not isinstance(rows, Chunked):
        return rows
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), max_rows)).astype(int)]


def gather_rows(estimator: BaseEstimator, rows: Rows, exact_rows: int) -> Rows:
    """All rows on this machine, for the exact solver; with a warning if they are many."""
    if not isinstance(rows, Chunked):
        return rows
    n, name = len(rows), type(estimator).__name__
    # The matrix of all rows is the least that comes next.
    require(
        matrices(2, *rows.shape) + matrices(1, n),
        f"{name} on the {n:,} rows of a Dask collection with this fit without landmarks",
        "pass an integer as rank, with which rows stay where they are",
    )
    if n > exact_rows:
        warnings.warn(
            f"{name} gathers the {counted(n, 'row')} of the Dask collection on this machine, since "
            "this fit without landmarks needs the matrix of all of them; pass an integer as rank "
            "to leave them where they are",
            stacklevel=4,
        )
    return in_memory(rows)


def in_memory(rows: Rows) -> Rows:
    """Checked rows on this machine."""
    return rows[:] if isinstance(rows, Chunked) else rows


def lazy_on_dask(method: Method) -> Method:
    """A method of rows that returns a Dask array for a Dask collection, chunk by chunk."""

    @wraps(method)
    def call(self: Any, X: Rows, *args: Any, **options: Any) -> Any:
        if not is_lazy(X):
            return method(self, X, *args, **options)
        check_is_fitted(self)
        bound = signature(method).bind(self, X, *args, **options)
        arguments = dict(list(bound.arguments.items())[2:])
        return lazily(method, self, X, arguments)

    return call  # type: ignore[return-value]
