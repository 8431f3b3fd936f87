"""How many landmarks: increased while the held-out loss falls, within memory and time.

A rank is first judged on a sample of the rows, because all rows need at least the rank of a sample.
From the rank that is enough for the sample on, all rows judge: they double the rank further while
their loss falls. `FactorLimits` bounds the part of a factor Z and of its moments that is kept in
memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster import Chunked
from kernlearn._device import room_beside, rows_on_host
from kernlearn.families.factors import Factors
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import is_frame, take_rows
from kernlearn.runtime.memory import FLOAT, allowed, available
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.nystroem.moments import Moments, loss_by_rank, moments_by_fold, total_of
from kernlearn.typing import Array, Indices, RandomState, Rows

N_FOLDS = 5


@dataclass(frozen=True)
class RankOptions:
    """When a rank is enough."""

    first: int = 64  # the rank that is looked at first
    # Numbers in the moments of all folds: half a gigabyte, unless the user allows for more or less,
    # and this share of the memory there is. What is made of them takes twice as much.
    moment_numbers: int = 2**26
    moment_share: float = 0.25
    weightless: float = 1e-3  # A kernel with less than this share of the trace needs no larger rank
    # Twice the rank takes `longer` times as long, and is for this share of the time that is left
    longer: float = 4.0
    time_share: float = 0.5
    # A rank is enough if a half or a quarter of it loses no more than this share of the held-out
    # loss, and of what is explained: a share of the noise may be much of that
    enough: float = 0.01
    worth_filling: float = 0.25  # of the columns there are, how many more are worth another look
    # Rows by which a rank is judged at first, and at least for every column
    sample_rows: int = 20_000
    rows_per_column: int = 5
    # A sample larger than this share of the table is not worth a look of its own
    worth_a_sample: float = 0.25

    def most_columns(self, n_folds: int = N_FOLDS) -> int:
        """Columns of all kernels together for whose moments there is room."""
        numbers = _numbers(self.moment_share)
        if allowed() is None:
            numbers = min(numbers, self.moment_numbers)
        return int(np.sqrt(numbers / n_folds))


@dataclass(frozen=True, eq=False)
class FactorStatistics:
    """Factors and moments of the rows of a table."""

    factors: Factors  # the maps to the factors
    folds: list[Moments]  # the moments of each fold
    fold: NDArray[np.intp]  # (n,): which fold a row is in

    @cached_property
    def moments(self) -> Moments:
        """The moments of all rows."""
        return total_of(self.folds)


@dataclass(frozen=True, eq=False)
class JudgedRank:
    """A rank beside a half and a quarter of it."""

    shares: Array  # (m,): of each kernel in the trace of K(w)
    # At most three, in increasing order, and their held-out losses
    ranks: Indices
    losses: Array
    worth_it: float  # what the loss must fall by to be worth twice the rank

    @property
    def best(self) -> int:
        """The rank of the least loss; of equal ones the largest."""
        return int(self.ranks[::-1][np.argmin(self.losses[::-1])])


@dataclass(frozen=True, eq=False)
class RankSearch:
    """How to look at a table: its kernels, targets, weights, and the seed of the landmarks.

    Where ``maps`` are given, they are the kernels' own, and no landmarks are chosen.
    """

    source: Rows
    kernels: Sequence[Kernel]
    Y: Array
    sample_weight: Array
    random_state: RandomState
    maps: Sequence[NystroemMap] | None = None
    options: RankOptions = field(default_factory=RankOptions)
    fold: Indices | None = None  # (n,): the fold of each row; by default folds are drawn

    def at(self, rank: int | Sequence[int]) -> FactorStatistics:
        """Choose landmarks, as many of each kernel or of all, and make one pass over the rows."""
        return self.statistics_of(self.factors(rank))

    def factors(self, rank: int | Sequence[int]) -> Factors:
        """Choose landmarks, as many of each kernel or of all, unless maps are given."""
        if self.maps is not None:
            return Factors(self.maps)
        with threads_for(np.max(rank)):
            return Factors.through_landmarks(
                self.kernels, self.source, rank, "random", self.random_state
            )

    def statistics_of(self, factors: Factors) -> FactorStatistics:
        """Make one pass over the rows."""
        n = len(self.source)
        fold = folds_of(n, self.fold)
        with threads_for(rows_on_host(self.source)):
            parts = moments_by_fold(self.source, factors, self.Y, self.sample_weight, fold)
        return FactorStatistics(factors, parts, fold)

    def grow_rank(
        self,
        judge: Callable[[FactorStatistics], tuple[Array, float]],
        stopping: StoppingControl,
        fills: bool = False,
        max_columns: int | None = None,
    ) -> FactorStatistics:
        """Double the rank while the held-out loss falls, within memory and time.

        The loss is that of least squares at the weights and the ridge that ``judge`` gives. A
        kernel with almost no weight there keeps its rank, which leaves memory to the others. With
        ``fills``, the last step takes as many landmarks as fit, if twice as many do not. All
        kernels together have at most ``max_columns`` columns; by default as many as there is memory
        for their moments.

        Where a half or a quarter of the last rank has a smaller loss, and is not less than the
        first, that is the result.
        """
        options, m = self.options, len(self.kernels)
        n_folds = N_FOLDS if self.fold is None else int(self.fold.max()) + 1
        max_columns = options.most_columns(n_folds) if max_columns is None else max_columns
        ranks = np.full(m, min(options.first, max(max_columns // m, 1)))
        sampled = True
        while True:
            look = self._on_sample(int(ranks.sum())) if sampled else self
            start = time.monotonic()
            statistics = look.at(ranks.tolist())
            share = len(look.source) / len(self.source)
            longer = options.longer * (time.monotonic() - start) / share
            if longer > options.time_share * stopping.seconds_left:
                return statistics if look is self else self.at(ranks.tolist())
            judged = None if _is_exact(statistics, ranks) else look._judged(statistics, judge)
            larger = None if judged is None else self._larger(judged, ranks, max_columns, fills)
            if larger is not None:
                ranks = larger
            elif look is not self:
                sampled = False
            else:
                best = len(self.source) if judged is None else max(judged.best, options.first)
                return statistics if best >= ranks.max() else self.at([min(r, best) for r in ranks])

    def _judged(
        self, statistics: FactorStatistics, judge: Callable[[FactorStatistics], tuple[Array, float]]
    ) -> JudgedRank:
        """What held-out rows say of the rank of some statistics."""
        weights, ridge = judge(statistics)
        with threads_for(statistics.factors.n_columns):
            ranks, losses = loss_by_rank(statistics.folds, statistics.factors, weights, ridge)
        moments = statistics.moments
        everything = float(moments.centred()[2].sum()) / moments.mass
        explained = max(everything - losses[-1], 0.0)
        worth_it = self.options.enough * min(losses[-1], explained)
        return JudgedRank(weights * moments.traces[0], ranks[-3:], losses[-3:], worth_it)

    def _larger(
        self, judged: JudgedRank, ranks: NDArray[np.intp], max_columns: int, fills: bool
    ) -> NDArray[np.intp] | None:
        """The ranks to go on with; None for none."""
        options, shares = self.options, judged.shares
        if judged.losses[-1] >= judged.losses[:-1].min(initial=np.inf) - judged.worth_it:
            return None
        larger = np.where(shares > options.weightless * shares.sum(), 2 * ranks, ranks)
        n_columns, n_more = int(ranks.sum()), int((larger - ranks).sum())
        if n_columns + n_more <= max_columns:
            return larger
        room = max_columns - n_columns
        if not fills or room < options.worth_filling * n_columns:
            return None
        return np.asarray(ranks + (larger - ranks) * room // n_more)

    def _on_sample(self, n_columns: int) -> RankSearch:
        """The same look at a sample that is large enough for `n_columns`."""
        n, options = len(self.source), self.options
        size = max(options.sample_rows, options.rows_per_column * n_columns)
        is_here = isinstance(self.source, np.ndarray) or is_frame(self.source)
        if not is_here or size > options.worth_a_sample * n:
            return self  # where rows are elsewhere, looking at them takes less than fetching them
        rows, fold = np.sort(np.random.RandomState(0).choice(n, size, replace=False)), self.fold
        if fold is not None:
            rows = with_every_fold(rows, fold)
            fold = fold[rows]
        source, weight = take_rows(self.source, rows), self.sample_weight[rows]
        return replace(self, source=source, Y=self.Y[rows], sample_weight=weight, fold=fold)


def _is_exact(statistics: FactorStatistics, ranks: NDArray[np.intp]) -> bool:
    """Whether more landmarks would change nothing: all rows are, or all that differ."""
    rank = int(ranks.max())
    has_fewer = int(statistics.factors.place.max(initial=0)) + 1 < rank
    return rank >= len(statistics.fold) or has_fewer


def with_every_fold(rows: Indices, fold: Indices) -> Indices:
    """Sorted rows, and one more of every fold that has none among them."""
    return np.union1d(rows, np.unique(fold, return_index=True)[1])


def folds_of(n_rows: int, fold: Indices | None = None) -> NDArray[np.intp]:
    """The fold of each row: as given, or by turns of a random order, since rows may be sorted."""
    if fold is not None:
        return fold
    return np.random.RandomState(0).permutation(n_rows) % min(N_FOLDS, n_rows)


@dataclass(frozen=True)
class FactorLimits:
    """Limits on the size of what is kept."""

    # Z is kept rather than made again up to 2²⁷ numbers, a gigabyte, and up to a third of the
    # memory there is
    kept_numbers: int = 2**27
    kept_share: float = 1.0 / 3.0
    # Numbers in the moments of all folds: a gigabyte. With more columns, machines are learned from
    # Z alone.
    moment_numbers: int = 2**27
    # Numbers of a Z whose moments would be larger: two gigabytes, unless the user allows for more
    # or less, and this share of the memory there is
    wide_numbers: int = 2**28
    wide_share: float = 0.25
    # Columns whose moments least squares is learned from, if the rows are not fewer: half a
    # gigabyte, and a factorisation of some seconds
    moment_columns: int = 8000
    # From twice this size on, a first guess from a sample of this size saves more than it costs.
    coarse_rows: int = 2000
    # Rows that are enough for quantiles and for the two numbers of a sigmoid.
    held_out_rows: int = 20_000

    def keeps(self, source: Rows, n_columns: int) -> bool:
        """Whether Z is kept where the rows are worked on."""
        return len(source) * n_columns <= self.room(source)

    def room(self, source: Rows) -> float:
        """How many numbers of Z may be kept where the rows are worked on."""
        return _room_for_rows(source, min(self.kept_numbers, _numbers(self.kept_share)))

    def wide_room(self, source: Rows) -> float:
        """The same for a Z that is kept because its moments would be larger."""
        most = _numbers(self.wide_share)
        most = most if allowed() is not None else min(self.wide_numbers, most)
        return _room_for_rows(source, most)

    def has_moments(self, n_rows: int, n_columns: int) -> bool:
        """Whether least squares is learned from its moments rather than from Z."""
        return n_columns <= min(n_rows, self.moment_columns)

    def is_wide(self, source: Rows, n_columns: int) -> bool:
        """Whether the moments have no room, but Z has."""
        too_many = N_FOLDS * n_columns**2 > self.moment_numbers
        return too_many and len(source) * n_columns <= self.wide_room(source)


def _numbers(share: float) -> float:
    """How many numbers fit into a share of the memory there is."""
    there = available()
    return np.inf if there is None else share * there / FLOAT


def _room_for_rows(source: Rows, most: float) -> float:
    return source.room(most) if isinstance(source, Chunked) else room_beside(source, most)
