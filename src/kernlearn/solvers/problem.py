"""A stated problem, brought to units of one, solved, brought back and certified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn._patience import Patience
from kernlearn.families.base import Family
from kernlearn.families.identity import WithIdentity
from kernlearn.families.weights import (
    ORTHONORMAL,
    Domain,
    even_weights,
    free_weights,
    positive_weights,
)
from kernlearn.quality.machine import Array, Machine
from kernlearn.solvers.active_set import MachineSolution
from kernlearn.solvers.certificate import certified_status, lower_bound
from kernlearn.solvers.newton import Newton, Outcome
from kernlearn.solvers.null_directions import with_null_directions
from kernlearn.solvers.oracle import (
    EPS,
    Evaluation,
    MachineEvaluation,
    MachineObjective,
    Penalty,
    Plane,
)
from kernlearn.solvers.psd_cuts import PsdCuts
from kernlearn.solvers.settled import (
    Combined,
    Settled,
    into_the_cone,
    lowest_eigenpair,
    settled_machine,
    total_weight,
    with_total,
    without_crumbs,
)
from kernlearn.solvers.solution import Solution, Step, relative_gap
from kernlearn.solvers.status import Status
from kernlearn.solvers.telling import telling
from kernlearn.solvers.units import RescaledPenalty, Units

POSITIVE_FIRST = 1e-2  # relative gap of the positive weights that free ones start from
# From this size on, first guesses from samples of so many points save more than they cost, if
# they are found to these relative gaps.
LARGE = 1000
COARSE = ((300, 3e-2), (900, 3e-3))
# Share of the usual start in any other one.
TRACE = 1e-3
# Part of the trace below which an identity to be learned starts with as much as all the others.
SEEN = 1e-6
EXACT = 1e-9
# Objective that the removal of crumbs of weight may cost, relative to it.
CRUMBS = 1e-9
# Of the mean diagonal entry: no kernel with a more negative eigenvalue is returned.
INDEFINITE = 1e-9
# Matrices whose weights may be this much larger than their sum are combined once and for all.
CANCELLING = 1e3


@dataclass(frozen=True)
class Control:
    """When to stop, and whom to tell.

    Parameters
    ----------
    tol : float
        Relative duality gap to reach.
    max_iter : int
        Limit on evaluations of the objective.
    patience : Patience
        Told of each of them; may end it early.
    """

    tol: float = 1e-6
    max_iter: int = 200
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, eq=False)
class WeightSet:
    """Which weights are allowed: Σ wᵢrᵢ = total, and their sign.

    Parameters
    ----------
    normaliser : ndarray of shape (m,)
        The rᵢ.
    total : float
        The c.
    free_sign : bool
        K(w) ⪰ 0 instead of w ≥ 0.
    start : ndarray of shape (m,), optional
        Weights to begin near, in any scale; those below zero count as zero.
    least : ndarray of shape (m,), optional
        The shares of the total that positive weights have at least.
    """

    normaliser: Array
    total: float
    free_sign: bool
    start: Array | None = None
    least: Array | None = None

    def kernel_size(self, family: Family) -> float:
        """Mean diagonal entry that K(w) has if every matrix takes an equal share."""
        used = self.normaliser > 0
        ratios = family.traces[used] / self.normaliser[used]
        return float(self.total * np.mean(ratios)) / family.n_points


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
    problem = _Problem(
        family,
        [machine.rescaled(units.kernel, units.target) for machine in machines],
        replace(weight_set, total=weight_set.total / units.kernel),
        None if penalty is None else RescaledPenalty(penalty, units),
    )
    free = weight_set.free_sign and not family.psd_means_positive
    learn = _learn_free if free else _learn_positive
    outcome, n_solves = learn(problem, control, units)
    return _solution(problem, outcome, n_solves, control.tol, units, free)


@dataclass(frozen=True, eq=False)
class Proof:
    """Coefficients whose planes together make the lower bound.

    Attributes
    ----------
    shares : ndarray of shape (s,)
        Of one.
    coefs : ndarray of shape (s, k, n)
        Feasible dual coefficients of the k machines.
    rounding : float
        What is not known of the objective, and taken off the bound.
    """

    shares: Array
    coefs: Array
    rounding: float

    @classmethod
    def of(cls, plane: Plane | None, unit: float, rounding: float) -> Proof | None:
        """What a bound is proved by, in the user's units of the coefficients."""
        if plane is None or not plane.coefs:
            return None
        shares = np.array([share for share, _ in plane.coefs])
        return cls(shares, np.array([parts for _, parts in plane.coefs]) * unit, rounding)


