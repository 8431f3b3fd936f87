r"""Counts, several outcomes and rankings: predictions of held-out rows, and their metrics.

- counts: the mean Poisson deviance, and D², the explained part of the deviance of one rate for all;
- several outcomes: the mean of R² over the outcomes, and the least R²;
- rankings: the mean over groups of NDCG with the gains :math:`2^g - 1`, of the share of pairs that
  are ordered rightly, and the share of groups whose first row has the best grade.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.pipeline import Pipeline

from kernlearn.estimators.ranking.preferences import (
    normalized_gain,
    pair_accuracy,
    pairs_of_grades,
)
from kernlearn.methods.errors import MethodError
from kernlearn.numerics.rounding import ranks, standard_deviation
from kernlearn.quality.counts import deviance
from kernlearn.tables.outcome_targets import COUNTS, OUTCOMES, RANKING
from kernlearn.typing import Array, Indices, Rows, Targets

DEVIANCE, EXPLAINED = "neg_mean_poisson_deviance", "explained_deviance"
MEAN_R2, LEAST_R2 = "mean_r2", "least_r2"
NDCG, PAIRS, FIRST = "ndcg", "pair_accuracy", "first_is_best"
SQUARES = "neg_mean_squared_error"
ERRORS = ("neg_root_mean_squared_error", "neg_mean_absolute_error")
# Usual metrics of each task, the default first.
OUTCOME_METRICS: dict[str, tuple[str, ...]] = {
    COUNTS: (DEVIANCE, EXPLAINED, *ERRORS),
    OUTCOMES: (MEAN_R2, LEAST_R2),
    RANKING: (NDCG, PAIRS, FIRST),
}
# Larger grades are amounts, whose gains would overflow.
LARGEST_GRADE = 30.0
# The least mean that the deviance of a count is computed at, as a part of the mean count.
_LEAST = 1e-9


def outcome_task(y: Targets) -> str | None:
    """The task that targets are of: counts, several outcomes or ranking; None for any other.

    >>> outcome_task(np.zeros((4, 2))), outcome_task(np.zeros(4))
    ('outcomes', None)
    """
    names = y.dtype.names or ()
    if "count" in names:
        return COUNTS
    if "grade" in names:
        return RANKING
    return OUTCOMES if y.ndim == 2 else None


def outcome_numbers(y: Targets) -> Array:
    """The numbers that are predicted, of shape (n,) or (n, n_outcomes)."""
    fields = {COUNTS: "count", RANKING: "grade"}
    task = outcome_task(y)
    return np.asarray(y[fields[task]] if task in fields else y, dtype=float)


def default_metric(y: Targets) -> str | None:
    """Default metric of the targets; None for other tasks. NDCG needs small grades."""
    task = outcome_task(y)
    if task is None:
        return None
    return PAIRS if task == RANKING and not has_gains(y["grade"]) else OUTCOME_METRICS[task][0]


def has_gains(grades: Array) -> bool:
    """Whether grades are small numbers, none below zero, whose gains are defined."""
    return bool(grades.min() >= 0.0 and grades.max() <= LARGEST_GRADE)


def check_outcome_metric(name: str, y: Targets) -> None:
    """Refuse a metric that cannot judge such targets."""
    task = outcome_task(y)
    assert task is not None
    known = OUTCOME_METRICS[task]
    if name not in known:
        raise MethodError(
            f"expected --metric to judge {task}, got {name!r}; try {', '.join(known[:-1])} or "
            f"{known[-1]}"
        )
    if name == NDCG and not has_gains(y["grade"]):
        raise MethodError(
            f"expected grades from 0 to {LARGEST_GRADE:g} for --metric {NDCG}, whose gains are "
            f"2^grade − 1, got {y['grade'].min():g} to {y['grade'].max():g}; use --metric {PAIRS}"
        )


def predicted_outcomes(
    model: Pipeline, X: Rows, y: Targets, coverage: float | None
) -> tuple[Array, Array | None]:
    """Predictions for rows, counts in their exposures, and intervals if the model has them.

    Intervals have the shape (n, 2), or (n, n_outcomes, 2); there are none with no `coverage`.
    """
    predicted = np.asarray(model.predict(X), dtype=float)
    task = outcome_task(y)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if task == COUNTS:
        predicted = predicted * y["exposure"]
    if coverage is None or task == RANKING or not hasattr(last, "predict_interval"):
        return predicted, None
    steps = getattr(model, "steps", [])
    prepared = model[:-1].transform(X) if len(steps) > 1 else X
    own = {"exposure": y["exposure"]} if task == COUNTS else {}
    ends = np.asarray(last.predict_interval(prepared, coverage, **own), dtype=float)
    return predicted, ends if np.isfinite(ends).all() else None


def outcome_score(name: str, y: Targets, predicted: Array) -> float | None:
    """A metric of rows that one model predicted; None if the metric is undefined."""
    if name == LEAST_R2:
        return float(np.min(r2_by_outcome(y, predicted)))
    if name == EXPLAINED:
        constant = y["exposure"] * (y["count"].sum() / y["exposure"].sum())
        if not standard_deviation(y["count"] / y["exposure"]) > 0.0:
            return None
        whole = float(deviances(y, constant).mean())
        return 1.0 - float(deviances(y, predicted).mean()) / whole
    if name == ERRORS[0]:
        return float(np.sqrt(np.mean((outcome_numbers(y) - predicted) ** 2)))
    values = outcome_row_values(name, y, predicted)
    found = None if values is None else abs(float(values.mean()))
    if name == MEAN_R2:
        return float(np.mean(r2_by_outcome(y, predicted)))
    return found


def outcome_row_values(name: str, y: Targets, predicted: Array) -> Array | None:
    """Contribution of each row to a metric that is a mean over rows or groups; more is better."""
    if name == DEVIANCE:
        return np.asarray(-deviances(y, predicted))
    if name == SQUARES:
        return np.asarray(-((outcome_numbers(y) - predicted) ** 2))
    if name == ERRORS[1]:
        return np.asarray(-np.abs(outcome_numbers(y) - predicted))
    if name == MEAN_R2:
        unit = standard_deviation(y) ** 2
        return None if (unit == 0).any() else -np.mean((y - predicted) ** 2 / unit, axis=1)
    if name in OUTCOME_METRICS[RANKING]:
        return _of_groups(_GROUP_SCORES[name], y, predicted)
    return None


def deviances(y: Targets, predicted: Array) -> Array:
    """The Poisson deviance of every row."""
    least = _LEAST * max(float(y["count"].mean()), _LEAST)
    return np.asarray(deviance(y["count"], np.maximum(predicted, least), 0.0))


def r2_by_outcome(y: Array, predicted: Array) -> Array:
    """R² of every outcome; zero for an outcome that is constant on held-out rows."""
    spread = standard_deviation(y) ** 2
    errors = np.mean((y - predicted) ** 2, axis=0)
    return np.asarray(np.where(spread > 0.0, 1.0 - errors / np.where(spread > 0, spread, 1.0), 0.0))


def group_scores(name: str, y: Targets, scores: Array) -> list[tuple[Indices, float]]:
    """The rows of every group with an order, and the metric of the group."""
    parts = [np.flatnonzero(y["group"] == code) for code in np.unique(y["group"])]
    found = [(rows, _GROUP_SCORES[name](scores[rows], y["grade"][rows])) for rows in parts]
    return [(rows, value) for rows, value in found if value is not None]


def _of_groups(
    score: Callable[[Array, Array], float | None], y: Targets, scores: Array
) -> Array | None:
    """Contributions of rows, whose mean is the mean over the groups that have an order."""
    values, known = np.zeros(len(y)), 0
    for code in np.unique(y["group"]):
        rows = np.flatnonzero(y["group"] == code)
        value = score(scores[rows], y["grade"][rows])
        if value is not None:
            values[rows] = value / len(rows)
            known += 1
    return values * (len(y) / known) if known else None


def _pairs_of(scores: Array, grades: Array) -> float | None:
    if np.ptp(grades) == 0:
        return None
    pairs, _ = pairs_of_grades(grades, None, None, np.random.RandomState(0))
    return pair_accuracy(scores, pairs)


def _best_is_first(scores: Array, grades: Array) -> float | None:
    if np.ptp(grades) == 0:
        return None
    places = ranks(scores)
    return float(np.mean(grades[places == places.max()] == grades.max()))


_GROUP_SCORES: dict[str, Callable[[Array, Array], float | None]] = {
    NDCG: lambda scores, grades: normalized_gain(scores, grades) if has_gains(grades) else None,
    PAIRS: _pairs_of,
    FIRST: _best_is_first,
}
