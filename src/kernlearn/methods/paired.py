r"""Paired tests of whether two models differ, by their predictions of the same rows.

Intervals of two scores may overlap although the models differ beyond doubt, since both err on the
same hard rows. A paired test looks only at the rows on which they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, norm
from scipy.stats import t as student

from kernlearn.estimators.held_out.standard_errors import clustered_error
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.methods.outcomes import outcome_task
from kernlearn.methods.scores import SCORING, ScoreOptions, metric_draws
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Array, Indices

Splits = Sequence[tuple[HeldOutPredictions, HeldOutPredictions]]


@dataclass(frozen=True)
class Paired:
    """A test and its p-value, which is None if undefined."""

    test: str
    p_value: float | None
    """Probability of a difference at least as large between two equally good models."""
    wins: int | None = None
    """Rows on which the first alone is right, for McNemar's test."""
    losses: int | None = None
    """Rows on which the second alone is right."""


def paired_test(
    metric: Metric,
    splits: Splits,
    n_train: int,
    seed: int,
    options: ScoreOptions = SCORING,
) -> Paired:
    """The test that fits the metric and the way in which rows were held out.

    `splits` has the predictions of the two models for every split, `n_train` the rows that they
    learned from in one; `seed` is that of a bootstrap.
    """
    if len(splits) > 1:
        # R² of a fold is in units of the spread of its own rows, of which a fold may have few.
        judge = Metric("neg_mean_squared_error") if metric.name in SQUARED else metric
        scores = np.array([[judge.goodness(held_out) for held_out in pair] for pair in splits])
        if not np.isfinite(scores).all():
            return Paired("corrected resampled t", None)
        differences = scores[:, 0] - scores[:, 1]
        n_tested = float(np.mean([len(first) for first, _ in splits]))
        return Paired("corrected resampled t", corrected_t(differences, n_tested / n_train))
    first, second = splits[0]
    units = first.unit_rows()
    if metric.name == "accuracy":
        right = first.predicted == first.y, second.predicted == second.y
        if units is not None:
            return of_units(right[0] * 1.0 - right[1], units)
        return mcnemar(*right)
    if outcome_task(first.y) is not None:
        rows = [metric.row_values(held_out) for held_out in (first, second)]
        if rows[0] is not None and rows[1] is not None:
            name = "paired t over rows" if units is None else "paired t over groups"
            return of_units(rows[0] - rows[1], first.units(), name)
    elif first.n_classes == 0 and metric.name in SQUARED:
        if units is not None:
            return of_units(squared_error(second) - squared_error(first), units)
        return squared_errors(first, second)
    return bootstrap(metric, first, second, seed, options)


# Metrics that are better whenever the sum of squares is less.
SQUARED = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "explained_variance")


def mcnemar(first: np.ndarray, second: np.ndarray) -> Paired:
    r"""McNemar's test, mid-p, by the rows on which each of two classifiers is right.

    On a row that only one of two equally good classifiers gets right, each is the one with
    probability one half; with b and c such rows,

    .. math:: p = 2 P(B \le \min(b, c)) - P(B = \min(b, c)), \quad B \sim \text{Bin}(b + c, 1/2)

    Half the probability of the observed counts is left out, without which the test is
    conservative (Fagerland, Lydersen and Laake 2013).

    >>> import numpy as np
    >>> right = np.arange(20) < 9
    >>> round(mcnemar(right, ~right).p_value, 3)
    0.664
    """
    wins, losses = int((first & ~second).sum()), int((second & ~first).sum())
    n, least = wins + losses, min(wins, losses)
    p = 1.0 if wins == losses else 2 * binom.cdf(least, n, 0.5) - binom.pmf(least, n, 0.5)
    return Paired("McNemar's test, mid-p", float(min(p, 1.0)), wins, losses)


def squared_error(held_out: HeldOutPredictions) -> Array:
    """Squared error of every row."""
    return np.asarray((held_out.y - held_out.predicted) ** 2)


def of_units(
    difference: Array, units: Sequence[Indices], name: str = "paired t over groups"
) -> Paired:
    """Student's t of the mean difference of rows that belong to units."""
    mean, error = float(difference.mean()), clustered_error(difference, units)
    if error == 0.0 or len(units) < 2:
        return Paired(name, 1.0 if not difference.any() else None)
    return Paired(name, float(2 * student.sf(abs(mean) / error, len(units) - 1)))


def squared_errors(first: HeldOutPredictions, second: HeldOutPredictions) -> Paired:
    """Student's t of the differences between squared errors on the same rows."""
    difference = squared_error(first) - squared_error(second)
    name = "paired t of squared errors"
    n = len(difference)
    spread = float(np.sqrt(n / (n - 1)) * standard_deviation(difference)) if n > 1 else 0.0
    if spread == 0.0:
        return Paired(name, 1.0 if not difference.any() else None)
    t = float(difference.mean()) / (spread / np.sqrt(n))
    return Paired(name, float(2 * student.sf(abs(t), n - 1)))


def corrected_t(differences: np.ndarray, ratio: float) -> float | None:
    r"""The p-value of the corrected resampled t-test of Nadeau and Bengio (2003).

    .. math:: t = \bar d \Big/ \sqrt{\left(\tfrac{1}{k} + \tfrac{n_2}{n_1}\right) s^2}

    with k differences between scores, one for each fold, n₁ rows learned from and n₂ tested on;
    `ratio` is n₂ / n₁. Folds share most of what they learn from, so that their scores are not
    independent. None if all differences are the same, but not zero.
    """
    k = len(differences)
    spread = float(differences.std(ddof=1))
    if spread <= 1e-12 * max(1.0, float(np.abs(differences).max())):
        return 1.0 if not differences.any() else None
    t = float(differences.mean()) / (np.sqrt(1 / k + ratio) * spread)
    return float(2 * student.sf(abs(t), k - 1))


def difference_error(
    metric: Metric,
    first: HeldOutPredictions,
    second: HeldOutPredictions,
    seed: int,
    options: ScoreOptions = SCORING,
) -> float | None:
    """The standard error of the difference between two scores on the same rows, over draws."""
    n = options.n_draws
    values = metric_draws(metric, first, seed, n) - metric_draws(metric, second, seed, n)
    values = values[np.isfinite(values)]
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def bootstrap(
    metric: Metric,
    first: HeldOutPredictions,
    second: HeldOutPredictions,
    seed: int,
    options: ScoreOptions = SCORING,
) -> Paired:
    """Test for any metric: the difference over its standard deviation in draws of rows."""
    name = "paired bootstrap"
    spread = difference_error(metric, first, second, seed, options)
    whole = [metric.value(first), metric.value(second)]
    if spread is None or whole[0] is None or whole[1] is None:
        return Paired(name, None)
    difference = whole[0] - whole[1]
    if spread == 0.0:
        return Paired(name, 1.0 if difference == 0.0 else None)
    return Paired(name, float(2 * norm.sf(abs(difference) / spread)))
