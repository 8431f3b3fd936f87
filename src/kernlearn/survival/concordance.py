r"""Concordance: how often the row with the higher risk has the event first.

A pair (i, j) is comparable if the event of i was seen and j was observed longer:
:math:`t_i < t_j`, or :math:`t_i = t_j` with j censored. Equal risks count one half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.typing import Array, Indices

# Pairs that are looked at together.
_PAIRS = 4_000_000


@dataclass(frozen=True, eq=False)
class Concordance:
    """Comparable pairs of each row, and those in the right order."""

    concordant: Array  # (n,): the weight of the pairs of each row that are in order
    comparable: Array  # (n,): the weight of all its pairs

    @property
    def index(self) -> float:
        """The concordance, between 0 and 1; NaN if no pair is comparable."""
        total = float(self.comparable.sum())
        return float(self.concordant.sum()) / total if total > 0 else float("nan")

    @property
    def influence(self) -> Array:
        """Fall of the index without each row, to first order, of shape (n,)."""
        total = 0.5 * float(self.comparable.sum())  # each pair counts for both of its rows
        return np.asarray((self.concordant - self.index * self.comparable) / max(total, 1e-300))

    def standard_error(self, groups: Indices | None = None) -> float:
        """Standard error of the index, by the jackknife over rows or groups, linearised."""
        return jackknife_error_of(self.influence, groups)


def jackknife_error_of(influence: Array, groups: Indices | None = None) -> float:
    """The standard error of a statistic with this influence; rows of one group go together."""
    groups = np.arange(len(influence)) if groups is None else groups
    change = np.bincount(groups, influence)
    n = int((np.bincount(groups) > 0).sum())
    return float(np.sqrt((change**2).sum() * (n - 1.0) / n))


def concordance(
    outcome: SurvivalOutcome, risk: Array | Indices, weight: Array | None = None
) -> Concordance:
    """Count the pairs of each row; `weight` is that of a pair by the row whose event comes first.

    Examples
    --------
    >>> import numpy as np
    >>> outcome = SurvivalOutcome(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))
    >>> concordance(outcome, np.array([2.0, 3.0, 1.0])).index
    0.5
    """
    time, event, n = outcome.time, outcome.event, len(outcome)
    weight = np.ones(n) if weight is None else weight
    concordant, comparable = np.zeros(n), np.zeros(n)
    first = np.flatnonzero(event & (weight > 0))
    size = max(_PAIRS // n, 1)
    for start in range(0, len(first), size):
        i = first[start : start + size]
        later = (time > time[i, None]) | ((time == time[i, None]) & ~event)
        pairs = later * weight[i, None]
        right = pairs * (0.5 * (risk < risk[i, None]) + 0.5 * (risk <= risk[i, None]))
        for total, of_pairs in ((comparable, pairs), (concordant, right)):
            total += of_pairs.sum(axis=0)
            total[i] += of_pairs.sum(axis=1)
    return Concordance(concordant, comparable)
