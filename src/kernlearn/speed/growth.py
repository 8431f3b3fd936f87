"""A power law through measured seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["FARTHEST", "Growth", "fitted_growth"]

FARTHEST = 30


@dataclass(frozen=True)
class Growth:
    r"""Seconds as a power of the rows, through the last measurement.

    .. math:: t(n) = t_0 \, (n / n_0)^p

    Attributes
    ----------
    rows : int
        :math:`n_0`, the largest size measured.
    seconds : float
        :math:`t_0`, what it took.
    exponent : float
        :math:`p`.
    """

    rows: int
    seconds: float
    exponent: float

    def seconds_at(self, rows: int) -> float:
        """What so many rows would take.

        >>> Growth(100, 2.0, 2.0).seconds_at(300)
        18.0
        """
        return float(self.seconds * (rows / self.rows) ** self.exponent)

    def rows_in(self, seconds: float) -> int | None:
        """How many rows would take so long; None beyond `FARTHEST` times the rows measured.

        A time that hardly grew over small sizes says little of large ones.

        >>> Growth(100, 2.0, 2.0).rows_in(18.0)
        300
        """
        if self.exponent <= 0.0 or self.seconds <= 0.0:
            return None
        # In logarithms: a time that hardly grows would overflow as a power.
        ratio = float(np.log(seconds / self.seconds)) / self.exponent
        return round(self.rows * np.exp(ratio)) if ratio <= np.log(FARTHEST) else None


def fitted_growth(rows: Sequence[int], seconds: Sequence[float]) -> Growth | None:
    r"""The law with the slope of the least-squares line in logarithms.

    .. math:: p = \frac{\sum_i (u_i - \bar u)(v_i - \bar v)}{\sum_i (u_i - \bar u)^2}, \quad
              u_i = \log n_i, \; v_i = \log t_i

    It goes through the last point, not through the line: what a fit costs whatever its size bends
    the line at its small end, and what is asked for lies beyond the other.

    Parameters
    ----------
    rows, seconds : sequence
        Sizes, increasing, and what they took.

    Returns
    -------
    Growth or None
        None for fewer than two sizes.

    Examples
    --------
    >>> law = fitted_growth([100, 200, 400], [0.1, 0.8, 6.4])
    >>> round(law.exponent, 12), law.rows_in(51.2)
    (3.0, 800)
    """
    if len(rows) < 2:
        return None
    u = np.log(np.asarray(rows, dtype=float))
    v = np.log(np.asarray(seconds, dtype=float))
    u -= u.mean()
    return Growth(rows[-1], seconds[-1], float(u @ (v - v.mean()) / (u @ u)))
