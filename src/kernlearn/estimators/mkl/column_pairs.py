"""Kernels on pairs of columns, for tables with enough rows to learn interactions.

The kernels of a bank have one width for all columns. The interaction of two columns, for example
day and month or two coordinates, may vary much faster and is then smoothed away. With thousands of
rows it can be learned: every pair has kernels of its own, at several widths. The kernel whose
least-squares machine best predicts the residuals of those before it, on held-out rows of a sample,
joins the bank. The product of the first one and a kernel on all columns joins, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kernlearn.families.factor_rows import FactorRows
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.kernels import ARDGaussian, Columns, Kernel
from kernlearn.numerics.rounding import first_least, usual_weight
from kernlearn.runtime.threads import map_in_threads, n_threads, threads_for
from kernlearn.solvers.engine.refits import least_squares_refits
from kernlearn.solvers.nystroem.moments import LowRankFolds, trained
from kernlearn.solvers.nystroem.rank import FactorStatistics, RankSearch
from kernlearn.typing import Array, Indices

Pair = tuple[int, ...]


@dataclass(frozen=True)
class PairOptions:
    """Pairs to try, sizes of the machines that judge them, and the least gain of a pair."""

    # γ of the two columns in units of one over their variance, from wide to narrow kernels.
    widths: tuple[float, ...] = (1.0, 8.0, 64.0)
    fewest_rows: int = 500  # fewer cannot rank pairs
    # Columns with fewer values are categories: kernels on all columns represent their pairs.
    fewest_values: int = 4
    # More columns have too many pairs; then the columns that predict best by themselves are used.
    most_columns: int = 12
    landmarks: int = 200
    ridges: tuple[float, ...] = (1.0, 10.0, 100.0)
    max_pairs: int = 3  # pairs at most
    least_gain: float = 0.005  # share of the residual variance that a pair has to explain


OPTIONS = PairOptions()


def pair_kernels(
    X: Array,  # (n, d): a sample of some thousand rows
    targets: Sequence[Array],  # (n,): targets
    weight: Array,  # (n,): weights of the rows
    whole: Kernel,  # on all columns; pairs have to explain its residuals
    seed: int,  # for landmarks
    options: PairOptions = OPTIONS,
    fold: Indices | None = None,  # (n,): the fold of each row; by default folds are drawn
) -> tuple[list[Kernel], list[Pair]]:
    """The kernels that join a bank, and their pairs; none if none improves the loss."""
    if len(X) < options.fewest_rows:
        return [], []
    relative = weight / usual_weight(weight)
    sample = PairSample(X, np.column_stack(targets), relative, seed, options, fold)
    columns = columns_of_pairs(X, options)
    chosen: list[Kernel] = [whole]
    pairs: list[Pair] = []
    pairs_left: list[Pair] | None = None
    for _ in range(options.max_pairs):
        left = sample.left_over(chosen)
        pairs_left = _pairs_of(columns, left) if pairs_left is None else pairs_left
        best = list(map_in_threads(left.best, pairs_left, n_threads(), lambda: None))
        found = [(*entry, pair) for entry, pair in zip(best, pairs_left, strict=True)]
        if not found:
            break
        loss, kernel, pair = found[first_least(loss for loss, _, _ in found)]
        if not loss < (1.0 - options.least_gain) * left.size:
            break
        chosen.append(kernel)
        pairs.append(pair)
        sample.forget(pair)  # its residuals may need a narrower kernel of the same pair
        # A pair that explains nothing now will hardly explain later residuals.
        pairs_left = [pair for loss, _, pair in found if loss < left.size]
    products = [chosen[1] * whole] if pairs else []
    return [*chosen[1:], *products], pairs


def columns_of_pairs(X: Array, options: PairOptions = OPTIONS) -> list[int]:
    """Columns whose pairs are tried."""
    return [j for j in range(X.shape[1]) if len(np.unique(X[:, j])) >= options.fewest_values]


def _pairs_of(columns: list[int], left: PairSample) -> list[Pair]:
    """The pairs of columns; if columns are many, of the best by themselves alone."""
    most = left.options.most_columns
    if len(columns) > most:
        losses = [left.best((j,))[0] for j in columns]
        columns = sorted(columns[i] for i in np.argsort(losses, kind="stable")[:most])
    return list(combinations(columns, 2))


class PairSample:
    """Rows, with the targets or residuals to explain."""

    def __init__(
        self,
        X: Array,
        Y: Array,
        weight: Array,
        seed: int,
        options: PairOptions = OPTIONS,
        fold: Indices | None = None,
    ) -> None:
        self.options, self._fold = options, fold
        self._X, self._Y, self._weight, self._seed = X, Y, weight, seed
        self._variance = X.var(axis=0)
        # Landmarks do not depend on the residuals, nor, by and large, does the best width of a
        # pair: both are found once.
        self._settled: dict[Pair, tuple[float, NystroemMap]] = {}

    @property
    def size(self) -> float:
        """The variance of the targets or residuals to explain."""
        mean = np.average(self._Y, axis=0, weights=self._weight)
        return float(np.average(((self._Y - mean) ** 2).sum(axis=1), weights=self._weight))

    def best(self, columns: Pair) -> tuple[float, Kernel]:
        """The least held-out loss over widths, and its kernel; later at that width alone."""
        chosen = list(columns)
        known = self._settled.get(columns)
        widths = self.options.widths if known is None else (known[0],)
        kernels = [Columns(chosen, ARDGaussian(c / self._variance[chosen])) for c in widths]
        maps = None if known is None else [known[1]]
        judged = [self._judged([kernel], maps) for kernel in kernels]
        place = first_least(loss for loss, _, _ in judged)
        loss, _, statistics = judged[place]
        if len(columns) > 1:  # columns by themselves may be many, and are looked at once
            self._settled[columns] = widths[place], statistics.factors.maps[0]
        return loss, kernels[place]

    def forget(self, pair: Pair) -> None:
        """Look at all widths of a pair again."""
        del self._settled[pair]

    def left_over(self, kernels: Sequence[Kernel]) -> PairSample:
        """The rows with the residuals of machines of these kernels, in equal parts.

        The residual of a row is that of machines trained without it.
        """
        _, ridge, statistics = self._judged(kernels)
        ones, factors = np.ones(len(kernels)), statistics.factors
        with threads_for(self.options.landmarks):
            coef = trained(statistics.moments, factors.membership, ones, ridge)
            assert coef is not None  # positive weights and a positive ridge always have a machine
            rows = FactorRows(self._X, factors, keep=False)
            refits = least_squares_refits(rows, statistics, ones, coef, ridge)
        known = self._weight, self._seed, self.options, self._fold
        left = PairSample(self._X, self._Y - refits.values, *known)
        left._settled = self._settled
        return left

    def _judged(
        self, kernels: Sequence[Kernel], maps: Sequence[NystroemMap] | None = None
    ) -> tuple[float, float, FactorStatistics]:
        """The least held-out loss over ridges, that ridge, and the moments."""
        known = self._Y, self._weight, self._seed, maps
        look = RankSearch(self._X, kernels, *known, fold=self._fold)
        ones, ridges = np.ones(len(kernels)), self.options.ridges
        with threads_for(self.options.landmarks):
            statistics = look.at(self.options.landmarks)
            out = LowRankFolds(statistics.folds, statistics.factors.membership)
            losses = [float(out.loss(ones, ridge).sum()) for ridge in ridges]
        place = first_least(losses)
        return losses[place], ridges[place], statistics
