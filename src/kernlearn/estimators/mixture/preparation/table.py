"""From the user's table to the numbers that kernels take."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, TransformerMixin

from kernlearn._cluster import Chunked
from kernlearn.estimators.inputs.cells import (
    frame_numbers,
    is_category,
    kinds,
    numbers,
    texts,
    texts_of_numbers,
)
from kernlearn.estimators.inputs.sources import Sources
from kernlearn.estimators.mixture.preparation.column_kinds import described
from kernlearn.estimators.mixture.preparation.columns import (
    CategoryColumn,
    NumberColumn,
    indicator_levels,
    number_parts,
)
from kernlearn.estimators.mixture.preparation.level_means import LevelMeans
from kernlearn.kernels._validation import is_frame, take_rows
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Mask, Rows

STANDARD, RANKED, ENCODED = "standard", "ranked", "encoded"

NumericRows: TypeAlias = Array | csr_array
"""Prepared rows in memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Preparation:
    """The preparation of each column of a dense table as numbers.

    Numbers are shifted and scaled to mean zero and variance one; in the table "ranked" they are
    normal scores of their ranks instead, which no outlier and no logarithm can change. Missing
    cells are filled by the median. Categories are columns of zeros and ones, or the mean targets
    of their levels in the table "encoded". Columns that are constant are left out.
    """

    names: list[str]  # the columns of the user's table
    columns: list[NumberColumn | CategoryColumn]  # one for each
    # One for each category, if there is a table "encoded".
    level_means: list[LevelMeans] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)  # kinds of the columns, in words

    @classmethod
    def fit(
        cls, X: Rows, names: Sequence[str], scale: bool, are_categories: Mask | None = None
    ) -> Preparation:
        """From training rows: an array of numbers with NaN, or a data frame.

        Columns of text are categories if `are_categories` is None.
        """
        if are_categories is None:
            found = [is_frame(X) and is_category(X.iloc[:, j]) for j in range(len(names))]
            are_categories = np.array(found, dtype=bool)
        categories = {j: _texts(X, j) for j in np.flatnonzero(are_categories).tolist()}
        levels = dict(zip(categories, indicator_levels(list(categories.values())), strict=True))
        columns = [
            CategoryColumn.fit(categories[j], levels[j], scale)
            if j in categories
            else NumberColumn.fit(_numbers(X, j, name), scale, _only(_kinds(X, j)))
            for j, name in enumerate(names)
        ]
        return cls(list(names), columns)

    def __repr__(self) -> str:
        return f"Preparation of {counted(len(self.names), 'column')}:\n{described(self.kinds)}"

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables to try: ranks only if they are no linear function of the numbers."""
        bent = any(column.is_bent for column in self.columns)
        return (STANDARD, RANKED) if bent else (STANDARD,)

    @property
    def origins(self) -> Indices:
        """For every prepared column, the number of the user's column that it comes from."""
        return _origins([column.width for column in self.columns])

    @property
    def ranges(self) -> Array:
        """Least and largest cells of the standardised columns, of shape (2, p).

        Ranges of categories, and of indicators of missing cells, are infinite.
        """
        found = [column.range for column in self.columns if column.width]
        return np.hstack(found) if found else np.array([[-np.inf], [np.inf]])

    def origins_of(self, table: str) -> Indices:
        """The origins of a prepared table's columns, whose categories may be mean targets."""
        if table != ENCODED:
            return self.origins
        means = iter(self.level_means)
        widths = [
            column.width if isinstance(column, NumberColumn) else next(means).means.shape[1]
            for column in self.columns
        ]
        return _origins(widths)

    def standard_columns(self, table: str) -> Indices:
        """Places of a prepared table's columns among the standardised ones; −1 for a mean."""
        if table != ENCODED:
            return np.arange(len(self.origins))
        origins = self.origins_of(table)
        is_number = np.array([isinstance(one, NumberColumn) for one in self.columns], dtype=bool)
        found = np.full(len(origins), -1)
        found[is_number[origins]] = np.flatnonzero(is_number[self.origins])
        return found

    def encoded(
        self, X: Rows, Y: Array, weight: Array, folds: Sequence[Indices]
    ) -> tuple[Preparation, Array]:
        """The preparation with mean targets of levels, and the table "encoded", out of fold."""
        places = [j for j, one in enumerate(self.columns) if isinstance(one, CategoryColumn)]
        found = [LevelMeans.fit(_texts(X, j), Y, weight, folds) for j in places]
        more = replace(self, level_means=[means for means, _ in found])
        parts = dict(zip(places, [rows for _, rows in found], strict=True))
        rest = [j for j in range(len(self.columns)) if j not in places]
        parts.update(zip(rest, self.numbers(X), strict=True))
        return more, np.hstack([parts[j] for j in range(len(self.columns))])

    def numbers(self, X: Rows) -> list[Array]:
        """Each column of numbers, scaled."""
        places = [j for j, one in enumerate(self.columns) if isinstance(one, NumberColumn)]
        columns = [one for one in self.columns if isinstance(one, NumberColumn)]
        return number_parts(columns, self._number_cells(X, places), False)

    def apply(self, X: Rows, table: str) -> Array:
        """One prepared table, with a column of zeros if nothing would be left."""
        return self.apply_all(X, (table,))[table]

    def apply_all(self, X: Rows, tables: Collection[str]) -> dict[str, Array]:
        """Several prepared tables; the cells are read once."""
        X = X.toarray() if issparse(X) else X
        places = [j for j, one in enumerate(self.columns) if isinstance(one, NumberColumn)]
        numeric = [one for one in self.columns if isinstance(one, NumberColumn)]
        cells = self._number_cells(X, places)
        prepared = {}
        one_hot: list[Array] | None = None
        for table in tables:
            if table == ENCODED:
                parts = self._encoded_parts(X)
            else:
                one_hot = one_hot or [self._category(X, j) for j in range(len(self.columns))]
                parts = list(one_hot)
            found = number_parts(numeric, cells, table == RANKED)
            for place, part in zip(places, found, strict=True):
                parts[place] = part
            joined = np.hstack(parts)
            prepared[table] = joined if joined.shape[1] else np.zeros((len(joined), 1))
        return prepared

    def _encoded_parts(self, X: Rows) -> list[Array]:
        """The mean targets of categories; nothing for columns of numbers."""
        means = iter(self.level_means)
        return [
            np.zeros((len(X), 0))
            if isinstance(column, NumberColumn)
            else next(means)(self._category_cells(X, j, column))
            for j, column in enumerate(self.columns)
        ]

    def _category(self, X: Rows, j: int) -> Array:
        """The columns of a category; none for a column of numbers."""
        column = self.columns[j]
        if isinstance(column, NumberColumn):
            return np.zeros((len(X), 0))
        return column.standard(self._category_cells(X, j, column))

    def _category_cells(self, X: Rows, j: int, column: CategoryColumn) -> NDArray[np.str_]:
        if not is_frame(X) and not column.has_numbers:
            raise ValueError(
                f"expected a data frame with categories in column {self.names[j]!r}, as in "
                "fit, got an array of numbers; pass a data frame with the same columns"
            )
        return _texts(X, j)

    def _number_cells(self, X: Rows, places: list[int]) -> Array:
        """The cells of columns of numbers, of the same kind as in fit."""
        if is_frame(X):
            dtypes = X.dtypes.tolist()
            cells = frame_numbers(X, dtypes, places, self.names)
        else:
            dtypes = [np.dtype(float)] * X.shape[1]
            cells = np.asarray(X if len(places) == X.shape[1] else X[:, places], dtype=float)
        for j in places:
            kind = getattr(self.columns[j], "kind", None)
            if kind is not None and not (kind == "numbers" and dtypes[j].kind in "biuf"):
                _check_kind(kind, _kinds(X, j), self.names[j])
        return cells


