"""Choice of the approximate backend, and learning from lists and families of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.families.kernel_pool import KernelPool, LandmarkPool, shared_landmarks
from kernlearn.families.matrices import GramStack
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.kernels import Kernel
from kernlearn.quality.machine import Machine
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.certificate import certified_status, corner_bound
from kernlearn.solvers.core.oracle import Penalty, Plane, coefficient_plane
from kernlearn.solvers.core.penalized import on_some
from kernlearn.solvers.core.problem import Control, Proof, RescaledPenalty, Units, WeightSet
from kernlearn.solvers.engine.backend import EngineFit, learn
from kernlearn.solvers.engine.exact import choose, sample_for_C
from kernlearn.solvers.engine.factors import FactorBackend, KernelTable
from kernlearn.solvers.engine.gram_problem import GramProblem
from kernlearn.solvers.engine.landmarks import LandmarkBackend, WideBackend, rank_judge
from kernlearn.solvers.engine.sparse_features import SparseBackend
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.moments import moments_by_fold
from kernlearn.solvers.nystroem.proximal import Responses, with_sum
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions, RankSearch
from kernlearn.solvers.nystroem.weight_search import learn_least_squares, learn_machines
from kernlearn.solvers.weights.choice_of_C import PATH_TOL
from kernlearn.solvers.weights.column_generation import OPTIONS as COLUMNS
from kernlearn.solvers.weights.column_generation import (
    ColumnGeneration,
    ColumnGenerationOptions,
    tightest_plane,
)
from kernlearn.solvers.weights.column_master import Master, proof_of
from kernlearn.typing import Array, Indices, Rows

LARGEST = 1000  # kernels at most: Newton's method works on matrices of their number


class FactorMaster(Master):
    """The maps to the factors of the active kernels, and the solvers through factors."""

    def __init__(
        self,
        pool: LandmarkPool,  # all kernels
        source: Rows,  # the rows, where they are worked on
        statement: Statement,  # what is to be learned
        limits: FactorLimits,  # how much is kept in memory
        penalty: Penalty | None = None,  # of the weights of all kernels
    ) -> None:
        most = int(limits.wide_room(source) / (pool.n_points * len(pool.landmarks)))
        super().__init__(min(max(most, 2), LARGEST, pool.n_matrices))
        self.pool, self.source, self.limits, self.penalty = pool, source, limits, penalty
        self.settings = statement.settings
        self.machines = statement.machines(self.settings)
        self.Y = np.column_stack(statement.targets)
        self.least_squares = statement.quality == "least_squares"
        self.maps: list[NystroemMap] = []
        self._last: LowRankSolution | None = None

    def first(self, size: float) -> Proof:
        """Coefficients of machines for the identity kernel, projected onto the sum constraint."""
        coefs = []
        for machine in self.machines:
            zero = np.zeros(machine.n_points)
            a, curvature = Responses(machine, zero, size).at(zero)
            coefs.append(with_sum(machine, a, curvature.movable, float(machine.rhs[0])))
        return Proof(np.ones(1), np.array(coefs)[None], 0.0)

    def solve(self, weight_set: WeightSet, control: Control) -> tuple[LowRankSolution, Proof]:
        """The best weights of the active kernels, and what proves their bound."""
        factors = Factors(self.maps)
        if self.least_squares and self.limits.has_moments(self.pool.n_points, factors.n_columns):
            return self._by_moments(factors, weight_set, control)
        rows = FactorRows(self.source, factors, keep=True)
        exact = self.pool.traces[self.active]
        known = np.array([exact, exact]), weight_set, control, self._last
        with threads_for(rows.host_size):
            found = learn_machines(rows, self.machines, *known, penalty=self._own_penalty())
        self._last = replace(found, proof=None)
        return found, proof_of(found, found.proof)

    def _by_moments(
        self, factors: Factors, weight_set: WeightSet, control: Control
    ) -> tuple[LowRankSolution, Proof]:
        """Least squares, whose coefficients are its residuals."""
        theta, ridge = self.settings.sample_weight, 1.0 / self.settings.C
        together = np.zeros(len(self.Y), dtype=np.intp)
        with threads_for(factors.n_columns):
            moments = moments_by_fold(self.source, factors, self.Y, theta, together)[0]
            known = moments, factors, ridge, weight_set, control
            found = learn_least_squares(*known, penalty=self._own_penalty())
        rows = FactorRows(self.source, factors, keep=False)
        proof = found.proof
        shares = np.ones(1) if proof is None else proof.shares
        columns = [found.coef] if proof is None else [parts[0] for parts in proof.coefs]
        coefs = []
        for left in (self.Y - rows.times(u) for u in columns):
            left -= np.average(left, axis=0, weights=theta)  # so that coefficients sum to zero
            coefs.append((theta[:, None] * left).T / ridge)
        return found, Proof(shares, np.array(coefs), 0.0)

    def _own_penalty(self) -> Penalty | None:
        """The penalty as a function of the weights of the active kernels."""
        return on_some(self.penalty, self.active, self.pool.n_matrices)

    def _add(self, i: int) -> None:
        self.maps.append(self.pool.map(i))

    def _keep(self, places: Indices) -> None:
        self.maps = [self.maps[place] for place in places]


# Parts of the tolerance: for the search, and for the last solve with its kernels.
SEARCH, LAST = 0.7, 0.3


def approximate_backend(
    table: KernelTable, statement: Statement, control: Control
) -> FactorBackend:
    """State the problem: sparse features where kernels have such, else landmarks.

    A penalty on the weights goes through landmarks.
    """
    is_penalized = statement.penalty(statement.settings.C) is not None
    sparse = None if is_penalized else SparseBackend.of(table, statement, control)
    if sparse is not None:
        return sparse
    search = RankSearch(
        table.source,
        table.kernels,
        statement.responses,
        statement.settings.sample_weight,
        statement.seed,
        table.maps,
        table.ranks,
        statement.fold,
    )
    if isinstance(table.rank, str):
        statistics = search.grow_rank(rank_judge(statement), control.stopping)
        return LandmarkBackend(table, statement, statistics)
    factors = search.factors(table.rank)
    if WideBackend.serves(table, statement, factors.n_columns):
        return WideBackend(table, statement, factors)
    return LandmarkBackend(table, statement, search.statistics_of(factors))


def learn_family(
    source: Rows,
    kernels: KernelPool,
    rank: int | str,
    statement: Statement,
    control: Control,
    limits: FactorLimits,
    ranks: RankOptions,
) -> tuple[EngineFit[LowRankSolution], Indices, list[Kernel]]:
    """Find the kernels with weight by column generation, then learn from them as from a list.

    All kernels share the same landmarks, rows drawn at random. Weights are those of all
    kernels; the numbers of those with weight, and they themselves, are returned too.
    """
    rank = ranks.first if isinstance(rank, str) else rank
    pool = LandmarkPool(kernels, shared_landmarks(kernels.points, rank, statement.seed))
    return learn_pool(source, pool, statement, control, limits)


def learn_pool(
    source: Rows,
    pool: LandmarkPool,
    statement: Statement,
    control: Control,
    limits: FactorLimits,
    options: ColumnGenerationOptions = COLUMNS,
) -> tuple[EngineFit[LowRankSolution], Indices, list[Kernel]]:
    """The same for kernels whose landmarks are chosen, with the penalty of the statement."""
    m, penalty = pool.n_matrices, statement.penalty(statement.settings.C)
    weight_set = statement.weight_set(pool.traces)
    master = FactorMaster(pool, source, statement, limits, penalty)
    search = replace(control, tol=SEARCH * control.tol)
    stated = master, master.machines, weight_set, search
    found = ColumnGeneration(pool, *stated, options, penalty).run()
    active = np.flatnonzero(found.weights)
    made = [pool.pool.kernel(int(i)) for i in active]
    maps = [pool.map(int(i)) for i in active]
    table = KernelTable(source, made, len(pool.landmarks), maps, warm_start=found, limits=limits)
    few = replace(
        statement,
        total=weight_set.total,
        start=found.weights[active],
        penalty=lambda C: on_some(statement.penalty(C), active, m),
        exact_bound=False,
    )
    last = replace(control, tol=LAST * control.tol, lower=found.lower_bound)
    backend = approximate_backend(table, few, last)
    fit = learn(backend, last)
    solution = fit.solution
    weights = np.zeros(m)
    weights[active] = solution.weights
    exact = None
    if statement.exact_bound:
        coefs = backend.dual_coef(fit.C, solution)
        plane = exact_plane(pool, master.machines, coefs, weight_set, control)
        if penalty is not None:
            nearby = replace(weight_set, start=weights)
            plane = tightest_plane(plane, penalty, nearby, options.tangent * control.tol)
        exact = corner_bound(plane, weight_set.normaliser, weight_set.total)
    bound = min(found.lower_bound - solution.rounding, solution.objective)
    solution = replace(
        solution,
        weights=weights,
        lower_bound=bound,
        status=certified_status(solution.objective, bound, control.tol, found.status),
        n_machine_solves=found.n_machine_solves + solution.n_machine_solves,
        history=found.history,
    )
    return replace(fit, solution=solution, exact_bound=exact), active, made


def exact_plane(
    pool: LandmarkPool,
    machines: Sequence[Machine],
    coefs: Array,  # (k, n): feasible coefficients
    weight_set: WeightSet,
    control: Control,
) -> Plane:
    """The plane of these coefficients below the objective of the exact kernels, all of them."""
    used = weight_set.normaliser > 0
    ratios = pool.traces[used] / weight_set.normaliser[used]
    forms = pool.exact_forms(coefs, control.stopping.check)
    trace = weight_set.total * float(ratios.max())
    return coefficient_plane(machines, list(coefs), -0.5 * forms, trace)


@dataclass(frozen=True, eq=False)
class SampleChoices:
    """Held-out losses of a sample, by which C and the penalty were chosen."""

    loss_by_C: Array  # (n_tried, 2): every C that was tried, and its loss
    # (n_tried, 2): every strength of a penalty, in units of all rows, and its loss; the chosen one
    loss_by_strength: Array
    strength: float | None

    def with_sample_losses(self, fit: EngineFit[LowRankSolution]) -> EngineFit[LowRankSolution]:
        """The fit to all rows, with the losses of the sample."""
        losses = self.loss_by_C if len(self.loss_by_C) else fit.loss_by_C
        return replace(
            fit,
            loss_by_C=losses,
            loss_by_strength=self.loss_by_strength,
            strength=self.strength,
        )


def settle_on_sample(
    statement: Statement,  # of all rows
    family_on: Callable[[Indices], GramStack | KernelPool],  # the kernels on some rows
    n_kernels: int,  # how many of them are kept in memory
    # Whether the backend of all rows chooses C itself, its loss having a closed form
    closed_form: bool,
    control: Control,  # when to stop
) -> tuple[Statement, SampleChoices]:
    """Choose what is open by Gram matrices of a sample.

    The loss of the machines grows with the rows, and so does the penalty that weighs as much.
    """
    chooses_C = bool(statement.factors_of_C) and not closed_form
    if not chooses_C and statement.share is not None and statement.open_penalty is None:
        return statement, SampleChoices(np.empty((0, 2)), np.empty((0, 2)), None)
    options, settings = statement.choices, statement.settings
    most = options.rows_for_shares if statement.share is None else options.rows_for_C
    few = sample_for_C(statement.targets, n_kernels, statement.seed, most, statement.fold)
    total = statement.total
    if total is not None and statement.constraint == "trace":
        total *= len(few) / len(settings.sample_weight)  # of the same kernel on fewer rows
    part_of_rows = len(few) / len(settings.sample_weight)
    part = replace(
        statement,
        targets=[y[few] for y in statement.targets],
        settings=replace(settings, sample_weight=settings.sample_weight[few]),
        total=total,
        fold=statement.fold_of(few),
        penalty=lambda C: _scaled_penalty(statement.penalty(C), part_of_rows),
        exact_bound=False,
    )
    rough = replace(control, tol=max(control.tol, PATH_TOL))
    found = choose(GramProblem(part, family_on(few), sampled=True), rough)
    if chooses_C:
        statement = replace(statement, settings=replace(settings, C=found.C), factors_of_C=())
    by_strength, strength = found.loss_by_strength / [part_of_rows, 1.0], found.strength
    if statement.open_penalty is not None and strength is not None:
        strength /= part_of_rows
        chosen = statement.open_penalty.with_strength(strength)
        statement = replace(statement, penalty=lambda C: chosen, open_penalty=None)
    choices = SampleChoices(
        found.loss_by_C if chooses_C else np.empty((0, 2)), by_strength, strength
    )
    return replace(statement, share=found.share), choices


def _scaled_penalty(penalty: Penalty | None, factor: float) -> Penalty | None:
    return None if penalty is None else RescaledPenalty(penalty, Units(1.0, factor**-0.5))
