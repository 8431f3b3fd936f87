"""Permutation importance: fall of the held-out score when the cells of a column are shuffled.

The measure is that of :mod:`kernlearn.estimators.held_out.relevance`, for pipelines on data frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from kernlearn.estimators.held_out.relevance import error_of_means, error_of_scores, mean_fall
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.typing import Indices, PandasFrame, Targets


@dataclass(frozen=True)
class ImportanceOptions:
    """Numbers of rows and shuffles for the importance of columns."""

    all_rows: int = 20_000
    """Rows to predict for all columns together."""
    most_rows: int = 1000
    """Held-out rows at most for one column."""
    fewest_rows: int = 20
    """Held-out rows at least for one column."""
    fewest_repeats: int = 3
    """Shuffles of a column that the number of rows is chosen for."""
    most_repeats: int = 5
    """Shuffles of a column at most."""
    rows_together: int = 3000
    """Rows of shuffled tables that are predicted as one."""

    def sizes(self, n_rows: int, n_groups: int) -> tuple[int, int] | None:
        """Rows and shuffles of each group of columns; None if groups are too many or rows too few.

        >>> ImportanceOptions().sizes(400, 10), ImportanceOptions().sizes(400, 5000)
        ((400, 5), None)
        """
        if n_groups == 0 or n_rows < self.fewest_rows:
            return None
        size = self.all_rows // (min(self.fewest_repeats, self.most_repeats) * n_groups)
        rows = min(n_rows, self.most_rows, max(self.fewest_rows, size))
        if rows * n_groups > 2 * self.all_rows:
            return None
        return rows, int(np.clip(self.all_rows // (rows * n_groups), 1, self.most_repeats))


IMPORTANCE = ImportanceOptions()


@dataclass(frozen=True)
class Importance:
    """Fall of the score without one column, several or a source, by shuffles or by a refit."""

    name: str
    value: float
    """Fall of the score, in units of the metric; below zero by chance alone."""
    standard_error: float | None
    """Standard error over rows and shuffles; for a refit, over draws of the held-out rows."""
    refitted: bool = False
    """Whether a model was fitted without the source, rather than its cells shuffled."""
    columns: tuple[str, ...] = ()
    """Correlated columns that were shuffled together; empty for a single column."""


@dataclass(frozen=True, eq=False)
class ShuffledPredictions:
    """Predictions of held-out rows, and of the same rows with shuffled columns."""

    before: HeldOutPredictions
    after: list[list[HeldOutPredictions]]
    """Predictions for every group of columns and every shuffle."""


def shuffled_predictions(
    model: Pipeline,
    X: PandasFrame,
    y: Targets,
    groups: Sequence[Sequence[str]],
    classes: Targets | None,
    seed: int,
    repeats: int,
    unit: Indices | None = None,
    rows_together: int = IMPORTANCE.rows_together,
) -> ShuffledPredictions:
    """Shuffle each group of columns of held-out rows in turn; `classes` is None for numbers."""
    rng = np.random.default_rng(seed)
    before = HeldOutPredictions.of(model, X, y, classes, unit, has_interval=False)
    orders = [rng.permutation(len(y)) for _ in range(repeats)]
    pairs = [(columns, order) for columns in groups for order in orders]
    held_out: list[HeldOutPredictions] = []
    together = max(1, rows_together // max(len(y), 1))
    every = np.arange(len(y))
    # Many tables are predicted as one: preparing one takes longer than predicting a few rows.
    for start in range(0, len(pairs), together):
        some = pairs[start : start + together]
        stacked = X.iloc[np.tile(every, len(some))].reset_index(drop=True)
        for column in {name for columns, _ in some for name in columns}:
            cells = X[column].to_numpy()
            places = [order if column in columns else every for columns, order in some]
            stacked[column] = cells[np.concatenate(places)]
        units = None if unit is None else np.tile(unit, len(some))
        targets = y[np.tile(every, len(some))]
        whole = HeldOutPredictions.of(model, stacked, targets, classes, units, has_interval=False)
        held_out += [whole.rows(part) for part in np.split(np.arange(len(whole)), len(some))]
    after = [held_out[i * repeats : (i + 1) * repeats] for i in range(len(groups))]
    return ShuffledPredictions(before, after)


def importances(
    groups: Mapping[str, Sequence[str]], splits: Sequence[ShuffledPredictions], metric: Metric
) -> list[Importance] | None:
    """Importances of groups of columns over all splits; None if the metric has no value."""
    before = HeldOutPredictions.joined([split.before for split in splits])
    found = []
    for place, (name, columns) in enumerate(groups.items()):
        shuffles = [split.after[place] for split in splits]
        after = [HeldOutPredictions.joined(parts) for parts in zip(*shuffles, strict=True)]
        value, error = _fall(metric, before, after)
        if not np.isfinite(value):
            return None
        names = tuple(columns) if len(columns) > 1 else ()
        found.append(Importance(name, value, error, columns=names))
    return found


def _fall(
    metric: Metric, before: HeldOutPredictions, after: Sequence[HeldOutPredictions]
) -> tuple[float, float | None]:
    """The mean fall of the score over shuffles, and its standard error."""
    held_out, units = [before, *after], before.units()
    rows = [metric.row_values(each) for each in held_out]
    values = [each for each in rows if each is not None]

    def error() -> float:
        if len(values) == len(held_out):
            return error_of_means(values, units)
        return error_of_scores(
            lambda number, kept: metric.goodness(held_out[number].rows(kept)), len(held_out), units
        )

    return mean_fall([metric.goodness(each) for each in held_out], error)
