"""Weights of kernels that are factors: a problem in units of one, solved, and scaled back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.families.matrices import GramStack
from kernlearn.families.weights import Domain, free_weights
from kernlearn.gram.landmarks import left_out
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.oracle import Objective, Penalty
from kernlearn.solvers.core.penalized import PenalizedObjective, without_penalty
from kernlearn.solvers.core.problem import Control, Proof, RescaledPenalty, Units, WeightSet
from kernlearn.solvers.core.solution import Solution, report_steps
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.least_squares import LeastSquaresEvaluation, LeastSquaresObjective
from kernlearn.solvers.nystroem.machines import FactorEvaluation, FactorObjective, extended_start
from kernlearn.solvers.nystroem.moments import Moments
from kernlearn.solvers.nystroem.proximal import FactorSolution
from kernlearn.solvers.nystroem.systems import DiagonalCurvature
from kernlearn.solvers.weights.feasible_weights import with_null_directions
from kernlearn.solvers.weights.newton import Newton, NewtonOutcome
from kernlearn.solvers.weights.psd_cuts import PsdCuts
from kernlearn.solvers.weights.search import CoarseSample, positive_start, search_on_sample
from kernlearn.typing import Array, Indices

COARSE_TOL = 1e-2  # relative gap on the sample that a first guess comes from


def learn_least_squares(
    moments: Moments,
    factors: Factors,
    ridge: float,
    weight_set: WeightSet,
    control: Control,
    triangles: tuple[Array, Array] | None = None,
    penalty: Penalty | None = None,
) -> LowRankSolution:
    """Minimise the value of the least-squares machines over the weights (inputs are checked).

    Weights of both signs have no penalty, and need the triangular factors of Z, and of ZᵀΘHZ.
    """
    assert weight_set.free_sign == (triangles is not None)
    G, B, s = moments.centred()
    spread = float(np.sqrt(s.max() / moments.mass))
    units = Units.near(weight_set.mean_diagonal(moments.traces[0], moments.mass), spread)
    objective = LeastSquaresObjective(
        G,
        B / units.target,
        s / units.target**2,
        factors.membership,
        ridge / units.kernel,
        None if triangles is None else triangles[1],
    )
    stand_in = None if triangles is None else factors.small_stack(triangles[0])
    whole = penalized(objective, penalty, units, weight_set)
    outcome = minimise(whole, weight_set, control, units, stand_in)
    best = without_penalty(outcome.best)
    if best is None:
        raise ValueError(
            f"expected 1/C to be more than the rounding of the kernels, got {ridge:.3g} beside "
            f"kernels of size {units.kernel:.3g}; pass a smaller C, or rescale the columns first, "
            "for example with sklearn.preprocessing.StandardScaler"
        )
    assert isinstance(best, LeastSquaresEvaluation)
    coef = best.coef * units.target
    intercept = moments.intercept(coef) - factors.shift @ coef
    traces = moments.traces
    found = unscale(
        outcome, objective.n_solves, units, traces, factors, coef, intercept, control.tol
    )
    return replace(found, proof=Proof.of(outcome.proof, units.target, 0.0))


def learn_machines(
    rows: FactorRows,
    machines: Sequence[Machine],
    traces: Array,
    weight_set: WeightSet,
    control: Control,
    near: Solution | None = None,
    coarse_rows: int = 2000,
    penalty: Penalty | None = None,
) -> LowRankSolution:
    """Minimise the value of machines over the weights, through factors (inputs are checked).

    Machines begin at those of a solution `near` by, of the same rows and any factors; else, of more
    than twice as many rows, at those of a sample of ``coarse_rows``.
    """
    units = Units.of(weight_set.mean_diagonal(traces[0], rows.n_rows), machines)
    scaled = [machine.rescaled(units.kernel, units.target) for machine in machines]
    triangle = rows.triangle() if weight_set.free_sign else None
    stand_in = None if triangle is None else rows.factors.small_stack(triangle)
    objective = FactorObjective(rows, scaled, triangle)
    if near is not None and near.dual_coef is not None:
        objective.start = _carried_over(near.dual_coef, near.intercept, rows, units)
    elif rows.n_rows > 2 * coarse_rows:
        weight_set = _coarse_start(objective, weight_set, control, units, coarse_rows, penalty)
    whole = penalized(objective, penalty, units, weight_set)
    outcome = minimise(whole, weight_set, control, units, stand_in)
    best = without_penalty(outcome.best)
    assert isinstance(best, FactorEvaluation)
    coef = np.column_stack([s.columns for s in best.solutions]) * units.target
    intercept = np.array([s.intercept for s in best.solutions]) * units.target
    dual = np.array([s.coef for s in best.solutions]) * units.coef
    found = unscale(
        outcome, objective.n_solves, units, traces, rows.factors, coef, intercept, control.tol
    )
    return replace(found, dual_coef=dual, proof=Proof.of(outcome.proof, units.coef, 0.0))


def _carried_over(
    dual_coef: Array, intercept: float | Array | None, rows: FactorRows, units: Units
) -> list[FactorSolution]:
    """Starts of the machines, in units of one."""
    coefs = np.atleast_2d(dual_coef) / units.coef
    intercepts = np.atleast_1d(np.asarray(intercept, dtype=float)) / units.target
    unknown = DiagonalCurvature(np.zeros(rows.n_rows)), 0.0, -np.inf, np.inf
    none = np.zeros(rows.n_columns)
    return [
        FactorSolution(coef, rows.transposed_times(coef), none, float(b), *unknown)
        for coef, b in zip(coefs, intercepts, strict=True)
    ]


def penalized(
    objective: Objective, penalty: Penalty | None, units: Units, weight_set: WeightSet
) -> Objective:
    """The objective with a penalty in the user's units, if there is one."""
    if penalty is None:
        return objective
    return PenalizedObjective(objective, RescaledPenalty(penalty, units), weight_set.normaliser)


