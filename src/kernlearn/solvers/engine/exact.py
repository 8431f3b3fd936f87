"""Kernels as Gram matrices of all rows, or made on demand where they are too many."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from kernlearn.families.stack import GramStack
from kernlearn.quality.registry import CRITERIA, QUALITIES
from kernlearn.quality.rows_left_out import values_left_out
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution, without_function
from kernlearn.solvers.engine.backend import Solved
from kernlearn.solvers.engine.choices import choose
from kernlearn.solvers.engine.gram_problem import GramProblem
from kernlearn.solvers.engine.refits import HeldOutValues
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class CriterionSolution(Solution):
    """A kernel learned without a machine, and the soft margin machine trained with it."""

    machine_gap: float


class ExactBackend(GramProblem):
    """The backend of Gram matrices, in which nothing is approximated."""

    def solve(self, control: Control) -> Solved[Solution]:
        """Choose C and what sources share, where these are open, and learn the weights."""
        return choose(self, control)

    def certify(self, solved: Solved[Solution], control: Control) -> Solution:
        """The certificate of the search, which is that of what is returned.

        A criterion trains no machine: it gets a soft margin, on the kernel that was learned.
        """
        solution = solved.solution
        if solution.status is Status.TRIVIAL:
            solution = without_function(solution)
        if self.statement.quality not in CRITERIA or solution.status is Status.NO_SOLUTION:
            return solution
        alone = replace(
            self.statement,
            quality="soft_margin",
            constraint="sum",
            total=1.0,
            free_sign=False,
            penalty=lambda C: None,
        )
        kernel = GramStack(self.family.combine(solution.weights)[None])
        machine = GramProblem(alone, kernel).learn(solved.C, None, control)
        known = {each.name: getattr(solution, each.name) for each in fields(Solution)}
        known |= {
            "dual_coef": machine.dual_coef,
            "intercept": machine.intercept,
            "n_machine_solves": solution.n_machine_solves + machine.n_machine_solves,
        }
        if solution.status.is_optimal:
            known["status"] = machine.status
        gap = machine.gap if solution.status.is_optimal else solution.gap
        return CriterionSolution(**known, machine_gap=gap)

    def hold_out(self, C: float, solution: Solution, control: Control) -> HeldOutValues:
        """Values of rows left out in closed form, or machines that miss a fold each."""
        assert self.statement.hold_out is not None
        C = C if solution.learned_C is None else solution.learned_C
        (quality, settings), targets = self.machine_at(C), self.statement.targets
        K = self.family.combine(solution.weights)
        # The estimates of several machines are compared with each other, where refits did better.
        estimates = not self.statement.hold_out.machines and len(targets) == 1
        if estimates and quality != "least_squares":
            machine = QUALITIES[quality].build(targets[0], settings)
            a = np.atleast_2d(np.asarray(solution.dual_coef))[0]
            b = float(np.atleast_1d(np.asarray(solution.intercept))[0])
            with threads_for(len(K)):
                left = values_left_out(machine, K, a, K @ a + b)
            if left is not None and np.isfinite(left).all():
                return HeldOutValues(np.arange(len(K)), left[:, None])
        return self.refits(C, K, control)

    def loss_by_rank(self, C: float, solution: Solution) -> None:
        """Nothing is approximated."""

    def exact_bound(self, C: float, solution: Solution) -> float:
        """The bound itself."""
        return solution.lower_bound

    def transduce(self, solution: Solution) -> Array:
        """Decision values (l, k) of the further rows."""
        n = len(self.statement.targets[0])
        mixed = self.family.combine(solution.weights, labelled_only=False)[n:, :n]
        coefs = np.atleast_2d(np.asarray(solution.dual_coef))
        return np.asarray(mixed @ coefs.T + np.atleast_1d(np.asarray(solution.intercept)))
