"""Which backend sees a table of any number of rows, and what it learns of lists and families."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.landmark_pool import LandmarkPool, shared_landmarks
from kernlearn.families.matrices import GramStack
from kernlearn.kernels import Kernel
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.backend import Learned, learn
from kernlearn.solvers.engine.column_master import FactorMaster
from kernlearn.solvers.engine.exact import choose, sample_for_C
from kernlearn.solvers.engine.factors import FactorBackend, KernelTable
from kernlearn.solvers.engine.gram_problem import GramProblem
from kernlearn.solvers.engine.landmarks import LandmarkBackend, WideBackend, rank_judge
from kernlearn.solvers.engine.sparse_features import SparseBackend
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions, RankSearch
from kernlearn.solvers.weights.choice_of_C import PATH_TOL
from kernlearn.solvers.weights.column_generation import ColumnGeneration
from kernlearn.typing import Array, Indices, Rows

# Of the tolerance: what the search may leave, and what the last look at its kernels may add.
SEARCH, LAST = 0.7, 0.3


def approximate_backend(
    table: KernelTable, statement: Statement, control: Control
) -> FactorBackend:
    """State the problem: sparse features where kernels have such, else landmarks."""
    sparse = SparseBackend.of(table, statement, control)
    if sparse is not None:
        return sparse
    look = RankSearch(
        table.source,
        table.kernels,
        np.column_stack(statement.targets),
        statement.settings.sample_weight,
        statement.seed,
        table.maps,
        table.ranks,
        statement.fold,
    )
    if isinstance(table.rank, str):
        seen = look.at_enough(rank_judge(statement), control.stopping)
        return LandmarkBackend(table, statement, seen)
    factors = look.factors(table.rank)
    if WideBackend.serves(table, statement, factors.n_columns):
        return WideBackend(table, statement, factors)
    return LandmarkBackend(table, statement, look.through(factors))


def learn_family(
    source: Rows,
    kernels: KernelPool,
    rank: int | str,
    statement: Statement,
    control: Control,
    limits: FactorLimits,
    ranks: RankOptions,
) -> tuple[Learned[LowRankSolution], Indices, list[Kernel]]:
    """Find the kernels with weight by column generation, then learn from them as from a list.

    All kernels are seen through the same landmarks, rows drawn at random. Weights are those of all
    kernels; the numbers of those with weight, and they themselves, are returned too.
    """
    rank = ranks.first if isinstance(rank, str) else rank
    pool = LandmarkPool(kernels, shared_landmarks(kernels.points, rank, statement.seed))
    weight_set = statement.weight_set(pool.traces)
    master = FactorMaster(pool, source, statement, limits)
    search = replace(control, tol=SEARCH * control.tol)
    found = ColumnGeneration(pool, master, master.machines, weight_set, search).run()
    active = np.flatnonzero(found.weights)
    made = [pool.pool.kernel(int(i)) for i in active]
    maps = [pool.map(int(i)) for i in active]
    table = KernelTable(source, made, rank, maps, near=found, limits=limits)
    few = replace(statement, total=weight_set.total, start=found.weights[active])
    last = replace(control, tol=LAST * control.tol, lower=found.lower_bound)
    learned = learn(approximate_backend(table, few, last), last)
    solution = learned.solution
    weights = np.zeros(pool.n_matrices)
    weights[active] = solution.weights
    bound = min(found.lower_bound - solution.rounding, solution.objective)
    solution = replace(
        solution,
        weights=weights,
        lower_bound=bound,
        status=certified_status(solution.objective, bound, control.tol, found.status),
        n_machine_solves=found.n_machine_solves + solution.n_machine_solves,
        history=found.history,
    )
    return replace(learned, solution=solution), active, made


def settle_on_sample(
    statement: Statement,  # of all rows
    family_on: Callable[[Indices], GramStack | KernelPool],  # the kernels on some rows
    n_kernels: int,  # how many of them are kept in memory
    # Whether the backend of all rows chooses C itself, its loss having a closed form
    closed_form: bool,
    control: Control,  # when to stop
) -> tuple[Statement, Array]:
    """Choose what is open by Gram matrices of a sample; every C that was tried, and its loss."""
    chooses_C = bool(statement.factors_of_C) and not closed_form
    if not chooses_C and statement.share is not None:
        return statement, np.empty((0, 2))
    options, settings = statement.choices, statement.settings
    most = options.rows_for_shares if statement.share is None else options.rows_for_C
    few = sample_for_C(statement.targets, n_kernels, statement.seed, most, statement.fold)
    total = statement.total
    if total is not None and statement.constraint == "trace":
        total *= len(few) / len(settings.sample_weight)  # of the same kernel on fewer rows
    part = replace(
        statement,
        targets=[y[few] for y in statement.targets],
        settings=replace(settings, sample_weight=settings.sample_weight[few]),
        total=total,
        fold=statement.fold_of(few),
    )
    rough = replace(control, tol=max(control.tol, PATH_TOL))
    found = choose(GramProblem(part, family_on(few), sampled=True), rough)
    if chooses_C:
        statement = replace(statement, settings=replace(settings, C=found.C), factors_of_C=())
    return replace(statement, share=found.share), found.loss_by_C
