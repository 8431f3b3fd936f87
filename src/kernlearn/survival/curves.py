r"""The estimates of Kaplan and Meier, and of Nelson and Aalen.

At the distinct times :math:`u_1 < u_2 < \dots`, :math:`d_k` rows have the event and :math:`Y_k` are
at risk: those of a time of :math:`u_k` or more. A row that is censored at :math:`u_k` is still at
risk there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.survival.numbers import as_numbers, checked_weights
from kernlearn.survival.outcome import SurvivalOutcome, survival_outcome
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, Indices, Rows


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A function that is constant between its times, and continuous from the right.

    Attributes
    ----------
    x : ndarray of shape (m,)
        Increasing times.
    y : ndarray of shape (m,)
        Values from each time on.
    start : float
        The value before the first time.
    """

    x: Array
    y: Array
    start: float

    def __call__(self, times: Rows) -> Array:
        """Values at ``times``, of any shape; beyond the last time, the last value."""
        when = as_numbers(times, "times", "pass for example [100.0, 365.0]")
        if np.isnan(when).any():
            raise ValueError(
                "expected times that are numbers, got NaN; leave out the times that are missing"
            )
        place = np.searchsorted(self.x, when, side="right")
        return np.asarray(np.append(self.start, self.y)[place])


@dataclass(frozen=True, eq=False)
class RiskTable:
    """Counts at each distinct time."""

    times: Array  # (m,): increasing
    events: Array  # (m,): the weight of rows that have the event then
    censored: Array  # (m,)
    at_risk: Array  # (m,)
    place: Indices  # (n,): the time of every row

    @property
    def shares(self) -> Array:
        """The part of those at risk that has the event; zero once nobody of any weight is left."""
        any_left = np.where(self.at_risk > 0.0, self.at_risk, 1.0)
        return np.asarray(self.events / any_left)

    @classmethod
    def of(cls, outcome: SurvivalOutcome, weight: Array | None = None) -> RiskTable:
        """Count rows, or their weights."""
        weight = np.ones(len(outcome)) if weight is None else weight
        times, place = np.unique(outcome.time, return_inverse=True)
        place = place.reshape(-1)
        events, censored = (
            np.asarray(np.bincount(place, weight * group, len(times)), dtype=float)
            for group in (outcome.event, ~outcome.event)
        )
        at_risk: Array = np.cumsum((events + censored)[::-1])[::-1]
        return cls(times, events, censored, at_risk, place)


def kaplan_meier(
    y: Rows = None, *, event: Rows = None, time: Rows = None, sample_weight: Rows = None
) -> StepFunction:
    r"""Estimate the probability to be free of the event after each time.

    .. math:: \hat S(t) = \prod_{k : u_k \le t} \Bigl(1 - \frac{d_k}{Y_k}\Bigr)

    Parameters
    ----------
    y : structured array, data frame, SurvivalOutcome or array of shape (n, 2), optional
        Outcomes, as :func:`survival_outcome` reads them.
    event, time : array-like of shape (n,), optional
        The same in two arrays.
    sample_weight : array-like of shape (n,), optional
        Weight of each row.

    Returns
    -------
    StepFunction
        The curve, one before the first time.

    Examples
    --------
    >>> from kernlearn.survival import kaplan_meier
    >>> kaplan_meier(event=[1, 0, 1, 0], time=[1, 2, 3, 4])([0.5, 1, 3])
    array([1.   , 0.75 , 0.375])
    """
    outcome = survival_outcome(y, event=event, time=time)
    table = RiskTable.of(outcome, checked_weights(sample_weight, len(outcome)))
    return StepFunction(table.times, _products(table.shares), 1.0)


def nelson_aalen(
    y: Rows = None, *, event: Rows = None, time: Rows = None, sample_weight: Rows = None
) -> StepFunction:
    r"""Estimate the cumulative hazard.

    .. math:: \hat\Lambda(t) = \sum_{k : u_k \le t} \frac{d_k}{Y_k}

    Parameters
    ----------
    y : structured array, data frame, SurvivalOutcome or array of shape (n, 2), optional
        Outcomes, as :func:`survival_outcome` reads them.
    event, time : array-like of shape (n,), optional
        The same in two arrays.
    sample_weight : array-like of shape (n,), optional
        Weight of each row.

    Returns
    -------
    StepFunction
        The cumulative hazard, zero before the first time.

    Examples
    --------
    >>> from kernlearn.survival import nelson_aalen
    >>> nelson_aalen(event=[1, 0, 1, 0], time=[1, 2, 3, 4])([0.5, 1, 3])
    array([0.  , 0.25, 0.75])
    """
    outcome = survival_outcome(y, event=event, time=time)
    table = RiskTable.of(outcome, checked_weights(sample_weight, len(outcome)))
    return StepFunction(table.times, np.cumsum(table.shares), 0.0)


def censoring_curve(outcome: SurvivalOutcome) -> StepFunction:
    """Kaplan and Meier's estimate of not being censored yet; events come before censoring."""
    table = RiskTable.of(outcome)
    still = np.maximum(table.at_risk - table.events, 1.0)
    return StepFunction(table.times, _products(table.censored / still), 1.0)


def baseline_hazard(
    outcome: SurvivalOutcome, risk: Array, weight: Array | None = None, ties: Ties = "efron"
) -> StepFunction:
    r"""The cumulative hazard of a row of risk zero.

    .. math:: \sum_{u_k \le t} \sum_{l=0}^{d_k - 1}
              \Bigl(\sum_{R_k} e^{f_j} - \gamma_l \sum_{D_k} e^{f_j}\Bigr)^{-1}

    The events :math:`D_k` at one time have their mean weight each. By Efron one of them comes after
    another, and :math:`\gamma_l = l/d_k`; by Breslow it is zero.
    """
    weight = np.ones(len(risk)) if weight is None else weight
    table = RiskTable.of(outcome, weight)
    # Relative to the largest, so that no exponential overflows.
    top, n_times = float(risk.max()), len(table.times)
    sizes = weight * np.exp(risk - top)
    total = np.cumsum(np.bincount(table.place, sizes, n_times)[::-1])[::-1]
    events_at = table.place[outcome.event]
    tied = np.bincount(events_at, sizes[outcome.event], n_times)
    number = np.bincount(events_at, minlength=n_times)
    place = np.sort(events_at)
    before = np.arange(len(place)) - np.searchsorted(place, place)
    gone = before / number[place] if ties == "efron" else np.zeros(len(place))
    left = total[place] - gone * tied[place]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        steps = table.events[place] / number[place] / left * np.exp(-top)
    return StepFunction(table.times, np.cumsum(np.bincount(place, steps, n_times)), 0.0)


def _products(shares: Array) -> Array:
    return np.asarray(np.cumprod(1.0 - shares), dtype=float)
