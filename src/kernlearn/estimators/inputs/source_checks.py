"""The checks of several sources: the same ones, with the same columns, as in fit."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.sources import KernelRows, Sources
from kernlearn.kernels._validation import is_frame, is_missing
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Rows

# Cells of larger sources are not looked at for copies of rows.
_MOST_CELLS = 2_000_000


def are_sources(X: object) -> bool:
    """Whether X is a dictionary of sources, or an object of :class:`Sources`."""
    return isinstance(X, Sources) or (isinstance(X, Mapping) and not issparse(X))


def as_sources(X: Rows) -> Sources:
    """A dictionary of sources as one object."""
    return X if isinstance(X, Sources) else Sources(X)


def with_name(X: Rows) -> Rows:
    """Rows of one text or one graph each as a source with a name, other rows as they are.

    >>> with_name(["fits well", None, "too small"])
    {'text': ['fits well', None, 'too small']}
    """
    is_list = isinstance(X, list | tuple)
    if not is_list and len(getattr(X, "shape", ())) != 1:
        return X
    cells: Rows = X if is_list else np.asarray(X, dtype=object)
    there = [cell for cell in cells if not is_missing(cell)]
    for name, is_one in (("text", _is_text), ("graph", _is_graph)):
        if there and all(map(is_one, there)):
            return {name: X}
    return X


def _is_text(cell: object) -> bool:
    return isinstance(cell, str)


def _is_graph(cell: object) -> bool:
    """Whether a cell can be nothing but a graph; an empty list of edges is none."""
    if isinstance(cell, list | tuple):
        return bool(cell) and all(isinstance(edge, tuple) and len(edge) == 2 for edge in cell)
    is_mapping = isinstance(cell, Mapping) and "edges" in cell
    return is_mapping or (hasattr(cell, "nodes") and hasattr(cell, "edges"))


def checked_sources(estimator: BaseEstimator, X: Rows, reset: bool) -> Sources:
    """The sources of a fit, or those of other rows in the order of the fit."""
    if reset:
        sources = _with_matrices(as_sources(X), estimator.columns)
        estimator._note_device(None)
        estimator.source_names_ = sources.names
        estimator._source_columns = {name: _column_names(sources[name]) for name in sources}
        estimator.n_features_in_ = sources.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        return sources
    names = estimator.source_names_ if hasattr(estimator, "source_names_") else None
    if not are_sources(X):
        raise ValueError(
            f"expected the sources {', '.join(names or ())}, as in fit, got "
            f"{type(X).__name__}; pass a dictionary of them, or kernlearn.Sources"
        )
    if names is None:
        raise ValueError(
            f"{type(estimator).__name__} expected one table, as in fit, got several sources; fit "
            "it to the same sources"
        )
    parts = as_sources(X)
    if set(parts.names) != set(names):
        raise ValueError(
            f"expected the sources {', '.join(names)}, as in fit, got {', '.join(parts.names)}; "
            "pass one for each, with missing cells where rows lack it"
        )
    for name in names:
        _check_columns(name, estimator._source_columns[name], _column_names(parts[name]))
    return parts


def _with_matrices(sources: Sources, columns: object) -> Sources:
    """The sources, with kernel matrices marked: by `columns`, or by their form."""
    kinds = columns if isinstance(columns, Mapping) else {}
    found = {name: sources[name] for name in sources}
    matrices = [
        name
        for name, part in found.items()
        if isinstance(part, np.ndarray)
        and part.ndim == 2
        and (kinds.get(name) == "kernel" or (name not in kinds and _is_kernel_matrix(part)))
    ]
    return Sources(found, matrices) if matrices else sources


def _is_kernel_matrix(table: Array) -> bool:
    """Whether a table can be nothing but the kernel of its rows with themselves."""
    n_rows, n_columns = table.shape
    if n_rows != n_columns or n_rows < 3 or table.dtype.kind not in "biuf":
        return False
    return bool((np.diag(table) >= 0).all() and np.allclose(table, table.T, rtol=1e-9, atol=0.0))


def row_codes(sources: Sources) -> Array:
    """For every source a column of numbers that equal rows share, by what the rows hold."""
    n_rows, n_columns = sources.shape
    if n_rows * n_columns > _MOST_CELLS:
        return np.arange(float(n_rows))[:, None]
    return np.column_stack([_codes(sources[name]) for name in sources]).astype(float)


def _codes(part: Rows) -> Indices:
    if isinstance(part, KernelRows):
        return part.rows
    if is_frame(part):
        columns = [_sorted_codes(map(repr, part.iloc[:, j])) for j in range(part.shape[1])]
        part = np.column_stack(columns)
    if issparse(part):
        rows = (part[[i]] for i in range(part.shape[0]))
        return _sorted_codes((row.indices.tobytes(), row.data.tobytes()) for row in rows)
    if part.ndim == 2 and part.dtype.kind in "biuf":
        numbers = np.nan_to_num(np.asarray(part, dtype=float), nan=np.inf)
        return np.unique(numbers, axis=0, return_inverse=True)[1].reshape(-1)
    return _sorted_codes(map(pickle.dumps, part))


def _sorted_codes(values: Iterable[Any]) -> Indices:
    listed = list(values)
    places = {value: place for place, value in enumerate(sorted(set(listed)))}
    return np.array([places[value] for value in listed])


def _column_names(part: Rows) -> list[str] | int:
    """The names of the columns, or how many there are; -1 where they follow the rows."""
    if is_frame(part):
        return [str(column) for column in part.columns]
    is_square = isinstance(part, KernelRows) or part.shape[-1] == part.shape[0]
    return -1 if is_square or part.ndim == 1 else int(part.shape[1])


def _check_columns(source: str, expected: list[str] | int, found: list[str] | int) -> None:
    """Refuse a source with other columns than in fit."""
    if -1 in (expected, found) or expected == found:
        return
    if isinstance(expected, list) and isinstance(found, list):
        before = ", ".join(map(repr, expected[:5]))
        got = ", ".join(map(repr, found[:5]))
    else:
        before, got = (
            counted(one if isinstance(one, int) else len(one), "column")
            for one in (expected, found)
        )
        if before == got:
            before, got = "a data frame" if isinstance(expected, list) else "an array", "another"
    raise ValueError(
        f"expected source {source!r} with {before}, as in fit, got {got}; pass the same columns in "
        "the same order"
    )
