"""Kernels as Nyström factors: least squares from second moments, other machines from rows.

Hundreds of kernels, of some dozen columns each, have R of ten thousand columns and more. Their
moments are matrices of R columns and R rows, one for each fold. Z is smaller where the rows are few
beside that, and the systems of a machine are never larger than its free rows: `WideBackend` learns
everything from Z, on all its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from kernlearn._device import rows_on_host
from kernlearn.families.factor_rows import FactorCorner, FactorRows
from kernlearn.families.factors import Factors
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.backend import LossByRank, Solved
from kernlearn.solvers.engine.factors import FactorBackend, KernelTable
from kernlearn.solvers.engine.refits import FoldMachines, least_squares_refits, machine_refits
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution, Values, landmark_values
from kernlearn.solvers.nystroem.conjugate_gradient import leave_out_folds
from kernlearn.solvers.nystroem.moments import LowRankFolds, halves, left_out_by_rank, loss_by_rank
from kernlearn.solvers.nystroem.rank import FactorStatistics, folds_of
from kernlearn.solvers.nystroem.weight_search import learn_least_squares, learn_machines
from kernlearn.solvers.weights.choice_of_C import lowest
from kernlearn.typing import Array

FROM_ROWS = 12  # evaluations at most where least squares is learned again, from close by
# Relative gap of the weights by which ranks are judged.
_ROUGH, _FEW_STEPS = 1e-2, 20


class LandmarkBackend(FactorBackend):
    """Nyström factors whose moments are known, of any number of rows."""

    def __init__(
        self,
        table: KernelTable,
        statement: Statement,
        statistics: FactorStatistics,  # the factors, and the moments of the rows
    ) -> None:
        super().__init__(table, statement, statistics.moments.traces)
        self.statistics, self.factors = statistics, statistics.factors
        self.least_squares = statement.quality == "least_squares"
        keep = not self.least_squares and table.limits.keeps(table.source, self.factors.n_columns)
        self.rows = FactorRows(table.source, self.factors, keep)
        self._triangles: tuple[Array, Array] | None = None
        if self.least_squares and statement.free_sign:
            # Weights of both signs need more digits than the moments have.
            weight = statement.settings.sample_weight
            with threads_for(self.factors.n_columns):
                self._triangles = self.rows.triangle(), self.rows.triangle(weight)

    def learn(self, C: float, start: Array | None, control: Control) -> LowRankSolution:
        """Weights and machines, from moments or from rows."""
        weight_set = self.weight_set
        if start is not None:
            weight_set = replace(weight_set, start=start)
        if not self.least_squares:
            with threads_for(self.rows.host_size):
                return learn_machines(
                    self.rows,
                    self.machines(C),
                    self.traces,
                    weight_set,
                    control,
                    self.table.warm_start,
                    self.table.limits.coarse_rows,
                    self.statement.penalty(C),
                )
        known = weight_set, control, self._triangles, self.statement.penalty(C)
        with threads_for(self.factors.n_columns):
            return learn_least_squares(self.statistics.moments, self.factors, 1.0 / C, *known)

    @cached_property
    def _out(self) -> LowRankFolds:
        return LowRankFolds(self.statistics.folds, self.factors.membership)

    def loss(self, C: float, solution: LowRankSolution) -> float:
        """The squared error on folds, from their moments."""
        with threads_for(self.factors.n_columns):
            return float(self._out.loss(solution.weights, 1.0 / C).sum())

    @property
    def values(self) -> Values:
        """Sums over landmarks."""
        return landmark_values(self.table.source, self.factors)

    def certify(self, solved: Solved[LowRankSolution], control: Control) -> LowRankSolution:
        """The same; least squares goes on from rows where moments have too few digits."""
        with threads_for(self.rows.host_size):
            solution = super().certify(solved, control)
            if not (self.least_squares and solution.status is Status.INACCURATE):
                return solution
            # Moments are sums of squares, which have half of the digits that rows have.
            machines = self.machines(solved.C)
            near = replace(self.weight_set, start=solution.weights)
            few = replace(control, max_iter=min(control.max_iter, FROM_ROWS))
            penalty = self.statement.penalty(solved.C)
            again = learn_machines(self.rows, machines, self.traces, near, few, penalty=penalty)
            if again.status is Status.ITERATION_LIMIT:
                again = replace(again, status=solution.status)
            again = super().certify(replace(solved, solution=again), control)
        return again if again.gap < solution.gap else solution

    def hold_out(self, C: float, solution: LowRankSolution, control: Control) -> FoldMachines:
        """Machines that miss a fold each."""
        with threads_for(self.rows.host_size):
            if self.least_squares:
                fitted = solution.weights, solution.coef, 1.0 / C
                return least_squares_refits(self.rows, self.statistics, *fitted, self.table.limits)
            machines = self.machines(C)
            known = self.traces, solution, machines, self.table.limits
            return machine_refits(self.rows, self.statistics.fold, *known, control.stopping)

    def loss_by_rank(self, C: float, solution: LowRankSolution) -> LossByRank:
        """Held-out loss; for one class, the part of the trace that is left out."""
        weights = solution.weights
        with threads_for(self.factors.n_columns):
            if self.statement.quality == "one_class":
                return LossByRank(*left_out_by_rank(self.statistics.moments, self.factors, weights))
            return LossByRank(*loss_by_rank(self.statistics.folds, self.factors, weights, 1.0 / C))

    def dual_coef(self, C: float, solution: LowRankSolution) -> Array:
        """Dual coefficients of the machines; for least squares, its weighted residuals."""
        if solution.dual_coef is not None:
            return np.atleast_2d(solution.dual_coef)
        values = FactorRows(self.table.source, self.factors, keep=False).times(solution.coef)
        Y = np.column_stack(self.statement.targets)
        residuals = Y - values - np.asarray(solution.intercept)
        weight = self.statement.settings.sample_weight
        return np.ascontiguousarray((C * weight[:, None] * residuals).T)


def rank_judge(statement: Statement) -> Callable[[FactorStatistics], tuple[Array, float]]:
    """Weights and ridge by which a rank is judged.

    Equal shares of the kernels, and the ridge that is best for them; least squares learns the
    weights for that ridge, roughly.
    """

    def judge(statistics: FactorStatistics) -> tuple[Array, float]:
        moments, factors = statistics.moments, statistics.factors
        weight_set = statement.weight_set(*moments.traces)
        domain = replace(weight_set, start=None).positive_domain()
        even = domain.weights(domain.start)
        ridges = [
            1.0 / C for C in statement.Cs(weight_set, moments.traces[0], len(statistics.fold))
        ]
        ridge = ridges[0]
        if len(ridges) > 1:
            out = LowRankFolds(statistics.folds, factors.membership)
            ridge = ridges[lowest(lambda k: float(out.loss(even, ridges[k]).sum()), len(ridges))]
        if statement.quality != "least_squares" or statement.free_sign:
            return even, ridge
        rough = Control(_ROUGH, _FEW_STEPS)
        return learn_least_squares(moments, factors, ridge, weight_set, rough).weights, ridge

    return judge


class WideBackend(FactorBackend):
    """Nyström factors kept as Z; C is given, and weights are positive."""

    def __init__(
        self,
        table: KernelTable,
        statement: Statement,
        factors: Factors,  # the maps to Z
    ) -> None:
        with threads_for(rows_on_host(table.source)):
            self.rows = FactorRows(table.source, factors, keep=True)
            traces = self.rows.traces()
        super().__init__(table, statement, traces)

    @staticmethod
    def serves(table: KernelTable, statement: Statement, n_columns: int) -> bool:
        """Whether this is the backend for factors of `n_columns` columns.

        Weights of both signs need the moments, and so does a choice of C.
        """
        limits, n = table.limits, len(table.source)
        if statement.free_sign or statement.factors_of_C:
            return False
        if statement.quality == "least_squares" and limits.has_moments(n, n_columns):
            return False
        return limits.is_wide(table.source, n_columns)

    def learn(self, C: float, start: Array | None, control: Control) -> LowRankSolution:
        """Weights and machines, from rows."""
        table = self.table
        known = self.traces, self.weight_set, control, table.warm_start, table.limits.coarse_rows
        with threads_for(self.rows.host_size):
            return learn_machines(self.rows, self.machines(C), *known, self.statement.penalty(C))

    @property
    def values(self) -> Values:
        """Sums over landmarks."""
        return landmark_values(self.table.source, self.rows.factors)

    def hold_out(self, C: float, solution: LowRankSolution, control: Control) -> FoldMachines:
        """Machines that miss a fold each."""
        with threads_for(self.rows.host_size):
            fold = folds_of(self.rows.n_rows, self.statement.fold)
            known = self.traces, solution, self.machines(C), self.table.limits
            return machine_refits(self.rows, fold, *known, control.stopping)

    def loss_by_rank(self, C: float, solution: LowRankSolution) -> LossByRank:
        """Loss at the rank and at half of it; for one class, the trace that is left out."""
        ranks = halves(self.rows.factors)[-2:]
        if self.statement.quality == "one_class":
            exact, kept = self.traces @ solution.weights
            return LossByRank(ranks[-1:], np.array([max(1.0 - kept / exact, 0.0)]))
        with threads_for(self.rows.host_size):
            Y = self.statement.responses
            theta = self.statement.settings.sample_weight
            known = Y, theta, folds_of(self.rows.n_rows, self.statement.fold), 1.0 / C
            parts = [FactorCorner(self.rows, int(rank)) for rank in ranks]
            losses = [leave_out_folds(part, solution.weights, *known).loss for part in parts]
        return LossByRank(ranks, np.array(losses))

    def dual_coef(self, C: float, solution: LowRankSolution) -> Array:
        """Dual coefficients of the machines."""
        return np.atleast_2d(np.asarray(solution.dual_coef))
