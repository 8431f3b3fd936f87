r"""What each column adds: how much worse held-out rows are predicted when its cells are shuffled.

.. math:: I_j = s(f; X, y) - \frac{1}{R} \sum_r s(f; X^{\pi_r}_j, y)

where s is the score, and :math:`X^{\pi}_j` are the held-out rows with the cells of column j, or of
all columns of a view together, in another order (Breiman 2001). Nothing is fitted again: it is what
the model uses, not what could be learned without the column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.methods.held_out import HeldOut
from kernlearn.methods.metrics import Metric

__all__ = ["Importance", "shuffled_scores"]

# Rows to predict for all columns together, and held-out rows at most and at least for one of them.
ALL_ROWS = 20_000
MOST_ROWS = 300
FEWEST_ROWS = 20
MOST_REPEATS = 5
ROWS_TOGETHER = 3000
# Of the largest score: what a mean of falls and rises that cancel is off by.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Importance:
    """What is lost without one column or source: the mean over shuffles, or that of a refit.

    Attributes
    ----------
    name : str
        Of the column or view.
    value : float
        How much the score falls, in the units of the metric; below zero by chance alone.
    standard_error : float or None
        Over shuffles; of a refit, over draws of the held-out rows, the same for both models.
    refitted : bool
        Whether a model was fitted without it, rather than its cells shuffled.
    """

    name: str
    value: float
    standard_error: float | None
    refitted: bool = False


def shuffled_scores(
    model: Any,
    X: Any,
    y: NDArray[Any],
    groups: Mapping[str, Sequence[str]],
    metric: Metric,
    classes: Any,
    seed: int,
) -> list[Importance] | None:
    """Shuffle each group of columns in turn.

    Parameters
    ----------
    model : Pipeline
        Fitted to other rows.
    X, y : DataFrame and ndarray
        Held-out rows, as the pipeline takes them.
    groups : mapping from str to sequence of str
        Columns that are shuffled together.
    metric : Metric
        The score.
    classes : ndarray or None
        All classes, None for numbers.
    seed : int
        Of the shuffles and of a sample of rows.

    Returns
    -------
    list of Importance or None
        In the order of the groups; None where there are too many columns or too few rows.
    """
    rng = np.random.default_rng(seed)
    n_rows = min(len(y), MOST_ROWS, max(FEWEST_ROWS, ALL_ROWS // max(1, len(groups))))
    if not groups or len(y) < FEWEST_ROWS or n_rows * len(groups) > 2 * ALL_ROWS:
        return None
    kept = np.sort(rng.permutation(len(y))[:n_rows])
    X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    before = metric.goodness(HeldOut.of(model, X, y, classes))
    repeats = int(np.clip(ALL_ROWS // (n_rows * len(groups)), 1, MOST_REPEATS))
    orders = [rng.permutation(n_rows) for _ in range(repeats)]
    pairs = [(columns, order) for columns in groups.values() for order in orders]
    scores = _scores(model, X, y, pairs, metric, classes)
    if not np.isfinite([before, *scores]).all():
        return None
    falls = before - np.reshape(scores, (len(groups), repeats))
    errors = falls.std(axis=1, ddof=1) / np.sqrt(repeats) if repeats > 1 else [None] * len(falls)
    means = falls.mean(axis=1)
    means[np.abs(means) <= ROUNDING * np.abs([before, *scores]).max()] = 0.0
    found = zip(groups, means, errors, strict=True)
    return [Importance(name, float(m), None if e is None else float(e)) for name, m, e in found]


def _scores(
    model: Any,
    X: Any,
    y: NDArray[Any],
    pairs: Sequence[tuple[Sequence[str], NDArray[np.intp]]],
    metric: Metric,
    classes: Any,
) -> list[float]:
    """The score with some columns in another order, for every pair of these.

    Many tables are predicted as one: preparing a table takes longer than predicting a few rows.
    """
    together = max(1, ROWS_TOGETHER // len(y))
    every = np.arange(len(y))
    scores = []
    for start in range(0, len(pairs), together):
        some = pairs[start : start + together]
        stacked = X.iloc[np.tile(every, len(some))].reset_index(drop=True)
        for column in {name for columns, _ in some for name in columns}:
            cells = X[column].to_numpy()
            orders = [order if column in columns else every for columns, order in some]
            stacked[column] = cells[np.concatenate(orders)]
        said = HeldOut.of(model, stacked, np.tile(y, len(some)), classes)
        parts = np.split(np.arange(len(said)), len(some))
        scores += [metric.goodness(said.rows(part)) for part in parts]
    return scores
