"""Held-out scores with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.typing import Array, Indices

Z_95 = 1.959963984540054


@dataclass(frozen=True)
class ScoreOptions:
    """How many draws of rows intervals and errors rest on."""

    n_bootstrap: int = 1000
    """Draws for R²."""
    n_draws: int = 200
    """Draws for a metric that is computed anew for each of them."""
    fewest_rows: int = 10
    """Of fewer rows, there is no interval."""


SCORING = ScoreOptions()


@dataclass(frozen=True)
class Score:
    """A score and a 95 % interval; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


def held_out_score(
    metric: Metric, said: HeldOutPredictions, seed: int, options: ScoreOptions = SCORING
) -> Score:
    """Accuracy with Wilson's interval; others with a bootstrap interval over rows.

    Where rows belong to units, the bootstrap draws units, for the accuracy too.
    """
    value = metric.value(said)
    units = said.unit_rows()
    n_units = len(said) if units is None else len(units)
    if metric.name == "accuracy" and (units is None or value in (0.0, 1.0)):
        right = int((said.y == said.predicted).sum())
        return Score(value, *wilson_interval(right * n_units // len(said), n_units))
    if value is None or n_units < options.fewest_rows:
        return Score(value)
    if metric.name == "r2" and units is None:
        values = _r2_draws(said, seed, options.n_bootstrap)
    else:
        values = metric_draws(metric, said, seed, options.n_draws)
    values = values[np.isfinite(values)]
    if len(values) < options.n_draws // 2:
        return Score(value)
    low, high = np.quantile(values, [0.025, 0.975])
    return Score(value, float(low), float(high))


def wilson_interval(k: int, n: int) -> tuple[float, float]:
    r"""The 95 % interval of Wilson (1927) for a share k/n.

    .. math:: \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}, \quad p = k/n

    Unlike p ± z√(p(1−p)/n) it stays within 0 and 1, and has a width where k is 0 or n.

    >>> [round(end, 3) for end in wilson_interval(45, 45)]
    [0.921, 1.0]
    """
    p, spread = k / n, Z_95**2 / n
    middle = (p + spread / 2) / (1 + spread)
    half = np.sqrt(Z_95**2 * p * (1 - p) / n + spread**2 / 4) / (1 + spread)
    # Without an error, or with nothing else, an end is exact, but for rounding.
    return float(middle - half) if k > 0 else 0.0, float(middle + half) if k < n else 1.0


@lru_cache(maxsize=16)  # for the interval, then for every comparison
def metric_draws(metric: Metric, said: HeldOutPredictions, seed: int, n_draws: int) -> Array:
    """The metric of draws of rows, or of units, with repetition.

    The draws are the same for all models that are compared.

    NaN where a draw has none, or would be of something else: a class may be missing, and a mean
    over the other classes is no draw of a mean over all.
    """
    units = said.unit_rows()
    n_units = len(said) if units is None else len(units)
    draws = np.random.default_rng(seed).integers(n_units, size=(n_draws, n_units))
    n_present = len(np.unique(said.y)) if said.n_classes else 0
    return np.array(
        [
            _of_draw(metric, said.rows(d if units is None else _of_units(units, d)), n_present)
            for d in draws
        ]
    )


def _of_units(units: list[Indices], drawn: Indices) -> Indices:
    return np.concatenate([units[place] for place in drawn])


def _of_draw(metric: Metric, drawn: HeldOutPredictions, n_present: int) -> float:
    if drawn.n_classes and len(np.unique(drawn.y)) < n_present:
        return np.nan
    value = metric.value(drawn)
    return np.nan if value is None else value


def _r2_draws(said: HeldOutPredictions, seed: int, n_draws: int) -> Array:
    """R² of draws of rows with repetition; one draw at a time, since rows may be many."""
    rng = np.random.default_rng(seed)
    n = len(said)
    # Around the mean, for the digits.
    y = said.y - said.y.mean()
    squares = np.column_stack([(said.y - said.predicted) ** 2, y, y**2])
    sums = np.empty((n_draws, 3))
    for draw in sums:
        draw[:] = np.bincount(rng.integers(n, size=n), minlength=n) @ squares
    total = sums[:, 2] - sums[:, 1] ** 2 / n
    kept = total > 0
    return np.asarray(1.0 - sums[kept, 0] / total[kept])
