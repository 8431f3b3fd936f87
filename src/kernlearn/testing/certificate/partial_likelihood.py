r"""Cox's partial likelihood, one event after another.

.. math::

    L(f) = \sum_i C_i \delta_i \Bigl(\log \sum_{t_j \ge t_i} v_j e^{f_j} - f_i\Bigr)

Each logarithm is :math:`\max_p \sum_j p_j f_j - p_j \log (p_j / v_j)` over the shares p of the rows
at risk. So shares that are written down, one list for each time of an event, prove a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn.typing import AnyFloatArray, LongArray, Mask, Scalar


@dataclass(frozen=True, eq=False)
class PartialLikelihood:
    """The times; of rows with an event what their loss is multiplied by, of others zero; the v."""

    time: AnyFloatArray
    events: AnyFloatArray
    weight: AnyFloatArray

    @cached_property
    def times(self) -> AnyFloatArray:
        """When events were seen, each time once."""
        return np.unique(self.time[self.events > 0])

    @cached_property
    def at_risk(self) -> Mask:
        """Of shape (k, n): who was observed until each of these times, or longer."""
        return np.asarray(self.time >= self.times[:, None])

    @cached_property
    def totals(self) -> AnyFloatArray:
        """What the logarithm at each of these times is multiplied by."""
        return np.asarray((self.events * (self.time == self.times[:, None])).sum(axis=1))

    @cached_property
    def lower(self) -> AnyFloatArray:
        """The least coefficients: the rows take all that was ever to be shared."""
        return np.asarray(self.events - self.totals @ self.at_risk)

    def loss(self, f: AnyFloatArray) -> Scalar:
        """L(f)."""
        sizes = np.where(self.at_risk, np.log(self.weight) + f, -np.inf)
        most = sizes.max(axis=1, keepdims=True)
        logs = most[:, 0] + np.log(np.exp(sizes - most).sum(axis=1))
        return (self.events * (logs @ (self.time == self.times[:, None]) - f)).sum()

    def derivatives(self, f: AnyFloatArray) -> tuple[AnyFloatArray, AnyFloatArray]:
        """The negative slope and the second derivative of L."""
        sizes = np.where(self.at_risk, np.log(self.weight) + f, -np.inf)
        risks = np.exp(sizes - sizes.max(axis=1, keepdims=True))
        shares = risks / risks.sum(axis=1, keepdims=True)
        received = self.totals @ shares
        curvature = np.diag(received) - shares.T @ (self.totals[:, None] * shares)
        return self.events - received, curvature

    def divided(self, a: LongArray) -> tuple[LongArray, Scalar]:
        """How the totals may be divided so that a is the slope, of shape (k, n); what is missing.

        What has come and was not yet taken is mixed. The rows that leave before the next event
        take their parts of the mixture.
        """
        left = np.zeros(len(self.times), dtype=np.longdouble)
        divided = np.zeros(self.at_risk.shape, dtype=np.longdouble)
        taken = self.events - a
        idle = np.abs(np.where(self.at_risk[0], 0.0, a)).max()
        missing = np.longdouble(0.0)
        for stage, total in enumerate(self.totals):
            left[stage] = total
            last = stage + 1 == len(self.times)
            stays = np.zeros(len(a), dtype=bool) if last else self.at_risk[stage + 1]
            leaves = self.at_risk[stage] & ~stays
            divided[:, leaves] = np.outer(left, taken[leaves] / left.sum())
            rest = left.sum() - taken[leaves].sum()
            missing = max(missing, abs(rest) if last else -rest)
            left *= max(rest, np.longdouble(0.0)) / left.sum()
        rounding = 4.0 * len(a) * np.finfo(np.longdouble).eps * self.totals.sum()
        return divided, max(missing - rounding, idle, -taken.min())

    def entropy(self, a: LongArray) -> Scalar:
        r"""Of that division: an upper bound of :math:`-\min_f a^\top f + L(f)`."""
        divided, _ = self.divided(a)
        is_positive = divided > 0
        shares = divided / (self.totals[:, None] * self.weight)
        return (divided[is_positive] * np.log(shares[is_positive])).sum()
