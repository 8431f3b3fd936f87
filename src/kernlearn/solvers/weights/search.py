"""A stated problem, brought to units of one, solved, brought back and certified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.base import Family
from kernlearn.families.stack import GramStack
from kernlearn.families.weights import (
    Domain,
)
from kernlearn.quality.machine import Machine
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.core.certificate import in_coordinates, lower_bound
from kernlearn.solvers.core.oracle import (
    Evaluation,
    MachineEvaluation,
    MachineObjective,
    Penalty,
)
from kernlearn.solvers.core.problem import (
    Control,
    Problem,
    Proof,
    WeightSet,
    inside,
    trace_of,
)
from kernlearn.solvers.core.progress import telling
from kernlearn.solvers.core.solution import Solution, Step
from kernlearn.solvers.core.units import RescaledPenalty, Units
from kernlearn.solvers.weights.finalize import solution_of
from kernlearn.solvers.weights.newton import Newton, Outcome
from kernlearn.solvers.weights.null_directions import with_null_directions
from kernlearn.solvers.weights.orthonormal_basis import free_domain, of_combinations
from kernlearn.solvers.weights.psd_cuts import PsdCuts
from kernlearn.solvers.weights.rounding_safe import (
    total_weight,
)
from kernlearn.typing import Array

POSITIVE_FIRST = 1e-2  # relative gap of the positive weights that free ones start from
# From this size on, first guesses from samples of so many points save more than they cost, if
# they are found to these relative gaps and in at most so many steps.
LARGE = 1000
COARSE = ((300, 3e-2, 20), (900, 3e-3, 1))
# A kernel that would cost more than this share of the value is left out of the larger sample.
NEAR = 0.2
# Matrices whose weights may be this much larger than their sum are combined once and for all.
CANCELLING = 1e3


def learn_with_machines(
    family: Family,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    control: Control,
    penalty: Penalty | None = None,
) -> Solution:
    """Minimise the machines' values over the weights (inputs are checked)."""
    return learn_with_proof(family, machines, weight_set, control, penalty)[0]


def learn_with_proof(
    family: Family,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    control: Control,
    penalty: Penalty | None = None,
) -> tuple[Solution, Proof | None]:
    """The same, and with positive weights the coefficients that prove the lower bound."""
    units = Units.of(weight_set.kernel_size(family), machines)
    problem = Problem(
        family,
        [machine.rescaled(units.kernel, units.target) for machine in machines],
        replace(weight_set, total=weight_set.total / units.kernel),
        None if penalty is None else RescaledPenalty(penalty, units),
    )
    free = weight_set.free_sign and not family.psd_means_positive
    learn = _learn_free if free else _learn_positive
    outcome, n_solves = learn(problem, control, units)
    return solution_of(problem, outcome, n_solves, control.tol, units, free)


def _learn_positive(problem: Problem, control: Control, units: Units) -> tuple[Outcome, int]:
    family, stopping = problem.family, control.stopping
    objective, domain = problem.objective, problem.positive_domain
    large = family.n_labelled > LARGE and problem.penalty is None
    if large and problem.weight_set.start is None:
        domain.start, objective.n_solves = _coarse_start(problem, domain, stopping)
    tell = telling(stopping, units.step)
    newton = Newton(objective, domain, None, control.tol, control.max_iter, stopping, tell)
    return newton.run(), objective.n_solves


