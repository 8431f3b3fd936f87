"""The kernels that an estimator combines: given, a default bank, or a family made on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from kernlearn._device import HOST, Place
from kernlearn.estimators.inputs.ownership import copied_kernel
from kernlearn.estimators.inputs.transformed_rows import fitted_transformers
from kernlearn.estimators.inputs.views import checked_kernels, kernels_on_views
from kernlearn.estimators.mkl.bank import banks_of_views
from kernlearn.estimators.mkl.column_pairs import pair_kernels
from kernlearn.estimators.mkl.equal_share import kernel_name
from kernlearn.estimators.mkl.parameters import CombinationParameters, Labelled, checked_total
from kernlearn.families.continuous_pool import ContinuousPool
from kernlearn.families.kernel_pool import KernelPool, bound_family, is_family
from kernlearn.families.matrices import GramStack
from kernlearn.families.penalties import GroupNorm
from kernlearn.families.prior_kernels import PriorPenalty
from kernlearn.gram import check_stack, gram_stack
from kernlearn.gram.psd import Repair
from kernlearn.kernels import Centered, Grid, Kernel, Normalized, Precomputed
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import take_rows
from kernlearn.kernels.missing_sources import completed, with_gaps
from kernlearn.kernels.ranges import KernelRange, RangeKernels
from kernlearn.runtime.memory import combination_bytes, matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.threads import n_threads
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.engine.statement import no_penalty
from kernlearn.solvers.nystroem.rank import with_every_fold
from kernlearn.typing import Rows

BANK_ROWS = 5000  # most rows that the choice of a bank reads


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of the weights: matrices on all points, their total, a penalty at C."""

    family: GramStack | KernelPool
    total: float | None
    penalty: Callable[[float], Penalty | None] = no_penalty


def gram_candidates(estimator: CombinationParameters, points: Rows, data: Labelled) -> Candidates:
    """The matrices of all kernels on all points, or a pool that makes them on demand."""
    estimator.__dict__.pop("bank_notes_", None)  # of an earlier fit
    if is_family(estimator.kernels):
        place = None if estimator.device_ == HOST else Place.named(estimator.device_)
        pool = kernel_pool(estimator, points, len(data.weight), points, place)
        if not pool.parts:  # kernels that are looked at one by one, on the host
            estimator.device_ = HOST
        penalty = prepared_penalty(estimator, points)
        return Candidates(pool, checked_total(estimator), lambda C: penalty)
    with sharing():  # what a transformer made of the points to be fitted is not made again
        kernels = estimator._prepared_kernels(points, replace(data, X=points))
        if estimator.missing == "complete":
            kernels = completed(kernels, points)
        elif estimator.missing is not None:
            kernels = [with_gaps(kernel) for kernel in kernels]
        estimator.kernels_ = [kernel.fitted_to(points) for kernel in kernels]
        require_memory(estimator, points, len(data.targets))
        grams = gram_stack(estimator.kernels_, points)
    psd = repair(estimator)
    if psd != "trust":  # every kernel has looked whether its matrix is finite and symmetric
        grams = check_stack(grams, psd=psd)
    penalty = prepared_penalty(estimator, points)
    family = GramStack(grams, len(data.weight))
    return Candidates(family, checked_total(estimator), lambda C: penalty)


def prepared_penalty(estimator: CombinationParameters, points: Rows) -> Penalty | None:
    """The penalty given, with groups by the kernels' names and a prior kernel on the points."""
    penalty = estimator._options.penalty
    if isinstance(penalty, GroupNorm):
        kernels = estimator.kernels_
        return penalty.named([kernel_name(kernels[i]) for i in range(len(kernels))])
    return penalty.at_points(points) if isinstance(penalty, PriorPenalty) else penalty


def kernel_pool(
    estimator: CombinationParameters,
    points: Rows,
    n_labelled: int,
    centre: Rows,
    place: Place | None = None,
) -> KernelPool:
    """The kernels of a family, made when they are looked at; centred, if so, around a table."""
    estimator.kernels_ = bound_family(estimator.kernels, points)

    def prepared(kernel: Kernel) -> Kernel:
        return transformed_kernels(estimator, [kernel], centre)[0]

    wraps = prepared if estimator._options.center or estimator.normalize else None
    workers, psd = n_threads(), repair(estimator)
    if isinstance(estimator.kernels_, RangeKernels):
        return ContinuousPool(estimator.kernels_, points, n_labelled, psd, workers)
    return KernelPool(estimator.kernels_, points, n_labelled, psd, workers, wraps, place)


