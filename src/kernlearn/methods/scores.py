"""Held-out scores with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import t as student

from kernlearn.estimators.held_out.standard_errors import BLOCKS, clustered_error, jackknife_error
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.methods.outcomes import outcome_task
from kernlearn.typing import Array, Indices

Z_95 = 1.959963984540054
ROOT, MEAN_SQUARE = "neg_root_mean_squared_error", "neg_mean_squared_error"


@dataclass(frozen=True)
class ScoreOptions:
    """Numbers of draws of rows for intervals and standard errors."""

    n_bootstrap: int = 1000
    """Draws for R²."""
    n_draws: int = 200
    """Draws for a metric that is computed anew for each of them."""
    fewest_rows: int = 10
    """Rows below which there is no interval."""


SCORING = ScoreOptions()


@dataclass(frozen=True)
class Score:
    """A score and a 95 % interval, each None if undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def score_with_interval(
    metric: Metric,
    held_out: HeldOutPredictions,
    n_train: int,
    seed: int,
    options: ScoreOptions = SCORING,
) -> Score:
    """Accuracy with Wilson's interval; others with a bootstrap interval over rows.

    If rows belong to units, the bootstrap draws units, for the accuracy too. For several splits,
    each of which learns from `n_train` rows, the interval is that of :func:`resampled_score`.
    """
    if held_out.fold is not None:
        return resampled_score(metric, held_out, n_train)
    if outcome_task(held_out.y) is not None:  # a group drawn twice would become one group
        return usual_score(metric, held_out, n_train)
    value, units = metric.value(held_out), held_out.unit_rows()
    if metric.name == "accuracy" and (units is None or value in (0.0, 1.0)):
        right = int((held_out.y == held_out.predicted).sum())
        n = len(held_out) if units is None else len(units)
        return Score(value, *wilson_interval(right * n // len(held_out), n))
    if value is None or len(units or held_out.y) < options.fewest_rows:
        return Score(value)
    if metric.name == "r2" and units is None:
        values = _r2_draws(held_out, seed, options.n_bootstrap)
    else:
        values = metric_draws(metric, held_out, seed, options.n_draws)
    values = values[np.isfinite(values)]
    if len(values) < options.n_draws // 2:
        return Score(value)
    low, high = np.quantile(values, [0.025, 0.975])
    return Score(value, float(low), float(high))


def usual_score(metric: Metric, held_out: HeldOutPredictions, n_train: int) -> Score:
    """A score beside the one that was asked for, with an interval that costs little.

    For one split the interval is that of a mean over rows or units; for a metric that is no mean,
    the jackknife leaves out one block of units in turn.
    """
    if held_out.fold is not None:
        return resampled_score(metric, held_out, n_train)
    if metric.name == ROOT:
        return _root(usual_score(Metric(MEAN_SQUARE), held_out, n_train))
    value, units = metric.value(held_out), held_out.units()
    if value is None or len(units) < SCORING.fewest_rows:
        return Score(value)
    if metric.ends == (0.0, 1.0) and value in metric.ends:
        return _perfect(metric, held_out, value)
    rows = _row_values(metric, held_out, value)
    n, error = len(units), 0.0
    if rows is not None:
        error = clustered_error(rows, units)
    else:
        n, error = BLOCKS, jackknife_error(lambda kept: metric.value(held_out.rows(kept)), units)
    return _within(metric, value, float(student.ppf(0.975, n - 1)) * error)


def resampled_score(metric: Metric, held_out: HeldOutPredictions, n_train: int) -> Score:
    r"""A score over splits with the interval of Nadeau and Bengio (2003).

    .. math:: \bar s \pm t_{J - 1} \sqrt{\left(\tfrac{1}{J} + \tfrac{n_2}{n_1}\right) \sigma^2}

    with J scores of variance σ², one for each split, n₁ rows learned from and n₂ tested on. The
    spread of the root of a mean square is that of mean squares. No interval is narrower than that
    of the rows.
    """
    if metric.name == ROOT:
        return _root(resampled_score(Metric(MEAN_SQUARE), held_out, n_train))
    value, folds = metric.value(held_out), held_out.by_fold()
    if value is None:
        return Score(value)
    rows = _row_values(metric, held_out, value)
    if rows is not None and held_out.fold is not None:
        values = [float(rows[held_out.fold == fold].mean()) for fold in np.unique(held_out.fold)]
    else:
        values = [each for each in map(metric.value, folds) if each is not None]
    if len(values) < 2:
        return Score(value)
    spread = float(np.std(values, ddof=1))
    if spread <= 1e-12 * max(1.0, abs(value)):
        is_perfect = metric.ends == (0.0, 1.0) and value in metric.ends
        return _perfect(metric, held_out, value) if is_perfect else Score(value)
    shares = 1.0 / len(values) + len(held_out) / len(folds) / n_train
    half = float(student.ppf(0.975, len(values) - 1)) * float(np.sqrt(shares)) * spread
    # Folds with the same shares of the classes differ less than rows do.
    of_rows = 0.0 if rows is None else Z_95 * clustered_error(rows, held_out.units())
    return _within(metric, value, max(half, of_rows))


def _row_values(metric: Metric, held_out: HeldOutPredictions, value: float) -> Array | None:
    """Contributions of rows to a score; for R², a ratio of two means, by linearisation."""
    if metric.name != "r2":
        return metric.row_values(held_out)
    squares = (held_out.y - held_out.y.mean()) ** 2
    spread = float(squares.mean())
    errors = (held_out.y - held_out.predicted) ** 2
    return np.asarray(((1.0 - value) * squares - errors) / spread) if spread > 0.0 else None


def _root(score: Score) -> Score:
    ends = (score.value, score.low, score.high)
    return Score(*(None if end is None else float(np.sqrt(end)) for end in ends))


def _within(metric: Metric, value: float, half: float) -> Score:
    """An interval clipped to the range of the metric."""
    least, most = metric.ends
    return Score(value, max(least, value - half), min(most, value + half))


def _perfect(metric: Metric, held_out: HeldOutPredictions, value: float) -> Score:
    """Wilson's interval of a best or worst score, for the units of the smallest class.

    Outcomes of several fields, such as times to an event or grades in groups, have no classes.
    """
    has_classes = metric.name != "accuracy" and held_out.y.dtype.names is None
    labels = np.unique(held_out.y).tolist() if has_classes else []
    parts = [held_out.rows(np.flatnonzero(held_out.y == label)) for label in labels] or [held_out]
    n = min(len(part.units()) for part in parts)
    return Score(value, *wilson_interval(n if value == 1.0 else 0, n))


def wilson_interval(k: int, n: int) -> tuple[float, float]:
    r"""The 95 % interval of Wilson (1927) for a share k/n.

    .. math:: \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}, \quad p = k/n

    Unlike p ± z√(p(1−p)/n), the interval stays within 0 and 1, and has a width if k is 0 or n.

    >>> [round(end, 3) for end in wilson_interval(45, 45)]
    [0.921, 1.0]
    """
    p, spread = k / n, Z_95**2 / n
    middle = (p + spread / 2) / (1 + spread)
    half = np.sqrt(Z_95**2 * p * (1 - p) / n + spread**2 / 4) / (1 + spread)
    # For k = 0 or k = n one end is exactly 0 or 1, but for rounding.
    return float(middle - half) if k > 0 else 0.0, float(middle + half) if k < n else 1.0


@lru_cache(maxsize=16)  # for the interval, then for every comparison
def metric_draws(metric: Metric, held_out: HeldOutPredictions, seed: int, n_draws: int) -> Array:
    """The metric of draws of rows, or of units, with repetition.

    The draws are the same for all models that are compared.

    A draw without a value is NaN, and so is a draw without rows of some class: a mean over the
    other classes is no draw of a mean over all.
    """
    units = held_out.unit_rows()
    n_units = len(held_out) if units is None else len(units)
    draws = np.random.default_rng(seed).integers(n_units, size=(n_draws, n_units))
    n_present = len(np.unique(held_out.y)) if held_out.n_classes else 0
    return np.array(
        [
            _bootstrap_value(
                metric, held_out.rows(d if units is None else _rows_of_units(units, d)), n_present
            )
            for d in draws
        ]
    )


def _rows_of_units(units: list[Indices], drawn: Indices) -> Indices:
    return np.concatenate([units[place] for place in drawn])


def _bootstrap_value(metric: Metric, drawn: HeldOutPredictions, n_present: int) -> float:
    if drawn.n_classes and len(np.unique(drawn.y)) < n_present:
        return np.nan
    value = metric.value(drawn)
    return np.nan if value is None else value


def _r2_draws(held_out: HeldOutPredictions, seed: int, n_draws: int) -> Array:
    """R² of draws of rows with repetition; one draw at a time, since rows may be many."""
    rng = np.random.default_rng(seed)
    n = len(held_out)
    # Centred, against cancellation.
    y = held_out.y - held_out.y.mean()
    squares = np.column_stack([(held_out.y - held_out.predicted) ** 2, y, y**2])
    sums = np.empty((n_draws, 3))
    for draw in sums:
        draw[:] = np.bincount(rng.integers(n, size=n), minlength=n) @ squares
    total = sums[:, 2] - sums[:, 1] ** 2 / n
    kept = total > 0
    return np.asarray(1.0 - sums[kept, 0] / total[kept])
