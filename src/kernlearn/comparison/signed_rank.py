"""Two methods at a time: Wilcoxon's signed-rank test, and Holm's correction for many pairs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata, wilcoxon

from kernlearn.comparison.rank_test import RankTest
from kernlearn.comparison.ranks import significant
from kernlearn.typing import Array

# Up to here scipy's test is exact where no differences tie, and so is ours where they do.
MOST_EXACT = 50


def differences(first: Sequence[float] | Array, second: Sequence[float] | Array) -> Array:
    """First minus second, taken in decimals, so that equal differences are equal.

    >>> differences([0.3, 0.4], [0.1, 0.2]).tolist()
    [0.2, 0.2]
    """
    pairs = zip(first, second, strict=True)
    return np.array([float(Decimal(significant(a)) - Decimal(significant(b))) for a, b in pairs])


def signed_rank(first: Sequence[float] | Array, second: Sequence[float] | Array) -> RankTest:
    """Wilcoxon's two-sided signed-rank test of paired scores.

    Pairs that do not differ are dropped, as Wilcoxon did. The test is `scipy.stats.wilcoxon`:
    exact up to fifty pairs, normal beyond. Where differences tie in size, scipy's exact answer
    tries all signs one by one and is normal beyond thirteen pairs; `exact_pvalue` is then used.
    If no pair differs, nothing speaks for a difference: statistic 0, p-value 1.
    """
    d = differences(first, second)
    d = d[d != 0.0]
    if len(d) == 0:
        return RankTest(0.0, 1.0)
    if len(d) <= MOST_EXACT and len(np.unique(np.abs(d))) < len(d):
        ranks = rankdata(np.abs(d))
        statistic = min(ranks[d > 0].sum(), ranks[d < 0].sum())
        return RankTest(float(statistic), exact_pvalue(ranks, float(statistic)))
    result = wilcoxon(d)
    return RankTest(float(result.statistic), float(result.pvalue))


def exact_pvalue(ranks: Array, statistic: float) -> float:
    r"""Twice the chance, at most 1, that ranks of positive sign add up to at most `statistic`.

    Each sign is positive with chance one half. The distribution of the sum is built rank by
    rank, in :math:`O(n^3)`; ties make half ranks, so it runs over twice the sum.

    >>> exact_pvalue(np.array([1.5, 1.5, 3.0]), 0.0)
    0.25
    """
    chances = np.ones(1)
    for step in np.rint(2 * ranks).astype(int):
        skipped = np.zeros(step)
        chances = (np.append(chances, skipped) + np.append(skipped, chances)) / 2
    return min(1.0, 2 * float(chances[: round(2 * statistic) + 1].sum()))


def leaning(first: Sequence[float] | Array, second: Sequence[float] | Array) -> float:
    """The sign of the signed-rank sum: positive where the first scores are the higher ones.

    It need not be the sign of wins minus losses: ranks weigh a clear difference more.

    >>> leaning([5.0, 1.0, 1.0], [1.0, 1.1, 1.2])
    0.0
    """
    d = differences(first, second)
    d = d[d != 0.0]
    return float(np.sign((rankdata(np.abs(d)) * np.sign(d)).sum()))


def holm(pvalues: ArrayLike) -> Array:
    r"""Holm's step-down correction, :math:`\max_{j \le i} \min(1, (m - j + 1) p_{(j)})`.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(pvalues, dtype=float)
    order = np.argsort(p, kind="stable")
    corrected: Array = np.empty_like(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
