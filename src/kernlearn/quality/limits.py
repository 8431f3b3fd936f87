"""Where predictions of numbers may lie.

A polynomial, or a scale learned for every column, may go anywhere beyond the rows that it has seen,
and no held-out row may show it. So predictions stay within the range of the targets and a part of
it to either side. If no target is below zero, as amounts and counts are, neither is a prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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

    low: Array  # Its ends, of shape (k,)
    high: Array
    zero: Array | None = None  # Where zero lies, if no target is below it; of shape (k,)

    @classmethod
    def of(cls, Y: Array) -> Limits:
        """From targets of shape (n, k), as the user has them."""
        least, most = Y.min(axis=0), Y.max(axis=0)
        room = _BEYOND * (most - least)
        low, high = least - room, most + room
        low = np.where(least >= 0.0, np.maximum(low, 0.0), low)
        high = np.where(most <= 0.0, np.minimum(high, 0.0), high)
        return cls(low, high, np.zeros_like(low) if (least >= 0.0).all() else None)

    def standardised(self, centre: Array, spread: Array) -> Limits:
        """The same of targets less their centre, in units of their spread."""
        zero = None if self.zero is None else (self.zero - centre) / spread
        return Limits((self.low - centre) / spread, (self.high - centre) / spread, zero)

    def __call__(self, values: Array) -> Array:
        """The nearest values within, of shape (..., k)."""
        return np.clip(values, self.low, self.high)
