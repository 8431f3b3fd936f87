"""Least squares where some kernels are inner products of sparse features: these stay as they are.

The other kernels are seen through landmarks, whose factors lie beside the features. Weights, C and
held-out values all come from products with both; see
:mod:`kernlearn.solvers.nystroem.conjugate_gradient`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernlearn.families.explicit_rows import DenseRows, ExplicitRows
from kernlearn.families.factors import Factors
from kernlearn.gram.landmarks import NystroemMap, SparseMap
from kernlearn.gram.rows import keep_rows
from kernlearn.kernels import Kernel
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.quality.registry import QUALITIES
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.units import Units
from kernlearn.solvers.nystroem.certified import Values, certified, landmark_values
from kernlearn.solvers.nystroem.conjugate_gradient import (
    PROVED,
    FoldsLeftOut,
    RowEvaluation,
    RowObjective,
    RowSystems,
    leave_out_folds,
)
from kernlearn.solvers.nystroem.exact_forms import exact_lower_bound
from kernlearn.solvers.nystroem.learned import Learned
from kernlearn.solvers.nystroem.problem import minimise, unscale
from kernlearn.solvers.nystroem.rank import RankSearch, folds_of, most_columns
from kernlearn.solvers.nystroem.refits import FoldMachines
from kernlearn.solvers.nystroem.request import Request
from kernlearn.solvers.nystroem.solution import LowRankSolution
from kernlearn.solvers.weights.choice_of_C import Choice, choose_C
from kernlearn.typing import Array


def learn_explicitly(
    source: Any,
    kernels: Sequence[Kernel],
    targets: Sequence[Array],
    request: Request,
    control: Control,
    room: float,
) -> Learned | None:
    """Learn weights and machines; None where no kernel has sparse features, or landmarks must do.

    ``room`` is how many numbers of factors through landmarks may be kept.
    """
    possible = request.quality == "least_squares" and not request.free_sign
    if not (request.explicit and possible):
        return None
    sparse = [kernel.sparse_rows(source) for kernel in kernels]
    if all(rows is None for rows in sparse):
        return None
    Y, theta = np.column_stack(targets), request.settings.sample_weight
    others = [kernel for kernel, rows in zip(kernels, sparse, strict=True) if rows is None]
    factors = _through_landmarks(source, others, Y, request, control, room)
    if factors is None:
        return None
    rows, maps = _side_by_side(source, kernels, sparse, factors)
    problem = _Problem(rows, Factors(maps), Y, theta, request.weight_set(rows.traces))
    with threads_for(len(theta)):
        choice = _chosen(problem, request.Cs(rows.traces, len(theta)), control)
        settings = replace(request.settings, C=choice.C)
        machines = [QUALITIES["least_squares"].build(y, settings) for y in targets]
        values, weight_set = _values(source, maps, sparse), problem.weight_set
        solution = certified(choice.solution, machines, values, weight_set, control.tol, False)
        without = problem.without_folds(choice.C, solution.weights)
    landmarks = [each.rank for each in maps if isinstance(each, NystroemMap)]
    bound = None
    if request.exact_bound:
        coefs = problem.dual_coef(choice.C, solution.weights)
        normaliser, total = weight_set.normaliser, weight_set.total
        bound = exact_lower_bound(source, kernels, machines, coefs, normaliser, total)
    return Learned(
        solution,
        np.array([max(landmarks, default=0)]),
        np.array([without.loss]),
        problem.machines(solution.weights, without) if request.held_out else None,
        bound,
        choice.C,
        choice.losses,
    )


def _through_landmarks(
    source: Any,
    kernels: Sequence[Kernel],
    Y: Array,
    request: Request,
    control: Control,
    room: float,
) -> Factors | None:
    """Factors of the kernels that need landmarks; None if there is no room for them."""
    most = int(room / len(source))
    if not kernels:
        return Factors([])
    if most < len(kernels):
        return None
    seed = request.random_state
    if request.rank != "auto":
        factors = Factors.through_landmarks(kernels, source, request.rank, "random", seed)
        return factors if factors.n_columns <= most else None
    look = RankSearch(source, kernels, Y, request.settings.sample_weight, seed)
    alone = replace(request, start=None, least=None)
    return look.at_enough(alone.stand_in, control.stopping, most=min(most, most_columns())).factors


def _side_by_side(
    source: Any,
    kernels: Sequence[Kernel],
    sparse: Sequence[SparseRows | None],
    factors: Factors,
) -> tuple[ExplicitRows, list[NystroemMap | SparseMap]]:
    """What is kept of every kernel, and how it is made."""
    Z = np.empty((len(source), 0))
    if factors.maps:
        Z = keep_rows(source, factors, factors.n_columns)
    parts: list[SparseRows | DenseRows] = []
    maps: list[NystroemMap | SparseMap] = []
    traces, through, start = [], iter(factors.maps), 0
    for kernel, rows in zip(kernels, sparse, strict=True):
        if rows is not None:
            parts.append(rows)
            maps.append(SparseMap(kernel, rows.n_columns))
            traces.append([float(rows.squared_lengths().sum())] * 2)
            continue
        each = next(through)
        dense = DenseRows(Z[:, start : start + each.rank])
        start += each.rank
        parts.append(dense)
        maps.append(each)
        traces.append([float(kernel.diag(source).sum()), dense.size()])
    return ExplicitRows(parts, np.array(traces).T, Z), maps


def _values(
    source: Any, maps: Sequence[NystroemMap | SparseMap], sparse: Sequence[SparseRows | None]
) -> Values:
    """Values of functions of sparse features and of landmarks, with the sizes of their terms."""
    through = Factors([each for each in maps if isinstance(each, NystroemMap)])
    of_landmarks = landmark_values(source, through)

    def values(parts: list[Array], kind: type) -> tuple[Array, Array]:
        pairs = list(zip(sparse, parts, strict=True))
        own = [(rows, part) for rows, part in pairs if rows is not None]
        F, sizes = (sum(terms) for terms in zip(*map(_of_features, own), strict=True))
        others = [part for rows, part in pairs if rows is None]
        if others:
            more = of_landmarks(others, kind)
            F, sizes = F + more[0], sizes + more[1]
        return F, sizes

    return values


def _of_features(pair: tuple[SparseRows, Array]) -> tuple[Array, Array]:
    rows, coef = pair
    return rows.times(coef), np.multiply.outer(rows.term_lengths(), np.linalg.norm(coef, axis=0))


class _Problem:
    """The rows, what is to be learned of them, and the folds."""

    def __init__(
        self,
        rows: ExplicitRows,
        factors: Factors,
        Y: Array,
        theta: Array,
        weight_set: WeightSet,
    ) -> None:
        self.rows, self.factors, self.Y, self.theta = rows, factors, Y, theta
        self.weight_set = weight_set
        self.half, self.fold = np.sqrt(theta)[:, None], folds_of(len(theta))
        self.mean = (theta @ Y) / theta.sum()

    def learned(self, C: float, start: Array | None, control: Control) -> LowRankSolution:
        """Weights and machines at a C."""
        weight_set = self.weight_set if start is None else replace(self.weight_set, start=start)
        off = self.Y - self.mean
        spread = float(np.sqrt((self.theta @ off**2).max() / self.theta.sum()))
        size = weight_set.mean_diagonal(self.rows.traces[0], float(self.theta.sum()))
        units = Units.near(size, spread)
        ridge = 1.0 / (C * units.kernel)
        objective = RowObjective(self.rows, off / units.target, self.half, ridge)
        outcome = minimise(objective, weight_set, control, units, None)
        best = outcome.best
        assert isinstance(best, RowEvaluation)
        us = [weight * c for weight, c in zip(best.weights, best.cs, strict=True)]
        coef = units.target * np.concatenate(us)
        intercept = self.mean + (self.theta @ (off - self._values(coef))) / self.theta.sum()
        traces, n_solves = self.rows.traces, objective.n_solves
        return unscale(outcome, n_solves, units, traces, self.factors, coef, intercept, control.tol)

    def without_folds(self, C: float, weights: Array) -> FoldsLeftOut:
        """The machines that miss a fold each, and what they say of its rows."""
        return leave_out_folds(self.rows, weights, self.Y, self.theta, self.fold, 1.0 / C)

    def machines(self, weights: Array, without: FoldsLeftOut) -> FoldMachines:
        """The same as machines through landmarks are told of."""
        cs = self.rows.transposed_times(without.a)
        coef = np.concatenate([weight * c for weight, c in zip(weights, cs, strict=True)])
        n_folds, k = without.intercept.shape
        coef = coef.reshape(-1, n_folds, k).transpose(1, 0, 2)
        everyone = np.arange(len(self.fold))
        return FoldMachines(everyone, self.fold, coef, without.intercept, without.values)

    def dual_coef(self, C: float, weights: Array) -> Array:
        """The coefficients of the machines, of shape (k, n)."""
        systems = RowSystems(self.rows, self.half, 1.0 / C)
        right = systems.right(self.Y - self.mean)
        V, _ = systems.solve(weights, right, None, PROVED, of_value=False)
        return np.ascontiguousarray((self.half * V).T)

    def _values(self, coef: Array) -> Array:
        """Zu."""
        ends = np.cumsum([part.n_columns for part in self.rows.parts])[:-1]
        return np.asarray(np.sum(self.rows.times(np.split(coef, ends)), axis=0))


def _chosen(problem: _Problem, Cs: Sequence[float], control: Control) -> Choice[LowRankSolution]:
    """The C whose machines lose least on the folds that they miss, and what is learned at it."""
    if len(Cs) == 1:
        return Choice(Cs[0], problem.learned(Cs[0], None, control), np.empty((0, 2)))
    return choose_C(
        Cs,
        problem.learned,
        lambda C, solution: problem.without_folds(C, solution.weights).loss,
        control,
    )
