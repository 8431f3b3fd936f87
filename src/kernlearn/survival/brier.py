r"""Brier scores of survival curves, with inverse probability of censoring weights.

At time t (Graf et al. 1999), with Ĝ the estimate of not being censored yet,

.. math::

    \mathrm{BS}(t) = \frac1n \sum_i \Bigl( [t_i \le t, \delta_i]\, \frac{\hat S(t \mid x_i)^2}
    {\hat G(t_i)} + [t_i > t]\, \frac{(1 - \hat S(t \mid x_i))^2}{\hat G(t)} \Bigr).
"""

from __future__ import annotations

import numpy as np

from kernlearn.survival.curves import StepFunction
from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.typing import Array


def row_scores(
    outcome: SurvivalOutcome, survival: Array, times: Array, censoring: StepFunction
) -> Array:
    """Contribution of each row to the mean at each time, of shape (n, k)."""
    own = outcome.event / np.maximum(censoring(outcome.time), np.finfo(float).tiny)
    gone = (outcome.time[:, None] <= times) * own[:, None]
    there = (outcome.time[:, None] > times) / np.maximum(censoring(times), np.finfo(float).tiny)
    return np.asarray(gone * survival**2 + there * (1.0 - survival) ** 2)


def integrated(scores: Array, times: Array) -> Array:
    """The mean over time of scores with times along the last axis, by trapezoids."""
    if len(times) == 1:
        return np.asarray(scores[..., 0])
    return np.asarray(np.trapezoid(scores, times, axis=-1) / (times[-1] - times[0]))


def usual_times(outcome: SurvivalOutcome, number: int = 50) -> Array:
    """Times between the first and the last tenth of the times of events, where G is positive."""
    times = outcome.time[outcome.event]
    low, high = np.quantile(times, [0.1, 0.9])
    return np.unique(np.linspace(low, high, number))
