"""From a table of any number of rows to learned weights, through landmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernlearn._cluster import Chunked
from kernlearn._device import room_beside
from kernlearn.families.factor_rows import FactorRows
from kernlearn.kernels import Kernel
from kernlearn.quality.registry import QUALITIES
from kernlearn.runtime.memory import FLOAT, available
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.nystroem.certified import certified, landmark_values
from kernlearn.solvers.nystroem.exact_forms import exact_lower_bound
from kernlearn.solvers.nystroem.held_out import FoldsOut, left_out_by_rank, loss_by_rank
from kernlearn.solvers.nystroem.learned import Learned
from kernlearn.solvers.nystroem.primal_rows import is_wide, learn_from_rows
from kernlearn.solvers.nystroem.problem import learn_least_squares, learn_machines
from kernlearn.solvers.nystroem.rank import FactorStatistics, RankSearch
from kernlearn.solvers.nystroem.refits import least_squares_refits, machine_refits
from kernlearn.solvers.nystroem.request import Request
from kernlearn.solvers.nystroem.solution import LowRankSolution
from kernlearn.solvers.nystroem.sparse_features import learn_explicitly
from kernlearn.solvers.weights.choice_of_C import Choice, choose_C
from kernlearn.typing import Array

# The machines with an intercept, a box and no budget.
LOW_RANK_QUALITIES = (
    "least_squares",
    "squared_soft_margin",
    "soft_margin",
    "epsilon_svr",
    "one_class",
)
FROM_ROWS = 12  # evaluations at most where least squares is learned again, from close by
# Numbers of Z that are kept rather than made again: a gigabyte, and a third of what there is.
_KEPT_NUMBERS, _KEPT_SHARE = 2**27, 1.0 / 3.0


def learn_through_landmarks(
    source: Any,
    kernels: Sequence[Kernel],
    targets: Sequence[Array],
    request: Request,
    control: Control,
) -> Learned:
    """Choose landmarks, look at the rows, learn the weights and the machines.

    Least squares needs no landmarks for kernels whose features are sparse.
    """
    settings, room = request.settings, _room(source)
    explicit = learn_explicitly(source, kernels, targets, request, control, room)
    if explicit is not None:
        return explicit
    look = RankSearch(
        source,
        kernels,
        np.column_stack(targets),
        settings.sample_weight,
        request.random_state,
        request.maps,
    )
    if request.rank == "auto":
        seen = look.at_enough(request.stand_in, control.stopping)
    else:
        chosen = look.factors(request.rank)
        if is_wide(source, chosen.n_columns, request):
            return learn_from_rows(look, chosen, targets, request, control)
        seen = look.through(chosen)
    moments, factors = seen.moments, seen.factors
    weight_set = request.weight_set(moments.traces)
    keep = len(source) * factors.n_columns <= room
    rows = FactorRows(source, factors, keep and request.quality != "least_squares")
    if request.quality == "least_squares":
        with threads_for(factors.n_columns):
            choice = _least_squares(seen, rows, request, weight_set, control)
        settings = replace(settings, C=choice.C)
    machines = [QUALITIES[request.quality].build(y, settings) for y in targets]
    if request.quality != "least_squares":
        with threads_for(len(source)):
            solution = learn_machines(
                rows, machines, moments.traces, weight_set, control, request.near
            )
        choice = Choice(settings.C, solution, np.empty((0, 2)))
    values = landmark_values(source, factors)
    with threads_for(len(source)):
        solution = certified(choice.solution, machines, values, weight_set, control.tol)
        if request.quality == "least_squares" and solution.status is Status.INACCURATE:
            # Moments are sums of squares, which have half of the digits that rows have.
            near = replace(weight_set, start=solution.weights)
            few = replace(control, max_iter=min(control.max_iter, FROM_ROWS))
            again = learn_machines(rows, machines, moments.traces, near, few)
            if again.status is Status.ITERATION_LIMIT:
                again = replace(again, status=solution.status)
            again = certified(again, machines, values, weight_set, control.tol)
            solution = again if again.gap < solution.gap else solution
    ridge = 1.0 / choice.C
    with threads_for(factors.n_columns):
        if request.quality == "one_class":
            ranks, losses = left_out_by_rank(moments, factors, solution.weights)
        else:
            ranks, losses = loss_by_rank(seen.folds, factors, solution.weights, ridge)
    held_out = None
    if request.held_out:
        with threads_for(len(source)):
            if request.quality == "least_squares":
                held_out = least_squares_refits(rows, seen, solution.weights, solution.coef, ridge)
            else:
                held_out = machine_refits(rows, seen.fold, moments.traces, solution, machines)
    bound = None
    if request.exact_bound:
        coefs = _dual_coefs(look, solution, ridge)
        bound = exact_lower_bound(
            source, kernels, machines, coefs, weight_set.normaliser, weight_set.total
        )
    return Learned(solution, ranks, losses, held_out, bound, choice.C, choice.losses)


def _room(source: Any) -> float:
    """Numbers of Z that may be kept where the rows are worked on."""
    there = available()
    most = _KEPT_NUMBERS if there is None else min(_KEPT_NUMBERS, _KEPT_SHARE * there / FLOAT)
    return source.room(most) if isinstance(source, Chunked) else room_beside(source, most)


def _least_squares(
    seen: FactorStatistics,
    rows: FactorRows,
    request: Request,
    weight_set: WeightSet,
    control: Control,
) -> Choice[LowRankSolution]:
    """Weights and machines from the moments, and the loss on held-out folds at each C.

    Weights of both signs need more digits than the moments have.
    """
    moments, factors = seen.moments, seen.factors
    triangles = None
    if weight_set.free_sign:
        triangles = rows.triangle(), rows.triangle(request.settings.sample_weight)

    def learn(C: float, start: Array | None, control: Control) -> LowRankSolution:
        near = weight_set if start is None else replace(weight_set, start=start)
        return learn_least_squares(moments, factors, 1.0 / C, near, control, triangles)

    Cs = request.Cs(moments.traces, len(seen.fold))
    if len(Cs) == 1:
        return Choice(Cs[0], learn(Cs[0], None, control), np.empty((0, 2)))
    out = FoldsOut(seen.folds, factors.membership)

    def loss(C: float, solution: LowRankSolution) -> float:
        return float(out.loss(solution.weights, 1.0 / C).sum())

    return choose_C(Cs, learn, loss, control)


def _dual_coefs(look: RankSearch, solution: LowRankSolution, ridge: float) -> Array:
    """The coefficients of the machines, of shape (k, n)."""
    if solution.dual_coef is not None:
        return np.atleast_2d(solution.dual_coef)
    values = FactorRows(look.source, solution.factors, keep=False).times(solution.coef)
    residuals = look.Y - values - np.asarray(solution.intercept)
    coefs = look.sample_weight[:, None] * residuals / ridge
    return np.ascontiguousarray(coefs.T)
