r"""The conjugate of Cox's partial likelihood: a flow through nested risk sets.

The conjugate divides the mass of each step among the rows at risk (:mod:`kernlearn.quality
.risk_sets` has the notation). Since risk sets are nested, the division of least entropy is a flow:
at stage k there is :math:`F_k = r_{k-1} + c_k`, the events :math:`D_k` take
:math:`M_k = \sum_{D_k} m_j` of it, the rows that are censored before the next event take their
:math:`m_j`, and :math:`r_k` goes on. Rows leave with :math:`m_j = C_j\delta_j - a_j \ge 0`, so that
:math:`r_k \ge 0` is the sum of the coefficients of all who have left.

Let p be the share of the tied events in the sum over the risk set. From what has come they take the
part p, and :math:`(1 - \gamma) p / (1 - \gamma p)` from a step at which a part γ of them is gone:

.. math::

    M = p V, \quad V = r_{k-1} + \sum_l \tfrac{c}{d} \frac{1 - \gamma_l}{1 - \gamma_l p}, \qquad
    F - M = (1 - p) W, \quad W = r_{k-1} + \sum_l \tfrac{c}{d} \frac{1}{1 - \gamma_l p} .

The first equation has one root p, the second one then holds, and

.. math::

    L^*(-a) = \sum_k \Bigl[ \sum_{D_k} m_j \log\frac{m_j}{v_j V_k}
    + \sum_{\text{censored}} m_j \log\frac{m_j}{v_j W_k} + r_k \log\frac{r_k}{W_k}
    - \sum_l \tfrac{c_k}{d_k} \log(1 - \gamma_l p_k) \Bigr] .

If no event is gone, :math:`p = M / F` and :math:`V = W = F`. All takes time linear in the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from kernlearn.quality.risk_sets import RiskSets
from kernlearn.typing import Array

_TINY = float(np.finfo(float).tiny)
_EPS = float(np.finfo(float).eps)
# The part of a flow below which what goes on counts as held: a factor has digits for no more.
_FIRM = 1e-12
# Newton steps at most to a share, from above: its equation is convex.
_MAX_STEPS = 60


@dataclass(frozen=True, eq=False)
class RiskFlow:
    """The flow of feasible coefficients."""

    risk_sets: RiskSets
    taken: Array  # (n,): m
    rest: Array  # (k,): r
    came: Array  # (k,): r of the stage before
    by_events: Array  # (k,): M
    share: Array  # (k,): p

    @classmethod
    def of(cls, risk_sets: RiskSets, a: Array) -> RiskFlow:
        """The flow of coefficients a."""
        rest = np.maximum(_rest(risk_sets, a), 0.0)
        came = np.append(0.0, rest[:-1])
        taken = np.maximum(risk_sets.events - a, 0.0)
        stage, tied = risk_sets.stage, risk_sets.tied
        by_events = np.asarray(np.bincount(stage[tied], taken[tied], len(rest)), dtype=float)
        return cls(risk_sets, taken, rest, came, by_events, _shares(risk_sets, came, by_events))

    @property
    def levels(self) -> tuple[Array, Array]:
        """V and W of each stage."""
        steps = self.risk_sets.steps
        of_others = steps.mass / (1.0 - steps.gone * self.share[steps.stage])
        V = self.came + steps.sums((1.0 - steps.gone) * of_others)
        return V, self.came + steps.sums(of_others)

    def entropy(self) -> Array:
        """The terms of L*(−a), one at each row."""
        risk_sets, steps = self.risk_sets, self.risk_sets.steps
        V, W = self.levels
        level = np.append(W, 1.0)[risk_sets.stage]
        level[risk_sets.tied] = V[risk_sets.stage[risk_sets.tied]]
        terms = xlogy(self.taken, np.maximum(self.taken, _TINY) / (risk_sets.weight * level))
        terms[risk_sets.stage < 0] = 0.0
        of_stages = xlogy(self.rest, np.maximum(self.rest, _TINY) / W)
        of_stages -= steps.sums(steps.mass * np.log1p(-steps.gone * self.share[steps.stage]))
        terms[risk_sets.order[risk_sets.first]] += of_stages
        return np.asarray(terms)

    def curvature(self) -> Array:
        r"""The second derivative of L*(−a), of shape (n, n).

        With M and R the amounts that events and others take at a stage, its term depends on them as
        :math:`\max_p M \log p + R \log(1 - p) - \sum_l \tfrac{c}{d} \log(1 - \gamma_l p)` less
        their own entropies, and R falls with all that was taken before.
        """
        risk_sets, stage = self.risk_sets, self.risk_sets.stage
        of_others, of_one, of_two = self._second_derivatives()
        steps = 1.0 / np.maximum(self.rest[:-1], _FIRM * self.inflow[:-1]) + of_others[1:]
        sums = np.append(np.cumsum(np.maximum(steps, 0.0)[::-1])[::-1], [0.0, 0.0])
        last = np.maximum.outer(stage, stage)
        H = sums[last]
        if of_two.any():
            level = np.minimum.outer(stage, stage) == last
            tied = np.flatnonzero(risk_sets.tied)
            at_tied = np.append(of_one, 0.0)[stage[tied]]
            later = (stage[:, None] < stage[tied]) & (stage[:, None] >= 0)
            H[:, tied] += later * at_tied
            H[tied] += (later * at_tied).T
            both = np.ix_(tied, tied)
            H[both] += np.where(level[both], np.append(of_two, 0.0)[stage[tied]], 0.0)
        with np.errstate(divide="ignore"):
            H.flat[:: len(H) + 1] += 1.0 / self.taken
        return np.asarray(H)

    @property
    def inflow(self) -> Array:
        """F of each stage."""
        return np.asarray(self.came + self.risk_sets.totals)

    def _second_derivatives(self) -> tuple[Array, Array, Array]:
        """The curvature of each stage: of all earlier rows, of them and its events, of these."""
        steps, M = self.risk_sets.steps, self.by_events
        R = np.maximum(self.inflow - M, 0.0)
        V, W = self.levels
        curved = steps.gone / (1.0 - steps.gone * self.share[steps.stage])
        e = steps.sums(steps.mass * curved**2)
        N = np.maximum(M * W**2 + R * V**2 - e * M * R, _TINY)
        of_others = (e * M - V**2) / N
        return of_others, of_others + W * V / N, (e * (R + M) - (W - V) ** 2) / N


def shortfall(risk_sets: RiskSets, a: Array) -> float:
    """Largest amount by which the flow of coefficients falls below zero."""
    return max(-float(_rest(risk_sets, a).min()), 0.0)


def repaired(risk_sets: RiskSets, a: Array) -> Array:
    """Coefficients of a flow: no stage takes more than has come, and the last takes all."""
    stage = risk_sets.stage
    a = np.where(stage >= 0, np.minimum(a, risk_sets.events), 0.0)
    m, last = risk_sets.events - a, len(risk_sets.totals) - 1
    if not m[stage == last].any():
        m[stage == last] = 1.0  # of any size: all that is left is theirs
    taken, left = _by_stage(risk_sets, m), _by_stage(risk_sets, a)
    returned, rest = np.zeros(len(taken)), 0.0
    for k in range(len(taken)):
        rest += left[k]
        if rest < 0.0 or k == last:
            returned[k], rest = -rest / max(taken[k], _TINY), 0.0
    return a + returned[stage] * m


def _shares(risk_sets: RiskSets, came: Array, by_events: Array) -> Array:
    """The p of each stage: the root of M = pV(p), which rises and is convex, from above."""
    steps, number = risk_sets.steps, risk_sets.number
    still = (1.0 - steps.gone) * steps.mass
    p = np.minimum(by_events / (came + steps.sums(still)), 1.0)
    if risk_sets.ties == "breslow" or (number == 1).all():
        return np.asarray(p)
    for _ in range(_MAX_STEPS):
        at_steps = still / (1.0 - steps.gone * p[steps.stage])
        slope = came + steps.sums(at_steps / (1.0 - steps.gone * p[steps.stage]))
        step = (p * (came + steps.sums(at_steps)) - by_events) / slope
        p = np.clip(p - step, 0.0, 1.0)
        if (np.abs(step) <= 2.0 * _EPS * p).all():
            break
    return np.asarray(p)


def _by_stage(risk_sets: RiskSets, values: Array) -> Array:
    order = risk_sets.order
    return np.asarray(np.bincount(risk_sets.stage[order], values[order]), dtype=float)


def _rest(risk_sets: RiskSets, a: Array) -> Array:
    """The remainder after each stage, summed from the nearer end for less rounding."""
    left = _by_stage(risk_sets, a)
    forward, backward = np.cumsum(left), np.append(-np.cumsum(left[:0:-1])[::-1], 0.0)
    return np.where(np.arange(len(left)) < len(left) // 2, forward, backward)
