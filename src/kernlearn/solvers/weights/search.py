"""A stated problem, rescaled to units of one, solved, scaled back and certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.matrices import GramStack
from kernlearn.families.weights import Domain
from kernlearn.quality.machine import Machine, on_rows
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.core.certificate import in_coordinates, lower_bound
from kernlearn.solvers.core.oracle import (
    Evaluation,
    MachineEvaluation,
    MachineObjective,
    Objective,
    Penalty,
)
from kernlearn.solvers.core.problem import (
    Control,
    Proof,
    Units,
    WeightProblem,
    WeightSet,
    inside,
)
from kernlearn.solvers.core.solution import Solution, Step, report_steps
from kernlearn.solvers.weights.feasible_weights import (
    combined_domain,
    free_domain,
    with_null_directions,
)
from kernlearn.solvers.weights.finalize import certified_solution, squared_norms
from kernlearn.solvers.weights.newton import Newton, NewtonOutcome
from kernlearn.solvers.weights.psd_cuts import PsdCuts
from kernlearn.typing import Array, Indices


class CoarseSample(NamedTuple):
    """Number of points of a first guess, its relative gap, and the number of its steps."""

    size: int
    tol: float
    steps: int


@dataclass(frozen=True)
class SearchOptions:
    """Starts of a search over the weights, and the choice of its coordinates."""

    positive_first: float = 1e-2  # relative gap of the positive weights that free ones start from
    large: int = 1000  # points from which on first guesses from samples save more than they cost
    samples: tuple[CoarseSample, ...] = (CoarseSample(300, 3e-2, 20), CoarseSample(900, 3e-3, 1))
    near: float = 0.2  # a kernel that costs more, of the value, is left out of the next sample
    cancelling: float = 1e3  # weights this much larger than their sum: matrices are combined first


OPTIONS = SearchOptions()


def learn_with_machines(
    family: Family,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    control: Control,
    penalty: Penalty | None = None,
    options: SearchOptions = OPTIONS,
) -> Solution:
    """Minimise the machines' values over the weights (inputs are checked)."""
    return learn_with_proof(family, machines, weight_set, control, penalty, options)[0]


def learn_with_proof(
    family: Family,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    control: Control,
    penalty: Penalty | None = None,
    options: SearchOptions = OPTIONS,
) -> tuple[Solution, Proof | None]:
    """The solution, and for positive weights the coefficients that prove the lower bound."""
    problem, units = WeightProblem.in_units(family, machines, weight_set, penalty)
    free = weight_set.free_sign and not family.psd_means_positive
    learn = _learn_free if free else _learn_positive
    outcome, n_solves = learn(problem, control, units, options)
    return certified_solution(problem, outcome, n_solves, control.tol, units, free)


def _learn_positive(
    problem: WeightProblem, control: Control, units: Units, options: SearchOptions
) -> tuple[NewtonOutcome, int]:
    stopping, objective, domain = control.stopping, problem.objective, problem.positive_domain
    large = problem.family.n_labelled > options.large and problem.penalty is None
    if large and problem.weight_set.start is None:
        domain.start, objective.n_solves = _coarse_start(problem, domain, stopping, options)
    report = report_steps(stopping, units.step, control.lower)
    newton = Newton(objective, domain, None, control.tol, control.max_iter, stopping, report)
    return newton.run(), objective.n_solves


def _learn_free(
    problem: WeightProblem, control: Control, units: Units, options: SearchOptions
) -> tuple[NewtonOutcome, int]:
    """Newton's method over all of K(w) ⪰ 0, from where positive weights have led it.

    If matrices all but depend on one another, their weights are large and cancel. The search is
    then over orthonormal combinations of them, formed once in long double, and only its result is
    converted to the matrices' own weights.
    """
    objective = problem.objective
    first = positive_start(objective, problem.positive_domain, control, units, options)
    if first.best is None:  # not even the even mixture has a value
        return NewtonOutcome(None, np.inf, Status.NO_SOLUTION, ()), objective.n_solves
    search = free_search(problem, first.best, control, units, options)
    newton, transform = search.newton, search.transform
    newton.objective.n_solves = objective.n_solves
    newton.start_from(first, same_family=transform is None)
    return search.outcome(first.best), newton.objective.n_solves


@dataclass(frozen=True, eq=False)
class FreeSearch:
    """Newton's method over K(w) ⪰ 0, ready to start."""

    newton: Newton
    domain: Domain  # of the matrices as they are given
    transform: Array | None  # what combines them, where they all but depend on one another

    def outcome(self, first: Evaluation) -> NewtonOutcome:
        """Run the search from this evaluation on; its weights are there to fall back on."""
        outcome, transform = self.newton.run(), self.transform
        if outcome.best is None:  # the combination has lost the value to rounding
            bound = lower_bound(first.plane, self.domain)
            outcome = NewtonOutcome(first, bound, Status.INACCURATE, outcome.history)
            transform = None
        return replace(outcome, transform=transform, safe=first.weights)


