"""Descent of a selection criterion along some directions of (log λ, log θ)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.selection.objective import SelectionObjective
from kernlearn.typing import Array

# How far a descent may go. α grows as 1/λ, and predictions lose as many digits, so λ stays above
# this share of the mean diagonal of K; far beyond the others nothing depends on them any more.
_SMALLEST_RIDGE = 1e-8
_WIDEST_RIDGE = np.log(1e14)
_WIDEST_SCALE = np.log(1e8)
# What a point without a machine counts as, above the start; in logarithms, far beyond any loss.
_REFUSED = 100.0
# Steps that the curvature is taken from: an evaluation costs far more than keeping them.
_MEMORY = 30


@dataclass(frozen=True)
class DescentLimits:
    """When to stop: the largest slope of the logarithmic criterion, and the number of steps.

    `stopping` may end it before, and so does a step that lowers the criterion by less than
    `least_gain`, or by less than the tolerance can tell.
    """

    tol: float
    max_iter: int
    stopping: StoppingControl = field(default_factory=StoppingControl)
    least_gain: float = 0.0


@dataclass(frozen=True, eq=False)
class Stage:
    """Where a descent stands."""

    z: Array
    value: float
    status: Status


def descend(
    objective: SelectionObjective, start: Array, directions: Array, limits: DescentLimits
) -> Stage:
    """Minimise over u at z = start + directions @ u, by L-BFGS within wide bounds.

    Values are differences from the start: a unit of the targets adds a number to the logarithm,
    which the relative tolerance of L-BFGS must not see.
    """
    first = objective.value_and_gradient(start)
    if directions.shape[1] == 0 or not np.isfinite(first[0]):
        ended = Status.CONVERGED if np.isfinite(first[0]) else Status.STALLED
        return Stage(start, first[0], ended)
    smallest = _smallest_ridge(objective, start)
    result = minimize(
        _along(objective, start, directions, first, smallest),
        np.zeros(directions.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=_bounds(smallest, start, directions),
        options={
            "maxiter": limits.max_iter,
            "gtol": limits.tol,
            "ftol": max(1e-3 * limits.tol**2, limits.least_gain),
            "maxcor": _MEMORY,
        },
        callback=objective.count_step,
    )
    if not result.fun <= 0.0:
        return Stage(start, first[0], Status.STALLED)
    ends = {0: Status.CONVERGED, 1: Status.ITERATION_LIMIT}
    status = ends.get(int(result.status), Status.STALLED)
    return Stage(start + directions @ result.x, first[0] + float(result.fun), status)


def _smallest_ridge(objective: SelectionObjective, start: Array) -> float:
    """The logarithm of the λ below which predictions would lose their digits."""
    diagonal = float(objective.matrix(np.exp(start[1:])).diagonal().mean())
    smallest = np.log(max(_SMALLEST_RIDGE * diagonal, np.finfo(float).tiny))
    return float(min(smallest, start[0]))


def _bounds(smallest: float, start: Array, directions: Array) -> Array | None:
    """Bounds on u, where one direction at most moves λ."""
    moves_ridge = directions[0] != 0
    if moves_ridge.sum() > 1:
        return None
    lower = np.where(moves_ridge, smallest - start[0], -_WIDEST_SCALE)
    upper = np.where(moves_ridge, _WIDEST_RIDGE, _WIDEST_SCALE)
    return np.column_stack([lower, upper])


def _along(
    objective: SelectionObjective,
    start: Array,
    directions: Array,
    first: tuple[float, Array],
    smallest: float,
) -> Callable[[Array], tuple[float, Array]]:
    """What u adds to the value; a point without a machine is high and flat, so steps lead back."""

    def value_and_gradient(u: Array) -> tuple[float, Array]:
        value, gradient = first
        z = start + directions @ u
        if z[0] < smallest - 1e-9:  # where no bounds could say so
            return _REFUSED, np.zeros(len(u))
        if u.any():
            value, gradient = objective.value_and_gradient(z)
        return min(value - first[0], _REFUSED), gradient @ directions

    return value_and_gradient
