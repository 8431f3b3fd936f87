r"""Cox's linear model with a ridge, whose strength is that of the best held-out likelihood.

With few events a linear log hazard is hard to better. The working responses of other machines start
from the linear model, which takes part in the mixture of risks.

.. math:: \min_\beta \; L(Z\beta) + \tfrac{\lambda}{2} \lVert\beta\rVert^2

Folds are drawn several times if events are few, so that the luck of one draw does not decide.
Held-out rows are compared within their fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.estimators.mixture.targets.counts import CountRows
from kernlearn.kernels import Linear
from kernlearn.numerics.rounding import first_least
from kernlearn.quality.counts import CountLoss
from kernlearn.quality.partial_likelihood import (
    StratifiedRiskSets,
    centred_within,
    positive_ridge_cox,
    ridge_cox,
)
from kernlearn.quality.risk_sets import RiskSets
from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.typing import Array, Indices

# λ relative to the weight of the events times the mean squared norm of a row, the largest first.
_RIDGES = np.logspace(0.5, -3.5, 9)
# Folds are drawn until this many events have been held out, and at most this many times.
_EVENTS, _MOST_DRAWS = 200, 5
# Principal components that are kept of more columns.
_MOST_COLUMNS = 200
# The least exposure of a row, relative to that of the first event.
_LEAST_HAZARD = 0.5
# The strength of the prior by which risks contribute alike, in events: that of mixtures.
_ALIKE = 20.0


@dataclass(frozen=True, eq=False)
class LinearHazard:
    """The model, and its held-out predictions."""

    rows: Array  # the prepared columns of the training rows, of shape (n, p)
    coef: Array  # β, of shape (p,)
    ridge: float  # λ for working responses, whose weights have the mean one
    centre: float  # the mean log hazard of the rows
    held_out: Array  # of the first draw of folds, centred within each, of shape (n,)
    pilot: (
        Array  # the mean over all draws; zero if the model is uninformative for held-out rows; (n,)
    )

    def beside(self, members: Members, factors: Array) -> Members:
        """A mixture and this model in one, by a factor for each.

        The model becomes a machine with one point; trained again, it learns working responses.
        """
        machines, titles, tables = members.machines, members.titles, members.tables
        scaled = factors[0] * members.factors
        if factors[1] > 0.0:
            intercept, one = np.array([-self.centre]), np.ones((1, 1))
            points = self.coef[None]
            linear = KernelMachine(STANDARD, Linear(), self.ridge, points, one, intercept)
            machines, titles = [*machines, linear], [*titles, "Cox"]
            scaled = np.append(scaled, factors[1])
            tables = {STANDARD: self.rows, **tables}
        return replace(members, machines=machines, factors=scaled, titles=titles, tables=tables)


def n_draws(n_events: int) -> int:
    """Number of draws of folds.

    >>> n_draws(10), n_draws(80), n_draws(500)
    (5, 3, 1)
    """
    return int(np.clip(-(-_EVENTS // max(n_events, 1)), 1, _MOST_DRAWS))


def linear_hazard(
    Z: Array, signed: Array, weight: Array, draws: Sequence[Sequence[Indices]]
) -> LinearHazard:
    """Search λ by several draws of folds, and train on all rows.

    `signed` holds times, with the sign bit of censored times set.
    """
    rotated, back = _components(Z)
    held_out = [_held_out(rotated, signed, weight, folds) for folds in draws]
    losses, constant = np.zeros(len(_RIDGES)), 0.0
    for folds, values in zip(draws, held_out, strict=True):
        sets = StratifiedRiskSets.of(signed, weight, codes_of(folds))
        losses += [sets.loss(each) for each in values]
        constant += sets.loss(np.zeros(len(Z)))
    best = first_least(losses)
    beta = back @ _path(rotated, signed, weight)[best]
    pilot = np.mean([values[best] for values in held_out], axis=0)
    # The weights of working responses add up to that of the events.
    unit = float(weight[~np.signbit(signed)].mean()) * float(np.mean(~np.signbit(signed)))
    return LinearHazard(
        Z,
        beta,
        float(_strengths(rotated, signed, weight)[best]) / unit,
        float(np.average(Z @ beta, weights=weight)),
        held_out[0][best],
        pilot if losses[best] < constant else np.zeros(len(Z)),
    )


def working_responses(outcome: SurvivalOutcome, weight: Array, pilot: Array) -> CountLoss:
    r"""Cox's loss near a pilot, as that of counts.

    With the cumulative hazard :math:`\Lambda_0` held fixed, an event is a Poisson count of mean
    :math:`\Lambda_0(t_i) e^{f(x_i)}` (Laird and Olivier 1981). By Efron a tied event is exposed to
    a part of the hazard at its time.
    """
    hazard = np.exp(RiskSets.of(outcome.signed, weight, weight).log_hazard(pilot))
    # Rows that are censored before the first event have no exposure.
    hazard = np.maximum(hazard, _LEAST_HAZARD * float(hazard[hazard > 0.0].min()))
    counts = CountRows(outcome.event.astype(float), hazard, weight, has_dispersion=False)
    return counts.near(pilot)


def risk_factors(risks: Array, signed: Array, weight: Array, codes: Indices) -> tuple[Array, Array]:
    """Factors of held-out risks of shape (n, m), and the share of each in the spread of their sum.

    The factors maximise the partial likelihood within folds, up to a prior: log hazards have a
    spread of about one, to which all contribute alike. If no risk is informative, all have equal
    weights at unit spread.
    """
    m, risks = risks.shape[1], centred_within(risks, weight, codes)
    spread = np.sqrt(np.average(risks**2, axis=0, weights=weight))
    unit = np.where(spread > 0.0, 1.0 / np.maximum(spread, 1e-300), 0.0)
    sets = StratifiedRiskSets.of(signed, weight, codes)
    penalty = np.ones((m, m)) + _ALIKE * (np.eye(m) - 1.0 / m)
    sizes = positive_ridge_cox(risks * unit, sets, penalty) if sets.parts else np.zeros(m)
    if not sizes.any():
        sizes = np.full(m, 1.0 / m)
    return sizes * unit, sizes / sizes.sum()


def codes_of(folds: Sequence[Indices]) -> Indices:
    """The number of the fold of every row."""
    codes = np.zeros(sum(map(len, folds)), dtype=np.intp)
    for code, fold in enumerate(folds):
        codes[fold] = code
    return codes


def _components(Z: Array) -> tuple[Array, Array]:
    """The rows in few columns, and the way back for coefficients: a rotation leaves the ridge."""
    if Z.shape[1] <= _MOST_COLUMNS:
        return Z, np.eye(Z.shape[1])
    _, _, axes = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    back = axes[:_MOST_COLUMNS].T
    return Z @ back, back


def _strengths(Z: Array, signed: Array, weight: Array) -> Array:
    """λ of every model of a path."""
    events = float(weight[~np.signbit(signed)].sum())
    norm = float(np.average((Z**2).sum(axis=1), weights=weight)) or 1.0
    return _RIDGES * events * norm


def _path(Z: Array, signed: Array, weight: Array) -> list[Array]:
    """The β of every λ, each warm-started from the one before."""
    sets, found = StratifiedRiskSets.of(signed, weight), []
    beta = np.zeros(Z.shape[1])
    for strength in _strengths(Z, signed, weight):
        if sets.parts:
            beta = ridge_cox(Z, sets, strength * np.eye(Z.shape[1]), beta)
        found.append(beta)
    return found


def _held_out(Z: Array, signed: Array, weight: Array, folds: Sequence[Indices]) -> Array:
    """Predictions for each fold by models without it, centred there, of shape (λ, n)."""
    values = np.zeros((len(_RIDGES), len(Z)))
    for fold in folds:
        others = np.setdiff1d(np.arange(len(Z)), fold)
        path = _path(Z[others], signed[others], weight[others])
        values[:, fold] = np.array(path) @ Z[fold].T
    codes = codes_of(folds)
    return np.stack([centred_within(each, weight, codes) for each in values])
