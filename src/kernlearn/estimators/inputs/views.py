"""Several tables on the same rows, the views of a source each, as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.inputs.row_kinds import takes_things
from kernlearn.estimators.inputs.sources import KernelRows, Sources
from kernlearn.kernels import Columns, Kernel, Precomputed
from kernlearn.kernels._validation import as_pandas_frame, check_numbers, check_table, is_frame
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted
from kernlearn.typing import PandasIndex, Rows


def are_views(X: Rows, kernels: object) -> bool:
    """Whether X is an object of sources, a dictionary or a list of tables.

    A list of tables may also be rows of things, each a set or a series, if a kernel takes things.
    """
    if isinstance(X, Sources):
        return True
    if isinstance(X, Mapping):
        return not issparse(X)  # one of the sparse formats is a dictionary
    if not isinstance(X, list | tuple) or not X or takes_things(kernels):
        return False
    return all(len(getattr(view, "shape", ())) == 2 for view in X)


def converted_views(X: Rows) -> dict[Any, Any] | list[Any]:
    """The views, frames of other makers as those of pandas, and kernel matrices as row numbers."""
    if isinstance(X, Sources):
        return {name: _two_axes(X[name]) for name in X}
    if isinstance(X, Mapping):
        views = {name: as_pandas_frame(view) for name, view in X.items()}
        return {n: _two_axes(v) if isinstance(v, KernelRows) else v for n, v in views.items()}
    return [as_pandas_frame(view) for view in X]


def matrices_of(X: Rows) -> dict[str, Precomputed]:
    """The kernels of those sources that are kernel matrices."""
    if not isinstance(X, Sources | Mapping):
        return {}
    parts = {str(name): X[name] for name in X}
    return {
        name: Precomputed(part.K, name)
        for name, part in parts.items()
        if isinstance(part, KernelRows)
    }


def check_same_matrices(
    matrices: Mapping[str, Precomputed], fitted: Mapping[str, Precomputed]
) -> None:
    """Refuse row numbers of other matrices than those of the fit."""
    for name, kernel in matrices.items():
        if name not in fitted or not np.array_equal(kernel.K, fitted[name].K):
            raise ValueError(
                f"expected rows of the kernel matrix {name!r} that was given in fit, got those of "
                "another; make one Sources of all rows, and take the training and the test rows "
                "of it"
            )


def _two_axes(part: Rows) -> Rows:
    """A source as a table: a kernel matrix as a column of row numbers, things as a column."""
    if isinstance(part, KernelRows):
        return part.rows[:, None].astype(float)
    return part[:, None] if isinstance(part, np.ndarray) and part.ndim == 1 else part


def frame_column_names(X: Rows) -> dict[str, list[str]]:
    """The names of the columns of those views that are data frames."""
    return {
        str(name): [str(column) for column in view.columns]
        for name, view in _named(X).items()
        if is_frame(view)
    }


def hstack_views(X: Rows, kernels: object, gaps: bool = False) -> tuple[Any, dict[str, slice]]:
    """The views in one table, and the columns of each view there.

    The views, a mapping or a sequence of tables, have one set of rows in one order. Views of a
    sequence are named "view 1", "view 2", ... Data frames whose indices have labels in common must
    have them in the same rows. With `gaps` cells may be missing. If all views are data frames, the
    table is one, with columns named ``view: column``.
    """
    named = _named(X)
    if not named:
        raise ValueError("expected one view at least, got an empty dictionary; add a table")
    keys = [f"X[{key!r}]" for key in (named if isinstance(X, Mapping) else range(len(named)))]
    as_they_are = gaps or takes_things(kernels)
    views = [_table(view, key, as_they_are) for view, key in zip(named.values(), keys, strict=True)]
    _check_rows(views, keys)
    _check_row_labels(views, keys)
    ends = np.cumsum([0, *(view.shape[1] for view in views)]).tolist()
    names = [str(name) for name in named]
    places = {name: slice(*ends) for name, ends in zip(names, pairwise(ends), strict=True)}
    if all(is_frame(view) for view in views):
        return _joined_frames(views, names), places
    return np.hstack([np.asarray(view) for view in views]), places


def _named(X: Rows) -> dict[Any, Any]:
    return dict(X) if isinstance(X, Mapping) else dict(zip(_numbered(len(X)), X, strict=True))


def _numbered(n_views: int) -> list[str]:
    return [f"view {i + 1}" for i in range(n_views)]


def _table(view: Rows, key: str, as_they_are: bool) -> Rows:
    table = check_table(as_pandas_frame(view), key)
    if as_they_are:
        return table
    numbers = check_numbers(table, key)
    return table if is_frame(table) else numbers


def _check_rows(views: Sequence[Rows], keys: Sequence[str]) -> None:
    for view, key in zip(views, keys, strict=True):
        if view.shape[0] != views[0].shape[0]:
            raise ValueError(
                f"expected as many rows in every view, got {views[0].shape[0]} in {keys[0]} and "
                f"{view.shape[0]} in {key}; pass the same rows, in the same order, for all"
            )


def _check_row_labels(views: Sequence[Rows], keys: Sequence[str]) -> None:
    """Refuse data frames whose row labels contradict each other."""
    frames = [(view.index, key) for view, key in zip(views, keys, strict=True) if is_frame(view)]
    for (one, first), (other, second) in combinations(frames, 2):
        if _contradict(one, other):
            labels = zip(one.tolist(), other.tolist(), strict=True)
            row, (a, b) = next((i, both) for i, both in enumerate(labels) if both[0] != both[1])
            raise ValueError(
                f"expected the same rows in every view, in the same order, got {a!r} in {first} "
                f"and {b!r} in {second} as the labels of row {row}; take {second}.loc["
                f"{first}.index], or reset_index(drop=True) where the rows do belong together"
            )


def _contradict(one: Rows, other: Rows) -> bool:
    """Whether two indices have labels in common, and these in other rows.

    Labels of two kinds, such as numbers of patients and of samples, are not compared. Nor
    does an index that only counts the rows, as every table without labels has it, unless the other
    one is the same count in another order.
    """
    if one.equals(other):
        return False
    shared = set(one.tolist()) & set(other.tolist())
    counts_rows = _counts_rows(one) or _counts_rows(other)
    return len(shared) == len(one) if counts_rows else bool(shared)


def _counts_rows(index: PandasIndex) -> bool:
    return bool(index.equals(load_pandas("joining data frames").RangeIndex(len(index))))


def _joined_frames(views: Sequence[Rows], names: Sequence[str]) -> Rows:
    named = [
        view.set_axis([f"{name}: {column}" for column in view.columns], axis=1).reset_index(
            drop=True
        )
        for view, name in zip(views, names, strict=True)
    ]
    return load_pandas("joining data frames").concat(named, axis=1)


def reordered_views(X: Rows, places: Mapping[str, slice], columns: Mapping[str, list[str]]) -> Rows:
    """The views of further rows in the order of those that were fitted to.

    `places` are the columns of each view that was fitted to, `columns` their names, of those that
    were data frames. Other views, columns or names are refused.

    Raises
    ------
    ValueError
        If the views, their columns or the names of these differ from those of the fit.
    """
    names = list(places)
    if not isinstance(X, Mapping) and names != _numbered(len(names)):
        raise ValueError(
            f"expected the views {', '.join(names)} by their names, as in fit, got "
            f"{counted(len(X), 'table')} without names; pass a dictionary of them"
        )
    views = {str(name): view for name, view in _named(X).items()}
    if set(views) != set(names):
        raise ValueError(
            f"expected the views {', '.join(names)}, as in fit, got {', '.join(views)}; pass one "
            "table for each"
        )
    for name, place in places.items():
        shape = getattr(views[name], "shape", None) or np.shape(views[name])
        if len(shape) == 2 and shape[1] != place.stop - place.start:
            raise ValueError(
                f"expected view {name!r} with {counted(place.stop - place.start, 'column')}, as in "
                f"fit, got {shape[1]}; pass the same columns"
            )
    for name, found in frame_column_names(views).items():
        _check_names(name, columns.get(name, found), found)
    return {name: views[name] for name in names}


def _check_names(view: str, expected: list[str], found: list[str]) -> None:
    for column, (fitted, name) in enumerate(zip(expected, found, strict=True)):
        if fitted != name:
            raise ValueError(
                f"expected the columns of view {view!r} as in fit, {fitted!r} as number "
                f"{column + 1}, got {name!r}; pass the same columns in the same order"
            )


def checked_kernels(kernels: object) -> list[Kernel]:
    """The list of kernels that a user passed, checked."""
    if isinstance(kernels, Kernel):
        return [kernels]
    if not isinstance(kernels, list | tuple):
        raise ValueError(
            f"expected kernels of kernlearn.kernels, got {kernels!r}; pass a list, for example "
            "[Linear(), Gaussian(gamma=0.1)]"
        )
    if not kernels:
        raise ValueError(
            "expected at least one kernel, got an empty list; pass kernels=None for a default bank"
        )
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise ValueError(
                f"expected kernels of kernlearn.kernels, got {kernel!r}; derive your own from "
                "kernlearn.kernels.Kernel"
            )
    return list(kernels)


def kernels_on_views(kernels: Sequence[Kernel], places: Mapping[str, slice]) -> list[Kernel]:
    """Every kernel on every view; ``Columns`` that name a view, on this view alone.

    Without views the kernels are returned unchanged.

    >>> from kernlearn.kernels import Gaussian, Linear
    >>> sources = {"genes": slice(0, 5), "lipids": slice(5, 7)}
    >>> [k.name for k in kernels_on_views([Linear(), Columns("genes", Gaussian())], sources)]
    ['genes', 'lipids', 'genes']
    """
    if not places:
        return list(kernels)
    placed: list[Kernel] = []
    for kernel in kernels:
        if not isinstance(kernel, Columns):
            placed += [Columns(place, kernel, name) for name, place in places.items()]
        elif isinstance(kernel.columns, str) and kernel.columns in places:
            placed.append(Columns(places[kernel.columns], kernel.kernel, kernel.columns))
        else:
            raise ValueError(
                f"expected Columns that name one of the views {', '.join(places)}, got "
                f"{kernel.columns!r}; name a view, or pass one table and no views"
            )
    return placed
