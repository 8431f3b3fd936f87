"""An LS-SVM with its λ and θ on any number of rows: selected through landmarks, then refitted.

θ is learned on a sample of rows through a few hundred landmarks, by descent on the leave-one-out
loss with exact slopes; many scales go on from there with more rows and landmarks, chosen at that
kernel. Then more landmarks are chosen, one pass reads all rows, and λ is chosen
again by the loss on held-out folds where the sample was a part of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster import Chunked
from kernlearn._device import Placed, rows_on_host, to_host
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.gram.landmarks import choose_landmarks
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import take_rows
from kernlearn.numerics.rounding import first_least
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.nystroem.exact_refit import REFIT, RefitOptions, exact_refit
from kernlearn.solvers.nystroem.moments import LowRankFolds, leave_one_out, loss_by_rank, trained
from kernlearn.solvers.nystroem.rank import FactorStatistics, RankOptions, RankSearch
from kernlearn.solvers.nystroem.selection import LandmarkSelection
from kernlearn.solvers.selection.objective import DescentLimits, descend
from kernlearn.solvers.selection.select import search
from kernlearn.typing import Array, RandomState, Rows


@dataclass(frozen=True)
class StageOptions:
    """How many rows and landmarks θ is learned from, and when a stage ends."""

    # Rows and landmarks: a second or less for each step on one core, and a few hundredths on a GPU.
    # Fewer rows leave time for more landmarks, up to three times as many.
    on_host: tuple[int, int] = (8000, 400)
    on_device: tuple[int, int] = (50_000, 1000)
    # From this number of scales on, they are learned in two stages: from few rows at first, where
    # steps are cheap, then from more. A step of the last stage takes some three seconds on two
    # cores, so that this stage has a share of the steps only. On a GPU it has all steps, and the
    # rows of `on_device`.
    many_scales: int = 3
    first: tuple[int, int] = (4000, 400)
    last: tuple[int, int] = (16_000, 1000)
    share_at_last: float = 0.25
    # The last stage has at least this multiple of the rows of the first, or it is left out.
    times_at_last: int = 2
    # With more rows than these, steps take up to seconds: a descent ends where one lowers the loss
    # by less than this share, at first, and at last.
    gain_at_first: float = 2e-3
    gain_at_last: float = 3e-4
    # Few rows switch off columns that more of them would use, and from where a logarithm has gone
    # no slope leads back: each goes on from this share of its start at least.
    least_at_last: float = 0.01


STAGES = StageOptions()
# λ around the one of the sample, tried on all rows.
_AROUND = 10.0 ** np.arange(-2.0, 1.1, 0.5)


@dataclass(frozen=True, eq=False)
class KernelFit:
    """A machine through landmarks, with the kernel it was learned for."""

    kernel: Kernel  # the kernel at θ
    theta: Array  # (p,): θ
    lam: float  # λ
    statistics: FactorStatistics  # the factors and the moments of all rows
    coef: Array  # (R, k): the function is ``statistics.factors(X) @ coef + intercept``
    intercept: Array  # (k,): b
    offset: Array  # (k,): means of the targets, less which the moments are
    left_out: Array  # (n, k): leave-one-out predictions
    # Held-out loss by rank
    ranks: NDArray[np.intp]
    losses: Array
    # Steps of the descents, and machines trained on the way
    n_iter: int
    n_evaluations: int
    status: Status  # how the selection ended


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Rows, targets and weights (inputs are checked)."""

    source: Rows
    Y: Array
    weight: Array
    seed: RandomState
    stages: StageOptions = STAGES

    def sample(self, size: int) -> TrainingTable:
        """Some of the rows, drawn at random; on this machine, where all are on others."""
        n = len(self.weight)
        if n <= size:
            on_cluster = isinstance(self.source, Chunked)
            return replace(self, source=self.source[:]) if on_cluster else self
        rows = np.sort(np.random.RandomState(0).choice(n, size, replace=False))
        source, Y, weight = take_rows(self.source, rows), self.Y[rows], self.weight[rows]
        return replace(self, source=source, Y=Y, weight=weight)


@dataclass(frozen=True, eq=False)
class ExactFit:
    """A machine on all rows, at a θ learned through landmarks."""

    # As in `KernelFit`
    kernel: Kernel
    theta: Array
    lam: float
    dual_coef: Array  # (n, k): α
    intercept: Array
    left_out: Array
    n_iter: int
    n_evaluations: int
    status: Status


