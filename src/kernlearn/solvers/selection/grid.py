"""A coarse grid in λ and a common factor of θ: where the descent of a criterion starts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.numerics.rounding import first_least
from kernlearn.quality.held_out import LeaveOneOut
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.solvers.selection.objective import SelectionObjective
from kernlearn.typing import Array

# λ in units of the mean eigenvalue of the centred K, θ in units of the family's start. The largest
# λ first: of values that are all the same it is the safest.
_RIDGES = 10.0 ** np.arange(1, -5, -1)
_SCALES = 5.0 ** np.arange(-3, 3)
# Enough points to choose a start; the descent sees more of them.
_POINTS = 300
# Valleys to descend into. The criterion often has one at the linear limit θ → 0, and another.
_VALLEYS = 2


def grid_starts(objective: SelectionObjective, theta: Array, lam: float | None) -> list[Array]:
    """The best points z = (log λ, log cθ) of the valleys along c, the lowest first.

    A `lam` is kept. Without a machine at any point, the error of the kernel or of the factorisation
    is raised.
    """
    sample = sampled(objective, _POINTS)
    try:
        profile = [_best_ridge(sample, c * theta, lam) for c in (_SCALES if len(theta) else [1.0])]
    finally:
        objective.best.fall_back_on(sample.best.z)
    if sample is not objective:
        objective.n_evaluations += sample.n_evaluations
    values = np.array([np.inf, *(value for value, _ in profile), np.inf])
    is_valley = (values[1:-1] <= values[:-2]) & (values[1:-1] <= values[2:])
    valleys = np.flatnonzero(is_valley & np.isfinite(values[1:-1]))
    if len(valleys) == 0:
        sample.machine(np.log(np.append(1.0 if lam is None else lam, theta)))
        raise np.linalg.LinAlgError("no machine can be trained with this kernel")
    lowest = valleys[np.argsort(values[1:-1][valleys], kind="stable")[:_VALLEYS]]
    return [profile[i][1] for i in lowest]


def _best_ridge(
    objective: SelectionObjective, theta: Array, lam: float | None
) -> tuple[float, Array]:
    """The lowest value over λ for one kernel, and where it is."""
    points = [np.log(np.append(ridge, theta)) for ridge in _ridges(objective, theta, lam)]
    values = objective.values_along(points)
    if not values:
        return np.inf, np.empty(0)
    best = first_least(values)
    return values[best], points[best]


def _ridges(objective: SelectionObjective, theta: Array, lam: float | None) -> Array:
    """The λ to try with one kernel; none where the kernel refuses the data."""
    if lam is not None:
        return np.array([lam])
    try:
        K = objective.matrix(theta)
    except BREAKDOWNS:
        return np.empty(0)
    diagonal = float(K.diagonal().mean())
    unit = max(diagonal - float(K.mean()), 1e-6 * abs(diagonal), np.finfo(float).tiny)
    return np.asarray(unit * _RIDGES)


def sampled(objective: SelectionObjective, n_points: int) -> SelectionObjective:
    """Leave-one-out on evenly spaced rows, where there are more than enough."""
    n = len(objective.Y)
    rows = np.linspace(0, n - 1, n_points).astype(int)
    # Such a sample may miss a rare class.
    if n <= n_points or (np.ptp(objective.Y[rows], axis=0) == 0).any():
        return objective
    loss = LeaveOneOut(objective.criterion.loss.weight[rows])
    return SelectionObjective(
        objective.kernel,
        _safe_indexing(objective.X, rows),
        objective.Y[rows],
        replace(objective.criterion, loss=loss),
        objective.stopping,
        objective.ask,
    )
