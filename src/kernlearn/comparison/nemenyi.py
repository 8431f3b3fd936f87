r"""Which methods differ: Nemenyi's test on the differences of mean ranks.

Two of k methods differ at the level α if their mean ranks over N data sets differ by at least

.. math:: CD = q_\alpha \sqrt{\frac{k(k+1)}{6N}},

with :math:`q_\alpha` the upper α-quantile of the studentised range of k normal variables, over
√2 (Cawley and Talbot, 2014, section 3.2, where k = 3, α = 0.1 and q = 2.052).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import studentized_range

from kernlearn.typing import Array


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


def undivided(mean_ranks: Sequence[float], width: float) -> list[list[int]]:
    """The largest sets of at least two methods of which no two differ by `width` or more.

    They are runs of neighbours in the order of the ranks; those inside another are left out.

    >>> undivided([3.0, 1.0, 1.5, 2.4], width=1.0)
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