@dataclass(frozen=True, eq=False)
class _Problem:
    """What is to be solved, in the solver's units."""

    family: Family
    machines: Sequence[Machine]
    weight_set: WeightSet
    penalty: RescaledPenalty | None

    @property
    def objective(self) -> MachineObjective:
        return MachineObjective(self.family, self.machines, self.penalty)

    @property
    def positive_domain(self) -> Domain:
        given = self.weight_set
        domain = positive_weights(given.normaliser, given.total, self.family.traces, given.least)
        if isinstance(self.family, WithIdentity):
            domain.start = _seen_identity(domain, self.family.traces)
        if given.start is not None:
            domain.start = inside(domain, given.start)
        return domain

    @property
    def even(self) -> Array:
        return even_weights(self.weight_set.normaliser, self.weight_set.total)


def _learn_positive(problem: _Problem, control: Control, units: Units) -> tuple[Outcome, int]:
    family, patience = problem.family, control.patience
    objective, domain = problem.objective, problem.positive_domain
    large = family.n_labelled > LARGE and problem.penalty is None
    if large and problem.weight_set.start is None:
        domain.start, objective.n_solves = _coarse_start(problem, domain, patience)
    tell = telling(patience, units.step)
    newton = Newton(objective, domain, None, control.tol, control.max_iter, patience, tell)
    return newton.run(), objective.n_solves


def _learn_free(problem: _Problem, control: Control, units: Units) -> tuple[Outcome, int]:
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
    if float((family.norms @ np.abs(domain.basis)).max()) > CANCELLING * _trace(problem):
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
    tell = telling(control.patience, units.step)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, control.patience, tell)
    newton.start_from(first, same_family=transform is None)
    outcome = newton.run()
    if outcome.best is None:  # what has a value does not bear to be combined
        bound = lower_bound(first.best.plane, plain)
        outcome = Outcome(first.best, bound, Status.INACCURATE, outcome.history)
        transform = None
    outcome = replace(outcome, transform=transform, safe=first.best.weights)
    return outcome, objective.n_solves


def _least_quality(problem: _Problem, best: Evaluation) -> float:
    """A bound on the machines' values at any kernel of the set: aᵀKa is at most ‖a‖² tr K."""
    assert isinstance(best, MachineEvaluation)
    pairs = zip(problem.machines, best.solutions, strict=True)
    linear = sum(machine.linear_value(s.coef) for machine, s in pairs)
    return linear - 0.5 * total_weight(best.solutions) * _trace(problem)


def _trace(problem: _Problem) -> float:
    """The trace that every K(w) of the set has."""
    return float(problem.even @ problem.family.traces)


def free_domain(family: Family, weight_set: WeightSet) -> Domain:
    """Where weights of either sign may lie."""
    n_signed = family.n_matrices - isinstance(family, WithIdentity)
    r, total = weight_set.normaliser, weight_set.total
    # K ⪰ 0 and tr K = c bound the length; with Σwᵢ fixed, equal traces fix tr K as well.
    length = total * float(family.traces.max() / r[family.traces.argmax()])
    return free_weights(family.inner_products, r, total, n_signed, length, family.n_points)


def orthonormal_family(
    family: Family, weight_set: WeightSet, start: Array | None = None
) -> tuple[Family, Domain, Array]:
    """Orthonormal combinations of the matrices at a trace of one, from even weights on.

    Or from others, in any scale. The domain of their weights comes with them, and what they are
    combined by.
    """
    even = even_weights(weight_set.normaliser, 1.0)
    trace = float(even @ family.traces)
    unit = replace(weight_set, total=1.0 / trace)
    start = even if start is None else start
    start = start / float(start @ family.traces)
    return of_combinations(family, free_domain(family, unit), unit, start)


