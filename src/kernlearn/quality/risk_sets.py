r"""Cox's partial likelihood, its conjugate in closed form, and the derivatives of both.

With ties by Breslow, all events at one time have the same risk set :math:`R_k`, of the rows that
are observed until then or longer. With :math:`c_k` the sum of their :math:`C_i`,

.. math::

    L(f) = \sum_k c_k \log \sum_{j \in R_k} v_j e^{f_j} - \sum_i C_i \delta_i f_i .

The conjugate divides each :math:`c_k` among the rows of :math:`R_k`. Since risk sets are nested,
the division of least entropy is a flow: at stage k there is :math:`F_k = r_{k-1} + c_k`, the rows
that leave before the next event take :math:`m_j` of it, and :math:`r_k` goes on. Rows with an event
leave at its stage, so that :math:`r_k` is the sum of the coefficients of all who have left. So for
:math:`m_j = C_j\delta_j - a_j \ge 0` and :math:`r_k \ge 0`,

.. math::

    L^*(-a) = \sum_j m_j \log\frac{m_j}{v_j F_{k(j)}} + \sum_k r_k \log\frac{r_k}{F_k},

which takes time linear in the rows and needs nothing but a.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from kernlearn.typing import Array, Indices

_TINY = float(np.finfo(float).tiny)
# The part of a flow below which what goes on counts as held: a factor has digits for no more.
_FIRM = 1e-12


@dataclass(frozen=True, eq=False)
class RiskSets:
    """The rows at risk at each event's time."""

    stage: Indices  # (n,): the last risk set of each row; −1 for rows in none
    events: Array  # (n,): Cᵢδᵢ
    weight: Array  # (n,): the vⱼ

    @classmethod
    def of(cls, signed: Array, upper: Array, weight: Array) -> RiskSets:
        """From times that have the sign bit where they are censored, and the Cᵢ."""
        time, event = np.abs(signed), ~np.signbit(signed)
        stage = np.searchsorted(np.unique(time[event]), time, side="right") - 1
        return cls(stage, np.where(event, upper, 0.0), weight)

    def on_rows(self, rows: Indices, copies: float) -> RiskSets:
        """Those of some rows, each standing for many."""
        stage, events = self.stage[rows], self.events[rows] * copies
        stage = np.searchsorted(np.unique(stage[events > 0]), stage, side="right") - 1
        return RiskSets(stage, events, self.weight[rows])

    @cached_property
    def totals(self) -> Array:
        """The c of each stage, of shape (k,)."""
        has_event = self.events > 0
        return np.asarray(np.bincount(self.stage[has_event], self.events[has_event]), dtype=float)

    @cached_property
    def box(self) -> Array:
        """Between what each coefficient lies, of shape (n, 2)."""
        received = np.append(np.cumsum(self.totals), 0.0)[self.stage]
        return np.stack([self.events - received, self.events], axis=1)

    @cached_property
    def order(self) -> Indices:
        """The rows at risk, by stage."""
        order = np.argsort(self.stage, kind="stable")
        return order[int((self.stage < 0).sum()) :]

    @cached_property
    def first(self) -> Indices:
        """The place in that order where each stage starts."""
        return np.searchsorted(self.stage[self.order], np.arange(len(self.totals)))

    def losses(self, f: Array) -> Array:
        """The terms of L, at the rows of the events, in the precision of f."""
        logs = np.append(self._log_sums(f), 0.0)
        return np.asarray(self.events * (logs[self.stage] - f))

    def coefficients(self, f: Array) -> Array:
        """The coefficients a = −L′(f)."""
        logs = np.logaddexp.accumulate(np.log(self.totals) - self._log_sums(f))
        received = self.weight * np.exp(f + np.append(logs, -np.inf)[self.stage])
        return np.asarray(self.events - received)

    def hessian(self, f: Array) -> Array:
        """L″(f), of shape (n, n)."""
        logs, sizes = self._log_sums(f), np.log(self.weight) + f
        squares = np.logaddexp.accumulate(np.log(self.totals) - 2.0 * logs)
        shared = np.append(squares, -np.inf)[np.minimum.outer(self.stage, self.stage)]
        H = -np.exp(sizes[:, None] + sizes + shared)
        H.flat[:: len(H) + 1] += self.events - self.coefficients(f)
        return np.asarray(H)

    def entropy(self, a: Array) -> Array:
        """The terms of L*(−a), one at each row, for feasible coefficients."""
        m, rest, flow = self._flow(a)
        at_risk = self.stage >= 0
        of_row = self.weight * np.append(flow, 1.0)[self.stage]
        terms = np.where(at_risk, xlogy(m, np.maximum(m, _TINY) / of_row), 0.0)
        terms[self.order[self.first]] += xlogy(rest, np.maximum(rest, _TINY) / flow)
        return np.asarray(terms)

    def entropy_curvature(self, a: Array) -> Array:
        """The second derivative of L*(−a), of shape (n, n)."""
        m, rest, flow = self._flow(a)
        steps = 1.0 / np.maximum(rest[:-1], _FIRM * flow[:-1]) - 1.0 / np.maximum(flow[1:], _TINY)
        sums = np.append(np.cumsum(np.maximum(steps, 0.0)[::-1])[::-1], [0.0, 0.0])
        H = sums[np.maximum.outer(self.stage, self.stage)]
        with np.errstate(divide="ignore"):
            H.flat[:: len(H) + 1] += 1.0 / m
        return np.asarray(H)

    def shortfall(self, a: Array) -> float:
        """By how much the flow falls below zero."""
        return max(-float(_rest(self, a).min()), 0.0)

    def repaired(self, a: Array) -> Array:
        """Coefficients of a flow: no stage takes more than has come, and the last takes all."""
        a = np.where(self.stage >= 0, np.minimum(a, self.events), 0.0)
        m, last = self.events - a, len(self.totals) - 1
        if not m[self.stage == last].any():
            m[self.stage == last] = 1.0  # of any size: all that is left is theirs
        taken, left = _by_stage(self, m), _by_stage(self, a)
        returned, rest = np.zeros(len(taken)), 0.0
        for k in range(len(taken)):
            rest += left[k]
            if rest < 0.0 or k == last:
                returned[k], rest = -rest / max(taken[k], _TINY), 0.0
        return a + returned[self.stage] * m

    def _log_sums(self, f: Array) -> Array:
        """The logarithm of the sum of the risks of each stage."""
        sizes = (np.log(self.weight) + f)[self.order][::-1]
        return np.asarray(np.logaddexp.accumulate(sizes)[::-1][self.first])

    def _flow(self, a: Array) -> tuple[Array, Array, Array]:
        """The amount of each row, the flow out of each stage, and the flow into it."""
        rest = np.maximum(_rest(self, a), 0.0)
        return np.maximum(self.events - a, 0.0), rest, np.append(0.0, rest[:-1]) + self.totals


def _by_stage(risk_sets: RiskSets, values: Array) -> Array:
    order = risk_sets.order
    return np.asarray(np.bincount(risk_sets.stage[order], values[order]), dtype=float)


def _rest(risk_sets: RiskSets, a: Array) -> Array:
    """The remainder after each stage, summed from the nearer end for less rounding."""
    left = _by_stage(risk_sets, a)
    forward, backward = np.cumsum(left), np.append(-np.cumsum(left[:0:-1])[::-1], 0.0)
    return np.where(np.arange(len(left)) < len(left) // 2, forward, backward)
