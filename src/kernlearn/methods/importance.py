r"""What each column adds: how much worse held-out rows are predicted when its cells are shuffled.

.. math:: I_j = s(f; X, y) - \frac{1}{R} \sum_r s(f; X^{\pi_r}_j, y)

where s is the score, and :math:`X^{\pi}_j` are the held-out rows with the cells of column j, or of
all columns of a view together, in another order (Breiman 2001). Nothing is fitted again: it is what
the model uses, not what could be learned without the column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.typing import Array, Indices, PandasFrame, Targets

# Of the largest score: what a mean of falls and rises that cancel is off by.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ImportanceOptions:
    """How many rows are predicted to find what columns add."""

    all_rows: int = 20_000
    """Rows to predict for all columns together."""
    most_rows: int = 300
    """Held-out rows at most for one column."""
    fewest_rows: int = 20
    """Held-out rows at least for one column."""
    most_repeats: int = 5
    """Shuffles of a column."""
    rows_together: int = 3000
    """Rows of shuffled tables that are predicted as one."""


IMPORTANCE = ImportanceOptions()


@dataclass(frozen=True)
class Importance:
    """What is lost without one column or source: the mean over shuffles, or that of a refit."""

    name: str
    value: float
    """How much the score falls, in the units of the metric; below zero by chance alone."""
    standard_error: float | None
    """Over shuffles; of a refit, over draws of the held-out rows."""
    refitted: bool = False
    """Whether a model was fitted without it, rather than its cells shuffled."""


def shuffled_scores(
    model: Pipeline,
    X: PandasFrame,
    y: Targets,
    groups: Mapping[str, Sequence[str]],
    metric: Metric,
    classes: Targets | None,
    seed: int,
    options: ImportanceOptions = IMPORTANCE,
) -> list[Importance] | None:
    """Shuffle each group of columns of held-out rows in turn; `classes` is None for numbers.

    None where there are too many columns or too few rows. `seed` draws the shuffles, and a sample
    of the rows where these are many.
    """
    rng = np.random.default_rng(seed)
    fewest, most = options.fewest_rows, options.all_rows
    n_rows = min(len(y), options.most_rows, max(fewest, most // max(1, len(groups))))
    if not groups or len(y) < fewest or n_rows * len(groups) > 2 * most:
        return None
    kept = np.sort(rng.permutation(len(y))[:n_rows])
    X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    before = metric.goodness(HeldOutPredictions.of(model, X, y, classes))
    repeats = int(np.clip(most // (n_rows * len(groups)), 1, options.most_repeats))
    orders = [rng.permutation(n_rows) for _ in range(repeats)]
    pairs = [(columns, order) for columns in groups.values() for order in orders]
    scores = _scores(model, X, y, pairs, metric, classes, options.rows_together)
    if not np.isfinite([before, *scores]).all():
        return None
    return importances(list(groups), before, np.reshape(scores, (len(groups), repeats)))


def importances(names: Sequence[str], before: float, scores: Array) -> list[Importance]:
    """Means and errors over the shuffles of each group, a row of `scores` for each."""
    falls = before - scores
    n = falls.shape[1]
    errors = (falls.std(axis=1, ddof=1) / np.sqrt(n)).tolist() if n > 1 else [None] * len(falls)
    means = falls.mean(axis=1)
    means[np.abs(means) <= ROUNDING * max(abs(before), np.abs(scores).max())] = 0.0
    return [Importance(*each) for each in zip(names, means.tolist(), errors, strict=True)]


def _scores(
    model: Pipeline,
    X: PandasFrame,
    y: Targets,
    pairs: Sequence[tuple[Sequence[str], Indices]],
    metric: Metric,
    classes: Targets | None,
    rows_together: int,
) -> list[float]:
    """The score with some columns in another order, for every pair of these.

    Many tables are predicted as one: preparing a table takes longer than predicting a few rows.
    """
    together = max(1, rows_together // len(y))
    every = np.arange(len(y))
    scores = []
    for start in range(0, len(pairs), together):
        some = pairs[start : start + together]
        stacked = X.iloc[np.tile(every, len(some))].reset_index(drop=True)
        for column in {name for columns, _ in some for name in columns}:
            cells = X[column].to_numpy()
            orders = [order if column in columns else every for columns, order in some]
            stacked[column] = cells[np.concatenate(orders)]
        said = HeldOutPredictions.of(model, stacked, np.tile(y, len(some)), classes)
        parts = np.split(np.arange(len(said)), len(some))
        scores += [metric.goodness(said.rows(part)) for part in parts]
    return scores
