r"""A test of whether held-out rows are predicted better than by guessing.

The guess is the mean of the targets, or the most frequent class. The gain of every row over the
guess has one or two measures:

- classes: the 0/1 correctness of the label less that of the guess; and the product of the centred
  probabilities and labels, which is informative for unbalanced classes too;
- numbers: the reduction of the squared error against the mean; and that of the absolute error
  against the median, which is robust to outliers;
- counts, several outcomes and rankings: the row's contribution to the metric less the guess's;
- times to an event: the row's contribution to the concordance above one half; and the reduction
  of its integrated Brier score against one Kaplan-Meier curve for all rows.

Each measure is tested for a mean above zero. The p-value is the smallest one times the number of
measures (Bonferroni), and at most one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from kernlearn.estimators.held_out.chance import FEWEST_ROWS, LEVEL
from kernlearn.estimators.held_out.standard_errors import clustered_error
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric, brier_of_rows
from kernlearn.methods.outcomes import default_metric
from kernlearn.methods.survival import CONCORDANCE, gain_in_order
from kernlearn.runtime.phrases import p_in_words
from kernlearn.typing import Array


@dataclass(frozen=True)
class Chance:
    """A test of a model against guessing: the p-value, and the scores of both."""

    p_value: float
    figures: str
    """The score beside that of guessing."""

    @property
    def sentence(self) -> str | None:
        """Scores and p-value of a model that is no better than guessing; None for a better model.

        >>> Chance(0.4, "R² on held-out rows is -0.01, that of the mean 0").sentence
        'R² on held-out rows is -0.01, that of the mean 0 (p = 0.4)'
        """
        return f"{self.figures} ({p_in_words(self.p_value)})" if self.p_value >= LEVEL else None


def chance(
    model: Sequence[HeldOutPredictions], guess: Sequence[HeldOutPredictions], n_train: int
) -> Chance | None:
    """Test a model against the guess, split by split; None if no test is possible.

    `n_train` is the number of rows that one split learns from.
    """
    whole, other = HeldOutPredictions.joined(model), HeldOutPredictions.joined(guess)
    if len(whole) < FEWEST_ROWS or np.all(whole.y == whole.y[0]):
        return None
    both = list(zip(model, guess, strict=True))
    of_splits = [_gains(first, second) for first, second in both]
    ps = [_p(gains, model, n_train) for gains in zip(*of_splits, strict=True)]
    p = min(1.0, len(ps) * min(ps))
    if whole.survival is not None:
        index = Metric(CONCORDANCE).value(whole)
        if index is None:
            return None
        return Chance(p, f"the concordance on held-out rows is {index:.2f}, that of any order 0.5")
    metric = _own_metric(whole)
    if metric is not None:
        values = [metric.value(held_out) for held_out in (whole, other)]
        if values[0] is None or values[1] is None:
            return None
        figures = f"the {metric.title} on held-out rows is {values[0]:.3g}"
        return Chance(p, f"{figures}, that of a guess {values[1]:.3g}")
    if whole.n_classes == 0:
        errors, spread = ((whole.y - held_out.predicted) ** 2 for held_out in (whole, other))
        explained = 1.0 - float(errors.sum()) / float(spread.sum()) if spread.any() else 0.0
        return Chance(p, f"R² on held-out rows is {explained:.2f}, that of the mean 0")
    right, guessed = (100.0 * float(np.mean(s.y == s.predicted)) for s in (whole, other))
    return Chance(
        p,
        f"{right:.0f} % of held-out rows are classified correctly, "
        f"{guessed:.0f} % by naming the most frequent class",
    )


def _own_metric(held_out: HeldOutPredictions) -> Metric | None:
    """The metric of counts, several outcomes or rankings; None for other targets."""
    name = default_metric(held_out.y)
    return None if name is None else Metric(name)


def _gains(model: HeldOutPredictions, guess: HeldOutPredictions) -> tuple[Array, ...]:
    """Gains of the rows of one split over the guess, by one or two measures."""
    y, n = model.y, model.n_classes
    if model.survival is not None:
        errors = [brier_of_rows(held_out) for held_out in (model, guess)]
        return gain_in_order(y, model.predicted), errors[1] - errors[0]
    metric = _own_metric(model)
    if metric is not None:
        values = [metric.row_values(held_out) for held_out in (model, guess)]
        known = [np.zeros(len(y)) if value is None else value for value in values]
        return (known[0] - known[1],)
    if n == 0:
        squares = (y - guess.predicted) ** 2 - (y - model.predicted) ** 2
        return squares, np.abs(y - np.median(y)) - np.abs(y - model.predicted)
    right = (y == model.predicted) * 1.0 - (y == guess.predicted)
    truth = (y[:, None] == np.arange(n)) * 1.0
    predicted = model.proba
    if predicted is None:
        predicted = (model.predicted[:, None] == np.arange(n)) * 1.0
    products = (predicted - predicted.mean(axis=0)) * (truth - truth.mean(axis=0))
    return right, np.asarray(products.sum(axis=1))


def _p(gains: Sequence[Array], splits: Sequence[HeldOutPredictions], n_train: int) -> float:
    """The one-sided p-value of a mean above zero, by folds or by the units of one split."""
    if len(gains) > 1:
        means = np.array([float(each.mean()) for each in gains])
        ratio = float(np.mean([len(each) for each in gains])) / n_train
        error = float(means.std(ddof=1)) * np.sqrt(1.0 / len(means) + ratio)
        mean, freedom = float(means.mean()), len(means) - 1
    else:
        mean = float(gains[0].mean())
        units = splits[0].units()
        error, freedom = clustered_error(gains[0], units), len(units) - 1
    if error == 0.0 or freedom < 1:
        return 0.0 if mean > 0.0 else 1.0
    return float(student.sf(mean / error, freedom))