def _learn_free(problem: Problem, control: Control, units: Units) -> tuple[Outcome, int]:
    """Newton's method over all of K(w) ⪰ 0, from where positive weights have led it.

    Where matrices all but depend on one another, their weights are large and cancel. The search is
    then over orthonormal combinations of them, formed once in long double, and only its end is
    told in the matrices' own weights.
    """
    family, objective = problem.family, problem.objective
    first = _positive_start(problem, objective, control, units)
    domain = free_domain(family, problem.weight_set)
    if first.best is None:  # not even the even mixture has a value
        return Outcome(None, np.inf, Status.NO_SOLUTION, ()), objective.n_solves
    if problem.penalty is not None and domain.dropped.shape[1]:
        least = _least_quality(problem, first.best)
        domain = with_null_directions(domain, problem.penalty, first.best, least)
    transform, plain = None, domain
    if float((family.norms @ np.abs(domain.basis)).max()) > CANCELLING * trace_of(problem):
        combined, domain, transform = of_combinations(
            family, domain, problem.weight_set, first.best.weights
        )
        family = combined
    penalty = problem.penalty
    if penalty is not None and transform is not None:
        penalty = penalty.composed(transform)
    n_solves = objective.n_solves
    objective = MachineObjective(family, problem.machines, penalty, in_cone=True)
    objective.n_solves = n_solves
    given = None if transform is None else (problem.family, transform)
    cuts = PsdCuts(family, domain, given)
    tell = telling(control.stopping, units.step)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, control.stopping, tell)
    newton.start_from(first, same_family=transform is None)
    outcome = newton.run()
    if outcome.best is None:  # what has a value does not bear to be combined
        bound = lower_bound(first.best.plane, plain)
        outcome = Outcome(first.best, bound, Status.INACCURATE, outcome.history)
        transform = None
    outcome = replace(outcome, transform=transform, safe=first.best.weights)
    return outcome, objective.n_solves


def _least_quality(problem: Problem, best: Evaluation) -> float:
    """A bound on the machines' values at any kernel of the set: aᵀKa is at most ‖a‖² tr K."""
    assert isinstance(best, MachineEvaluation)
    pairs = zip(problem.machines, best.solutions, strict=True)
    linear = sum(machine.linear_value(s.coef) for machine, s in pairs)
    return linear - 0.5 * total_weight(best.solutions) * trace_of(problem)


def _positive_start(
    problem: Problem, objective: MachineObjective, control: Control, units: Units
) -> Newton:
    """A few steps with positive weights: they need no cuts, and end near where free ones do."""

    def translate(step: Step) -> Step:
        # The bound of positive weights says nothing of free ones.
        return replace(units.step(step), lower_bound=-np.inf)

    newton = Newton(
        objective,
        problem.positive_domain,
        None,
        POSITIVE_FIRST,
        min(20, control.max_iter),
        control.stopping,
        telling(control.stopping, translate),
    )
    newton.run()
    return newton


def _coarse_start(problem: Problem, domain: Domain, stopping: StoppingControl) -> tuple[Array, int]:
    """Coordinates learned from samples of the points, and how many machines that took.

    A larger sample leaves out the kernels that a smaller one has found to be far from any use.
    They have their say again when all points are looked at.
    """
    machines = problem.machines
    order = np.lexsort([machine.linear for machine in machines])
    start, near, n_solves = domain.start, np.arange(len(domain.start)), 0
    for size, tol, steps in COARSE:
        if 2 * size > len(order):
            continue
        rows = np.sort(order[np.linspace(0, len(order) - 1, size).astype(int)])
        sample, part = _sample(problem.family, rows, domain, near, start)
        objective = MachineObjective(sample, [machine.subset(rows) for machine in machines])
        newton = Newton(objective, part, None, tol, steps, stopping)
        best = newton.run().best
        n_solves += objective.n_solves
        if best is None:
            continue
        start = np.zeros(len(start))
        start[near] = inside(part, part.weights(newton.ahead()), problem.share_of_all)
        if isinstance(problem.family, GramStack):
            slopes = in_coordinates(best.plane, part)[0] / part.equality
            dear = slopes - slopes.min() > NEAR * abs(best.upper)
            near = near[(start[near] > 0.0) | ~dear]
    return start, n_solves


def _sample(
    family: Family, rows: NDArray[np.intp], domain: Domain, near: NDArray[np.intp], start: Array
) -> tuple[Family, Domain]:
    """Some points of a family, and where its weights may lie: of a stack, with few matrices."""
    if not isinstance(family, GramStack):
        return family.subset(rows), replace(domain, start=start)
    part, used = domain.part(near, start)
    return family.subset(rows, used), part
