"""Common parts of the backends of factors, K(w) = Σ wᵢZᵢZᵢᵀ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn._device import beside, to_host
from kernlearn.families.weights import positive_weights
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.gram.rows import reduce_rows
from kernlearn.kernels import Kernel
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.certificate import lower_bound
from kernlearn.solvers.core.oracle import coefficient_plane
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.backend import LossByRank, Solved
from kernlearn.solvers.engine.penalty_checks import check_penalty, check_penalty_values
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.solvers.engine.statement import Statement, check_traces
from kernlearn.solvers.nystroem.certificate import LowRankSolution, Values, certified
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions
from kernlearn.solvers.weights.choice_of_C import choose_C
from kernlearn.typing import Array, Rows

# The machines with a box and no budget whose intercept, if there is one, is not penalised.
LOW_RANK_QUALITIES = (
    "least_squares",
    "squared_soft_margin",
    "soft_margin",
    "logistic",
    "epsilon_svr",
    "huber",
    "quantile",
    "one_class",
    "cox",
)


@dataclass(frozen=True, eq=False)
class KernelTable:
    """Rows, the kernels on them, and the rank of their approximation."""

    source: Rows  # the n rows
    kernels: Sequence[Kernel]  # what to combine
    # Columns of each kernel's factor at most, for all kernels or for each
    rank: int | list[int] | str
    # From rows to the kernels' factors, where these are known already
    maps: Sequence[NystroemMap] | None = None
    warm_start: Solution | None = None  # machines to begin with, on the same rows
    # Whether kernels may have sparse features: rows are all here, read by transformers or sparse.
    # Other kernels would load their columns into memory.
    sparse: bool = False
    limits: FactorLimits = field(default_factory=FactorLimits)  # how much is kept in memory
    ranks: RankOptions = field(default_factory=RankOptions)  # when rank="auto" is enough


class FactorBackend(ABC):
    """A backend over factors."""

    in_long_double = True

    def __init__(
        self,
        table: KernelTable,  # rows and kernels
        statement: Statement,  # what is to be learned; its share is given
        traces: Array,  # (2, m): the traces of the exact kernels and of their factors
    ) -> None:
        check_traces(traces[0], "kernel", "zeros")
        self.table, self.statement, self.traces = table, statement, traces
        self.weight_set = statement.weight_set(*traces)
        penalty = statement.penalty(statement.settings.C)
        if penalty is not None:
            check_penalty(penalty, traces.shape[1], statement.quality, statement.learn_C)
            check_penalty_values(penalty, self.weight_set)

    def solve(self, control: Control) -> Solved[LowRankSolution]:
        """Choose C along a path if it is open, and learn the weights."""
        statement = self.statement
        Cs = statement.Cs(self.weight_set, self.traces[0], len(self.table.source))
        share = statement.share or 0.0
        if len(Cs) == 1:
            return Solved(Cs[0], share, self.learn(Cs[0], None, control), np.empty((0, 2)))
        choice = choose_C(Cs, self.learn, self.loss, control)
        return Solved(choice.C, share, choice.solution, choice.losses)

    def certify(self, solved: Solved[LowRankSolution], control: Control) -> LowRankSolution:
        """The solution with the value of its function, recomputed from its coefficients."""
        machines, penalty = self.machines(solved.C), self.statement.penalty(solved.C)
        known = self.weight_set, control.tol, self.in_long_double, penalty
        return certified(solved.solution, machines, self.values, *known)

    def exact_bound(self, C: float, solution: LowRankSolution) -> float:
        """A bound from the exact kernels on all pairs of rows, in blocks."""
        table, coefs = self.table, self.dual_coef(C, solution)
        known = table.source, table.kernels, self.machines(C), coefs
        return exact_lower_bound(*known, self.weight_set)

    def loss(self, C: float, solution: LowRankSolution) -> float:
        """The mean loss on rows held out, which C is chosen by."""
        return float(self.loss_by_rank(C, solution).losses[-1])

    def machines(self, C: float) -> list[Machine]:
        """The machines at C."""
        return self.statement.machines(replace(self.statement.settings, C=C))

    @abstractmethod
    def learn(self, C: float, start: Array | None, control: Control) -> LowRankSolution:
        """Weights and machines at C."""

    @property
    @abstractmethod
    def values(self) -> Values:
        """The function on all rows, as predictions make it."""

    @abstractmethod
    def hold_out(self, C: float, solution: LowRankSolution, control: Control) -> FoldMachines:
        """Machines that miss a fold each."""

    @abstractmethod
    def loss_by_rank(self, C: float, solution: LowRankSolution) -> LossByRank:
        """Held-out loss by rank."""

    @abstractmethod
    def dual_coef(self, C: float, solution: LowRankSolution) -> Array:
        """Dual coefficients of the machines, of shape (k, n)."""


def exact_forms(source: Rows, kernels: Sequence[Kernel], coefs: Array) -> Array:
    """The sums over k of aₖᵀKᵢaₖ, of shape (m,), for coefficients of shape (k, n).

    Every kernel is evaluated on all pairs of rows, each block once.
    """

    def block_forms(block: Rows, rows: slice) -> Array:
        own, others = coefs[:, rows].T, beside(coefs.T, block)
        images = [to_host(k(block, source) @ others) for k in kernels]
        return np.array([float((own * image).sum()) for image in images])

    return reduce_rows(source, block_forms, np.add, len(source))


def exact_lower_bound(
    source: Rows,  # the n rows
    kernels: Sequence[Kernel],  # the exact kernels
    machines: Sequence[Machine],  # which the coefficients are of
    coefs: Array,  # (k, n): feasible coefficients
    weight_set: WeightSet,  # which positive weights are allowed
) -> float:
    r"""A bound that no positive weights of the exact kernels can beat.

    :math:`\sum_k\ell(a_k) - \tfrac12\max_w\sum_i w_i\sum_k a_k^\top K_i a_k`, from the coefficients
    of a solution through landmarks: valid whatever these are, and tight where the factors are.
    """
    normaliser, total = weight_set.normaliser, weight_set.total
    traces = np.array([float(kernel.diag(to_host(source)).sum()) for kernel in kernels])
    trace = total * float((traces[normaliser > 0] / normaliser[normaliser > 0]).max())
    forms = exact_forms(source, kernels, coefs)
    plane = coefficient_plane(machines, list(coefs), -0.5 * forms, trace)
    return lower_bound(plane, positive_weights(normaliser, total, limits=weight_set.limits))
