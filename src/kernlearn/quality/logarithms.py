r"""Amounts, learned as logarithms, and limits within which numbers are predicted.

Prices, counts and sizes are never below zero, reach far up, and what changes them changes them by
factors. A machine that learns :math:`g(y) = \log(1 + y / s)` instead, s the lower quartile of the
targets above zero, sees all rows at one scale. Its value v is taken back by

.. math:: \hat y = s \bigl(e^{v} \, \tfrac1n \textstyle\sum_i e^{r_i} - 1\bigr)

with the residuals :math:`r_i` of rows held out (Duan's smearing, 1983): the mean of the targets is
wanted, and the logarithm of a mean is more than the mean of the logarithms.

A polynomial, or a scale learned for every column, may go anywhere beyond the rows that it has seen,
and no held-out row may show it. So predictions stay within the range of the targets and a part of
it to either side. If no target is below zero, as amounts and counts are, neither is a prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Array

# Part of the range, beyond either end. Targets that follow the columns without noise need more.
_BEYOND = 0.2


@dataclass(frozen=True, eq=False)
class Limits:
    """A range for every target.

    >>> import numpy as np
    >>> limits = Limits.of(np.array([[2.0], [5.0], [22.0]]))
    >>> limits(np.array([[-3.0], [7.0], [100.0]])).ravel().tolist()
    [0.0, 7.0, 26.0]
    """

    low: Array  # Lower ends, of shape (k,)
    high: Array
    zero: Array | None = None  # The place of zero, if no target is below it; of shape (k,)

    @classmethod
    def of(cls, Y: Array) -> Limits:
        """Limits for targets of shape (n, k), as the user has them."""
        least, most = Y.min(axis=0), Y.max(axis=0)
        room = _BEYOND * (most - least)
        low, high = least - room, most + room
        low = np.where(least >= 0.0, np.maximum(low, 0.0), low)
        high = np.where(most <= 0.0, np.minimum(high, 0.0), high)
        return cls(low, high, np.zeros_like(low) if (least >= 0.0).all() else None)

    def standardised(self, centre: Array, spread: Array) -> Limits:
        """Limits of targets less their centre, in units of their spread."""
        zero = None if self.zero is None else (self.zero - centre) / spread
        return Limits((self.low - centre) / spread, (self.high - centre) / spread, zero)

    def __call__(self, values: Array) -> Array:
        """The nearest values within, of shape (..., k)."""
        return np.clip(values, self.low, self.high)


# s: the share of targets above zero that are smaller.
_SMALL = 0.25
# Targets with less skewness than this are as well as they are.
_SKEWED = 0.5
# Residuals beyond these shares are as far out as these: the exponential of one would be the mean.
_USUAL = (0.02, 0.98)
# Largest logarithm: beyond it, exponentials exceed all limits and soon overflow.
_FARTHEST = 600.0


@dataclass(frozen=True, eq=False)
class Logarithms:
    """Standardised logarithms of targets.

    >>> import numpy as np
    >>> Y = np.exp(np.linspace(0.0, 5.0, 50))[:, None]
    >>> logs = Logarithms.of(Y, np.ones(50), np.zeros(1))
    >>> bool(abs(logs(Y).mean()) < 1e-12), Logarithms.of(-Y, np.ones(50), np.array([-150.0]))
    (True, None)
    """

    zero: Array  # The place of zero among the targets, of shape (k,)
    unit: Array  # s, of shape (k,)
    mean: Array  # Mean of the logarithms, of shape (k,)
    spread: Array

    @classmethod
    def of(cls, Y: Array, weight: Array, zero: Array) -> Logarithms | None:
        """The logarithms of positive targets, if all are skewed; else None."""
        share = weight / weight.sum()
        centred = Y - share @ Y
        size = standard_deviation(Y, weight)
        if not ((share @ centred**3 > _SKEWED * size**3) & (size > 0.0)).all():
            return None
        amounts = Y - zero
        unit = np.array([np.quantile(a[a > 0], _SMALL) for a in amounts.T])
        logs = np.log1p(amounts / unit)
        mean = share @ logs
        return cls(zero, unit, mean, np.sqrt(share @ (logs - mean) ** 2))

    def __call__(self, Y: Array) -> Array:
        """Standardised logarithms of targets of shape (n, k)."""
        logs = np.log1p(np.maximum(Y - self.zero, 0.0) / self.unit)
        return np.asarray((logs - self.mean) / self.spread)

    def inverse(self, values: Array, factor: Array | float = 1.0) -> Array:
        """Targets of shape (..., k) with these logarithms; `factor` multiplies the exponentials."""
        return np.asarray(factor * self._grown(values) - self.unit + self.zero)

    def slope(self, Y: Array) -> Array:
        """Derivatives of the targets with respect to their logarithms, at these targets."""
        return np.asarray((np.maximum(Y - self.zero, 0.0) + self.unit) * self.spread)

    def _grown(self, values: Array) -> Array:
        logs = self.mean + self.spread * values
        return np.asarray(self.unit * np.exp(np.clip(logs, -_FARTHEST, _FARTHEST)))


@dataclass(frozen=True, eq=False)
class Exponentials:
    """Predictions of targets by a machine of their logarithms."""

    logarithms: Logarithms  # Logarithms that the machine learns
    factor: Array  # The mean of the exponentials of its residuals, of shape (k,)
    limits: Limits  # Limits of the targets

    @classmethod
    def of(
        cls, logarithms: Logarithms, residuals: Array, weight: Array, limits: Limits
    ) -> Exponentials:
        """Fit to the residuals of logarithms of rows held out."""
        usual = np.clip(residuals, *np.quantile(residuals, _USUAL, axis=0))
        factor = weight @ np.exp(logarithms.spread * usual) / weight.sum()
        return cls(logarithms, factor, limits)

    def __call__(self, values: Array) -> Array:
        """Predictions of the targets at values of shape (..., k)."""
        return self.limits(self.logarithms.inverse(values, self.factor))
