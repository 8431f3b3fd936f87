"""From the user's table to the numbers that kernels see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from kernlearn.estimators.inputs.cells import is_category, is_frame, kinds, numbers, texts
from kernlearn.estimators.mixture.columns import CategoryColumn, NumberColumn, own_levels
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array

STANDARD, RANKED = "standard", "ranked"


@dataclass(frozen=True, eq=False, repr=False)
class Preparation:
    """How each column becomes numbers.

    Numbers are shifted and scaled to mean zero and variance one; in the table "ranked" they are
    normal scores of their ranks instead, which no outlier and no logarithm can change. Missing
    cells are filled by the median. Categories are columns of zeros and ones. Columns that are
    constant are left out.

    Attributes
    ----------
    names : list of str
        The columns of the user's table.
    columns : list of NumberColumn or CategoryColumn
        One for each.
    """

    names: list[str]
    columns: list[NumberColumn | CategoryColumn]

    @classmethod
    def learned(cls, X: Any, names: Sequence[str], scale: bool) -> Preparation:
        """From the training rows: an array of floats with NaN, or a data frame."""
        of_text = [is_frame(X) and is_category(X.iloc[:, j]) for j in range(len(names))]
        categories = {j: texts(X.iloc[:, j]) for j, is_text in enumerate(of_text) if is_text}
        levels = dict(zip(categories, own_levels(list(categories.values())), strict=True))
        columns = [
            CategoryColumn.learned(categories[j], levels[j], scale)
            if j in categories
            else NumberColumn.learned(_numbers(X, j, name), scale, _only(_kinds(X, j)))
            for j, name in enumerate(names)
        ]
        return cls(list(names), columns)

    def __repr__(self) -> str:
        return f"Preparation of {counted(len(self.names), 'column')}"

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that are worth a look: ranks where they are not nearly the numbers."""
        bent = any(column.is_bent for column in self.columns)
        return (STANDARD, RANKED) if bent else (STANDARD,)

    @property
    def origins(self) -> NDArray[np.intp]:
        """For every prepared column, the number of the user's column that it comes from."""
        widths = [
            column.standard(np.array([""]) if isinstance(column, CategoryColumn) else np.zeros(1))
            for column in self.columns
        ]
        return np.repeat(np.arange(len(widths)), [part.shape[1] for part in widths])

    def apply(self, X: Any, table: str) -> Array:
        """One prepared table, with a column of zeros if nothing would be left."""
        parts = [self._part(X, j, table) for j in range(len(self.columns))]
        prepared = np.hstack(parts)
        return prepared if prepared.shape[1] else np.zeros((len(prepared), 1))

    def _part(self, X: Any, j: int, table: str) -> Array:
        column = self.columns[j]
        if isinstance(column, CategoryColumn):
            if not is_frame(X):
                raise ValueError(
                    f"expected a data frame with categories in column {self.names[j]!r}, as in "
                    "fit, got an array of numbers; pass a data frame with the same columns"
                )
            return column.standard(texts(X.iloc[:, j]))
        cells = _numbers(X, j, self.names[j])
        _check_kind(column.kind, _kinds(X, j), self.names[j])
        return column.ranked(cells) if table == RANKED else column.standard(cells)


def _numbers(X: Any, j: int, name: str) -> Array:
    return numbers(X.iloc[:, j], name) if is_frame(X) else np.asarray(X[:, j], dtype=float)


def _kinds(X: Any, j: int) -> set[str]:
    if is_frame(X):
        return kinds(X.iloc[:, j])
    return set() if np.isnan(X[:, j]).all() else {"numbers"}


def _only(found: set[str]) -> str | None:
    return next(iter(found)) if len(found) == 1 else None


def _check_kind(expected: str | None, found: set[str], name: str) -> None:
    """Refuse dates where numbers were, and the reverse: as numbers of days they mean another."""
    others = sorted(found - {expected})
    if expected is not None and others:
        raise ValueError(
            f"expected {expected} in column {name!r}, as in fit, got {' and '.join(others)}; "
            f"convert the column to {expected}, as it was then"
        )


class PreparedTable(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """A transformer from rows as the user has them to one prepared table; it is there fitted.

    Parameters
    ----------
    preparation : Preparation
        How columns become numbers.
    table : str
        Which table.
    """

    def __init__(self, preparation: Preparation, table: str) -> None:
        self.preparation = preparation
        self.table = table

    def fit(self, X: Any, y: Any = None) -> PreparedTable:
        """Nothing is left to be learned."""
        return self

    def transform(self, X: Any) -> Array:
        """The numbers that a kernel sees."""
        rows = X if is_frame(X) else np.asarray(X, dtype=float)
        return self.preparation.apply(rows, self.table)

    def __sklearn_is_fitted__(self) -> bool:
        return True
