"""Factors of more columns than their moments have room for: everything from Z, on all its rows.

Hundreds of kernels, of some dozen columns each, have R of ten thousand and more. Their moments
are matrices of R columns and R rows, one for each fold; Z is smaller where the rows are few beside
that, and the systems of a machine are never larger than its free rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.backend import LossByRank
from kernlearn.solvers.engine.factors import FactorBackend, KernelTable
from kernlearn.solvers.engine.refits import FoldMachines, machine_refits
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution, Values, landmark_values
from kernlearn.solvers.nystroem.conjugate_gradient import leave_out_folds
from kernlearn.solvers.nystroem.moments import halves
from kernlearn.solvers.nystroem.rank import folds_of
from kernlearn.solvers.nystroem.weight_search import learn_machines
from kernlearn.typing import Array


class WideBackend(FactorBackend):
    """Nyström factors kept as Z; C is given, and weights are positive."""

    def __init__(
        self,
        table: KernelTable,
        statement: Statement,
        factors: Factors,  # the maps to Z
    ) -> None:
        with threads_for(len(table.source)):
            self.rows = FactorRows(table.source, factors, keep=True)
            traces = self.rows.traces()
        super().__init__(table, statement, traces)

    @staticmethod
    def serves(table: KernelTable, statement: Statement, n_columns: int) -> bool:
        """Whether it is the backend for so many columns.

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
        known = self.traces, self.weight_set, control, table.near, table.limits.coarse_rows
        with threads_for(self.rows.n_rows):
            return learn_machines(self.rows, self.machines(C), *known)

    @property
    def values(self) -> Values:
        """Sums over landmarks."""
        return landmark_values(self.table.source, self.rows.factors)

    def hold_out(self, C: float, solution: LowRankSolution, control: Control) -> FoldMachines:
        """Machines that miss a fold each."""
        with threads_for(self.rows.n_rows):
            fold = folds_of(self.rows.n_rows, self.statement.fold)
            known = self.traces, solution, self.machines(C), self.table.limits
            return machine_refits(self.rows, fold, *known)

    def loss_by_rank(self, C: float, solution: LowRankSolution) -> LossByRank:
        """At the rank and at half of it; where nothing is predicted, the trace that is left out."""
        ranks = halves(self.rows.factors)[-2:]
        if self.statement.quality == "one_class":
            exact, kept = self.traces @ solution.weights
            return LossByRank(ranks[-1:], np.array([max(1.0 - kept / exact, 0.0)]))
        with threads_for(self.rows.n_rows):
            Y, theta = (
                np.column_stack(self.statement.targets),
                self.statement.settings.sample_weight,
            )
            known = Y, theta, folds_of(self.rows.n_rows, self.statement.fold), 1.0 / C
            parts = [_Corner(self.rows, int(rank)) for rank in ranks]
            losses = [leave_out_folds(part, solution.weights, *known).loss for part in parts]
        return LossByRank(ranks, np.array(losses))

    def dual_coef(self, C: float, solution: LowRankSolution) -> Array:
        """Those of the machines."""
        return np.atleast_2d(np.asarray(solution.dual_coef))


@dataclass(frozen=True)
class _Corner:
    """Z with so many columns of each kernel."""

    rows: FactorRows
    rank: int

    def applied(self, weights: Array, a: Array) -> Array:
        """K(w)a."""
        factors = self.rows.factors
        diagonal = np.where(factors.place < self.rank, weights[factors.owner], 0.0)
        return self.rows.times(diagonal[:, None] * self.rows.transposed_times(a))
