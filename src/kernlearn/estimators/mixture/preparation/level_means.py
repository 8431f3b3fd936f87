r"""Levels of a categorical column as the mean targets of their rows.

Level l with :math:`n_l` rows and the mean target :math:`\bar y_l` becomes

.. math:: \frac{n_l \bar y_l + a \bar y}{n_l + a}, \qquad a = \sigma^2 / \tau^2 ,

the mean of its rows, shrunk towards that of all rows. The variances within and between levels,
:math:`\sigma^2` and :math:`\tau^2`, are those of a one-way analysis of variance with random
effects. A column whose levels are uninformative, names for example, becomes a constant.

Training rows are encoded by the targets of the other folds, since a level of one row would tell
its target. But a level of many rows, spread over the folds, has one number for all: no row tells
much of it, and numbers that differ a little by fold would tell trees the fold of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.typing import Array, Indices

# Rows of a level that has one number for all folds, and the most of them that one fold may have.
_MANY, _SHARE = 100.0, 0.5


@dataclass(frozen=True, eq=False)
class LevelMeans:
    """A number for every level and target.

    >>> cells, Y = np.repeat(["a", "b"], 50), np.repeat([[0.0], [1.0]], 50, axis=0)
    >>> Y[::10] = 1 - Y[::10]  # in the first fold
    >>> folds = [np.arange(0, 100, 2), np.arange(1, 100, 2)]
    >>> means, out_of_fold = LevelMeans.fit(cells, Y, np.ones(100), folds)
    >>> means(np.array(["a", "b", "c"])).round(2).ravel().tolist()
    [0.1, 0.9, 0.5]
    >>> out_of_fold[:2].round(2).ravel().tolist()
    [0.01, 0.2]
    """

    levels: NDArray[np.str_]  # in increasing order, of shape (m,)
    means: Array  # one for each, and one for levels never seen, of shape (m + 1, k)

    @classmethod
    def fit(
        cls, cells: NDArray[np.str_], Y: Array, weight: Array, folds: Sequence[Indices]
    ) -> tuple[LevelMeans, Array]:
        """From training rows; and these rows, each by the rows of other folds, of shape (n, k)."""
        levels, codes = np.unique(cells, return_inverse=True)
        whole = _sums(codes, Y, weight, len(levels))
        shrinkage = _shrinkage(whole, weight @ Y**2)
        parts = [_sums(codes[fold], Y[fold], weight[fold], len(levels)) for fold in folds]
        counts = whole[:, 0]
        largest = np.max([part[:, 0] for part in parts], axis=0)
        is_spread = (counts >= _MANY) & (largest <= _SHARE * counts)
        means, encoded = _shrunk(whole, shrinkage), np.empty_like(Y)
        for fold, part in zip(folds, parts, strict=True):
            others = np.where(is_spread[:, None], means[:-1], _shrunk(whole - part, shrinkage)[:-1])
            encoded[fold] = others[codes[fold]]
        return cls(levels, means), encoded

    def __call__(self, cells: NDArray[np.str_]) -> Array:
        """The numbers of some cells, of shape (n, k)."""
        places = np.minimum(np.searchsorted(self.levels, cells), len(self.levels) - 1)
        known = self.levels[places] == cells
        return np.asarray(self.means[np.where(known, places, len(self.levels))])


def _sums(codes: Indices, Y: Array, weight: Array, n_levels: int) -> Array:
    """For every level its weight, then its weighted sums of the targets, of shape (m, 1 + k)."""
    columns = [weight, *(weight * y for y in Y.T)]
    return np.stack([np.bincount(codes, column, n_levels) for column in columns], axis=1)


def _shrinkage(sums: Array, squares: Array) -> Array:
    """The a of every target, infinite if levels do not differ, of shape (k,)."""
    counts, total = sums[:, 0], float(sums[:, 0].sum())
    explained = (sums[:, 1:] ** 2 / counts[:, None]).sum(axis=0)
    freedom = total - len(counts)
    if freedom <= 0.0:
        return np.full(len(squares), np.inf)
    within = np.maximum(squares - explained, 0.0) / freedom
    about_mean = explained - sums[:, 1:].sum(axis=0) ** 2 / total
    room = total - float(counts @ counts) / total
    between = (about_mean - (len(counts) - 1) * within) / room if room > 0.0 else 0.0 * within
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0.0, within / between, np.inf)


def _shrunk(sums: Array, shrinkage: Array) -> Array:
    """Means of the levels, and after them that of all, of shape (m + 1, k)."""
    counts = sums[:, :1]
    prior = sums[:, 1:].sum(axis=0) / max(float(counts.sum()), np.finfo(float).tiny)
    means = sums[:, 1:] / np.where(counts > 0.0, counts, 1.0)
    # The share of the level's own mean; zero if the level has no rows.
    share = counts / np.where(counts > 0.0, counts + shrinkage, 1.0)
    return np.vstack([share * means + (1.0 - share) * prior, prior])
