r"""Do any of the methods differ: Friedman's test, and Iman and Davenport's.

With mean ranks :math:`R_j` of k methods over N data sets,

.. math:: \chi^2_F = \frac{12N}{k(k+1)}\Bigl[\sum_j R_j^2 - \frac{k(k+1)^2}{4}\Bigr] \Big/ c,
          \qquad c = 1 - \frac{\sum (t^3 - t)}{N k (k^2 - 1)},

the sum in c over all groups of t tied scores of a row. Without ties c = 1. Cawley and Talbot
(2014, section 3.2) print no c, and no k in the denominator; the latter is a slip, as their mean
ranks and decisions show. The correction c is that of scipy. Only with it is

.. math:: F_F = \frac{(N-1)\chi^2_F}{N(k-1) - \chi^2_F}

what it is without ties: the F statistic of a two-way analysis of variance of the ranks.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import chi2, f

from kernlearn.comparison.rank_test import RankTest
from kernlearn.typing import Array


def friedman(ranks: Array) -> RankTest:
    """Friedman's test on the ranks of shape (data sets, methods).

    `scipy.stats.friedmanchisquare` is the same from three methods on; it takes no two, and knows
    no answer where all scores tie. Then nothing speaks for a difference: statistic 0, p-value 1.
    """
    N, k = ranks.shape
    correction = 1.0 - _tied(ranks) / (N * k * (k**2 - 1))
    if correction <= 0.0:
        return RankTest(0.0, 1.0)
    # About their mean, so that equal mean ranks give zero and not a rounding error.
    spread = float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    statistic = 12 * N / (k * (k + 1)) * spread / correction
    return RankTest(statistic, float(chi2.sf(statistic, k - 1)))


def iman_davenport(ranks: Array) -> RankTest:
    """Iman and Davenport's less conservative test on the ranks of shape (data sets, methods)."""
    N, k = ranks.shape
    statistic = friedman(ranks).statistic
    left = N * (k - 1) - statistic
    # All data sets rank the methods alike: rounding may leave a trace on either side of zero.
    if left <= 1e-12 * N * k:
        return RankTest(math.inf, 0.0)
    F = (N - 1) * statistic / left
    return RankTest(F, float(f.sf(F, k - 1, (k - 1) * (N - 1))))


def _tied(ranks: Array) -> float:
    """Sum of t³ − t over the groups of ties of every row."""
    total = 0
    for row in ranks:
        counts = np.unique(row, return_counts=True)[1]
        total += int((counts**3 - counts).sum())
    return float(total)