def of_combinations(
    family: Family, domain: Domain, weight_set: WeightSet, start: Array
) -> tuple[Family, Domain, Array]:
    """The family of orthonormal combinations, its domain, and what they are combined by.

    Parameters
    ----------
    family : Family
        The matrices.
    domain : Domain
        Free signs of their weights.
    weight_set : WeightSet
        The constraint on them.
    start : ndarray of shape (m,)
        Weights to start from.
    """
    extra = isinstance(family, WithIdentity)  # the identity stays as it is
    transform, basis = domain.basis.copy(), np.eye(domain.basis.shape[1])
    if extra:
        basis[-1, -1] = transform[-1, -1]
        transform[-1, -1] = 1.0
    combined = family.combined(transform)
    # Rounding of large weights keeps combinations from being exactly orthonormal.
    S = combined.inner_products(basis)
    n_ball = domain.n_ball
    lengths = np.linalg.eigvalsh(S[:n_ball, :n_ball])
    length = float(np.sqrt(np.trace(S[:n_ball, :n_ball]) / n_ball))
    radius = (1.0 + ORTHONORMAL) * length / float(np.sqrt(max(lengths[0], 1e-300)))
    # Traces are rounded, and their rounding is multiplied by large weights.
    sizes = family.norms @ np.abs(transform)
    radius *= 1.0 + 4 * EPS * float(sizes.max()) / length
    # Long double has digits of its own to lose.
    lost = float(np.finfo(np.longdouble).eps) * float(np.linalg.norm(sizes[:n_ball]))
    loose = domain.loose + 2.0 * family.n_matrices * radius * lost
    exact = transform.astype(np.longdouble)
    equality = np.asarray((exact.T @ weight_set.normaliser) / weight_set.total).astype(float)
    equality[n_ball:] = 0.0  # of directions that change no kernel
    x = np.zeros(len(basis))
    signed = slice(0, n_ball - extra)
    K = family.combine(start, labelled_only=False)
    x[signed] = np.linalg.solve(S[signed, signed], combined.products(K)[signed])
    if extra:
        x[-1] = start[-1] / basis[-1, -1]
    if extra:
        equality[-1] *= basis[-1, -1]
    if n_ball < len(x):  # what only a penalty sees
        rest = (start - transform[:, :n_ball] @ x[:n_ball]) * family.norms
        null = transform[:, n_ball:] * family.norms[:, None]
        x[n_ball:] = np.linalg.lstsq(null, rest, rcond=None)[0]
    x[:n_ball] /= float(equality @ x)
    recast = replace(domain, basis=basis, radius=radius, start=x, equality=equality, loose=loose)
    return combined, recast, transform


def _positive_start(
    problem: _Problem, objective: MachineObjective, control: Control, units: Units
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
        control.patience,
        telling(control.patience, translate),
    )
    newton.run()
    return newton


def _seen_identity(domain: Domain, traces: Array) -> Array:
    """A start where large kernels do not hide the identity, by which all points are separated."""
    terms = traces * domain.weights(domain.start)
    if float(terms[-1]) > SEEN * float(terms.sum()):
        return domain.start
    corner = np.zeros(len(domain.start))
    corner[-1] = domain.high[-1]
    alone = float(traces[-1] * domain.weights(corner)[-1])
    share = alone / (alone + float(terms[:-1].sum()))
    return (1.0 - share) * corner + share * domain.start


def _coarse_start(problem: _Problem, domain: Domain, patience: Patience) -> tuple[Array, int]:
    """Weights learned from samples of the points, and how many machines that took."""
    family, machines = problem.family, problem.machines
    samples = []
    # Each is taken from the next larger one, which lies closer together in memory.
    for size, tol in reversed(COARSE):
        if 2 * size > machines[0].n_points:
            continue
        order = np.lexsort([machine.linear for machine in machines])
        rows = np.sort(order[np.linspace(0, len(order) - 1, size).astype(int)])
        family, machines = family.subset(rows), [machine.subset(rows) for machine in machines]
        samples.append((family, machines, tol))
    n_solves, usual, domain = 0, domain, replace(domain)
    for family, machines, tol in reversed(samples):
        objective = MachineObjective(family, machines)
        outcome = Newton(objective, domain, None, tol, 20, patience).run()
        n_solves += objective.n_solves
        if outcome.best is not None:
            domain.start = inside(usual, outcome.best.weights)
    return domain.start, n_solves


def inside(domain: Domain, weights: Array) -> Array:
    """The point of a set of positive weights that is nearest to these in direction.

    A trace of the usual start keeps it where every machine has a value that has one anywhere.
    """
    x = np.maximum(domain.coordinates(weights), 0.0)
    size = float(domain.equality @ x)
    return domain.start if size == 0.0 else (1.0 - TRACE) * x / size + TRACE * domain.start


