"""One order of the rows of a small table, whatever order they came in.

Folds and samples are drawn by position. Rows that are sorted first are drawn by what they hold, so
that the order of the rows changes a fit by no more than rounding. Rows are sorted column by column:
the unit of a column changes nothing. Equal rows are sorted by their targets, those of classes in an
order that does not depend on the labels' names.
"""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._validation import is_frame
from kernlearn.typing import Indices, PandasSeries, Rows, Targets

# Cells of larger tables are neither sorted nor copied: with many rows chance decides little.
_MOST_CELLS = 2_000_000


def row_order(X: Rows, y: Targets, kept: Indices, is_class: bool) -> Indices:
    """All rows: those that count in an order of their own, then the others.

    Rows of large tables, of sparse ones, of ones that lie elsewhere and rows that are no rows of
    cells stay in their order.

    `kept` are the rows that count, in increasing order; `is_class` marks labels in y.
    """
    all_rows = np.arange(len(y))
    columns = _columns(X, kept)
    if columns is None:
        return all_rows
    points = _dense_ranks(columns, len(kept))
    order = np.lexsort((_target_ranks(y[kept], points, is_class), points))
    return np.concatenate([kept[order], np.setdiff1d(all_rows, kept)])


def label_free_codes(labels: Targets, places: Indices | None = None) -> Indices:
    """The number of every row's class, classes being sorted by size, then by their places.

    Equally large classes are sorted by the smallest of their `places`, by default row numbers.
    """
    places = np.arange(len(labels)) if places is None else places
    classes, codes = np.unique(labels, return_inverse=True)
    codes = codes.reshape(-1)
    held = [np.sort(places[codes == code]).tolist() for code in range(len(classes))]
    order = sorted(range(len(classes)), key=lambda code: (len(held[code]), held[code]))
    ranks = np.empty(len(classes), dtype=np.intp)
    ranks[order] = np.arange(len(classes))
    return np.asarray(ranks[codes])


def _columns(X: Rows, kept: Indices) -> list[Targets] | None:
    """The columns as arrays that can be sorted, of the rows that count."""
    is_array = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf"
    if not (is_array or is_frame(X)) or X.shape[0] * X.shape[1] > _MOST_CELLS:
        return None
    if is_array:
        return list(X[kept].T)
    return [_sortable(X.iloc[kept, j]) for j in range(X.shape[1])]


def _sortable(column: PandasSeries) -> Targets:
    """Numbers if all cells are numbers, else their text."""
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return np.array([str(cell) for cell in column])


def _dense_ranks(columns: list[Targets], n: int) -> Indices:
    """The place of every row among the different rows, sorted by the columns in turn."""
    ranks = np.zeros(n, dtype=np.intp)
    for column in columns:
        values = np.unique(column, return_inverse=True)[1].reshape(-1)
        ranks = np.unique(ranks * (values.max(initial=0) + 1) + values, return_inverse=True)[1]
        if ranks.max(initial=0) == n - 1:
            break
    return np.asarray(ranks.reshape(-1))


def _target_ranks(y: Targets, points: Indices, is_class: bool) -> Indices:
    """The ranks of the targets, by which equal rows are sorted."""
    if is_class:
        return label_free_codes(y, points)
    return _dense_ranks(list(y.reshape(len(y), -1).T), len(y))