def learn_then_refit(
    table: TrainingTable,
    family: ParametricKernel,
    lam: float | None,
    limits: DescentLimits,
    several: bool = True,
    options: RefitOptions = REFIT,
) -> ExactFit:
    """Select λ and θ through landmarks, and train on the matrix of all rows."""
    offset = np.average(table.Y, axis=0, weights=table.weight)
    table = replace(table, Y=table.Y - offset)
    selected = _selected(table, family, lam, limits, several)
    with threads_for(rows_on_host(table.source)):
        found = exact_refit(
            table.source,
            family.kernel,
            table.Y,
            table.weight,
            [(selected.lam, selected.theta), *selected.tied],
            lam is None,
            limits.stopping,
            options,
        )
    return ExactFit(
        family.kernel(found.theta),
        found.theta,
        found.lam,
        found.dual_coef,
        found.intercept + offset,
        table.Y + offset - found.left_out,
        *selected.counts,
        selected.status,
    )


def fit_through_landmarks(
    table: TrainingTable,  # what to learn from
    family: ParametricKernel,  # K(θ), of no parameters where θ is given
    rank: int | str,  # landmarks of the final machine
    lam: float | None,  # A λ to be kept
    # Whether anything is to be selected; if not, `lam` is given and the family has no parameters
    selects: bool,
    limits: DescentLimits,  # when to stop
    several: bool = True,  # whether to look for other starts of θ than equal scales
    rank_options: RankOptions | None = None,  # when the rank "auto" is enough
) -> KernelFit:
    """Select λ and θ unless they are given, and train on all rows."""
    # The intercept takes up any offset; working around it keeps the numbers small.
    offset = np.average(table.Y, axis=0, weights=table.weight)
    table = replace(table, Y=table.Y - offset)
    if selects:
        selected = _selected(table, family, lam, limits, several)
    else:
        assert lam is not None
        selected = _Selected(np.zeros(0), lam, Status.GIVEN, (1, 1))
    theta, first = selected.theta, selected.lam
    kernel = family.kernel(theta)
    options = rank_options or RankOptions()
    look = RankSearch(table.source, [kernel], table.Y, table.weight, table.seed, options=options)
    one = np.ones(1)
    if rank == "auto":
        # To learn θ took longer than a pass over the rows: all landmarks that there is room for.
        statistics = look.grow_rank(lambda statistics: (one, first), limits.stopping, fills=True)
    else:
        statistics = look.at(int(rank))
    factors, moments = statistics.factors, statistics.moments
    with threads_for(factors.n_columns):
        sampled = lam is None and len(table.weight) > _stages(table, len(theta))[1][0]
        final = _best_ridge(statistics, first) if sampled else first
        coef = trained(moments, factors.membership, one, final)
        assert coef is not None  # a positive weight and a positive λ always have a machine
        ranks, losses = loss_by_rank(statistics.folds, factors, one, final)
    with threads_for(rows_on_host(table.source)):
        left_out = leave_one_out(table.source, factors, moments, table.Y, table.weight, one, final)
    intercept = moments.intercept(coef) - factors.shift @ coef
    return KernelFit(
        kernel,
        theta,
        final,
        statistics,
        coef,
        intercept + offset,
        offset,
        left_out + offset,
        ranks,
        losses,
        *selected.counts,
        selected.status,
    )


