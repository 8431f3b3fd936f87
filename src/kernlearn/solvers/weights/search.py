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
    combinations,
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
    learn = learn_free if free else _learn_positive
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


def learn_free(
    problem: WeightProblem, control: Control, units: Units, options: SearchOptions = OPTIONS
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
    best = first.best
    level = best.upper - _least_quality(problem, best)
    coordinates = FreeCoordinates.of(problem, best.weights, level, options)
    newton, transform = free_search(problem, coordinates, control, units), coordinates.transform
    newton.objective.n_solves = objective.n_solves
    newton.start_from(first, same_family=transform is None)
    outcome = newton.run()
    if outcome.best is None:  # the combination has lost the value to rounding
        bound = lower_bound(best.plane, coordinates.plain)
        outcome = NewtonOutcome(best, bound, Status.INACCURATE, outcome.history)
        transform = None
    outcome = replace(outcome, transform=transform, safe=best.weights)
    return outcome, newton.objective.n_solves


@dataclass(frozen=True, eq=False)
class FreeCoordinates:
    """Coordinates of weights of any sign, and the matrices that have them as weights."""

    plain: Domain  # of the matrices as they are given
    domain: Domain  # of the search
    family: Family
    cone: Family  # the same on all rows on which K(w) ⪰ 0
    transform: Array | None  # what combines them, where they all but depend on one another

    @classmethod
    def of(
        cls,
        problem: WeightProblem,
        inner: Array,
        level: float = np.inf,
        options: SearchOptions = OPTIONS,
    ) -> FreeCoordinates:
        """Coordinates from inner weights on, whose kernel is well in the cone.

        Better weights than the best known have a penalty of at most `level`.
        """
        family, rows = problem.family, problem.rows
        plain = free_domain(family, problem.weight_set)
        is_visible = problem.penalty is not None or plain.limits is not None
        if is_visible and plain.dropped.shape[1]:
            plain = with_null_directions(plain, problem.penalty, level)
        if float((family.norms @ np.abs(plain.basis)).max()) <= options.cancelling * problem.trace:
            return cls(plain, plain, family, problem.cone, None)
        transform = combinations(family, plain)
        if rows is None:
            combined = cone = family.combined(transform)
        else:
            cone = rows.combined(transform)
            combined = cone.leading(family.n_points)
        domain = combined_domain(family, combined, plain, problem.weight_set, inner)
        return cls(plain, domain, combined, cone, transform)

    def on_rows(self, rows: GramStack) -> FreeCoordinates:
        """The same with the cone on these rows, the first of which it was on before."""
        if self.transform is None:
            return replace(self, cone=rows)
        assert isinstance(self.cone, GramStack)
        return replace(self, cone=rows.combined(self.transform, self.cone))

    def coordinates(self, weights: Array) -> Array:
        """Coordinates of the search at weights of the matrices as they are given."""
        if self.transform is not None:
            weights = replace(self.plain, basis=self.transform).coordinates(weights)
        x = self.domain.coordinates(weights)
        return np.asarray(x / float(self.domain.equality @ x))


def free_search(
    problem: WeightProblem, coordinates: FreeCoordinates, control: Control, units: Units
) -> Newton:
    """The search over weights of any sign, ready to start."""
    transform, penalty = coordinates.transform, problem.penalty
    if transform is not None and penalty is not None:
        penalty = penalty.composed(transform)
    objective = MachineObjective(coordinates.family, problem.machines, penalty, in_cone=True)
    domain = replace(coordinates.domain)  # with cuts of its own
    cuts = PsdCuts(
        coordinates.cone, domain, None if transform is None else (problem.cone, transform)
    )
    stopping, report = control.stopping, report_steps(control.stopping, units.step)
    return Newton(objective, domain, cuts, control.tol, control.max_iter, stopping, report)


def _least_quality(problem: WeightProblem, best: Evaluation) -> float:
    """A bound on the machines' values at any kernel of the set: aᵀKa is at most ‖a‖² tr K.

    No kernel of the set has a quality below it.
    """
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
