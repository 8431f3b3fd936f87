"""A power law through what was measured at the largest sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["FARTHEST", "Growth", "fitted_growth"]

FARTHEST = 30


@dataclass(frozen=True)
class Growth:
    r"""Seconds, or bytes, as a power of the rows, through the last measurement.

    .. math:: t(n) = t_0 \, (n / n_0)^p

    Attributes
    ----------
    rows : int
        :math:`n_0`, the largest size measured.
    value : float
        :math:`t_0`, what it took.
    exponent : float
        :math:`p`.
    """

    rows: int
    value: float
    exponent: float

    def value_at(self, rows: int) -> float:
        """What so many rows would take.

        >>> Growth(100, 2.0, 2.0).value_at(300)
        18.0
        """
        return float(self.value * (rows / self.rows) ** self.exponent)

    def rows_in(self, value: float) -> int | None:
        """How many rows would take so much; None beyond `FARTHEST` times the rows measured.

        What hardly grew over small sizes says little of large ones.

        >>> Growth(100, 2.0, 2.0).rows_in(18.0)
        300
        """
        if self.exponent <= 0.0 or self.value <= 0.0 or value <= 0.0:
            return None
        # In logarithms: what hardly grows would overflow as a power.
        ratio = float(np.log(value / self.value)) / self.exponent
        return round(self.rows * np.exp(ratio)) if ratio <= np.log(FARTHEST) else None


def fitted_growth(rows: Sequence[int], values: Sequence[float]) -> Growth | None:
    r"""The law through the last two measurements.

    .. math:: p = \frac{\log t_0 - \log t_1}{\log n_0 - \log n_1}

    Smaller sizes are left out: what a fit costs whatever its size bends the line at its small end,
    and what is asked for lies beyond the other.

    Parameters
    ----------
    rows, values : sequence
        Sizes, increasing, and what they took.

    Returns
    -------
    Growth or None
        None for fewer than two sizes, or where one took nothing.

    Examples
    --------
    >>> law = fitted_growth([100, 200, 400], [0.7, 0.8, 6.4])
    >>> round(law.exponent, 12), law.rows_in(51.2)
    (3.0, 800)
    """
    if len(rows) < 2 or min(values[-2:]) <= 0.0:
        return None
    grown = float(np.log(values[-1] / values[-2]))
    return Growth(rows[-1], values[-1], grown / float(np.log(rows[-1] / rows[-2])))