def free_search(
    problem: WeightProblem,
    first: Evaluation,
    control: Control,
    units: Units,
    options: SearchOptions = OPTIONS,
) -> FreeSearch:
    """The search over weights of any sign, in coordinates that these first weights are known in."""
    family, cone, penalty = problem.family, problem.cone, problem.penalty
    plain = free_domain(family, problem.weight_set)
    is_visible = penalty is not None or plain.limits is not None
    if is_visible and plain.dropped.shape[1]:
        # No kernel of the set has a quality below the least one.
        level = first.upper - _least_quality(problem, first)
        plain = with_null_directions(plain, penalty, level)
    domain, transform = plain, None
    if float((family.norms @ np.abs(domain.basis)).max()) > options.cancelling * problem.trace:
        family, domain, transform = combined_domain(
            family, domain, problem.weight_set, first.weights
        )
        cone = family if problem.rows is None else cone.combined(transform)
        penalty = None if penalty is None else penalty.composed(transform)
    objective = MachineObjective(family, problem.machines, penalty, in_cone=True)
    cuts = PsdCuts(cone, domain, None if transform is None else (problem.cone, transform))
    stopping, report = control.stopping, report_steps(control.stopping, units.step)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, stopping, report)
    return FreeSearch(newton, plain, transform)


def _least_quality(problem: WeightProblem, best: Evaluation) -> float:
    """A bound on the machines' values at any kernel of the set: aᵀKa is at most ‖a‖² tr K."""
    assert isinstance(best, MachineEvaluation)
    pairs = zip(problem.machines, best.solutions, strict=True)
    linear = sum(machine.linear_value(s.coef) for machine, s in pairs)
    return linear - 0.5 * squared_norms(best.solutions) * problem.trace


def positive_start(
    objective: Objective,
    domain: Domain,
    control: Control,
    units: Units,
    options: SearchOptions = OPTIONS,
) -> Newton:
    """A few steps with positive weights: they need no cuts, and end near where free ones do."""

    def translate(step: Step) -> Step:
        # The bound of positive weights does not hold for free ones.
        return replace(units.step(step), lower_bound=-np.inf)

    report = report_steps(control.stopping, translate)
    tol, steps = options.positive_first, min(20, control.max_iter)
    newton = Newton(objective, domain, None, tol, steps, control.stopping, report)
    newton.run()
    return newton


def search_on_sample(
    objective_on: Callable[[Indices, list[Machine]], tuple[Objective, Domain]],
    machines: Sequence[Machine],
    sample: CoarseSample,
    stopping: StoppingControl,
) -> Newton:
    """The search over positive weights on some of the points, each standing for many.

    They are spread evenly over the targets of all machines; the search has come to its end.
    """
    order = np.lexsort([_spread_over(machine) for machine in machines])
    rows = np.sort(order[np.linspace(0, len(order) - 1, sample.size).astype(int)])
    objective, domain = objective_on(rows, [on_rows(machine, rows) for machine in machines])
    newton = Newton(objective, domain, None, sample.tol, sample.steps, stopping)
    newton.run()
    return newton


def _spread_over(machine: Machine) -> Array:
    """Targets; of times their stages, negative for censored rows, so that some event is drawn."""
    sets = machine.risk_sets
    return machine.linear if sets is None else np.where(sets.tied, 1.0, -1.0) * (sets.stage + 2.0)


def _coarse_start(
    problem: WeightProblem, domain: Domain, stopping: StoppingControl, options: SearchOptions
) -> tuple[Array, int]:
    """Coordinates learned from samples of the points, and the number of machines trained for them.

    A larger sample leaves out the kernels that a smaller one has found to be far from any use.
    They count again when all points are looked at.
    """
    family, machines = problem.family, problem.machines
    start, near, n_solves = domain.start, np.arange(len(domain.start)), 0

    def objective_on(rows: Indices, sampled_machines: list[Machine]) -> tuple[Objective, Domain]:
        if not isinstance(family, GramStack) or domain.limits is not None:
            return MachineObjective(family.subset(rows), sampled_machines), replace(
                domain, start=start
            )
        part, used = domain.part(near, start)
        return MachineObjective(family.subset(rows, used), sampled_machines), part

    for sample in options.samples:
        if 2 * sample.size > family.n_labelled:
            continue
        newton = search_on_sample(objective_on, machines, sample, stopping)
        best, part = newton.best, newton.domain
        n_solves += newton.objective.n_solves
        if best is None:
            continue
        start = np.zeros(len(start))
        start[near] = inside(part, part.weights(newton.ahead()), problem.share_of_all)
        if isinstance(family, GramStack) and domain.limits is None:
            slopes = in_coordinates(best.plane, part)[0] / part.equality
            costly = slopes - slopes.min() > options.near * abs(best.upper)
            near = near[(start[near] > 0.0) | ~costly]
    return start, n_solves
