"""Weights of kernels that are factors: a problem in units of one, solved, and brought back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.factors import Factors
from kernlearn.families.stack import GramStack
from kernlearn.families.weights import free_weights, positive_weights
from kernlearn.gram.landmarks import left_out
from kernlearn.solvers.low_rank.least_squares import LeastSquaresEvaluation, LeastSquaresObjective
from kernlearn.solvers.low_rank.moments import Moments
from kernlearn.solvers.low_rank.solution import LowRankSolution
from kernlearn.solvers.newton import Newton, Outcome, Step
from kernlearn.solvers.oracle import Objective
from kernlearn.solvers.problem import Control, WeightSet, _inside, _without_crumbs
from kernlearn.solvers.psd_cuts import PsdCuts
from kernlearn.solvers.solution import relative_gap
from kernlearn.solvers.telling import telling

Array = NDArray[np.float64]

POSITIVE_FIRST = 1e-2  # relative gap of the positive weights that free ones start from


@dataclass(frozen=True)
class Units:
    """Sizes of the kernel and of the targets: K = κK̂, y = σŷ, so that V = (σ²/κ)V̂."""

    kernel: float
    target: float

    @classmethod
    def of(cls, traces: Array, weight_set: WeightSet, n_rows: float, target: float) -> Units:
        """The mean diagonal entry of K(w) if every kernel takes an equal share; any target."""
        used = weight_set.normaliser > 0
        kernel = weight_set.total * float(np.mean(traces[used] / weight_set.normaliser[used]))
        return cls(kernel / n_rows, target if target > 0 else 1.0)

    @property
    def value(self) -> float:
        """σ²/κ."""
        return self.target**2 / self.kernel

    def step(self, step: Step) -> Step:
        """A step in the user's units."""
        v = self.value
        return Step(step.n_machine_solves, step.objective * v, step.lower_bound * v)


def learn_least_squares(
    moments: Moments,
    factors: Factors,
    ridge: float,
    weight_set: WeightSet,
    control: Control,
    stretch: float = 1.0,
) -> LowRankSolution:
    """Minimise the value of the least-squares machines over the weights (inputs are checked).

    ``stretch`` is the largest sample weight.
    """
    G, B, s = moments.centred()
    spread = float(np.sqrt(s.max() / moments.mass))
    units = Units.of(moments.traces[0], weight_set, moments.mass, spread)
    objective = LeastSquaresObjective(
        G, B / units.target, s / units.target**2, factors.membership, ridge / units.kernel
    )
    stand_in = None
    if weight_set.free_sign:
        stand_in = factors.small_stack(moments.unshifted(factors.shift))
    outcome = minimise(objective, weight_set, control, units, stand_in, stretch)
    best = outcome.best
    assert isinstance(best, LeastSquaresEvaluation)
    coef = best.coef * units.target
    intercept = moments.intercept(coef) - factors.shift @ coef
    traces = moments.traces
    return brought_back(outcome, objective.n_solves, units, traces, factors, coef, intercept)


def minimise(
    objective: Objective,
    weight_set: WeightSet,
    control: Control,
    units: Units,
    stand_in: GramStack | None,
    stretch: float,
) -> Outcome:
    """Newton over the weights; those of both signs go on from where positive ones end.

    Parameters
    ----------
    objective : Objective
        In units of one.
    weight_set : WeightSet
        In the user's units.
    control : Control
        When to stop.
    units : Units
        From the one to the other.
    stand_in : GramStack or None
        Small matrices that are indefinite where K(w) is; None for positive weights.
    stretch : float
        How much longer they may be than K(w).
    """
    total, normaliser = weight_set.total / units.kernel, weight_set.normaliser
    domain = positive_weights(normaliser, total)
    patience = control.patience
    if weight_set.start is not None:
        domain.start = _inside(domain, weight_set.start)
    tell = telling(patience, units.step)
    if stand_in is None:
        return Newton(objective, domain, None, control.tol, control.max_iter, patience, tell).run()
    first = Newton(
        objective,
        domain,
        None,
        POSITIVE_FIRST,
        min(20, control.max_iter),
        patience,
        # The bound of positive weights says nothing of free ones.
        telling(patience, lambda step: replace(units.step(step), lower_bound=-np.inf)),
    )
    first.run()
    used = normaliser > 0
    length = stretch * total * float((stand_in.traces[used] / normaliser[used]).max())
    m = len(normaliser)
    domain = free_weights(stand_in.inner_products, normaliser, total, m, length)
    cuts = PsdCuts(stand_in, domain)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, patience, tell)
    newton.start_from(first)
    return newton.run()


def brought_back(
    outcome: Outcome,
    n_solves: int,
    units: Units,
    traces: Array,
    factors: Factors,
    coef: Array,
    intercept: Array,
) -> LowRankSolution:
    """The outcome in the user's units, with the function that was learned."""
    best = outcome.best
    assert best is not None
    objective = best.upper * units.value
    bound = min(outcome.lower, best.upper) * units.value
    return LowRankSolution(
        weights=_without_crumbs(best.weights * units.kernel, traces[0]),
        objective=objective,
        lower_bound=bound,
        gap=relative_gap(objective, bound, best.resolution * units.value),
        dual_coef=None,
        intercept=intercept,
        n_machine_solves=n_solves,
        status=outcome.status,
        history=tuple(units.step(step) for step in outcome.history),
        factors=factors,
        coef=coef,
        residual_trace=np.array([left_out(*pair) for pair in traces.T]),
    )
