"""Kinds of rows that an estimator passes to its kernels: numbers, sparse matrices, things."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.sparse import vstack as vstack_sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_y, check_consistent_length, validate_data

from kernlearn.estimators.inputs.cells import check_unique_names
from kernlearn.estimators.inputs.validation import (
    check_every_target,
    check_one_outcome,
    check_squares,
)
from kernlearn.kernels._validation import check_rows
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Rows


def judged_by_kernels(kernels: object, X: Rows) -> bool:
    """Whether the kernels look at the entries of X, not scikit-learn.

    The kernels look at data frames that hold text, of which each kernel reads its own columns, and
    at rows that are no table of numbers, if a kernel takes such rows.
    """
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        return kernels is not None and any(_is_text(dtype) for dtype in np.atleast_1d(X.dtypes))
    if issparse(X) or not takes_things(kernels):
        return False
    rows = check_rows(X, "X")
    return rows.ndim != 2 or rows.dtype.kind not in "biuf"


def takes_things(kernels: object) -> bool:
    """Whether a kernel takes other rows than numbers."""
    return any(kernel.takes_things for kernel in _kernels(kernels))


def takes_sparse(kernels: object) -> bool:
    """Whether kernels are given and all of them take sparse matrices."""
    listed = _kernels(kernels)
    return bool(listed) and all(kernel.takes_sparse for kernel in listed)


def table_options(kernels: object, gaps: bool = False) -> dict[str, Any]:
    """Options of scikit-learn's check of a table; the kernels check the rest."""
    return {
        "accept_sparse": "csr" if takes_sparse(kernels) else False,
        "ensure_all_finite": "allow-nan" if gaps or takes_things(kernels) else True,
    }


def unchanged_rows(estimator: BaseEstimator, X: Rows, reset: bool) -> Rows:
    """Things as an array of them, a data frame itself; names and number of columns are checked."""
    rows = X if hasattr(X, "columns") else check_rows(X, "X")
    if reset:
        for name in ("n_features_in_", "feature_names_in_"):  # of an earlier fit
            vars(estimator).pop(name, None)
    check_unique_names(rows, "X")
    validate_data(estimator, rows, reset=reset, skip_check_array=True)
    return rows


def target_of(estimator: BaseEstimator, rows: Rows, y: Rows, **options: Any) -> Any:
    """The target, checked as scikit-learn does, of as many rows."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    check_every_target(estimator, y, options.get("y_numeric", False))
    if not options.get("multi_output"):
        check_one_outcome(estimator, y)
    target = _check_y(y, estimator=estimator, **options)
    check_consistent_length(rows, target)
    if options.get("y_numeric", False):
        check_squares(estimator, target)
    return target


def stack_rows(top: Rows, bottom: Rows) -> Rows:
    """The rows of both, in one table or array."""
    if hasattr(top, "iloc"):
        return load_pandas("stacking data frames").concat([top, bottom], ignore_index=True)
    if issparse(top) or issparse(bottom):
        return vstack_sparse([top, bottom], format="csr")
    return np.concatenate([top, bottom])


def _kernels(kernels: object) -> list[Any]:
    """The kernels, or a family that determines what its kernels take."""
    parts = kernels if isinstance(kernels, list | tuple) else [kernels]
    return [
        part
        for part in parts
        if hasattr(type(part), "takes_things") and hasattr(type(part), "takes_sparse")
    ]


def _is_text(dtype: np.dtype[Any]) -> bool:
    return dtype.kind not in "biuf"
