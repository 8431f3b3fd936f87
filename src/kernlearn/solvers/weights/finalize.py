r"""Final solution of a search, certified at the very weights that are returned.

The weights are made feasible first and evaluated afterwards, so that the objective is that of the
weights returned. The bound allows for all uncertainty: the rounding of the primal value,
and the most negative eigenvalue −δ that is left in K(w), which by weak duality takes at most
:math:`2\delta\lVert a\rVert^2` off the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.matrices import GramStack, WithIdentity
from kernlearn.numerics.sums import EPS, blocked_product, rounding
from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.quality.multipliers import best_multipliers, stretch, tightened, value_noise
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.oracle import MachineEvaluation
from kernlearn.solvers.core.problem import Proof, Units, WeightProblem, WeightSet
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.machine.active_set import MachineSolution
from kernlearn.solvers.weights.feasible_weights import (
    lowest_eigenpair,
    pulled_into_cone,
    rescaled_to_total,
    without_negligible,
)
from kernlearn.solvers.weights.newton import NewtonOutcome
from kernlearn.solvers.weights.psd_cuts import PSD_TOLERANCE
from kernlearn.typing import Array, LongArray

LONG_EPS = float(np.finfo(np.longdouble).eps)  # that of a double, where there is nothing longer


@dataclass(frozen=True)
class PrecisionOptions:
    """Conditions for the use of long double."""

    largest: int = 500  # points: up to here, products in long double cost milliseconds
    known: float = 1e-9  # relative rounding of the objective that is not worth a second look
    share: float = 0.05  # of the tolerance: what rounding of the objective may take of it
    lost: float = 8.0  # from this ratio on between terms and their sum, the sum loses its digits


PRECISION = PrecisionOptions()


class PrimalValue(NamedTuple):
    """Primal value of one machine, a bound on its rounding, and the machine's function."""

    value: float
    noise: float
    coef: Array
    multipliers: Multipliers


@dataclass(frozen=True, eq=False)
class CombinedKernel:
    """K(w), and the size to which rounding is relative: its diagonal, without cancellation."""

    family: Family
    weights: Array
    K: Array
    diagonal: Array

    @classmethod
    def at(cls, family: Family, weights: Array, K: Array | None = None) -> CombinedKernel:
        """K(w) at these weights, or a matrix that is known to be it."""
        K = family.combine(weights) if K is None else K
        diagonal = np.abs(K.diagonal())
        if (weights < 0).any():
            # No more of the matrix; an entry may be below zero by its rounding.
            terms = np.abs(family.combine(np.abs(weights)).diagonal())
            if (terms > PRECISION.lost * diagonal).any():  # what cancels takes its digits along
                del K
                K = family.combine_exactly(weights).astype(float)
            else:
                diagonal = terms
        return cls(family, weights, K, diagonal)


def primal_value(
    combined: CombinedKernel, machine: Machine, solution: MachineSolution, tol: float
) -> PrimalValue:
    """The machine's function as it is returned, with its value and a bound on the rounding."""
    a, multipliers = solution.coef, _as_returned(solution.multipliers, machine)
    # Rounding in the entries of K is that of terms of size s sᵀ.
    K, sizes = combined.K, np.sqrt(combined.diagonal + machine.offset)
    off = 0.5 * (rounding(len(a)) + np.count_nonzero(combined.weights) * EPS)  # of one sum, not two
    f = blocked_product(a, K) + machine.offset * a.sum()
    candidates = [(a, tightened(machine, f, multipliers))]
    found = _roughly(f, sizes, off, machine, *candidates[0])
    longer = _stretched(f, sizes, off, machine, multipliers, found)
    if longer is not None:
        # Without a loss, the value is that of the function with margins of one, so return that.
        candidates = [longer] if machine.homogeneous else [*candidates, longer]
        f_longer = blocked_product(longer[0], K) + machine.offset * longer[0].sum()
        other = _roughly(f_longer, sizes, off, machine, *longer)
        found = other if machine.homogeneous or other.value < found.value else found
    enough = min(PRECISION.share * tol, PRECISION.known) * abs(found.value)
    if found.noise <= enough or len(a) > PRECISION.largest:
        return found
    if not machine.homogeneous:
        candidates.append((a, _as_returned(best_multipliers(machine, f), machine)))
    exact = combined.family.combine_exactly(combined.weights)
    off = (2.0 * len(a) + np.count_nonzero(combined.weights)) * LONG_EPS
    return min(
        (_exactly(exact, sizes, off, machine, *one) for one in candidates),
        key=lambda one: one.value,
    )


def _stretched(
    f: Array,
    sizes: Array,
    off: float,
    machine: Machine,
    multipliers: Multipliers,
    found: PrimalValue,
) -> tuple[Array, Multipliers] | None:
    """The function made longer until every margin is one, where that may be better."""
    size = stretch(machine, f, multipliers)
    if size is None:
        return None
    # A little more than asked for, so that no margin falls short of one by rounding.
    size *= 1.0 + 4.0 * float(_product_error(sizes, found.coef, off).max())
    norm = 0.5 * size**2 * float(found.coef @ f)
    if norm > found.value + found.noise and not machine.homogeneous:
        return None
    longer = machine.feasible(found.coef * size)
    return None if longer is None else (longer, Multipliers(multipliers.rows * size, 0.0))


