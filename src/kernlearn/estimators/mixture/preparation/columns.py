"""One column of the user's table as columns of numbers, of variance one together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Array, Indices, Mask, Rows

# Most levels of all categories together; levels beyond the most frequent ones share a column. With
# 30 for each, the error was up to 1.4 times that with all of 60 or 80, and with 100 up to 1.4 times
# that with all of 142; more columns than 250 are too many for some candidates.
_MOST_LEVELS = 200
# Fewest missing cells for an indicator column.
_MISSING_ROWS = 5
# Farthest that a cell counts as, in standard deviations: powers of larger numbers, and they
# themselves in single precision, are infinite.
_FARTHEST = 1e30
# Most values that normal scores are interpolated between.
_KNOTS = 500


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers; if many are missing, a second column indicates the missing cells."""

    fill: float  # the median, for missing cells
    # Increasing values, and the normal scores of their ranks.
    values: Array
    scores: Array
    # Means and scales of the numbers and of the indicator, of shape (2,); the scale zero leaves a
    # column out.
    centres: Array
    scales: Array
    # Kind of the cells: numbers, dates, durations or times of day. None if unknown, as in files of
    # earlier versions.
    kind: str | None = None

    @classmethod
    def fit(cls, cells: Array, scale: bool, kind: str | None = None) -> NumberColumn:
        """From the cells of the training rows, NaN where missing."""
        gaps = np.isnan(cells)
        present = cells[~gaps]
        fill = float(np.median(present)) if len(present) else 0.0
        filled = np.where(gaps, fill, cells)
        has_indicator = min(gaps.sum(), len(present)) >= _MISSING_ROWS
        both = [_moments(filled), _moments(gaps.astype(float)) if has_indicator else (0.0, 0.0)]
        centres, scales = np.array(both).T
        if not scale:
            centres, scales = np.zeros(2), (scales > 0).astype(float)
        values, scores = _normal_scores(filled)
        return cls(fill, values, scores, centres, scales, kind)

    @property
    def width(self) -> int:
        """Number of prepared columns."""
        return int((self.scales > 0).sum())

    @property
    def range(self) -> Array:
        """Least and largest cells of the prepared columns, of shape (2, width)."""
        ends = np.array([[self.values[0], -np.inf], [self.values[-1], np.inf]])
        kept = self.scales > 0
        return (ends[:, kept] - self.centres[kept]) / self.scales[kept]

    @property
    def is_bent(self) -> bool:
        """Whether normal scores are far from being a linear function of the numbers."""
        if len(self.values) < 3:
            return False
        # In units of the largest, whose squares are numbers.
        values = self.values / (np.abs(self.values).max() or 1.0)
        with np.errstate(all="ignore"):  # a constant column is not bent
            return bool(np.corrcoef(values, self.scores)[0, 1] < 0.97)


