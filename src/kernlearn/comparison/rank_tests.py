r"""Ranks of the methods, and the tests of Friedman, Iman and Davenport, Nemenyi and Wilcoxon.

The formulas of Friedman's and of Iman and Davenport's statistic are at
:class:`kernlearn.comparison.Comparison`. Only with the correction for ties is the latter the F
statistic of a two-way analysis of variance of the ranks. Cawley and Talbot (2014, section 3.2)
have, in our copy, no correction and no k in the denominator; their mean ranks need the k.

Two of k methods differ at the level α if their mean ranks over N data sets differ by at least

.. math:: CD = q_\alpha \sqrt{\frac{k(k+1)}{6N}},

with :math:`q_\alpha` the upper α-quantile of the studentised range of k normal variables, over
√2 (Cawley and Talbot, 2014, section 3.2, where k = 3, α = 0.1 and q = 2.052).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2, f, rankdata, studentized_range, wilcoxon

from kernlearn.comparison.scores import Scores
from kernlearn.typing import Array

# Two means that are equal on paper may differ in the sixteenth digit, by the order of a sum.
DIGITS = 12
# Up to here scipy's test is exact where no differences tie, and so is ours where they do.
MOST_EXACT = 50


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


def significant(value: float) -> str:
    """The decimal number that a score stands for.

    >>> significant(0.1 + 0.2) == significant(0.3)
    True
    """
    return f"{value:.{DIGITS}g}"


def row_ranks(means: Array, lower_is_better: bool) -> Array:
    """Ranks within each row, 1 for the best; ties share the average of their ranks."""
    rounded = np.array([[float(significant(value)) for value in row] for row in means])
    return np.asarray(rankdata(rounded if lower_is_better else -rounded, axis=1))


def friedman(ranks: Array) -> RankTest:
    """Friedman's test on the ranks of shape (data sets, methods).

    `scipy.stats.friedmanchisquare` is the same from three methods on. It refuses two methods, and
    has no answer if all scores tie. Then there is no evidence of a difference: statistic 0,
    p-value 1.
    """
    N, k = ranks.shape
    counts = [np.unique(row, return_counts=True)[1] for row in ranks]
    tied = sum(int((count**3 - count).sum()) for count in counts)
    correction = 1.0 - tied / (N * k * (k**2 - 1))
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


def critical_difference(n_methods: int, n_data_sets: int, alpha: float) -> float:
    """The smallest difference of mean ranks that is significant at the level alpha.

    >>> round(critical_difference(3, 14, 0.1), 3)
    0.776
    """
    q = float(studentized_range.isf(alpha, n_methods, math.inf)) / math.sqrt(2)
    return q * _scale(n_methods, n_data_sets)


def pairwise_pvalues(mean_ranks: Array, n_data_sets: int) -> Array:
    """The smallest level at which each pair differs; ones on the diagonal."""
    k = len(mean_ranks)
    differences = np.abs(mean_ranks[:, None] - mean_ranks[None, :])
    q = math.sqrt(2) * differences / _scale(k, n_data_sets)
    pvalues: Array = np.clip(studentized_range.sf(q, k, math.inf), 0.0, 1.0)
    np.fill_diagonal(pvalues, 1.0)
    return pvalues


def maximal_groups(mean_ranks: Sequence[float], width: float) -> list[list[int]]:
    """The largest sets of at least two methods of which no two differ by `width` or more.

    They are runs of neighbours in the order of the ranks; those inside another are left out.

    >>> maximal_groups([3.0, 1.0, 1.5, 2.4], width=1.0)
    [[1, 2], [2, 3], [3, 0]]
    """
    order = sorted(range(len(mean_ranks)), key=lambda j: mean_ranks[j])
    runs: list[list[int]] = []
    covered = 0
    for start, first in enumerate(order):
        stop = start
        while stop < len(order) and mean_ranks[order[stop]] - mean_ranks[first] < width:
            stop += 1
        if stop - start > 1 and stop > covered:
            runs.append(order[start:stop])
            covered = stop
    return runs


def _scale(n_methods: int, n_data_sets: int) -> float:
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_data_sets))


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
    exact up to fifty pairs, normal beyond. If differences tie in size, scipy's exact answer
    tries all signs one by one and is normal beyond thirteen pairs; `exact_pvalue` is then used.
    If no pair differs, there is no evidence of a difference: statistic 0, p-value 1.
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


def signed_rank_rows(scores: Scores, lower_is_better: bool) -> list[dict[str, Any]]:
    """One row per pair of methods, in the order of the table."""
    # Signed so that a higher number is better, and positive differences are wins of the first.
    columns = (-scores.means if lower_is_better else scores.means).T
    rows: list[dict[str, Any]] = []
    for i, j in combinations(range(len(columns)), 2):
        first, second = scores.methods[i], scores.methods[j]
        won = differences(columns[i], columns[j])
        favour = leaning(columns[i], columns[j])
        test = signed_rank(columns[i], columns[j])
        rows.append(
            {
                "first": first,
                "second": second,
                "wins": int((won > 0).sum()),
                "losses": int((won < 0).sum()),
                "better": None if favour == 0 else first if favour > 0 else second,
                "statistic": test.statistic,
                "pvalue": test.pvalue,
            }
        )
    for row, corrected in zip(rows, holm([row["pvalue"] for row in rows]), strict=True):
        row["pvalue_holm"] = float(corrected)
    return rows