def _roughly(
    f: Array, sizes: Array, off: float, machine: Machine, a: Array, multipliers: Multipliers
) -> PrimalValue:
    """The value of one function f = Ka in double precision."""
    value = machine.upper_value(a, f, multipliers, stretch=False)
    noise = value_noise(machine, a, f, multipliers, _product_error(sizes, a, off))
    return PrimalValue(value, noise, a, multipliers)


def _product_error(sizes: Array, a: Array, off: float) -> Array:
    """Bounds on the rounding of Ka: entries are at most as large as their diagonals allow.

    A sum over the points and one over the kernels are off by ``off`` of their terms.
    """
    return np.asarray(off * sizes * float(np.abs(a) @ sizes))


def _exactly(
    K: LongArray, sizes: Array, off: float, machine: Machine, a: Array, multipliers: Multipliers
) -> PrimalValue:
    """The value of one function in long double."""
    long: Any = a.astype(np.longdouble)
    f = K @ long + machine.offset * long.sum()
    multipliers = tightened(machine, f, multipliers)
    value = machine.upper_value(long, f, multipliers, stretch=False)
    # Long double has digits of its own to lose, in sums that cancel.
    steepest = np.abs(machine.breakpoints).max(axis=1)
    steepest = np.where(np.isfinite(steepest), steepest, np.abs(a))
    terms = np.abs(f) + np.abs(machine.rows.T @ multipliers.rows) + np.abs(machine.linear)
    lost = _product_error(sizes, a, off) + (len(a) + 8.0) * LONG_EPS * terms.astype(float)
    noise = 4 * EPS * abs(value) + float(np.maximum(steepest, np.abs(a)) @ lost)
    return PrimalValue(value, noise, a, multipliers)


def _as_returned(multipliers: Multipliers, machine: Machine) -> Multipliers:
    """With the intercept rounded as it is when a shift of the targets is added to it."""
    if not machine.shift:
        return multipliers
    rows = multipliers.rows.copy()
    rows[0] = (rows[0] + machine.shift) - machine.shift
    return Multipliers(rows, multipliers.budget)


def squared_norms(solutions: Sequence[MachineSolution]) -> float:
    """Σ‖a‖²: twice the change of the machines' values for a change of K by one."""
    return float(sum(s.coef @ s.coef for s in solutions))


@dataclass(frozen=True)
class FinalOptions:
    """Cost that feasible and tidy weights may have."""

    exact: float = 1e-9  # relative accuracy of machines that are solved once more
    negligible: float = 1e-9  # objective that the removal of negligible weights may cost
    # Shares of the tolerance: what weights may cost that were moved into the cone, and what a
    # negative part of the kernel may take where they would cost more.
    worth: float = 0.25
    unseen: float = 0.05
    indefinite: float = 1e-9  # of the mean diagonal: no more negative eigenvalue is returned


OPTIONS = FinalOptions()


def certified_solution(
    problem: WeightProblem,
    outcome: NewtonOutcome,
    n_solves: int,
    tol: float,
    units: Units,
    free: bool,
) -> tuple[Solution, Proof | None]:
    """The outcome in the user's units with its certificate, and the proof of the bound."""
    family = problem.family
    learns_C = isinstance(family, WithIdentity)
    m = family.n_matrices - learns_C
    if outcome.best is None:
        nan = float("nan")
        return Solution(np.full(m, nan), nan, nan, None, None, n_solves, outcome.ended), None
    best = outcome.best
    assert isinstance(best, MachineEvaluation)
    returned = _final_weights(problem, outcome, best, free, tol)
    weights, solutions = returned.weights, returned.solutions
    combined = CombinedKernel.at(family, weights, returned.K)
    values = [
        primal_value(combined, machine, solution, tol)
        for machine, solution in zip(problem.machines, solutions, strict=True)
    ]
    value = sum(found.value for found in values)
    if problem.penalty is not None:
        value += problem.penalty.value(weights)
    unknown = sum(found.noise for found in values)
    weight = squared_norms(solutions)
    if weight > 0.0:  # the zero function does not see the kernel
        unknown += 2.0 * returned.indefinite * weight
    # Large weights that cancel miss the total by their rounding.
    weight_set, exact = problem.weight_set, weights.astype(np.longdouble)
    missed = abs(float((exact @ weight_set.normaliser) / weight_set.total - 1.0))
    unknown += missed * sum(float(s.coef @ s.K_coef) for s in solutions)
    objective = value * units.value
    bound = min(outcome.lower - unknown, value) * units.value
    coefs = np.array([found.coef for found in values]) * units.coef
    pairs = zip(values, problem.machines, strict=True)
    intercepts = units.target * np.array([_intercept(found, machine) for found, machine in pairs])
    single = len(solutions) == 1
    weights = weights * units.kernel
    tau = float(weights[-1]) if learns_C else 0.0
    solution = Solution(
        weights=weights[:m],
        objective=objective,
        lower_bound=bound,
        dual_coef=coefs[0] if single else coefs,
        intercept=float(intercepts[0]) if single else intercepts,
        n_machine_solves=n_solves + returned.n_solves,
        status=certified_status(objective, bound, tol, outcome.ended),
        learned_C=None if not learns_C else 1.0 / tau if tau > 0 else np.inf,
        negative_eigenvalue=-returned.indefinite * units.kernel,
        history=tuple(units.step(step) for step in outcome.history),
    )
    return solution, Proof.of(outcome.proof, units.coef, unknown * units.value)


