r"""Permutation importance: the fall of the held-out score when a column is shuffled.

.. math:: I_j = s(f; X, y) - \frac{1}{R} \sum_r s(f; X^{\pi_r}_j, y)

where s is the score, and :math:`X^{\pi}_j` are held-out rows with the cells of column j, or of
several columns together, in another order (Breiman 2001). Nothing is fitted again: :math:`I_j` is
the column's use to the model, not the loss of learning without the column. The standard error
covers the rows, or their groups, and the shuffles; below zero, a column helps by chance alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import dia_array, issparse
from sklearn.base import BaseEstimator, is_regressor

from kernlearn.estimators.held_out.scoring import Scoring, held_out_score
from kernlearn.estimators.held_out.standard_errors import clustered_error, jackknife_error
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Array, Indices, Mask, Rows, Targets

# Rounding error of a mean of falls and rises, relative to the largest score.
ROUNDING = 1e-12


def shuffled_cells(table: Rows, order: Indices, columns: Mask) -> Rows:
    """A dense or sparse table in which some columns have their cells in another order."""
    if not issparse(table):
        return np.where(columns, table[order], table)
    n = len(columns)
    chosen = dia_array((columns[None].astype(float), [0]), shape=(n, n))
    return table + (table[order] - table) @ chosen


def mean_fall(
    scores: Sequence[float], error_of_rows: Callable[[], float]
) -> tuple[float, float | None]:
    """The mean fall of a score over shuffles, and its standard error; None if the fall is infinite.

    The first of the `scores` is that of the rows as they are, the others are of shuffles. The error
    over rows is one of the two below.
    """
    first, others = scores[0], np.array(scores[1:])
    falls = first - others
    value = float(falls.mean())
    if abs(value) <= ROUNDING * max(abs(first), float(np.abs(others).max())):
        value = 0.0
    if not np.isfinite(value):
        return value, None
    of_shuffles = float(falls.var(ddof=1)) / len(falls) if len(falls) > 1 else 0.0
    return value, float(np.sqrt(error_of_rows() ** 2 + of_shuffles))


def error_of_means(row_values: Sequence[Array], units: Sequence[Indices]) -> float:
    """Standard error over rows of a fall between scores that are means over rows."""
    return clustered_error(row_values[0] - np.mean(row_values[1:], axis=0), units)


def error_of_scores(
    score: Callable[[int, Indices], float], n_scores: int, units: Sequence[Indices]
) -> float:
    """Standard error over rows of a fall of any score, a function of its number and rows."""

    def fall(rows: Indices) -> float:
        others = [score(number, rows) for number in range(1, n_scores)]
        return score(0, rows) - float(np.mean(others))

    return jackknife_error(fall, units)


@dataclass(frozen=True, eq=False)
class ShuffledScores:
    """Scores of predictions for rows whose columns were shuffled."""

    truth: Targets  # of shape (n,) or (n, k)
    scoring: Scoring  # None for accuracy or R²
    groups: Indices | None  # rows of one number are not independent, of shape (n,)

    def relevance(
        self, names: Sequence[str], before: BaseEstimator, after: Iterable[Sequence[BaseEstimator]]
    ) -> dict[str, Targets]:
        """Falls of the score by name, with standard errors, as columns; `after` has all shuffles.

        Predictions take the numbers of rows, as those of ``scoring`` do.
        """
        falls = [self._fall([before, *shuffles]) for shuffles in after]
        values, errors = zip(*falls, strict=True)
        return {
            "column": np.array(names, dtype=object),
            "relevance": np.array(values, dtype=float),
            "standard_error": np.array(errors, dtype=float),
        }

    def _fall(self, models: Sequence[BaseEstimator]) -> tuple[float, float | None]:
        units = self._units()
        if self.scoring is None:
            values = [self._row_values(each) for each in models]
            means = [float(each.mean()) for each in values]
            return mean_fall(means, lambda: error_of_means(values, units))

        def score(number: int, rows: Indices) -> float:
            return held_out_score(self.scoring, models[number], self.truth, rows)

        every = np.arange(len(self.truth))
        scores = [score(number, every) for number in range(len(models))]
        return mean_fall(scores, lambda: error_of_scores(score, len(models), units))

    def _row_values(self, model: BaseEstimator) -> Array:
        """The contribution of each row to the accuracy, or to R²."""
        predicted = model.predict(np.arange(len(self.truth)))
        if not is_regressor(model):
            right = (predicted == self.truth).reshape(len(predicted), -1)
            return np.asarray(right.all(axis=1) * 1.0)
        variance = standard_deviation(self.truth) ** 2
        parts = (self.truth - predicted) ** 2 / np.where(variance > 0, variance, 1.0)
        return np.asarray(-parts.reshape(len(parts), -1).mean(axis=1))

    def _units(self) -> list[Indices]:
        if self.groups is None:
            return [np.array([row]) for row in range(len(self.truth))]
        order = np.argsort(self.groups, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.groups[order])) + 1)