def _coarse_start(
    objective: FactorObjective,
    weight_set: WeightSet,
    control: Control,
    units: Units,
    n_rows: int,
    penalty: Penalty | None,
) -> WeightSet:
    """Weights and functions learned from a sample of the rows, with which to begin on all."""
    machines, domain = objective.machines, weight_set.positive_domain(units.kernel)

    def objective_on(rows: Indices, sampled_machines: list[Machine]) -> tuple[Objective, Domain]:
        on_some = FactorObjective(objective.rows.subset(rows), sampled_machines)
        return penalized(on_some, penalty, units, weight_set), domain

    sample = CoarseSample(n_rows, COARSE_TOL, 20)
    newton = search_on_sample(objective_on, machines, sample, control.stopping)
    best = without_penalty(newton.best)
    objective.n_solves += newton.objective.n_solves
    if not isinstance(best, FactorEvaluation):
        return weight_set
    pairs = zip(machines, best.solutions, strict=True)
    objective.start = [extended_start(m, objective.rows, s) for m, s in pairs]
    return replace(weight_set, start=best.weights)


def minimise(
    objective: Objective,  # in units of one
    weight_set: WeightSet,  # in the user's units
    control: Control,  # when to stop
    units: Units,  # from the one to the other
    # Small matrices that are indefinite where K(w) is; None for positive weights
    stand_in: GramStack | None,
) -> NewtonOutcome:
    """Newton over the weights; those of both signs go on from where positive ones end."""
    total, normaliser = weight_set.total / units.kernel, weight_set.normaliser
    domain, stopping = weight_set.positive_domain(units.kernel), control.stopping
    report = report_steps(stopping, units.step, control.lower)
    if stand_in is None:
        return Newton(
            objective, domain, None, control.tol, control.max_iter, stopping, report
        ).run()
    first = positive_start(objective, domain, control, units)
    used = normaliser > 0
    length = total * float((stand_in.traces[used] / normaliser[used]).max())
    m = len(normaliser)
    N = stand_in.n_points
    domain = free_weights(stand_in.inner_products, normaliser, total, m, length, N)
    if weight_set.limits is not None:
        domain = with_null_directions(replace(domain, limits=weight_set.limits))
    cuts = PsdCuts(stand_in, domain)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, stopping, report)
    newton.start_from(first)
    return newton.run()


def unscale(
    outcome: NewtonOutcome,
    n_solves: int,
    units: Units,
    traces: Array,
    factors: Factors,
    coef: Array,
    intercept: Array,
    tol: float,
) -> LowRankSolution:
    """The outcome in the user's units, with the function that was learned."""
    best = outcome.best
    assert best is not None
    objective = best.upper * units.value
    bound = min(outcome.lower, best.upper) * units.value
    return LowRankSolution(
        weights=best.weights * units.kernel,
        objective=objective,
        lower_bound=bound,
        dual_coef=None,
        intercept=intercept,
        n_machine_solves=n_solves,
        status=certified_status(objective, bound, tol, outcome.ended),
        history=tuple(units.step(step) for step in outcome.history),
        factors=factors,
        coef=coef,
        residual_trace=np.array([left_out(*pair) for pair in traces.T]),
    )