def _stages(table: TrainingTable, n_scales: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Rows and landmarks that θ is learned from at first and at last, where the work is done."""
    is_on_gpu, stages = _is_on_gpu(table), table.stages
    if n_scales < stages.many_scales:
        size = _with_more_landmarks(table, *(stages.on_device if is_on_gpu else stages.on_host))
        return size, size
    first = _with_more_landmarks(table, *stages.first)
    if not is_on_gpu and min(len(table.weight), stages.last[0]) < stages.times_at_last * first[0]:
        return first, first
    rows, rank = _with_more_landmarks(table, *stages.on_device) if is_on_gpu else stages.last
    return first, (rows, max(rank, first[1]))


def _is_on_gpu(table: TrainingTable) -> bool:
    return isinstance(table.source, Placed) and table.source.place.free_bytes() is not None


def _with_more_landmarks(table: TrainingTable, rows: int, rank: int) -> tuple[int, int]:
    """As many rows, and more landmarks where there are fewer of them: a step takes n r²."""
    more = np.sqrt(rows / min(rows, len(table.weight)))
    return rows, int(rank * min(more, 3.0))


@dataclass(frozen=True, eq=False)
class _Selected:
    """θ, λ, how the selection ended, steps and machines, and λ and θ of one common factor."""

    theta: Array
    lam: float
    status: Status
    counts: tuple[int, int]
    tied: tuple[tuple[float, Array], ...] = ()


def _selected(
    table: TrainingTable,
    family: ParametricKernel,
    lam: float | None,
    limits: DescentLimits,
    several: bool,
) -> _Selected:
    """λ and θ by descent through landmarks on a sample; landmarks follow θ once."""
    stages = table.stages
    few = to_host(table.sample(stages.first[0]).source)
    start = np.asarray(family.start(few), dtype=float)
    (n_rows, rank), last = _stages(table, len(start))
    part = table.sample(n_rows)
    is_slow = (
        len(start) >= stages.many_scales and len(table.weight) > n_rows and not _is_on_gpu(table)
    )
    with threads_for(rank):
        first = _objective_at(start, part, rank, family, limits)
        quick = replace(limits, least_gain=stages.gain_at_first) if is_slow else limits
        z, status, tied = search(first, first.criterion, quick, lam, several)
    counts = first.n_steps, first.n_evaluations
    if len(z) > 1 and limits.stopping.stopped is None:
        if is_slow:
            limits = replace(limits, least_gain=stages.gain_at_last)
        free = np.eye(len(z))[:, lam is not None :]
        z, status, more = _last_stage(table, family, z, free, limits, (n_rows, rank), last)
        counts = counts[0] + more[0], counts[1] + more[1]

    def numbers(z: Array) -> tuple[float, Array]:
        return float(np.exp(z[0])) if lam is None else lam, np.exp(z[1:])

    ridge, theta = numbers(z)
    others = () if tied is None or len(z) <= 2 else (numbers(tied),)
    return _Selected(theta, ridge, status, (max(counts[0], 1), counts[1]), others)


def _objective_at(
    theta: Array, part: TrainingTable, rank: int, family: ParametricKernel, limits: DescentLimits
) -> LandmarkSelection:
    """The leave-one-out loss through landmarks that are chosen at θ."""
    marks = choose_landmarks(family.kernel(theta), part.source, rank, random_state=part.seed)
    points, stopping = marks.points, limits.stopping
    return LandmarkSelection(family, part.source, part.Y, part.weight, points, stopping, part.seed)


def _last_stage(
    table: TrainingTable,
    family: ParametricKernel,
    found: Array,  # log λ and log θ of the first stage
    free: Array,  # directions of these that may be changed
    limits: DescentLimits,
    first: tuple[int, int],  # rows and landmarks of the first stage
    last: tuple[int, int],  # and of this one
) -> tuple[Array, Status, tuple[int, int]]:
    """Go on from the first stage, with landmarks at its θ and on more rows if there are more."""
    stages, z, is_larger = table.stages, found, last[0] != first[0]
    part = table.sample(last[0])
    if is_larger:
        if not _is_on_gpu(table):
            steps = max(int(stages.share_at_last * limits.max_iter), 1)
            limits = replace(limits, max_iter=steps)
        start = np.asarray(family.start(to_host(part.source)), dtype=float)
        z = np.append(z[:1], np.maximum(z[1:], np.log(stages.least_at_last * start)))
    with threads_for(len(part.weight) if is_larger else first[1]):
        objective = _objective_at(np.exp(z[1:]), part, last[1], family, limits)
        before = objective.value(found)
        objective.best.keep_if_lower(found, before)
        try:
            stage = descend(objective, z, free, limits)
            # Columns that came back may be too many to be switched off again in so few steps.
            z, status = stage.z if stage.value <= before else found, stage.status
        except (Stopped, KeyboardInterrupt) as stop:
            assert objective.best.z is not None
            z, status = objective.best.z, limits.stopping.accept(stop)
    return z, status, (objective.n_steps, objective.n_evaluations)


def _best_ridge(statistics: FactorStatistics, first: float) -> float:
    """The λ of the smallest loss on held-out folds."""
    out, one = LowRankFolds(statistics.folds, statistics.factors.membership), np.ones(1)
    losses = [float(out.loss(one, ridge).sum()) for ridge in first * _AROUND]
    return float(first * _AROUND[first_least(losses)])
