"""Rows to predict that lie outside of the range of the training rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.special import bdtrc

from kernlearn.estimators.mixture.preparation.table import AnyPreparation, Preparation
from kernlearn.typing import Array, Rows

# In units of a column's range, beyond either end: cells that are outside if chance does not put as
# many there, and cells that are outside in any case.
_NEAR, _FAR = 0.25, 1.0
# A new row is the least or the largest beside n training rows with probability 2 / (n + 1). More
# rows of a column than chance gives with the first probability are outside, if they are the second
# share of the rows.
_BY_CHANCE, _MANY = 0.01, 0.2
# A smaller share of rows outside is not worth a warning: heavy tails have as much.
_FEW = 0.05
# Columns that a warning names.
_NAMED = 3


class ExtrapolationWarning(UserWarning):
    """Rows to predict lie outside of the range of the training rows."""


@dataclass(eq=False)
class OutsideRows:
    """Distances out of range of rows to predict, block by block."""

    preparation: AnyPreparation
    # Number of independent training rows; one for groups, since rows of a new group are out of
    # range together, by chance too.
    n_training: int
    # For each block, the distances of cells out of range.
    blocks: list[Array] = field(default_factory=list)

    def beyond(self, table: Rows) -> Array:
        """Distances of the cells of standardised rows out of range, in units of the range.

        Sparse matrices, and tables elsewhere, are not looked at.
        """
        if not (isinstance(self.preparation, Preparation) and isinstance(table, np.ndarray)):
            return np.zeros((table.shape[0], 1))
        found = distances_beyond_range(table, *self.preparation.ranges)
        self.blocks.append(found.astype(np.float32))
        return found

    def warn(self, estimator: object, stacklevel: int) -> None:
        """Say how many rows are outside, and in which columns."""
        if not self.blocks:
            return
        found = np.concatenate(self.blocks)
        n_rows, n_columns = found.shape
        n_near = (found > _NEAR).sum(axis=0)
        by_chance = bdtrc(n_near - 1.0, n_rows, 2.0 / (self.n_training + 1.0))
        is_column = (by_chance < _BY_CHANCE / n_columns) & (n_near > _MANY * n_rows)
        is_outside = found > np.where(is_column, _NEAR, _FAR)
        n_outside = int(is_outside.any(axis=1).sum())
        if n_outside <= _FEW * n_rows:
            return
        counts = np.bincount(self.preparation.origins, is_outside.sum(axis=0))
        n_named = int((counts > 0).sum())
        worst = np.argsort(-counts, kind="stable")[: min(_NAMED, n_named)]
        names = ", ".join(repr(self.preparation.names[j]) for j in worst)
        more = f" and {n_named - _NAMED} more" if n_named > _NAMED else ""
        warnings.warn(
            f"{type(estimator).__name__} expected rows within the range of the training rows, got "
            f"{n_outside} of {n_rows} rows ({100.0 * n_outside / n_rows:.0f} %) outside of it, in "
            f"columns {names}{more}: held-out scores and intervals do not hold there; train on "
            "rows like these",
            ExtrapolationWarning,
            stacklevel=stacklevel + 1,
        )


def distances_beyond_range(rows: Array, low: Array, high: Array) -> Array:
    """Distances of cells outside of the ranges of their columns, in units of the ranges.

    >>> rows = np.array([[0.5, 3.0], [-1.0, 1.0]])
    >>> distances_beyond_range(rows, np.zeros(2), np.array([1.0, 2.0]))
    array([[0. , 0.5],
           [1. , 0. ]])
    """
    with np.errstate(over="ignore"):  # infinitely far, in columns of tiny numbers
        length = np.where(high > low, high - low, np.inf)
        return np.asarray(np.maximum(np.maximum(low - rows, rows - high), 0.0) / length)
