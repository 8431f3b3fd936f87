"""Data frames of any maker, and arrays of any library."""

from __future__ import annotations

from typing import Any

from kernlearn._cluster import refuse_collection
from kernlearn._device import to_host

__all__ = ["known_frame"]


def known_frame(X: Any) -> Any:
    """A data frame of Polars, Arrow or another maker as one of pandas; anything else as it is.

    Arrays of PyTorch and CuPy come to the host: who works on them elsewhere does so before.

    Kernels choose columns by name and read text from cells in the ways of pandas. Without pandas,
    or what a maker needs to convert, the frame stays what it is: scikit-learn knows its names, and
    numpy its numbers. Collections of Dask are refused: who knows what to do with them does it
    before, and nobody gathers them by accident.
    """
    refuse_collection(X, "X")
    X = to_host(X)
    if hasattr(X, "iloc") or not hasattr(X, "to_pandas") or len(getattr(X, "shape", ())) != 2:
        return X
    try:
        return X.to_pandas()
    except ImportError:
        return X
