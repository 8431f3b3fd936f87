r"""Cox's model in one held-out risk, whose slope may change over time.

.. math:: \lambda(t \mid x) = \lambda_0(t)\, e^{\beta(t) r(x)}, \qquad
          \Lambda(t \mid x) = \sum_{u_k \le t} e^{\beta(u_k) r(x)}\, \Delta\Lambda_0(u_k) .

β is constant within a few periods that have equal numbers of events. The partial likelihood is a
sum over events, so that every period has one of its own, of the rows at risk in it. A prior draws
the slopes to their mean, and this to a spread of the log hazard of about one. Curves fall whatever
the slopes are, and those of two rows may cross.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.quality.partial_likelihood import (
    StratifiedRiskSets,
    positive_ridge_cox,
    ridge_cox,
)
from kernlearn.survival.curves import baseline_hazard
from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, Indices

# Events of a period at least, and most periods.
_EVENTS, _MOST_PERIODS = 30, 4
# The strength of the prior by which slopes are alike, in events: they differ by about 0.3.
_ALIKE = 10.0


@dataclass(frozen=True, eq=False)
class HazardSlopes:
    """The model."""

    mean: float  # the slope if it is the same at all times; zero if risks are uninformative
    times: Array  # the distinct times of events, of shape (m,)
    slopes: Array  # β at these times, of shape (m,)
    hazard: Array  # Λ₀ at these times, of shape (m,)

    @classmethod
    def of(
        cls,
        outcome: SurvivalOutcome,
        risk: Array,
        weight: Array,
        folds: Indices,
        ties: Ties = "efron",
    ) -> HazardSlopes:
        """From held-out risks, each compared within its fold."""
        times = np.unique(outcome.time[outcome.event])
        mean, period = 0.0, np.zeros(len(times), dtype=np.intp)
        slopes = np.zeros(1)
        spread = float(np.sqrt(np.average(risk**2, weights=weight)))
        sets = StratifiedRiskSets.of(outcome.signed, weight, folds, ties)
        if sets.parts and spread > 0.0:
            unit = risk / spread
            mean = float(positive_ridge_cox(unit[:, None], sets, np.eye(1))[0]) / spread
            if mean > 0.0:
                period = _periods(times, outcome)
                slopes = _slopes(outcome, unit, weight, folds, times, period, ties) / spread
        hazard = _hazard(outcome, risk, weight, period, slopes, ties)
        return cls(mean, times, slopes[period], hazard)


def _periods(times: Array, outcome: SurvivalOutcome) -> Indices:
    """The period of every time of an event."""
    events = np.sort(outcome.time[outcome.event])
    n_periods = int(np.clip(len(events) // _EVENTS, 1, _MOST_PERIODS))
    shares = np.searchsorted(events, times, side="left") / len(events)
    return np.unique((shares * n_periods).astype(np.intp), return_inverse=True)[1].reshape(-1)


def _slopes(
    outcome: SurvivalOutcome,
    unit: Array,
    weight: Array,
    folds: Indices,
    times: Array,
    period: Indices,
    ties: Ties,
) -> Array:
    """β of every period: a row counts once in each period in which it is at risk."""
    n_periods = int(period.max()) + 1
    places = np.where(outcome.event, np.searchsorted(times, outcome.time), -1)
    event_period = np.where(places >= 0, period[places], -1)
    signed, rows, columns = [], [], []
    for k in range(n_periods):
        at_risk = np.flatnonzero(outcome.time >= times[period == k][0])
        rows.append(at_risk)
        columns.append(np.full(len(at_risk), k))
        size = outcome.time[at_risk]
        signed.append(np.where(event_period[at_risk] == k, size, np.copysign(size, -1.0)))
    row, column = np.concatenate(rows), np.concatenate(columns)
    Z = np.zeros((len(row), n_periods))
    Z[np.arange(len(row)), column] = unit[row]
    strata = np.unique(folds[row] * n_periods + column, return_inverse=True)[1].reshape(-1)
    sets = StratifiedRiskSets.of(np.concatenate(signed), weight[row], strata, ties)
    same = np.full((n_periods, n_periods), 1.0 / n_periods)
    return ridge_cox(Z, sets, _ALIKE * (np.eye(n_periods) - same) + same / n_periods)


def _hazard(
    outcome: SurvivalOutcome,
    risk: Array,
    weight: Array,
    period: Indices,
    slopes: Array,
    ties: Ties,
) -> Array:
    """Steps of the baseline hazard, each by the slope of its period."""
    times = np.unique(outcome.time[outcome.event])
    curves = [baseline_hazard(outcome, slope * risk, weight, ties) for slope in slopes]
    steps = np.array([np.diff(curve(times), prepend=0.0) for curve in curves])
    return np.asarray(np.cumsum(steps[period, np.arange(len(times))]))
