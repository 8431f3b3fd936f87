"""Checks of the data a kernel is called with: every public call passes through here once."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from kernlearn._cluster import refuse_collection
from kernlearn._device import to_host
from kernlearn.typing import Array, DataFrame, Indices, Rows, Table, Things


def as_pandas_frame(X: object) -> Any:
    """A data frame of Polars, Arrow or another maker as one of pandas; anything else as it is.

    Arrays of PyTorch and CuPy come to the host, and collections of Dask are refused: code that
    works on them elsewhere does so before. Without pandas, or what a maker needs to convert, the
    frame stays what it is: scikit-learn knows its names, and numpy its numbers.
    """
    refuse_collection(X, "X")
    X = to_host(X)
    if hasattr(X, "iloc") or not hasattr(X, "to_pandas") or len(getattr(X, "shape", ())) != 2:
        return X
    try:
        return X.to_pandas()
    except ImportError:
        return X


def is_frame(X: object) -> TypeGuard[DataFrame]:
    """Whether `X` is a data frame, whose columns have names."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def take_rows(table: Rows, rows: Indices | list[int] | slice) -> Rows:
    """Some rows of an array or a data frame."""
    return table.iloc[rows] if is_frame(table) else table[rows]


def check_table(X: Rows, name: str, sparse: bool = False) -> Rows:
    """Return `X` as an array or a data frame with rows and columns; entries are not looked at.

    A sparse matrix comes in compressed rows, where it is allowed.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.size:
        return X
    X = as_pandas_frame(X)
    if issparse(X) and not sparse:
        raise ValueError(
            f"{name} must be a dense table, got a sparse matrix; convert it with {name}.toarray()."
        )
    table = X.tocsr() if issparse(X) else X if is_frame(X) else _as_array(X, name)
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


def check_rows(X: object, name: str) -> Any:
    """Return `X` as a table or, where it is none, as an array of one thing in each row."""
    X = as_pandas_frame(X)
    if is_frame(X) or issparse(X):
        return check_table(X, name, sparse=True)
    if not _is_regular(X):
        return check_things(X, name)
    table = check_table(X, name)
    if isinstance(X, np.ndarray) or table.dtype.kind in "biuf":
        return table
    return np.array(X, dtype=object)  # numpy would write the numbers beside text as text


def check_things(X: Rows, name: str) -> Things:
    """Return the things in the rows of `X` as a 1-D array of objects, without a copy if it is one.

    The things of a data frame or an array with a single column are its cells; those of an array
    with more columns, its rows.
    """
    X = as_pandas_frame(X)
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype == object and len(X):
        return X
    if issparse(X) or (is_frame(X) and X.shape[1] != 1):
        raise ValueError(
            f"{name} must have one thing in each row, got a table of {X.shape[1]} columns; choose "
            "the column with kernlearn.kernels.Columns."
        )
    things = _cells(X)
    if things is None:
        raise ValueError(
            f"{name} must be a list with one thing in each row, got {type(X).__name__}; put a "
            "single thing into a list."
        )
    if not things:
        raise ValueError(
            f"{name} must have at least one row, got none; check how {name} was selected."
        )
    rows = np.empty(len(things), dtype=object)
    for i, thing in enumerate(things):  # assigned at once, things of one length would be unpacked
        rows[i] = thing
    return rows


def _cells(X: Rows) -> list[object] | None:
    if is_frame(X):
        return list(X.iloc[:, 0].tolist())
    if isinstance(X, np.ndarray) and X.ndim:
        return list(X[:, 0]) if X.ndim == 2 and X.shape[1] == 1 else list(X)
    if hasattr(X, "iloc"):
        return list(X.tolist())
    return list(X) if isinstance(X, (list, tuple)) else None


def _is_regular(X: object) -> bool:
    """Whether an array or a list is a table of plain entries."""
    if isinstance(X, np.ndarray):
        return X.ndim == 2
    if not isinstance(X, (list, tuple)) or not all(_is_row(row) for row in X):
        return False
    return len({len(row) for row in X}) == 1 and all(np.ndim(cell) == 0 for cell in X[0])


def _is_row(row: object) -> bool:
    return isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim == 1)


def check_numbers(X: object, name: str) -> Array:
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


def as_floats(values: Rows, name: str) -> Array:
    """Return an array of real numbers of any shape as float64, without a copy where it is one."""
    check_real(values, name)
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} must hold finite numbers only, got an array with masked entries; fill them, "
            "or remove the points that they belong to."
        )
    try:
        raw = np.asarray(values)
        if raw.dtype.kind in "biufO":
            return raw.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"{name} must be an array of real numbers in rows of one length, got "
        f"{type(values).__name__} that is not one; encode text, and pass a float64 array."
    )


def check_same_columns(X: Table, Y: Table) -> None:
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


def check_real(values: Rows, name: str) -> None:
    """Refuse complex numbers: turned into floats, they would lose their imaginary part."""
    try:
        is_complex = np.iscomplexobj(values)
    except ValueError:  # rows of different lengths, which others refuse
        return
    if is_complex:
        raise ValueError(
            f"{name} must hold real numbers, got complex ones; pass their real part if the "
            "imaginary part is zero, and otherwise the modulus or both parts as columns."
        )


def check_sparse(X: Rows, name: str) -> csr_array:
    """Return a sparse matrix in compressed rows of finite float64, entries in order, none twice."""
    rows: csr_array = X.tocsr()
    if rows.dtype.kind not in "biuf":
        raise ValueError(_not_numeric(name, f"entries of type {rows.dtype}"))
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    rows = rows.astype(np.float64, copy=False)
    if not np.isfinite(rows.data).all():
        raise ValueError(
            f"{name} must hold finite numbers only, got NaN or infinity in a sparse matrix; remove "
            "or replace such entries."
        )
    return rows


def is_missing(cell: object) -> bool:
    """Whether a cell or a thing is None, NaN, or missing as pandas has it."""
    is_nan = isinstance(cell, float | np.floating) and bool(cell != cell)
    return cell is None or is_nan or type(cell).__name__ in ("NAType", "NaTType")


def is_finite(values: Array) -> bool:
    """Whether no entry is NaN or infinite, found without a temporary of the size of `values`."""
    with np.errstate(over="ignore", invalid="ignore"):
        # Half of the time of looking for both ends; a sum of finite numbers may overflow.
        if math.isfinite(values.sum()):
            return True
    return math.isfinite(values.min()) and math.isfinite(values.max())


def _as_array(X: object, name: str) -> NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} must be a 2-D table, got rows of different lengths; give every row the same "
            "number of columns."
        ) from None


def _first_non_number(table: Table, values: NDArray[Any]) -> str:
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
