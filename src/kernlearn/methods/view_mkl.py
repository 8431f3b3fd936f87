"""Multiple kernel learning where every view has a bank of kernels of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, TransformerMixin

from kernlearn.estimators import MKLClassifier, MKLRegressor, MKLSurvival
from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.estimators.mkl.parameters import Labelled
from kernlearn.estimators.mkl.survival import with_pseudo_times
from kernlearn.estimators.mkl.thing_kernels import (
    kernels_of_graphs,
    kernels_of_sequences,
    kernels_of_text,
)
from kernlearn.kernels import (
    Columns,
    Features,
    Kernel,
    Linear,
    Normalized,
    WhereKnown,
)
from kernlearn.tables.typed import THINGS
from kernlearn.typing import Array, Indices, PandasFrame

MARK = "__"


def view_of(column: str) -> str:
    """The view of a prepared column: the first part of its name.

    >>> view_of("blood__numbers__iron")
    'blood'
    """
    return column.partition(MARK)[0]


def _kind_of(column: str) -> str:
    """The kind of a prepared column: the second part of its name."""
    return column.split(MARK)[1] if MARK in column else ""


def _numbers(X: PandasFrame, places: Indices) -> Array:
    chosen = X.iloc[:, places] if hasattr(X, "iloc") else X[:, places]
    return np.asarray(chosen, dtype=float)


class StackedRows(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Stack a list of sparse matrices of one row each to one matrix of all rows.

    Columns beyond those of the training rows are left out, and missing ones are zero, so that the
    rows of another file may have more columns or fewer.
    """

    def fit(self, X: PandasFrame, y: object = None) -> StackedRows:
        """Learn the number of columns."""
        self.n_columns_ = max(row.shape[1] for row in X)
        return self

    def transform(self, X: PandasFrame) -> csr_array:
        """Stack the rows."""
        return csr_array(vstack([self._fitting(row) for row in X], format="csr"))

    def _fitting(self, row: csr_array) -> csr_array:
        if row.shape[1] >= self.n_columns_:
            return csr_array(row[:, : self.n_columns_])
        return csr_array((row.data, row.indices, row.indptr), shape=(1, self.n_columns_))

    def __sklearn_tags__(self) -> Any:
        """Tags of an estimator that reads one thing a row."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


KERNELS_ON_THINGS: dict[str, Callable[[], list[Kernel]]] = {
    "sequence": kernels_of_sequences,
    "sparse row": lambda: [Features(StackedRows(), Linear())],
    "graph": kernels_of_graphs,
    "words": kernels_of_text,
}


class _ViewBanks:
    """Mixed into an estimator of combinations: its kernels are a default bank for every view.

    Things, such as sequences and graphs, have kernels of their own, zero where a row lacks them.

    Columns are distinguished by their names, ``view__column``, so the data must be data frames.
    """

    _seed: int
    view_names_: list[str]

    def _n_views(self) -> int:
        return len(self.view_names_)

    def _checked(self, X: PandasFrame, reset: bool) -> PandasFrame:
        """Rows as numbers alone, since a data frame takes seconds if views are hundreds."""
        rows = super()._checked(X, reset)  # type: ignore[misc]
        return rows if self._judged_by_kernels(X) else np.asarray(rows, dtype=float)

    def _judged_by_kernels(self, X: PandasFrame) -> bool:
        return any(_kind_of(str(name)) in THINGS for name in getattr(X, "columns", ()))

    def _prepared_kernels(self, X: PandasFrame, labelled: Labelled) -> list[Kernel]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                f"{type(self).__name__} expected a data frame with columns named view__column, "
                "got an array; pass a data frame"
            )
        views = np.array([view_of(str(name)) for name in names])
        kinds = np.array([_kind_of(str(name)) for name in names])
        self.view_names_ = list(dict.fromkeys(views.tolist()))
        kernels: list[Kernel] = []
        self.kernel_views_: list[str] = []
        self.bank_notes_: list[str] = []
        for view in self.view_names_:
            of_view: list[Kernel] = []
            places = np.flatnonzero((views == view) & ~np.isin(kinds, THINGS))
            if len(places):
                table = _numbers(labelled.X, places)
                given = labelled.targets, labelled.weight, self._seed
                bank, notes = choose_bank(table, *given, groups=labelled.groups)
                self.bank_notes_ += [f"{view}: {note}" for note in notes]
                of_view += [Columns(places.tolist(), kernel, view) for kernel in bank]
            for place in np.flatnonzero((views == view) & np.isin(kinds, THINGS)):
                bank = [Normalized(WhereKnown(k)) for k in KERNELS_ON_THINGS[kinds[place]]()]
                of_view += [Columns([int(place)], kernel, view) for kernel in bank]
            kernels += of_view
            self.kernel_views_ += [view] * len(of_view)
        return kernels


class ViewMKLClassifier(_ViewBanks, MKLClassifier):
    """:class:`kernlearn.MKLClassifier` with a default bank of kernels for every view."""


class ViewMKLRegressor(_ViewBanks, MKLRegressor):
    """:class:`kernlearn.MKLRegressor` with a default bank of kernels for every view."""


class ViewMKLSurvival(_ViewBanks, MKLSurvival):
    """:class:`kernlearn.MKLSurvival` with a default bank of kernels for every view."""

    def _prepared_kernels(self, X: PandasFrame, labelled: Labelled) -> list[Kernel]:
        return super()._prepared_kernels(X, with_pseudo_times(labelled))
