r"""Jackknife pseudo-observations: a number for every row, censored or not.

With an estimate :math:`\hat\theta` from n rows, the number :math:`\hat\theta_i = n\hat\theta -
(n - 1)\hat\theta_{(-i)}` has about the conditional mean of the outcome of row i, given its columns,
as long as censoring does not depend on the columns (Andersen, Klein and Rosthøj 2003). So censored
times become targets of a regression.

Without row i, the factors of Kaplan and Meier's product before :math:`t_i` are
:math:`1 - d_k/(Y_k - 1)`, those after it are as they were: all n curves come from two of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.survival.curves import RiskTable
from kernlearn.survival.numbers import as_numbers, checked_times
from kernlearn.survival.outcome import SurvivalOutcome, survival_outcome
from kernlearn.typing import Array, Rows


def pseudo_survival(outcome: Rows, times: Rows) -> Array:
    """Pseudo-observations of being free of the event after each of some times.

    Parameters
    ----------
    outcome : SurvivalOutcome, structured array, data frame or array of shape (n, 2)
        Right-censored times, as :func:`survival_outcome` reads them.
    times : array-like of shape (k,)
        When to look.

    Returns
    -------
    ndarray of shape (n, k)
        Without censoring, a row has ones before the time of its event, and zeros from it on.

    Examples
    --------
    >>> from kernlearn.survival import pseudo_survival, survival_outcome
    >>> outcome = survival_outcome(event=[1, 1, 1], time=[1, 2, 3])
    >>> pseudo_survival(outcome, [1.5]).round(6).ravel()
    array([0., 1., 1.])
    """
    known, times = survival_outcome(outcome), checked_times(times)
    without, n = _LeftOut(known), len(known)
    whole = _at(without.whole, np.searchsorted(without.times, times, side="right") - 1)
    return np.asarray(n * whole - (n - 1.0) * without.survival(times))


def pseudo_restricted_mean(outcome: Rows, horizon: float | None = None) -> Array:
    r"""Pseudo-observations of the restricted mean :math:`\int_0^\tau S(t)\,dt`.

    Parameters
    ----------
    outcome : SurvivalOutcome, structured array, data frame or array of shape (n, 2)
        Right-censored times, as :func:`survival_outcome` reads them.
    horizon : float, optional
        The end τ; by default the largest time.

    Returns
    -------
    ndarray of shape (n,)
        Without censoring they are the times, cut at the horizon.

    Examples
    --------
    >>> from kernlearn.survival import pseudo_restricted_mean, survival_outcome
    >>> outcome = survival_outcome(event=[1, 1, 1], time=[1, 2, 4])
    >>> pseudo_restricted_mean(outcome, 3.0).round(6)
    array([1., 2., 3.])
    """
    known = survival_outcome(outcome)
    end = float(known.time.max()) if horizon is None else _checked_horizon(horizon)
    # In units of about the largest number, a power of two: sums of large times would overflow.
    unit = int(np.frexp(max(end, known.time.max()))[1])
    known, end = replace(known, time=np.ldexp(known.time, -unit)), float(np.ldexp(end, -unit))
    n, without = len(known), _LeftOut(known)
    area = _areas(without.whole, without.times, np.array([end]))[0]
    return np.asarray(np.ldexp(n * area - (n - 1.0) * without.restricted_mean(end), unit))


def _checked_horizon(horizon: float) -> float:
    """A finite number of zero or more."""
    end = as_numbers(horizon, "horizons", "pass a time, or None for the largest one")
    if end.ndim or not 0.0 <= end < np.inf:
        raise ValueError(
            f"expected horizon to be a finite time of zero or more, got {horizon!r}; pass None for "
            "the largest time"
        )
    return float(end)


class _LeftOut:
    """Kaplan and Meier's estimate without each of the rows."""

    def __init__(self, outcome: SurvivalOutcome) -> None:
        table = RiskTable.of(outcome)
        self.times, self.place, self.time = table.times, table.place, outcome.time
        self.whole = np.cumprod(1.0 - table.events / table.at_risk)
        fewer = np.maximum(table.at_risk - 1.0, 1.0)
        # The curve without a row that is at risk beyond each time.
        self.beyond = np.cumprod(np.clip(1.0 - table.events / fewer, 0.0, 1.0))
        own = 1.0 - (table.events[self.place] - outcome.event) / fewer[self.place]
        before = _at(self.beyond, self.place - 1)
        self.at_own = before * np.clip(own, 0.0, 1.0)  # right after the row's own time
        reached = self.whole[self.place]
        # If the whole curve has come to zero, there is no later time.
        self.scale = np.where(reached > 0, self.at_own / np.where(reached > 0, reached, 1.0), 0.0)
        self.is_last = reached == 0

    def survival(self, times: Array) -> Array:
        """The curve without each row at its times, of shape (n, k)."""
        place = np.searchsorted(self.times, times, side="right") - 1
        later = np.where(
            self.is_last[:, None],
            self.at_own[:, None],
            self.scale[:, None] * _at(self.whole, place),
        )
        return np.where(times >= self.time[:, None], later, _at(self.beyond, place))

    def restricted_mean(self, end: float) -> Array:
        """The areas below the curves, of shape (n,)."""
        until = np.minimum(self.time, end)
        first = _areas(self.beyond, self.times, until)
        rest = _areas(self.whole, self.times, np.array([end])) - _areas(
            self.whole, self.times, until
        )
        tail = np.where(self.is_last, self.at_own * (end - until), self.scale * rest)
        return np.asarray(first + tail)


def _at(values: Rows, place: Rows) -> Array:
    """Values at some places, one before the first."""
    return np.asarray(np.append(values, 1.0)[place])


def _areas(values: Rows, times: Array, ends: Rows) -> Array:
    """The areas below a step function from zero to each of the ends."""
    starts, heights = np.append(0.0, times), np.append(1.0, values)
    total = np.append(0.0, np.cumsum(np.diff(starts) * heights[:-1]))
    place = np.searchsorted(starts, ends, side="right") - 1
    return np.asarray(total[place] + heights[place] * (ends - starts[place]))
