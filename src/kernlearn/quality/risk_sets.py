r"""Cox's partial likelihood with tied events, its slope and its curvature, in time linear in rows.

At the time of stage k there are :math:`d_k` events :math:`D_k`, whose :math:`C_i` add up to
:math:`c_k`, in the risk set :math:`R_k` of the rows that are observed until then or longer. One
event comes after another: at step l a part :math:`\gamma_l` of the tied events is gone,

.. math::

    L(f) = \sum_k \sum_{l=0}^{d_k-1} \frac{c_k}{d_k} \log A_{kl} - \sum_i C_i \delta_i f_i, \qquad
    A_{kl} = \sum_{j \in R_k} v_j e^{f_j} - \gamma_l \sum_{j \in D_k} v_j e^{f_j} .

By Efron :math:`\gamma_l = l / d_k`. By Breslow no event is gone, and all steps of a stage are one.
Each :math:`A_{kl}` is a mean of the sum over :math:`R_k` and of that without :math:`D_k`, so that
nothing cancels. With the mass :math:`c_s` of a step s and the shares
:math:`\pi_s = \nabla \log A_s`,

.. math::

    -\nabla L = C\delta - \sum_s c_s \pi_s, \qquad
    \nabla^2 L = \sum_s c_s \bigl(\mathrm{diag}\,\pi_s - \pi_s \pi_s^\top\bigr) .
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, Indices, Mask

# Rows of a log hazard this far below the largest count as such ones in a curvature.
_FARTHEST = 500.0


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of all stages, in order."""

    stage: Indices  # (s,): the stage of each
    gone: Array  # (s,): γ, the part of tied events that is gone
    mass: Array  # (s,): what the logarithm is multiplied by
    first: Indices  # (k,): the first step of each stage

    @cached_property
    def log_gone(self) -> Array:
        """The logarithm of γ, of shape (s,)."""
        with np.errstate(divide="ignore"):  # nothing is gone at first
            return np.asarray(np.log(self.gone))

    @cached_property
    def log_present(self) -> Array:
        """The logarithms of the parts that are present: of other rows, one, and of tied events."""
        return np.stack([0.0 * self.gone, np.log1p(-self.gone)])

    @cached_property
    def log_mass(self) -> Array:
        """The logarithm of the mass, of shape (s,)."""
        return np.asarray(np.log(self.mass))

    def sums(self, values: Array) -> Array:
        """The sum over the steps of each stage, of values of shape (s,) or (s, l)."""
        if len(self.first) == len(self.stage):
            return values
        return np.asarray(np.add.reduceat(values, self.first, axis=0))


