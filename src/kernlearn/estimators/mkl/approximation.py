"""Combinations of kernels on too many rows for Gram matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from kernlearn._checks import learns_C
from kernlearn._cluster import Chunked
from kernlearn._device import device_memory_errors
from kernlearn.estimators.inputs.dask_rows import check_takes_dask, evenly_spaced_rows
from kernlearn.estimators.inputs.transformed_rows import at_rows, reads
from kernlearn.estimators.mkl.candidates import (
    BANK_ROWS,
    bank_of_sample,
    is_table,
    kernel_pool,
    prepared_penalty,
)
from kernlearn.estimators.mkl.low_rank import centre_of, chosen_rank, with_points_of
from kernlearn.estimators.mkl.parameters import (
    CombinationParameters,
    Labelled,
    all_finite,
    check_certify,
    checked_total,
    state,
)
from kernlearn.families.kernel_pool import is_family
from kernlearn.families.matrices import GramStack
from kernlearn.families.prior_kernels import PriorPenalty
from kernlearn.gram import gram_stack
from kernlearn.kernels import Kernel, WeightedSum
from kernlearn.kernels._validation import take_rows
from kernlearn.kernels.ranges import KernelRange
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.approximate import (
    approximate_backend,
    learn_family,
    settle_on_sample,
)
from kernlearn.solvers.engine.backend import EngineFit, learn
from kernlearn.solvers.engine.factors import LOW_RANK_QUALITIES, KernelTable
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.typing import Array, Rows

# Most landmarks that a kernel without weight keeps in a repeated fit.
FEW_LANDMARKS = 64


@dataclass(frozen=True, eq=False)
class EarlierChoices:
    """The choices of a fit through landmarks, for a fit to more rows of the same kind."""

    kernels: Sequence[Kernel]  # the bank, pairs of columns included
    notes: list[str] | None  # notes on the bank
    C: float
    loss_by_C: Array | None  # held-out losses that chose C
    share: float  # part of the weight that all sources share equally
    ranks: tuple[int, ...]  # landmarks of each kernel
    weights: Array  # warm start

    @classmethod
    def of(cls, estimator: CombinationParameters) -> EarlierChoices | None:
        """The choices of a fit; None if it was exact, or has views, a family or a penalty.

        A kernel without weight, which had all its landmarks in the fit, keeps few.
        """
        options = estimator._options
        several = is_family(estimator.kernels) or options.center or estimator._n_views()
        if estimator.rank_ is None or several or options.penalty is not None:
            return None
        # Rows for transformers, and sparse rows, are handled separately.
        landmarks = estimator.landmarks_
        sparse = any(issparse(points) or points is None for points in landmarks)
        if sparse or any(map(reads, estimator.kernels_)):
            return None
        pairs = zip(map(len, landmarks), estimator.weights_, strict=True)
        ranks = tuple(size if weight else min(size, FEW_LANDMARKS) for size, weight in pairs)
        attributes = vars(estimator)
        found = attributes.get("bank_notes_"), estimator.C_, attributes.get("loss_by_C_")
        share = attributes.get("equal_share_", 0.0)
        return cls(estimator.kernels_, *found, share, ranks, estimator.weights_)


def rank_of(
    estimator: CombinationParameters, rows: Rows, n_rows: int, X_unlabeled: Rows
) -> int | str | None:
    """The rank of the factors, or None for Gram matrices."""
    obstacle = None
    is_known = isinstance(rows, np.ndarray | Chunked) or hasattr(rows, "iloc") or issparse(rows)
    if X_unlabeled is not None:
        obstacle = "X_unlabeled"
    elif estimator.missing is not None:
        obstacle = f"missing={estimator.missing!r}"
    elif not is_known:
        obstacle = f"rows that are a {type(rows).__name__}"
    elif learns_C(estimator.quality, estimator.C):
        obstacle = "C='learn'"
    elif estimator.quality not in LOW_RANK_QUALITIES:
        obstacle = f"quality={estimator.quality!r}"
    elif isinstance(estimator.kernels, KernelRange):
        obstacle = "a range of kernels"
    elif is_family(estimator.kernels) and estimator._options.constraints:
        obstacle = "constraints on a family of kernels"
    elif estimator._options.penalty is not None:
        obstacle = _penalty_obstacle(estimator, rows)
    return chosen_rank(estimator.rank, n_rows, obstacle, estimator._engine.exact_rows)


def _penalty_obstacle(estimator: CombinationParameters, rows: Rows) -> str | None:
    """The reason why solvers through landmarks do not support a penalty on the weights."""
    if isinstance(estimator._options.penalty, PriorPenalty):
        return f"a penalty that compares Gram matrices, {estimator._options.penalty!r}"
    if estimator._weight_signs == "free":
        return "a penalty on weights of both signs"
    return "a penalty on sparse rows" if issparse(rows) else None


def learn_approximately(
    estimator: CombinationParameters, data: Labelled, rank: int | str, control: Control
) -> EngineFit[LowRankSolution]:
    """State the problem through landmarks, and learn; kernels and choices are stored."""
    check_takes_dask(estimator, data.X)
    centre = estimator._options.center
    points = centre_of(data.X, estimator._seed) if centre else evenly_spaced_rows(data.X, BANK_ROWS)
    estimator.__dict__.pop("loss_by_C_", None)  # of an earlier fit
    earlier: EarlierChoices | None = estimator.__dict__.pop("_taken_over", None)
    with device_memory_errors():
        if is_family(estimator.kernels):
            return _learn_family(estimator, data, points, rank, control)
        if earlier is not None:
            return _learn_at_earlier_choices(estimator, data, earlier, control)
        return _learn_list(estimator, data, points, rank, control)


def _learn_family(
    estimator: CombinationParameters,
    data: Labelled,
    points: Rows,
    rank: int | str,
    control: Control,
) -> EngineFit[LowRankSolution]:
    pool = kernel_pool(estimator, data.X, len(data.weight), points)
    penalty = prepared_penalty(estimator, points)
    total = checked_total(estimator)
    statement = state(estimator, data, pool.n_matrices, total, lambda C: penalty)
    statement, choices = settle_on_sample(statement, pool.on_rows, 1, False, control)
    source, options = estimator._on_its_device(data.X), estimator._engine
    engine_fit, active, kernels = learn_family(
        source, pool, rank, statement, control, options.limits, options.ranks
    )
    estimator.kernel_ = WeightedSum(kernels, engine_fit.solution.weights[active])
    return choices.with_sample_losses(engine_fit)


def _learn_list(
    estimator: CombinationParameters,
    data: Labelled,
    points: Rows,
    rank: int | str,
    control: Control,
) -> EngineFit[LowRankSolution]:
    estimator.kernels_ = kernels = bank_of_sample(estimator, data, points)
    source = estimator._on_its_device(data.X)
    row_kernels, rows = kernels, data.X
    read_once = issparse(source) or (is_table(source) and any(map(reads, kernels)))
    if read_once:
        row_kernels, source = at_rows(kernels, source)
        rows = source
    penalty = prepared_penalty(estimator, points)
    total = checked_total(estimator)
    statement = state(estimator, data, len(kernels), total, lambda C: penalty)
    bound = check_certify(estimator._options.certify, statement.free_sign)
    statement, choices = settle_on_sample(
        replace(statement, exact_bound=bound),
        lambda few: GramStack(gram_stack(row_kernels, take_rows(rows, few))),
        len(kernels),
        statement.quality == "least_squares",
        control,
    )
    options = estimator._engine
    table = KernelTable(
        source, row_kernels, rank, sparse=read_once, limits=options.limits, ranks=options.ranks
    )
    with np.errstate(all="ignore"):  # the search steps back from non-finite values
        engine_fit = learn(approximate_backend(table, statement, control), control)
    all_finite(engine_fit.solution.coef)
    if read_once:
        engine_fit = replace(engine_fit, solution=with_points_of(engine_fit.solution, data.X))
    estimator.kernel_ = WeightedSum(kernels, engine_fit.solution.weights)
    return choices.with_sample_losses(engine_fit)


def _learn_at_earlier_choices(
    estimator: CombinationParameters, data: Labelled, earlier: EarlierChoices, control: Control
) -> EngineFit[LowRankSolution]:
    """Learn weights and machines alone, at the kernels, ranks and C of an earlier fit."""
    estimator.kernels_ = list(earlier.kernels)
    if earlier.notes is not None:
        estimator.bank_notes_ = list(earlier.notes)
    ranks = [min(rank, len(data.weight)) for rank in earlier.ranks]
    statement = state(estimator, data, len(ranks), checked_total(estimator))
    statement = replace(
        statement,
        settings=replace(statement.settings, C=earlier.C),
        factors_of_C=(),
        share=earlier.share,
        start=earlier.weights,
        exact_bound=check_certify(estimator._options.certify, statement.free_sign),
    )
    limits = estimator._engine.limits
    table = KernelTable(estimator._on_its_device(data.X), estimator.kernels_, ranks, limits=limits)
    engine_fit = learn(approximate_backend(table, statement, control), control)
    estimator.kernel_ = WeightedSum(estimator.kernels_, engine_fit.solution.weights)
    losses = engine_fit.loss_by_C if earlier.loss_by_C is None else earlier.loss_by_C
    return replace(engine_fit, loss_by_C=losses)
