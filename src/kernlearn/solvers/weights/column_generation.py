r"""Weights of more kernels than a stack can hold, by column generation.

With positive weights and :math:`\sum_i w_i r_i = c`, minimising V(K(w)) is the saddle point

.. math::

    \min_w \max_a \; \ell(a) - \tfrac12 \sum_i w_i\, a^\top K_i a
    \;=\; \max_a \; \ell(a) - \tfrac{c}{2} \max_i \frac{a^\top K_i a}{r_i},

so only kernels of the largest *price* :math:`a^\top K_i a / r_i` have weight. A round solves the
problem for the few kernels that may have some, the master problem, by Newton's method with its own
certificate: coefficients, or shares of several, whose bound holds for the kernels in the master.
Then these coefficients price every other kernel. The bound with the largest of *all* prices holds
for all kernels; kernels with a higher price than the master's join it, until the gap is closed.

The prices of a mixture of coefficients are inner products with one matrix,
:math:`\langle K_i, A\rangle`, :math:`A = \sum_s \theta_s \sum_c a_{sc} a_{sc}^\top`, of which only
the rows count that have a coefficient.

Kernels are not screened for good. The radius of a gap-safe sphere around a, √(2 gap · C) for a
machine with a ridge 1/C, would have to be less than half of the root of the largest price, which is
at most √(2V/c). With c = tr K = n and C = 1 that asks for relative gaps below 1/(4n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.kernel_pool import KernelPool, LandmarkPool
from kernlearn.families.weights import even_weights
from kernlearn.quality.machine import Machine
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped
from kernlearn.solvers.core.certificate import certified_status, corner_bound
from kernlearn.solvers.core.oracle import Penalty, Plane, coefficient_plane, penalized_plane
from kernlearn.solvers.core.penalized import PenalizedObjective, PlaneObjective
from kernlearn.solvers.core.problem import Control, Proof, WeightSet
from kernlearn.solvers.core.solution import Solution, Step, relative_gap
from kernlearn.solvers.weights.column_master import ROOM, GramMaster, Master, MasterOptions
from kernlearn.solvers.weights.limited_prices import limited_corner, limits_of
from kernlearn.solvers.weights.newton import Newton
from kernlearn.typing import Array, Indices


@dataclass(frozen=True)
class ColumnGenerationOptions:
    """Number of kernels that join the master problem, and accuracy of its solution."""

    joining: int = 32  # kernels that join in a round, at most
    share: float = 0.2  # of the gap that is left: how well a master is solved
    loosest: float = 1e-2  # relative gap of a master at most
    finest: float = 0.3  # and at least, relative to the tolerance
    tangent: float = 0.05  # of the tolerance: how well tangents of a penalty are chosen
    excess: float = 1e-9  # of a price over those of the master, relatively: worth a place


OPTIONS = ColumnGenerationOptions()
TANGENTS = 50  # of a penalty, at most


def learn_by_columns(
    pool: KernelPool,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    control: Control,
    options: ColumnGenerationOptions = OPTIONS,
    room: MasterOptions = ROOM,
    penalty: Penalty | None = None,
) -> Solution:
    """Minimise the machines' values over the weights of all kernels (inputs are checked)."""
    master = GramMaster(pool, machines, room, penalty)
    return ColumnGeneration(pool, master, machines, weight_set, control, options, penalty).run()


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """The solution of a master, its weights among all kernels, and the proof of its bound."""

    weights: Array
    solution: Solution
    proof: Proof