@dataclass(frozen=True, eq=False)
class _FinalWeights:
    """Weights as they are returned, the machines at them, how indefinite K(w) is, K(w) if known."""

    weights: Array
    solutions: Sequence[MachineSolution]
    indefinite: float
    n_solves: int
    K: Array | None = None


def _final_weights(
    problem: WeightProblem, outcome: NewtonOutcome, best: MachineEvaluation, free: bool, tol: float
) -> _FinalWeights:
    weight_set, family, cone = problem.weight_set, problem.family, problem.cone
    weights = best.weights
    if not free:
        K = family.combine(weights) if best.kernel is None else best.kernel
        known = isinstance(family, GramStack) and family.is_psd(weights, K)
        lowest = 0.0 if known else lowest_eigenpair(K)[0]
        return _FinalWeights(weights, best.solutions, -lowest, 0, K)
    if outcome.transform is not None:
        weights = outcome.transform @ weights
    all_of_them = (
        _without_negligible(weights, weight_set, family),
        weights,
        outcome.safe,
        problem.even,
    )
    inside = (weight_set.moved_within(one, problem.even) for one in all_of_them if one is not None)
    candidates = [one for one in inside if weight_set.allows(one)]
    unseen = OPTIONS.unseen * tol * abs(best.upper) / max(squared_norms(best.solutions), 1e-300)
    enough = best.upper + OPTIONS.worth * tol * abs(best.upper)
    found, n_solves = None, 0
    for candidate in candidates:
        candidate = rescaled_to_total(candidate, weight_set.normaliser, weight_set.total)
        size = _own_trace(family, candidate) / family.n_points
        # Into the cone to rounding; where that costs too much, as far as the tolerance asks for.
        for allowed in (0.0, min(unseen, PSD_TOLERANCE * size)):
            moved, lowest = pulled_into_cone(cone, candidate, problem.even, allowed)
            if moved is not candidate:
                moved = rescaled_to_total(moved, weight_set.normaliser, weight_set.total)
                lowest = lowest_eigenpair(cone.combine(moved, labelled_only=False))[0]
            indefinite = -lowest
            if indefinite > OPTIONS.indefinite * size:
                continue
            objective = problem.objective
            same = outcome.transform is None and np.array_equal(moved, best.weights)
            evaluation = best if same else objective.evaluate(moved, best, OPTIONS.exact)
            n_solves += objective.n_solves
            if evaluation is None:
                continue
            if found is None or evaluation.upper < found[1].upper:
                found = moved, evaluation, indefinite
            if evaluation.upper <= enough:
                break
        if found is not None and found[1].upper <= best.upper + OPTIONS.negligible * abs(
            best.upper
        ):
            break
    if found is None:
        objective = problem.objective
        evaluation = objective.evaluate(problem.even, best, OPTIONS.exact)
        solutions = best.solutions if evaluation is None else evaluation.solutions
        return _FinalWeights(problem.even, solutions, np.inf, n_solves + objective.n_solves)
    return _FinalWeights(found[0], found[1].solutions, found[2], n_solves)


def _own_trace(family: Family, weights: Array) -> float:
    """The trace of K(w), without the learned identity."""
    own = slice(0, family.n_matrices - isinstance(family, WithIdentity))
    return abs(float(weights[own] @ family.traces[own]))


def _without_negligible(weights: Array, weight_set: WeightSet, family: Family) -> Array:
    """The weights without those that are rounding both of the total and of the trace."""
    if isinstance(family, WithIdentity) and _own_trace(family, weights) < OPTIONS.negligible * abs(
        weights[-1] * family.traces[-1]
    ):
        return np.where(np.arange(len(weights)) == len(weights) - 1, weights, 0.0)
    of_total = weights * weight_set.normaliser / weight_set.total
    trace = float(weights @ family.traces)
    if trace == 0.0:  # terms that cancel to the last digit
        return weights
    of_trace = weights * family.traces / trace
    return without_negligible(weights, np.where(abs(of_total) > abs(of_trace), of_total, of_trace))


def _intercept(found: PrimalValue, machine: Machine) -> float:
    """The multiplier of 1ᵀa, or the value of a regularised intercept."""
    if len(machine.rows) == 0:
        return machine.offset * float(found.coef.sum())
    return float(found.multipliers.rows[0]) + machine.shift
