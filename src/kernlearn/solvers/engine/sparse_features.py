"""Least squares where some kernels are inner products of sparse features: these stay as they are.

The other kernels have factors through landmarks, in columns beside the features. Weights, C and
held-out values all come from products with both; see
:mod:`kernlearn.solvers.nystroem.conjugate_gradient`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernlearn.families.factor_rows import DenseRows, ExplicitRows
from kernlearn.families.factors import Factors
from kernlearn.gram.landmarks import NystroemMap, SparseMap
from kernlearn.gram.rows import keep_rows
from kernlearn.kernels import Kernel
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control, Units
from kernlearn.solvers.engine.backend import LossByRank, Solved
from kernlearn.solvers.engine.factors import FactorBackend, KernelTable
from kernlearn.solvers.engine.landmarks import rank_judge
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution, Values, landmark_values
from kernlearn.solvers.nystroem.conjugate_gradient import (
    PROVED,
    FoldsLeftOut,
    RowEvaluation,
    RowObjective,
    RowSystems,
    leave_out_folds,
)
from kernlearn.solvers.nystroem.rank import RankSearch, folds_of
from kernlearn.solvers.nystroem.weight_search import minimise, unscale
from kernlearn.typing import Array


class SparseBackend(FactorBackend):
    """Sparse features as they are, beside factors through landmarks; w ≥ 0."""

    in_long_double = False

    def __init__(
        self,
        table: KernelTable,
        statement: Statement,
        # The features of each kernel; None for a kernel that needs landmarks
        sparse: Sequence[SparseRows | None],
        factors: Factors,  # of the kernels that need landmarks
    ) -> None:
        rows, maps = _explicit_rows(table, sparse, factors)
        super().__init__(table, statement, rows.traces)
        self.rows, self.factors, self._sparse = rows, Factors(maps), sparse
        self.Y, self.theta = np.column_stack(statement.targets), statement.settings.sample_weight
        self.half = np.sqrt(self.theta)[:, None]
        self.fold = folds_of(len(self.theta), statement.fold)
        self.mean = (self.theta @ self.Y) / self.theta.sum()
        self._last: tuple[float, Array, FoldsLeftOut] | None = None

    @classmethod
    def of(cls, table: KernelTable, statement: Statement, control: Control) -> SparseBackend | None:
        """None if no kernel has sparse features, or if all of them need landmarks."""
        possible = statement.quality == "least_squares" and not statement.free_sign
        if not (table.sparse and possible):
            return None
        sparse = [kernel.sparse_rows(table.source) for kernel in table.kernels]
        if all(rows is None for rows in sparse):
            return None
        pairs = zip(table.kernels, sparse, strict=True)
        others = [kernel for kernel, rows in pairs if rows is None]
        factors = _through_landmarks(table, others, statement, control)
        return None if factors is None else cls(table, statement, sparse, factors)

    def learn(self, C: float, start: Array | None, control: Control) -> LowRankSolution:
        """Weights and machines at C, by conjugate gradients."""
        weight_set = self.weight_set if start is None else replace(self.weight_set, start=start)
        off, mass = self.Y - self.mean, float(self.theta.sum())
        spread = float(np.sqrt((self.theta @ off**2).max() / self.theta.sum()))
        units = Units.near(weight_set.mean_diagonal(self.traces[0], mass), spread)
        ridge = 1.0 / (C * units.kernel)
        with threads_for(len(self.theta)):
            objective = RowObjective(self.rows, off / units.target, self.half, ridge)
            outcome = minimise(objective, weight_set, control, units, None)
            best = outcome.best
            assert isinstance(best, RowEvaluation)
            us = [weight * c for weight, c in zip(best.weights, best.cs, strict=True)]
            coef = units.target * np.concatenate(us)
            ends = np.cumsum([part.n_columns for part in self.rows.parts])[:-1]
            values = np.sum(self.rows.times(np.split(coef, ends)), axis=0)
        intercept = self.mean + (self.theta @ (off - values)) / self.theta.sum()
        known = self.traces, self.factors, coef, intercept, control.tol
        return unscale(outcome, objective.n_solves, units, *known)

    @property
    def values(self) -> Values:
        """Functions of sparse features and of landmarks, with the sizes of their terms."""
        through = Factors([each for each in self.factors.maps if isinstance(each, NystroemMap)])
        of_landmarks = landmark_values(self.table.source, through)

        def values(parts: list[Array], kind: type) -> tuple[Array, Array]:
            pairs = list(zip(self._sparse, parts, strict=True))
            own = [(rows, part) for rows, part in pairs if rows is not None]
            F, sizes = (sum(terms) for terms in zip(*map(_of_features, own), strict=True))
            others = [part for rows, part in pairs if rows is None]
            if others:
                more = of_landmarks(others, kind)
                F, sizes = F + more[0], sizes + more[1]
            return F, sizes

        return values

    def certify(self, solved: Solved[LowRankSolution], control: Control) -> LowRankSolution:
        """The solution with the value of its function."""
        with threads_for(len(self.theta)):
            return super().certify(solved, control)

    def hold_out(self, C: float, solution: LowRankSolution, control: Control) -> FoldMachines:
        """Machines that miss a fold each."""
        without = self._without_folds(C, solution)
        cs = self.rows.transposed_times(without.a)
        coef = np.concatenate([w * c for w, c in zip(solution.weights, cs, strict=True)])
        n_folds, k = without.intercept.shape
        coef = coef.reshape(-1, n_folds, k).transpose(1, 0, 2)
        all_rows = np.arange(len(self.fold))
        return FoldMachines(all_rows, without.values, self.fold, coef, without.intercept)

    def loss_by_rank(self, C: float, solution: LowRankSolution) -> LossByRank:
        """Loss at the rank alone, zero if no kernel needs landmarks."""
        ranks = [each.rank for each in self.factors.maps if isinstance(each, NystroemMap)]
        loss = self._without_folds(C, solution).loss
        return LossByRank(np.array([max(ranks, default=0)]), np.array([loss]))

    def dual_coef(self, C: float, solution: LowRankSolution) -> Array:
        """Dual coefficients of the machines at the weights."""
        systems = RowSystems(self.rows, self.half, 1.0 / C)
        right = systems.right(self.Y - self.mean)
        V, _ = systems.solve(solution.weights, right, None, PROVED, of_value=False)
        return np.ascontiguousarray((self.half * V).T)

    def _without_folds(self, C: float, solution: LowRankSolution) -> FoldsLeftOut:
        """Machines that miss a fold each, the last of which are kept."""
        if self._last is None or self._last[0] != C or self._last[1] is not solution.weights:
            with threads_for(len(self.theta)):
                known = self.Y, self.theta, self.fold, 1.0 / C
                found = leave_out_folds(self.rows, solution.weights, *known)
            self._last = C, solution.weights, found
        return self._last[2]


def _through_landmarks(
    table: KernelTable, kernels: Sequence[Kernel], statement: Statement, control: Control
) -> Factors | None:
    """Factors of the kernels that need landmarks; None if there is no room for them."""
    source, seed = table.source, statement.seed
    most = int(table.limits.room(source) / len(source))
    if not kernels:
        return Factors([])
    if most < len(kernels):
        return None
    if not isinstance(table.rank, str):
        factors = Factors.through_landmarks(kernels, source, table.rank, "random", seed)
        return factors if factors.n_columns <= most else None
    Y = np.column_stack(statement.targets)
    weight, ranks = statement.settings.sample_weight, table.ranks
    search = RankSearch(source, kernels, Y, weight, seed, None, ranks, statement.fold)
    judge = rank_judge(replace(statement, start=None, share=0.0))
    return search.grow_rank(
        judge, control.stopping, max_columns=min(most, ranks.most_columns())
    ).factors


def _explicit_rows(
    table: KernelTable, sparse: Sequence[SparseRows | None], factors: Factors
) -> tuple[ExplicitRows, list[NystroemMap | SparseMap]]:
    """The stored columns of every kernel, and the function that computes them."""
    Z = np.empty((len(table.source), 0))
    if factors.maps:
        Z = keep_rows(table.source, factors, factors.n_columns)
    parts: list[SparseRows | DenseRows] = []
    maps: list[NystroemMap | SparseMap] = []
    traces, through, start = [], iter(factors.maps), 0
    for kernel, rows in zip(table.kernels, sparse, strict=True):
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
        traces.append([float(kernel.diag(table.source).sum()), dense.size()])
    return ExplicitRows(parts, np.array(traces).T, Z), maps


def _of_features(pair: tuple[SparseRows, Array]) -> tuple[Array, Array]:
    rows, coef = pair
    return rows.times(coef), np.multiply.outer(rows.term_lengths(), np.linalg.norm(coef, axis=0))