class ColumnGeneration:
    """The state of one minimisation over positive weights; the master solves for a few kernels."""

    def __init__(
        self,
        pool: KernelPool | LandmarkPool,
        master: Master,
        machines: Sequence[Machine],
        weight_set: WeightSet,
        control: Control,
        options: ColumnGenerationOptions = OPTIONS,
        penalty: Penalty | None = None,  # of all weights; the master has it, too
    ) -> None:
        self.options, self.penalty = options, penalty
        self.pool, self.master, self.machines = pool, master, machines
        self.weight_set, self.control = weight_set, control
        used = weight_set.normaliser > 0
        # Upper bound on the trace of K(w).
        ratios = pool.traces[used] / weight_set.normaliser[used]
        self.trace = weight_set.total * float(ratios.max())
        self.stopping = control.stopping
        self.history: list[Step] = []
        self.lower, self.n_solves, self.n_rounds = -np.inf, 0, 0
        self.best: MasterSolution | None = None

    def run(self) -> Solution:
        """Rounds of a master and of prices, until the gap closes or it is time to end."""
        self.master.join(self._first())
        tol = self.options.loosest
        last = self._solve_master(tol)
        if self.best is None:  # no kernel has a value
            nothing = np.full(self.pool.n_matrices, np.nan)
            return replace(last.solution, weights=nothing, n_machine_solves=self.n_solves)
        finest = self.options.finest * self.control.tol
        while True:
            try:
                joining = self._price_all(last)
            except (Stopped, KeyboardInterrupt) as stop:
                return self._solution(self.stopping.accept(stop))
            gap = relative_gap(self.best.solution.objective, self._bound)
            if gap <= self.control.tol:
                return self._solution(Status.OPTIMAL)
            self.n_rounds += 1
            if self.n_rounds >= self.control.max_iter:
                return self._solution(Status.ITERATION_LIMIT)
            joined = self.master.join(joining)
            if joined == 0 and tol <= finest:
                return self._solution(Status.NO_ROOM if len(joining) else last.solution.status)
            tol = finest
            if joined:
                tol = min(max(self.options.share * gap, finest), self.options.loosest)
            last = self._solve_master(tol)

    def _first(self) -> Indices:
        """Kernels to begin with: those given, or those that machines without any would pay for."""
        start = self.weight_set.start
        if start is not None and (start > 0).any() and self.weight_set.limits is None:
            return _highest_priced(start, 0.0, len(start))
        proof = self.master.first(self.trace / self.pool.n_points)
        self.n_solves += len(self.machines)
        even = even_weights(self.weight_set.normaliser, self.weight_set.total)
        plane = self._priced(proof, lambda: None)
        self.lower = self._bound_of(plane, even)
        prices = self._prices(plane, even)
        best = _highest_priced(prices, -np.inf, self.options.joining)
        return self._with_vertex(plane, best)

    def _solve_master(self, tol: float) -> MasterSolution:
        """The master problem, solved to a tolerance."""
        active = self.master.active
        known = self.weight_set.start if self.best is None else self.best.weights
        start = None if known is None else known[active]
        limits = limits_of(self.weight_set.limits, active)
        weight_set = WeightSet(
            self.weight_set.normaliser[active], self.weight_set.total, False, start, limits=limits
        )
        control = Control(tol, self.control.max_iter, self.stopping, self.lower)
        solution, proof = self.master.solve(weight_set, control)
        self.history += [
            Step(step.n_machine_solves + self.n_solves, step.objective, self.lower)
            for step in solution.history
        ]
        self.n_solves += solution.n_machine_solves
        weights = np.zeros(self.pool.n_matrices)
        weights[active] = solution.weights
        found = MasterSolution(weights, solution, proof)
        value = np.inf if self.best is None else self.best.solution.objective
        if solution.objective < value:
            self.best = found
        self.master.note(solution.weights)
        return found

    def _price_all(self, last: MasterSolution) -> Indices:
        """Price all kernels, raise the bound, and choose the kernels that join the master."""
        plane = self._priced(last.proof, self.stopping.check)
        self.lower = max(self.lower, self._bound_of(plane, last.weights))
        if self.history:
            self.history[-1] = replace(self.history[-1], lower_bound=self.lower)
        self._report()
        prices = self._prices(plane, last.weights)
        paid = float(prices[self.master.active].max())
        prices[self.master.active] = -np.inf
        least = paid + self.options.excess * abs(paid)
        return self._with_vertex(plane, _highest_priced(prices, least, self.options.joining))

    def _with_vertex(self, plane: Plane, kernels: Indices) -> Indices:
        """Within limits, those of the vertex where the plane is smallest come first."""
        if self.weight_set.limits is None:
            return kernels
        vertex = limited_corner(plane, self.weight_set).kernels
        vertex = vertex[~np.isin(vertex, self.master.active)]
        others = kernels[~np.isin(kernels, vertex)]
        return np.concatenate([vertex, others[: max(self.options.joining - len(vertex), 0)]])

    def _report(self) -> None:
        """Report a round."""
        assert self.best is not None
        objective, bound = self.best.solution.objective, self._bound
        gap = relative_gap(objective, bound)
        message = (
            f"round {self.n_rounds + 1}, {len(self.master.active)} of {self.pool.n_matrices:,} "
            f"kernels in the master problem, objective {objective:.6g}, relative gap {gap:.1e}"
        )
        self.stopping.report(message, objective, bound, gap)

    def _priced(self, proof: Proof, tick: Callable[[], None]) -> Plane:
        """The plane of a proof, with the slopes of all kernels; without the penalty."""
        F = proof.coefs * np.sqrt(proof.shares)[:, None, None]
        F = F.reshape(F.shape[0] * F.shape[1], -1)
        forms = self.pool.forms(F, tick)
        slopes = -0.5 * (forms + self.pool.noise(forms, F))
        # Each with the slopes of all: it is their sum that is a plane below the objective.
        planes = [
            coefficient_plane(self.machines, list(coefs), slopes, self.trace)
            for coefs in proof.coefs
        ]
        return Plane.mixture(proof.shares, planes)

    def _bound_of(self, plane: Plane, weights: Array) -> float:
        """Lower bound that a plane of all kernels proves, with the penalty."""
        if self.penalty is not None:
            near, tol = (
                replace(self.weight_set, start=weights),
                self.options.tangent * self.control.tol,
            )
            plane = tightest_plane(plane, self.penalty, near, tol)
        if self.weight_set.limits is not None:
            return limited_corner(plane, self.weight_set).bound
        return corner_bound(plane, self.weight_set.normaliser, self.weight_set.total)

    def _prices(self, plane: Plane, weights: Array) -> Array:
        """The price of each kernel per unit of the total; kernels without effect never join.

        With a penalty, less its slope at these weights.
        """
        r = self.weight_set.normaliser
        if self.penalty is not None:
            plane = penalized_plane(plane, self.penalty, weights)
        return np.where(r > 0, -plane.gradient / np.where(r > 0, r, 1.0), -np.inf)

    @property
    def _bound(self) -> float:
        assert self.best is not None
        return min(self.lower - self.best.proof.rounding, self.best.solution.objective)

    def _solution(self, ended: Status) -> Solution:
        assert self.best is not None
        found, bound = self.best.solution, self._bound
        return replace(
            found,
            weights=self.best.weights,
            lower_bound=bound,
            n_machine_solves=self.n_solves,
            status=certified_status(found.objective, bound, self.control.tol, ended),
            history=tuple(self.history),
        )


def tightest_plane(plane: Plane, penalty: Penalty, weight_set: WeightSet, tol: float) -> Plane:
    """The plane, plus the tangents of a penalty that make its smallest value largest.

    That value is the minimum over the weights of the plane plus the penalty, a small problem.
    """
    objective = PenalizedObjective(PlaneObjective(plane), penalty, weight_set.normaliser)
    found = Newton(objective, weight_set.positive_domain(), None, tol, TANGENTS).run()
    if found.proof is not None:
        return found.proof
    assert found.best is not None
    return found.best.plane


def _highest_priced(prices: Array, least: float, count: int) -> Indices:
    """The kernels of the largest prices above the least, the highest first."""
    above = np.flatnonzero(prices > least)
    order = np.argsort(-prices[above], kind="stable")
    return above[order[:count]]