def _solution(
    problem: _Problem, outcome: Outcome, n_solves: int, tol: float, units: Units, free: bool
) -> tuple[Solution, Proof | None]:
    family = problem.family
    learns_C = isinstance(family, WithIdentity)
    m = family.n_matrices - learns_C
    if outcome.best is None:
        nan = float("nan")
        return Solution(np.full(m, nan), nan, nan, nan, None, None, n_solves, outcome.ended), None
    best = outcome.best
    assert isinstance(best, MachineEvaluation)
    returned = _returned(problem, outcome, best, free)
    weights, solutions = returned.weights, returned.solutions
    combined = Combined.at(family, weights, returned.K)
    settled = [
        settled_machine(combined, machine, solution, tol)
        for machine, solution in zip(problem.machines, solutions, strict=True)
    ]
    value = sum(found.value for found in settled)
    if problem.penalty is not None:
        value += problem.penalty.value(weights)
    unknown = sum(found.noise for found in settled)
    weight = total_weight(solutions)
    if weight > 0.0:  # the zero function does not see the kernel
        unknown += 2.0 * returned.indefinite * weight
    unknown += _missed_total(problem, weights) * sum(float(s.coef @ s.K_coef) for s in solutions)
    objective = value * units.value
    bound = min(outcome.lower - unknown, value) * units.value
    coefs = np.array([found.coef for found in settled]) * units.coef
    pairs = zip(settled, problem.machines, strict=True)
    intercepts = np.array([_intercept(found, machine) for found, machine in pairs])
    intercepts = intercepts * units.target
    single = len(solutions) == 1
    weights = weights * units.kernel
    learned_C = None
    if learns_C:
        learned_C = 1.0 / float(weights[-1]) if weights[-1] > 0 else np.inf
    solution = Solution(
        weights=weights[:m],
        objective=objective,
        lower_bound=bound,
        gap=relative_gap(objective, bound),
        dual_coef=coefs[0] if single else coefs,
        intercept=float(intercepts[0]) if single else intercepts,
        n_machine_solves=n_solves + returned.n_solves,
        status=certified_status(objective, bound, tol, outcome.ended),
        learned_C=learned_C,
        negative_eigenvalue=-returned.indefinite * units.kernel,
        history=tuple(units.step(step) for step in outcome.history),
    )
    return solution, Proof.of(outcome.proof, units.coef, unknown * units.value)


def _missed_total(problem: _Problem, weights: Array) -> float:
    """How far large weights that cancel are from the total for their rounding, relative to it."""
    given = problem.weight_set
    return abs(float((weights.astype(np.longdouble) @ given.normaliser) / given.total - 1.0))


@dataclass(frozen=True, eq=False)
class _Returned:
    """Weights as they are returned, the machines at them, how indefinite K(w) is, K(w) if known."""

    weights: Array
    solutions: Sequence[MachineSolution]
    indefinite: float
    n_solves: int
    K: Array | None = None


def _returned(
    problem: _Problem, outcome: Outcome, best: MachineEvaluation, free: bool
) -> _Returned:
    given, family = problem.weight_set, problem.family
    weights = best.weights
    if not free:
        K = family.combine(weights) if best.kernel is None else best.kernel
        return _Returned(weights, best.solutions, -lowest_eigenpair(K)[0], 0, K)
    if outcome.transform is not None:
        weights = outcome.transform @ weights
    candidates = [_tidied(weights, given, family), weights, outcome.safe, problem.even]
    found, n_solves = None, 0
    for candidate in candidates:
        if candidate is None:
            continue
        candidate = with_total(candidate, given.normaliser, given.total)
        size = _own_trace(family, candidate) / family.n_points
        moved = into_the_cone(family, candidate, problem.even)
        if moved is not candidate:
            moved = with_total(moved, given.normaliser, given.total)
        indefinite = -lowest_eigenpair(family.combine(moved, labelled_only=False))[0]
        if indefinite > INDEFINITE * size:
            continue
        objective = problem.objective
        same = outcome.transform is None and np.array_equal(moved, best.weights)
        evaluation = best if same else objective.evaluate(moved, best, EXACT)
        n_solves += objective.n_solves
        if evaluation is None:
            continue
        if found is None or evaluation.upper < found[1].upper:
            found = moved, evaluation, indefinite
        if evaluation.upper <= best.upper + CRUMBS * abs(best.upper):
            break
    if found is None:
        objective = problem.objective
        evaluation = objective.evaluate(problem.even, best, EXACT)
        solutions = best.solutions if evaluation is None else evaluation.solutions
        return _Returned(problem.even, solutions, np.inf, n_solves + objective.n_solves)
    return _Returned(found[0], found[1].solutions, found[2], n_solves)


def _own_trace(family: Family, weights: Array) -> float:
    """The trace of K(w), without what is learned of an identity."""
    own = slice(0, family.n_matrices - isinstance(family, WithIdentity))
    return abs(float(weights[own] @ family.traces[own]))


def _tidied(weights: Array, given: WeightSet, family: Family) -> Array:
    """The weights without what is rounding both of the total and of the trace."""
    if isinstance(family, WithIdentity) and _own_trace(family, weights) < CRUMBS * abs(
        weights[-1] * family.traces[-1]
    ):
        return np.where(np.arange(len(weights)) == len(weights) - 1, weights, 0.0)
    of_total = weights * given.normaliser / given.total
    trace = float(weights @ family.traces)
    if trace == 0.0:  # terms that cancel to the last digit
        return weights
    of_trace = weights * family.traces / trace
    return without_crumbs(weights, np.where(abs(of_total) > abs(of_trace), of_total, of_trace))


def _intercept(found: Settled, machine: Machine) -> float:
    """The multiplier of 1ᵀa, or what a regularised intercept comes to."""
    if len(machine.rows) == 0:
        return machine.offset * float(found.coef.sum())
    return float(found.multipliers.rows[0]) + machine.shift