def number_parts(columns: Sequence[NumberColumn], cells: Array, ranked: bool) -> list[Array]:
    """Prepared columns of numbers: scaled, or normal scores.

    `cells` has a column for each, NaN where missing. Normal scores are constant beyond the least
    and the largest value seen.
    """
    if not columns:
        return []
    gaps = np.isnan(cells)
    filled = np.where(gaps, [column.fill for column in columns], cells)
    both = np.stack([filled, gaps], axis=2)
    both -= [column.centres for column in columns]
    scales = np.array([column.scales for column in columns])
    kept = scales > 0
    with np.errstate(over="ignore"):
        both /= np.where(kept, scales, 1.0)
    np.clip(both, -_FARTHEST, _FARTHEST, out=both)
    if ranked:
        for j, column in enumerate(columns):
            both[:, j, 0] = np.interp(filled[:, j], column.values, column.scores)
    if kept[:, 0].all() and not kept[:, 1].any():
        return np.split(both[:, :, 0], len(columns), axis=1)
    return [both[:, j, kept[j]] for j in range(len(columns))]


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories: one column of zeros and ones for each of its levels."""

    # Levels with a column of their own; missing cells, if there are any, are a level.
    levels: list[str]
    others: bool  # whether there is a column for all other levels, also for those never seen
    centres: Array  # the shares of the levels
    # Scale of all levels, so that two levels are equally far from each other however rare; zero
    # leaves the column out.
    scale: float

    @classmethod
    def fit(cls, cells: Rows, levels: list[str], scale: bool) -> CategoryColumn:
        """From the cells of the training rows, empty where missing, and levels of their own."""
        column = cls(levels, len(levels) < len(np.unique(cells)), np.zeros(0), 1.0)
        codes = column._codes(cells)
        shares = codes.mean(axis=0)
        spread = float(np.sqrt((shares * (1.0 - shares)).sum()))
        if not scale:
            return cls(levels, column.others, np.zeros(len(shares)), float(spread > 0))
        return cls(levels, column.others, shares, spread)

    @property
    def width(self) -> int:
        """Number of prepared columns."""
        return (len(self.levels) + self.others) * (self.scale > 0)

    @property
    def has_numbers(self) -> bool:
        """Whether all levels are numbers, which an array may hold."""
        return all(_is_number(level) for level in self.levels)

    @property
    def range(self) -> Array:
        """Infinite ends: all cells are within."""
        return np.tile([[-np.inf], [np.inf]], self.width)

    @property
    def is_bent(self) -> bool:
        """False: categories have no order to rank them by."""
        return False

    def standard(self, cells: Rows) -> Array:
        """Zeros and ones, scaled together."""
        codes = self._codes(cells)
        if self.scale == 0.0:
            return codes[:, :0]
        return np.asarray((codes - self.centres) / self.scale)

    def _codes(self, cells: Rows) -> Array:
        is_level = np.asarray(cells)[:, None] == np.array(self.levels, dtype=str)
        rest = ~is_level.any(axis=1, keepdims=True)
        return np.asarray(np.hstack([is_level, rest]) if self.others else is_level, dtype=float)


def _is_number(level: str) -> bool:
    try:
        float(level or "nan")
    except ValueError:
        return False
    return True


def indicator_levels(categories: Sequence[NDArray[np.str_]]) -> list[list[str]]:
    """The levels with a column of their own, for the cells of every category.

    >>> indicator_levels([np.array(["a", "b", "a", "c", "c", "d"]), np.array(list("uvwxyz"))])
    [['a', 'b', 'c', 'd'], []]
    """
    if not categories:
        return []
    counted = [np.unique(cells, return_counts=True) for cells in categories]
    worth = [np.flatnonzero(_comes_again(counts)) for _, counts in counted]
    counts = np.concatenate([counts[own] for (_, counts), own in zip(counted, worth, strict=True)])
    kept = np.zeros(len(counts), dtype=bool)
    kept[np.argsort(-counts, kind="stable")[:_MOST_LEVELS]] = True
    parts = np.split(kept, np.cumsum([len(own) for own in worth])[:-1])
    return [
        [str(level) for level in levels[own[part]]]
        for (levels, _), own, part in zip(counted, worth, parts, strict=True)
    ]


def _comes_again(counts: Indices) -> Mask:
    r"""Whether as many rows again would have a level once more.

    With :math:`N_r` levels of r rows each, one row more has a level of a single row with
    probability :math:`2 N_2 / n` (Good and Turing), so that each of them is expected
    :math:`2 N_2 / N_1` times in n rows more: often for the units of a panel, never for names.
    """
    return np.asarray((counts > 1) | (2 * (counts == 2).sum() >= (counts == 1).sum()))


def _moments(cells: Array) -> tuple[float, float]:
    """Mean and standard deviation, the second zero for a constant column; without overflow."""
    size = float(np.abs(cells).max()) or 1.0
    scaled = cells / size
    return size * float(scaled.mean()), size * float(standard_deviation(scaled))


def _normal_scores(cells: Array) -> tuple[Array, Array]:
    """Distinct values and the quantiles of the normal distribution at their mean ranks."""
    values, counts = np.unique(cells, return_counts=True)
    if len(values) == 1:
        return values, np.zeros(1)
    scores = ndtri((np.cumsum(counts) - 0.5 * counts) / len(cells))
    mean = np.average(scores, weights=counts)
    spread = np.sqrt(np.average((scores - mean) ** 2, weights=counts))
    scores = (scores - mean) / spread
    if len(values) > _KNOTS:
        chosen = np.unique(np.linspace(0, len(values) - 1, _KNOTS).round().astype(int))
        values, scores = values[chosen], scores[chosen]
    return values, scores
