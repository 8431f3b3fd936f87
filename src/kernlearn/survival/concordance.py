r"""Concordance: how often the row with the higher risk has the event first.

A pair (i, j) is comparable if the event of i was seen and j was observed longer:
:math:`t_i < t_j`, or :math:`t_i = t_j` with j censored. Equal risks count one half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class Concordance:
    """Comparable pairs of each row, and those in the right order."""

    concordant: Array  # (n,): the weight of the pairs of each row that are in order
    comparable: Array  # (n,): the weight of all its pairs

    @property
    def index(self) -> float:
        """The concordance, between 0 and 1; NaN if no pair is comparable."""
        total = float(self.comparable.sum())
        if total <= 0.0:
            return float("nan")
        # Rounding of the sums may leave the interval.
        return min(max(float(self.concordant.sum()) / total, 0.0), 1.0)

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
    weight = np.ones(len(outcome)) if weight is None else weight
    weight = np.where(outcome.event & (weight > 0), weight, 0.0)
    # An event comes before what is censored at its time; rows at one place are not comparable.
    place = 2 * _ranks(outcome.time) + ~outcome.event
    rank, all_rows = _ranks(risk), np.ones(len(outcome))
    last_place, last_rank = place.max(), rank.max()
    comparable = _sums_below(place, weight)[0]
    comparable += weight * _sums_below(last_place - place, all_rows)[0]
    concordant = _weight_in_order(place, last_rank - rank, weight)
    concordant += weight * _weight_in_order(last_place - place, rank, all_rows)
    return Concordance(concordant, comparable)


def _ranks(values: Array | Indices) -> Indices:
    """Ranks from zero; equal values have one rank."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _weight_in_order(place: Indices, rank: Indices, weight: Array) -> Array:
    """Weight of the rows of smaller place and rank, for each row; equal ranks count one half.

    The digits of two places, as binary numbers, agree up to one where the smaller place has a zero.
    So each pair is counted at one digit, among the rows that agree before it.
    """
    total = np.zeros(len(place))
    for digit in range(int(place.max()).bit_length()):
        has_one, leading = (place >> digit) % 2 == 1, place >> (digit + 1)
        of_zeros = np.where(has_one, 0.0, weight)
        smaller, equal = _sums_below(_ranks(leading * len(rank) + rank), of_zeros)
        total += has_one * (smaller - _sums_below(leading, of_zeros)[0] + 0.5 * equal)
    return total


def _sums_below(number: Indices, weight: Array) -> tuple[Array, Array]:
    """Weights of all rows of a smaller number, and of the same one, for each row."""
    sums = np.bincount(number, weight).astype(float)
    return (np.cumsum(sums) - sums)[number], sums[number]