@dataclass(frozen=True, eq=False)
class RiskSets:
    """The rows at risk at each event's time."""

    stage: Indices  # (n,): the last risk set of each row; −1 for rows in none
    events: Array  # (n,): Cᵢδᵢ
    weight: Array  # (n,): the vⱼ
    ties: Ties = "efron"

    @classmethod
    def of(cls, signed: Array, upper: Array, weight: Array, ties: Ties = "efron") -> RiskSets:
        """From times that have the sign bit where they are censored, and the Cᵢ."""
        time, event = np.abs(signed), ~np.signbit(signed)
        stage = np.searchsorted(np.unique(time[event]), time, side="right") - 1
        return cls(stage, np.where(event, upper, 0.0), weight, ties)

    def on_rows(self, rows: Indices, copies: float) -> RiskSets:
        """Those of some rows, each standing for many."""
        stage, events = self.stage[rows], self.events[rows] * copies
        stage = np.searchsorted(np.unique(stage[events > 0]), stage, side="right") - 1
        return RiskSets(stage, events, self.weight[rows], self.ties)

    def without(self, rows: Mask) -> RiskSets:
        """Those of all rows but some, which are in none."""
        events = np.where(rows, 0.0, self.events)
        stage = np.searchsorted(np.unique(self.stage[events > 0]), self.stage, side="right") - 1
        return RiskSets(np.where(rows, -1, stage), events, self.weight, self.ties)

    @cached_property
    def tied(self) -> Mask:
        """The rows with an event."""
        return np.asarray(self.events > 0)

    @cached_property
    def number(self) -> Indices:
        """The number of events of each stage."""
        return np.bincount(self.stage[self.tied])

    @cached_property
    def totals(self) -> Array:
        """The c of each stage, of shape (k,)."""
        return np.asarray(np.bincount(self.stage[self.tied], self.events[self.tied]), dtype=float)

    @cached_property
    def steps(self) -> Steps:
        """One event after another; one step for each stage by Breslow."""
        number = self.number if self.ties == "efron" else np.ones_like(self.number)
        stage = np.repeat(np.arange(len(number)), number)
        first = np.cumsum(number) - number
        gone = (np.arange(len(stage)) - first[stage]) / number[stage]
        return Steps(stage, gone, (self.totals / number)[stage], first)

    @cached_property
    def box(self) -> Array:
        """Between what each coefficient lies, of shape (n, 2)."""
        received = np.append(np.cumsum(self.totals), 0.0)[self.stage]
        return np.stack([self.events - received, self.events], axis=1)

    @cached_property
    def order(self) -> Indices:
        """The rows at risk, by stage, those with an event first."""
        order = np.lexsort((~self.tied, self.stage))
        return order[int((self.stage < 0).sum()) :]

    @cached_property
    def first(self) -> Indices:
        """The place in that order where each stage starts."""
        return np.searchsorted(self.stage[self.order], np.arange(len(self.totals)))

    def losses(self, f: Array) -> Array:
        """The terms of L, at the rows of the events, in the precision of f."""
        steps = self.steps
        means = steps.sums(self._log_sums(f)) / np.bincount(steps.stage)
        return np.asarray(self.events * (np.append(means, 0.0)[self.stage] - f))

    def coefficients(self, f: Array) -> Array:
        """The coefficients a = −L′(f)."""
        return np.asarray(self.events - self.received(f))

    def received(self, f: Array) -> Array:
        """What each row takes of all masses."""
        return np.asarray(self.weight * np.exp(f + self.log_hazard(f)))

    def log_hazard(self, f: Array) -> Array:
        """The logarithm of the cumulative baseline hazard that each row is exposed to."""
        steps = self.steps
        terms = steps.log_mass - self._log_sums(f)
        before = np.append(-np.inf, np.logaddexp.accumulate(terms)[steps.first[1:] - 1])
        own = np.logaddexp.reduceat(terms + steps.log_present, steps.first, axis=1)
        logs = np.append(np.logaddexp(before, own), np.full((2, 1), -np.inf), axis=1)
        return np.asarray(logs[self.tied.astype(np.intp), self.stage])

    def _log_sums(self, f: Array) -> Array:
        """The logarithm of A at each step."""
        sizes = (np.log(self.weight) + f)[self.order][::-1]
        tails = np.append(np.logaddexp.accumulate(sizes)[::-1], -np.inf)
        steps = self.steps
        first = self.first[steps.stage]
        whole, rest = tails[first], tails[first + self.number[steps.stage]]
        return np.asarray(np.logaddexp(steps.log_present[1] + whole, steps.log_gone + rest))


class RiskCurvature:
    """W = L″(f) without its n × n numbers."""

    def __init__(self, risk_sets: RiskSets, f: Array) -> None:
        self.risk_sets = risk_sets
        f = np.maximum(f, float(f.max(initial=-np.inf)) - _FARTHEST)
        logs = np.log(risk_sets.weight) + f
        # Relative to the largest, so that no exponential overflows.
        self.sizes = np.where(risk_sets.stage >= 0, np.exp(logs - logs.max()), 0.0)
        self.received = risk_sets.received(f)
        self.sums = self.at_steps(self.sizes[risk_sets.order][:, None])[:, 0]

    def at_steps(self, values: Array, first: int = 0, after: Array | float = 0.0) -> Array:
        """Sums over the rows at risk at each step, those that are gone less.

        `values` has the rows of whole stages in order, from stage `first` on, and `after` is the
        sum over all later stages.
        """
        risk_sets, steps = self.risk_sets, self.risk_sets.steps
        tails = np.concatenate([values, np.broadcast_to(after, (1, values.shape[1]))])
        np.cumsum(tails[::-1], axis=0, out=tails[::-1])
        start = int(risk_sets.first[first])
        stop = int(np.searchsorted(risk_sets.first, start + len(values)))
        chosen = slice(*np.searchsorted(steps.stage, [first, stop]))
        gone, stage = steps.gone[chosen, None], steps.stage[chosen]
        whole = risk_sets.first[stage] - start
        if not gone.any():
            return np.asarray(tails[whole])
        rest = tails[whole + risk_sets.number[stage]]
        return np.asarray((1.0 - gone) * tails[whole] + gone * rest)

    def times(self, V: Array) -> Array:
        """WV, for V of shape (n, l)."""
        risk_sets, steps = self.risk_sets, self.risk_sets.steps
        sizes = self.sizes[:, None]
        shared = self.at_steps((sizes * V)[risk_sets.order]) / self.sums[:, None]
        shared *= (steps.mass / self.sums)[:, None]
        whole = np.cumsum(steps.sums(shared), axis=0)
        back = np.concatenate([whole, np.zeros((1, V.shape[1]))])[risk_sets.stage]
        if steps.gone.any():
            gone = steps.sums(steps.gone[:, None] * shared)
            back[risk_sets.tied] -= gone[risk_sets.stage[risk_sets.tied]]
        back *= sizes
        return np.asarray(self.received[:, None] * V - back)
