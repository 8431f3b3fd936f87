"""From a table of any number of rows to learned weights, through landmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster import Chunked
from kernlearn._device import room_beside
from kernlearn._threads import threads_for
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.weights import positive_weights
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.kernels import Kernel
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.solvers.low_rank.exact_forms import exact_lower_bound
from kernlearn.solvers.low_rank.held_out import left_out_by_rank, loss_by_rank
from kernlearn.solvers.low_rank.problem import learn_least_squares, learn_machines
from kernlearn.solvers.low_rank.rank import Look
from kernlearn.solvers.low_rank.refits import (
    FoldMachines,
    least_squares_refits,
    machine_refits,
)
from kernlearn.solvers.low_rank.solution import LowRankSolution
from kernlearn.solvers.problem import Control, WeightSet

Array = NDArray[np.float64]

# The machines with an intercept, a box and no budget.
LOW_RANK_QUALITIES = (
    "least_squares",
    "squared_soft_margin",
    "soft_margin",
    "epsilon_svr",
    "one_class",
)
# Numbers of Z that are kept rather than made again: a gigabyte.
_KEPT_NUMBERS = 2**27


@dataclass(frozen=True, eq=False)
class Request:
    """What to learn (inputs are checked).

    Attributes
    ----------
    quality : str
        One of LOW_RANK_QUALITIES.
    settings : Settings
        Of the machine.
    rank : int or "auto"
        Columns of each kernel's factor at most.
    free_sign : bool
        K(w) ⪰ 0 in place of w ≥ 0.
    constraint : {"trace", "sum"}
        What is held at the total.
    total : float or None
        By default Σ tr Kᵢ, or 1.
    start : ndarray or None
        Weights to begin near.
    random_state : int, RandomState or None
        Chooses the landmarks.
    exact_bound : bool
        Whether to bound the problem without landmarks too.
    held_out : bool
        Whether to train without each fold too.
    maps : sequence of NystroemMap or None
        From rows to the kernels' factors, where these are known already.
    """

    quality: str
    settings: Settings
    rank: Any
    free_sign: bool
    constraint: str
    total: float | None
    start: Array | None
    random_state: Any
    exact_bound: bool
    held_out: bool
    maps: Sequence[NystroemMap] | None = None


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned through landmarks.

    Attributes
    ----------
    solution : LowRankSolution
        Weights, functions and certificate.
    ranks, losses : ndarray
        Held-out loss by rank.
    held_out : FoldMachines or None
        Machines trained without each fold.
    exact_bound : float or None
        No weights of the exact kernels have a smaller objective.
    """

    solution: LowRankSolution
    ranks: NDArray[np.intp]
    losses: Array
    held_out: FoldMachines | None
    exact_bound: float | None


def learn_through_landmarks(
    source: Any,
    kernels: Sequence[Kernel],
    targets: Sequence[Array],
    request: Request,
    control: Control,
) -> Learned:
    """Choose landmarks, look at the rows, learn the weights and the machines."""
    settings = request.settings
    look = Look(
        source,
        kernels,
        np.column_stack(targets),
        settings.sample_weight,
        request.random_state,
        request.maps,
    )
    ridge = 1.0 / settings.C

    def even(traces: Array) -> Array:
        weight_set = weights_allowed(traces, request)
        domain = positive_weights(weight_set.normaliser, weight_set.total)
        return domain.weights(domain.start)

    seen = look.at_enough(ridge, even) if request.rank == "auto" else look.at(request.rank)
    moments = seen.moments
    weight_set = weights_allowed(moments.traces, request)
    machines = [QUALITIES[request.quality].build(y, settings) for y in targets]
    on_cluster = isinstance(source, Chunked)
    room = source.room(_KEPT_NUMBERS) if on_cluster else room_beside(source, _KEPT_NUMBERS)
    keep = len(source) * seen.factors.n_columns <= room
    rows = FactorRows(source, seen.factors, keep and request.quality != "least_squares")
    if request.quality == "least_squares":
        stretch = float(settings.sample_weight.max())
        with threads_for(seen.factors.n_columns):
            solution = learn_least_squares(
                moments, seen.factors, ridge, weight_set, control, stretch
            )
    else:
        with threads_for(len(source)):
            solution = learn_machines(rows, machines, moments.traces, weight_set, control)
    with threads_for(seen.factors.n_columns):
        if request.quality == "one_class":
            ranks, losses = left_out_by_rank(moments, seen.factors, solution.weights)
        else:
            ranks, losses = loss_by_rank(seen.folds, seen.factors, solution.weights, ridge)
    held_out = None
    if request.held_out:
        with threads_for(len(source)):
            if request.quality == "least_squares":
                held_out = least_squares_refits(rows, seen, solution.weights, solution.coef, ridge)
            else:
                held_out = machine_refits(rows, seen, solution, machines)
    bound = None
    if request.exact_bound:
        coefs = _dual_coefs(look, solution, ridge)
        bound = exact_lower_bound(
            source, kernels, machines, coefs, weight_set.normaliser, weight_set.total
        )
    return Learned(solution, ranks, losses, held_out, bound)


def weights_allowed(traces: Array, request: Request) -> WeightSet:
    """Where the weights may lie: by the exact traces, or those of the factors for free signs."""
    exact, kept = traces
    if not (exact > 0).any():
        raise ValueError(
            "expected at least one kernel with a positive trace, got only zeros; check the "
            "kernels' parameters"
        )
    total = request.total
    if request.constraint == "sum":
        ones = np.ones(len(exact))
        return WeightSet(ones, 1.0 if total is None else total, request.free_sign, request.start)
    normaliser = kept if request.free_sign else exact
    # The mean, as for the exact estimators: C is then that of one machine with one kernel.
    default = float(exact[exact > 0].mean()) if total is None else total
    return WeightSet(normaliser, default, request.free_sign, request.start)


def _dual_coefs(look: Look, solution: LowRankSolution, ridge: float) -> Array:
    """The coefficients of the machines, of shape (k, n)."""
    if solution.dual_coef is not None:
        return np.atleast_2d(solution.dual_coef)
    values = FactorRows(look.source, solution.factors, keep=False).times(solution.coef)
    residuals = look.Y - values - np.asarray(solution.intercept)
    coefs = look.sample_weight[:, None] * residuals / ridge
    return np.ascontiguousarray(coefs.T)