def prepared_kernels(estimator: CombinationParameters, X: Rows, labelled: Labelled) -> list[Kernel]:
    """The kernels after the requested transforms: centring, then the unit diagonal.

    Centring is around X; if no kernels are given, ``labelled`` chooses a bank.
    """
    views: dict[str, slice] = getattr(estimator, "views_", {})
    if estimator.kernels is None:
        table = np.asarray(labelled.X, dtype=float)
        rows = labelled.targets, labelled.weight, estimator._seed, estimator._engine.widths
        view_matrices: dict[str, Kernel] = getattr(estimator, "_view_matrices", {})
        kernels, estimator.bank_notes_ = banks_of_views(
            table, views, *rows, labelled.groups, view_matrices
        )
        for note in estimator.bank_notes_ if estimator.verbose else []:
            print(f"{type(estimator).__name__}: {note}")
    else:
        kernels = kernels_on_views(
            list(map(copied_kernel, checked_kernels(estimator.kernels))), views
        )
    return transformed_kernels(estimator, kernels, X)


def bank_of_sample(estimator: CombinationParameters, data: Labelled, points: Rows) -> list[Kernel]:
    """The kernels, fitted to ``points``; a bank among them is chosen by a sample of the rows."""
    rows, n = data.X, len(data.weight)
    # Rows of one order, so every n-th of them.
    few = np.linspace(0, n - 1, min(n, BANK_ROWS)).astype(int)
    if data.fold is not None:
        few = with_every_fold(few, data.fold)
    bank = data.some(take_rows(rows, few), few)
    kernels = estimator._prepared_kernels(points, bank)
    if estimator.kernels is None and not estimator._options.center and not estimator._n_views():
        kernels += _pair_kernels(estimator, bank, kernels[-1])
    if is_table(rows):
        kernels = fitted_transformers(kernels, rows)
    with sharing():
        return [kernel.fitted_to(points) for kernel in kernels]


def _pair_kernels(estimator: CombinationParameters, bank: Labelled, whole: Kernel) -> list[Kernel]:
    """Kernels on pairs of columns, if a bank is chosen for many rows."""
    if all(np.ptp(y) == 0 for y in bank.targets):
        return []
    table = np.asarray(bank.X, dtype=float)
    arguments = bank.targets, bank.weight, whole, estimator._seed
    kernels, pairs = pair_kernels(table, *arguments, estimator._engine.pairs, bank.fold)
    if pairs:
        named = ", ".join(f"{i} and {j}" for i, j in pairs)
        estimator.bank_notes_.append(f"columns {named} have kernels of their own, as pairs")
    return kernels


def transformed_kernels(
    estimator: CombinationParameters, kernels: list[Kernel], X: Rows
) -> list[Kernel]:
    """Kernels with centring around X and the unit diagonal, if requested."""
    if estimator._options.center:
        kernels = [Centered(kernel, X) for kernel in kernels]
    if estimator.normalize:
        kernels = [Normalized(kernel) for kernel in kernels]
    return kernels


def is_table(rows: Rows) -> bool:
    """Whether the rows are all here, on the host."""
    return isinstance(rows, np.ndarray) or hasattr(rows, "iloc")


def require_memory(estimator: CombinationParameters, points: Rows, n_machines: int) -> None:
    """Refuse more points and kernels than there is memory for."""
    n = len(points) if isinstance(points, list) else points.shape[0]
    d = points.shape[1] if isinstance(points, np.ndarray) and points.ndim == 2 else 1
    n_kernels = len(estimator.kernels_)
    n_recombined = n_kernels if estimator._weight_signs == "free" else 0
    require(
        combination_bytes(n_kernels, n, n_machines, n_recombined) + matrices(4, n, d),
        f"{type(estimator).__name__} with {counted(n_kernels, 'kernel')} on {counted(n, 'point')}",
        "use fewer points or kernels",
    )


def repair(estimator: CombinationParameters) -> Repair:
    """The treatment of indefinite matrices: only kernels from elsewhere may have them."""
    if estimator._options.psd != "auto":
        return cast(Repair, estimator._options.psd)
    kernels = estimator.kernels
    if hasattr(estimator, "_view_matrices"):
        return "raise"
    if isinstance(kernels, KernelRange):
        return "trust"
    if is_family(kernels):  # of others, nothing is known before they are looked at
        kernels = kernels.kernels if isinstance(kernels, Grid) else None
        return "trust" if kernels is not None and _is_surely_psd(kernels) else "raise"
    return "trust" if _is_surely_psd(kernels) else "raise"


def _is_surely_psd(kernel: object) -> bool:
    """Whether a kernel with all its parts, or all of a list, is of this library and no matrix."""
    if isinstance(kernel, list | tuple):
        return all(_is_surely_psd(part) for part in kernel)
    if isinstance(kernel, Kernel):
        ours = type(kernel).__module__.startswith("kernlearn.")
        parts = vars(kernel).values()  # its parameters, without a look at signatures
        return ours and not isinstance(kernel, Precomputed) and all(map(_is_surely_psd, parts))
    return True