class AnyPreparation(Protocol):
    """Preparation of rows: of one table, of a sparse matrix, of several sources."""

    @property
    def names(self) -> list[str]:
        """The names of the user's columns or sources."""

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds of the columns or sources, in words."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the prepared tables to try."""

    @property
    def origins(self) -> Indices:
        """For every standardised column, the number of the name that it comes from."""

    def origins_of(self, table: str) -> Indices:
        """For every column of a prepared table, the number of the name that it comes from."""

    def apply(self, X: Rows, table: str) -> NumericRows:
        """One prepared table."""

    def apply_all(self, X: Rows, tables: Collection[str]) -> dict[str, NumericRows]:
        """Several prepared tables."""


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """A prepared table whose rows are prepared when they are taken."""

    preparation: AnyPreparation  # how columns become numbers
    rows: Rows  # the user's rows, checked
    table: str  # name of the prepared table
    n_columns: int  # number of prepared columns

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and prepared columns."""
        return self.rows.shape[0], self.n_columns

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.shape[0] * self.n_columns

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, chosen: Any) -> NumericRows:
        return self.preparation.apply(take_rows(self.rows, chosen), self.table)

    def __array__(self, *args: Any, **options: Any) -> Array:
        return np.asarray(self[:], *args)


RowSource: TypeAlias = NumericRows | PreparedRows | Chunked
"""Prepared rows in memory, or read in blocks."""


def prepared_source(preparation: AnyPreparation, rows: Rows, table: str) -> RowSource:
    """One prepared table of rows that are read in blocks, on this machine or on a cluster."""
    n_columns = len(preparation.origins_of(table))
    if isinstance(rows, Chunked):
        return rows.mapped(partial(preparation.apply, table=table), n_columns)
    return PreparedRows(preparation, rows, table, n_columns)


def _origins(widths: Sequence[int]) -> Indices:
    """The column that each prepared column comes from; the first, for a lone column of zeros.

    >>> _origins([2, 0, 1]), _origins([0, 0])
    (array([0, 0, 2]), array([0]))
    """
    found: Indices = np.repeat(np.arange(len(widths)), widths)
    return found if len(found) else np.zeros(1, dtype=np.intp)


def _texts(X: Rows, j: int) -> NDArray[np.str_]:
    return texts(X.iloc[:, j]) if is_frame(X) else texts_of_numbers(X[:, j])


def _numbers(X: Rows, j: int, name: str) -> Array:
    return numbers(X.iloc[:, j], name) if is_frame(X) else np.asarray(X[:, j], dtype=float)


def _kinds(X: Rows, j: int) -> set[str]:
    if is_frame(X):
        return kinds(X.iloc[:, j])
    return set() if np.isnan(X[:, j]).all() else {"numbers"}


def _only(found: set[str]) -> str | None:
    return next(iter(found)) if len(found) == 1 else None


def _check_kind(expected: str | None, found: set[str], name: str) -> None:
    """Refuse dates in a column of numbers, and the reverse: their numbers differ in meaning."""
    others = sorted(found - {expected})
    if expected is not None and others:
        raise ValueError(
            f"expected {expected} in column {name!r}, as in fit, got {' and '.join(others)}; "
            f"convert the column to {expected}, as it was then"
        )


class PreparedTable(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """A fitted transformer from rows as the user has them to one prepared table.

    Parameters
    ----------
    preparation : Preparation or SparsePreparation
        The preparation of the columns as numbers.
    table : str
        Name of the table.
    """

    def __init__(self, preparation: AnyPreparation, table: str) -> None:
        self.preparation = preparation
        self.table = table

    def fit(self, X: Rows, y: Rows = None) -> PreparedTable:
        """Return the transformer, which is fitted already."""
        return self

    def transform(self, X: Rows) -> NumericRows:
        """The numbers that a kernel takes."""
        is_array = not (is_frame(X) or issparse(X) or isinstance(X, Sources))
        rows = np.asarray(X, dtype=float) if is_array else X
        return self.preparation.apply(rows, self.table)

    def __sklearn_is_fitted__(self) -> bool:
        return True
