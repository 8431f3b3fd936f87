r"""Cox's partial likelihood, one event after another.

Tied events are in any order, each with the mean of their costs. At the l-th of d of them, by Efron,
a part l/d of them all is gone; by Breslow none is. With the presence u of every row,

.. math::

    L(f) = \sum_s c_s \log \sum_j u_{sj} v_j e^{f_j} - \sum_i C_i \delta_i f_i .

Each logarithm is :math:`\max_p \sum_j p_j f_j - p_j \log (p_j / u_{sj} v_j)` over the shares p of
the rows at risk. So shares that are written down, one list for each logarithm, prove a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn.typing import AnyFloatArray, LongArray, Mask, Scalar


@dataclass(frozen=True, eq=False)
class PartialLikelihood:
    """The times, the factors C of rows with an event (zero for other rows), and the weights v."""

    time: AnyFloatArray
    events: AnyFloatArray
    weight: AnyFloatArray
    ties: str = "efron"

    @cached_property
    def times(self) -> AnyFloatArray:
        """Times of the events, in order, each once for every logarithm."""
        return np.sort(self.time[self.events > 0])

    @cached_property
    def tied(self) -> Mask:
        """Whether a row has an event at each of these times, of shape (s, n)."""
        return np.asarray((self.time == self.times[:, None]) & (self.events > 0))

    @cached_property
    def presence(self) -> AnyFloatArray:
        """The presence u of each row at each of these times, of shape (s, n)."""
        before = np.arange(len(self.times)) - np.searchsorted(self.times, self.times)
        gone = before / self.tied.sum(axis=1, dtype=np.longdouble)
        gone *= self.ties == "efron"
        at_risk = self.time >= self.times[:, None]
        return np.asarray(at_risk * (1.0 - self.tied * gone[:, None]))

    @cached_property
    def totals(self) -> AnyFloatArray:
        """Factors c of the logarithms."""
        return np.asarray(self.tied @ self.events / self.tied.sum(axis=1))

    @cached_property
    def lower(self) -> AnyFloatArray:
        """The least coefficients: the rows take all that was ever to be shared."""
        return np.asarray(self.events - self.totals @ (self.presence > 0))

    def loss(self, f: AnyFloatArray) -> Scalar:
        """L(f)."""
        sizes = self._sizes(f)
        most = sizes.max(axis=1, keepdims=True)
        logs = most[:, 0] + np.log(np.exp(sizes - most).sum(axis=1))
        return self.totals @ logs - self.events @ f

    def derivatives(self, f: AnyFloatArray) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The negative slope and the second derivative of L."""
        sizes = self._sizes(f)
        risks = np.exp(sizes - sizes.max(axis=1, keepdims=True))
        shares = risks / risks.sum(axis=1, keepdims=True)
        received = self.totals @ shares
        curvature = np.diag(received) - shares.T @ (self.totals[:, None] * shares)
        return self.events - received, curvature

    def _sizes(self, f: AnyFloatArray) -> AnyFloatArray:
        """The logarithms of the terms of each sum, in the precision of f."""
        with np.errstate(divide="ignore"):
            found = np.log(self.weight) + np.log(self.presence) + f
        return np.asarray(found, dtype=f.dtype)

    def divided(self, a: LongArray) -> tuple[LongArray, Scalar]:
        """Division of the totals that makes a the slope, of shape (s, n); and its shortfall.

        The untaken rest of earlier totals is mixed. Tied events take their part first, from each
        total in proportion to odds that are their presence times a common factor. The other rows
        that leave before the next event take their parts of the mixture.
        """
        left = np.zeros(len(self.times), dtype=np.longdouble)
        divided = np.zeros(self.presence.shape, dtype=np.longdouble)
        taken = self.events - a
        idle = np.abs(np.where(self.presence[0] > 0, 0.0, a)).max()
        missing = np.longdouble(0.0)
        stages = np.unique(self.times)
        for stage, time in enumerate(stages):
            own = self.times == time
            left[own] = self.totals[own]
            last = stage + 1 == len(stages)
            later = np.inf if last else stages[stage + 1]
            tied = self.tied[own][0]
            leaves = (self.time >= time) & (self.time < later) & ~tied
            present = np.where(own, self.presence[:, tied].max(axis=1), np.longdouble(1.0))
            parts = _taken_by_tied(left, present, taken[tied].sum())
            divided[:, tied] = np.outer(parts, taken[tied] / taken[tied].sum())
            missing = max(missing, taken[tied].sum() - parts.sum())
            left -= parts
            mixture = max(left.sum(), np.longdouble(np.finfo(float).tiny))
            divided[:, leaves] = np.outer(left, taken[leaves] / mixture)
            rest = left.sum() - taken[leaves].sum()
            missing = max(missing, abs(rest) if last else -rest)
            left *= max(rest, np.longdouble(0.0)) / mixture
        rounding = 4.0 * len(a) * np.finfo(np.longdouble).eps * self.totals.sum()
        return divided, max(missing - rounding, idle, -taken.min())

    def entropy(self, a: LongArray) -> Scalar:
        r"""Entropy of the division: an upper bound of :math:`-\min_f a^\top f + L(f)`."""
        divided, _ = self.divided(a)
        is_positive = divided > 0
        whole = self.totals[:, None] * self.weight * self.presence
        return (divided[is_positive] * np.log(divided[is_positive] / whole[is_positive])).sum()


def _taken_by_tied(left: LongArray, presence: LongArray, total: Scalar) -> LongArray:
    """Parts of each amount that add up to a total, whose odds are x times the presence."""
    low, high = np.longdouble(0.0), np.longdouble(1.0)  # of x / (1 + x)
    if total >= left.sum():
        return left.copy()
    for _ in range(80):
        p = 0.5 * (low + high)
        parts = left * presence * p / (1.0 - p + presence * p)
        low, high = (p, high) if parts.sum() < total else (low, p)
    return np.asarray(parts * (total / parts.sum()) if parts.any() else parts)
