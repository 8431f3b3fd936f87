"""The result of a test."""

from __future__ import annotations

from typing import NamedTuple


class RankTest(NamedTuple):
    """A statistic and its p-value, under scipy's names.

    Examples
    --------
    >>> statistic, pvalue = RankTest(6.0, 0.05)
    >>> RankTest(6.0, 0.05).pvalue
    0.05
    """

    statistic: float
    pvalue: float
