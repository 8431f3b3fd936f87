"""Recognition of Dask collections without importing Dask."""

from __future__ import annotations

import numpy as np

from kernlearn._cluster.scheduling import computed
from kernlearn.typing import DaskObject, Rows

_CURE = "call its compute() first if it fits into memory"


def is_lazy(X: Rows) -> bool:
    """Whether `X` is a collection of Dask: an array, a data frame, or another of its kinds."""
    return type(X).__module__.partition(".")[0] == "dask"


def is_lazy_frame(X: Rows) -> bool:
    """Whether a collection of Dask is a data frame."""
    return hasattr(X, "columns") and hasattr(X, "map_partitions")


def on_this_machine(values: Rows) -> DaskObject:
    """Values of a collection of Dask, one for each row, as an array of NumPy; all else as it is."""
    if not is_lazy(values):
        return values
    found = computed([values])[0]
    return found.to_numpy() if hasattr(found, "to_numpy") else np.asarray(found)


def check_collection(X: Rows) -> DaskObject:
    """A Dask array of numbers with two axes and all columns in one chunk, or a data frame."""
    if is_lazy_frame(X):
        if getattr(X, "ndim", 0) == 2 and len(X.columns):
            return X
        raise ValueError("X must have at least one column, got none; check how it was made.")
    if not hasattr(X, "chunks"):
        raise TypeError(
            f"X must be a Dask array or a Dask data frame, got a Dask {type(X).__name__}; "
            "convert it with its to_dataframe() or dask.array.from_delayed."
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(
            "X must be a 2-D table (rows are points, columns are features), got a Dask array "
            f"of shape {X.shape}; use X.reshape(-1, 1) for a single feature."
        )
    if np.isnan(X.shape[1]):
        raise ValueError(
            "X must have a known number of columns, got a Dask array that does not know it; "
            "call X.compute_chunk_sizes() first."
        )
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"X must hold real numbers, got a Dask array of type {X.dtype}; convert it, for "
            "example with X.astype(float)."
        )
    return X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})


def refuse_collection(X: Rows, name: str) -> None:
    """Refuse a collection where rows have to be in the memory of this machine."""
    if is_lazy(X):
        raise TypeError(
            f"{name} must be in the memory of this machine here, got a Dask {type(X).__name__}; "
            f"{_CURE}, or use an estimator that learns through landmarks, such as MKLClassifier."
        )
