"""Checks of the data a kernel is called with: every public call passes through here once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

FloatArray = NDArray[np.float64]


def is_frame(X: Any) -> bool:
    """Whether `X` is a data frame, whose columns have names."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def take_rows(table: Any, rows: Any) -> Any:
    """Some rows of an array or a data frame."""
    return table.iloc[rows] if is_frame(table) else table[rows]


def check_table(X: Any, name: str) -> Any:
    """Return `X` as an array or a data frame with rows and columns; entries are not looked at."""
    if issparse(X):
        raise ValueError(
            f"{name} must be a dense table, got a sparse matrix; convert it with {name}.toarray()."
        )
    table = X if is_frame(X) else _as_array(X, name)
    if table.ndim != 2:
        raise ValueError(
            f"{name} must be a 2-D table (rows are points, columns are features), got "
            f"{table.ndim}-D data; use {name}.reshape(-1, 1) for a single feature or "
            f"{name}.reshape(1, -1) for a single point."
        )
    for count, what in zip(table.shape, ("row", "column"), strict=True):
        if count == 0:
            raise ValueError(
                f"{name} must have at least one {what}, got shape {table.shape}; "
                f"check how {name} was selected."
            )
    return table


def check_numbers(X: Any, name: str) -> FloatArray:
    """Return `X` as a 2-D float64 array of finite numbers, without a copy where it is one."""
    table = check_table(X, name)
    values = _as_array(table, name)
    if values.dtype.kind not in "biufO":
        raise ValueError(_not_numeric(name, f"entries of type {values.dtype}"))
    try:
        numbers = values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(_not_numeric(name, _first_non_number(table, values))) from None
    if not is_finite(numbers):
        row, column = np.argwhere(~np.isfinite(numbers))[0]
        raise ValueError(
            f"{name} must hold finite numbers only, got {numbers[row, column]} in row {row}, "
            f"column {column}; remove or impute such entries, for example with "
            "sklearn.impute.SimpleImputer."
        )
    return numbers


def check_same_columns(X: Any, Y: Any) -> None:
    """Refuse two tables whose columns do not match in number or, for data frames, in name."""
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"X and Y must have the same number of columns, got {X.shape[1]} and {Y.shape[1]}; "
            "pass both with the same features."
        )
    if is_frame(X) and is_frame(Y) and list(X.columns) != list(Y.columns):
        raise ValueError(
            f"X and Y must have the same columns in the same order, got {list(X.columns)} and "
            f"{list(Y.columns)}; reorder them with Y[X.columns]."
        )


def is_finite(values: FloatArray) -> bool:
    """Whether no entry is NaN or infinite, found without a temporary of the size of `values`."""
    return bool(np.isfinite(values.min()) and np.isfinite(values.max()))


def _as_array(X: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} must be a 2-D table, got rows of different lengths; give every row the same "
            "number of columns."
        ) from None


def _first_non_number(table: Any, values: NDArray[Any]) -> str:
    for j in range(values.shape[1]):
        for entry in values[:, j]:
            try:
                float(entry)
            except (TypeError, ValueError):
                column = table.columns[j] if is_frame(table) else j
                return f"{entry!r} in column {column!r}"
    return f"entries of type {values.dtype}"


def _not_numeric(name: str, found: str) -> str:
    return (
        f"{name} must hold real numbers, got {found}; encode such columns, or choose the numeric "
        "ones with kernlearn.kernels.Columns."
    )
