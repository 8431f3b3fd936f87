"""Where descents start: tied parameters on a coarse grid in λ and a common factor of θ, and all
parameters from the best direction, judged on few rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.numerics.rounding import first_least
from kernlearn.quality.held_out import LeaveOneOut
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.solvers.selection.column_starts import column_directions
from kernlearn.solvers.selection.objective import SelectionObjective
from kernlearn.typing import Array

# A start that was found by the targets of the rows it is judged on has an optimistic loss: only one
# with at most this share of what is known is descended from.
PROMISING = 0.8
# Rows that tell columns apart, and the least and the largest number on which these are judged.
_ROWS, _JUDGES = 4000, (100, 700)
# Factors of a direction.
_FACTORS = (0.25, 1.0, 4.0, 16.0)
# Valleys to descend into. The criterion often has one at the linear limit θ → 0, and another.
_VALLEYS = 2


def best_other_start(
    objective: SelectionObjective, known_lam: float, known: Array, lam: float | None
) -> Array | None:
    """A start z in which columns count differently, or None where the known λ and θ are better.

    Leave-one-out on few rows judges both. A `lam` is kept.
    """
    if not objective.kernel.per_column:
        return None
    X, Y, weight = _rows(objective, _ROWS)
    directions = column_directions(np.asarray(X, dtype=float), Y, weight)
    ridges = np.array(objective.options.ridges)
    n_judges = int(np.clip(len(objective.Y) // 2, *_JUDGES))
    judge = _Judge(objective.kernel, ridges, *_rows(objective, n_judges))
    best, start = judge.loss(known_lam, known)[0], None
    for theta in directions:
        for scale in _FACTORS:
            objective.stopping.check()
            loss, ridge = judge.loss(lam, scale * theta)
            if loss < best:
                best, start = loss, np.log(np.append(ridge, scale * theta))
    return start


@dataclass(frozen=True, eq=False)
class _Judge:
    """Leave-one-out on some rows, for all λ by one decomposition."""

    kernel: ParametricKernel
    ridges: Array  # In units of the mean eigenvalue of the centred K
    X: Array
    Y: Array
    weight: Array

    def loss(self, lam: float | None, theta: Array) -> tuple[float, float]:
        """The loss at λ, or at the best one if it is None, and λ; infinite without a machine."""
        try:
            K = self.kernel.matrix(self.X, None, theta)
            path = RidgePath.of(K, self.Y, self.weight)
        except BREAKDOWNS:  # the kernel overflows
            return np.inf, 1.0
        ridges = _mean_eigenvalue(K) * self.ridges if lam is None else np.array([lam])
        losses = [self.weight @ (path.residuals(ridge) ** 2).sum(axis=1) for ridge in ridges]
        best = first_least(losses)
        return float(losses[best]), float(ridges[best])


def _rows(objective: SelectionObjective, most: int) -> tuple[Array, Array, Array]:
    """Evenly spaced rows, their targets and weights."""
    rows = np.linspace(0, len(objective.Y) - 1, min(len(objective.Y), most)).astype(int)
    weight = objective.criterion.loss.weight
    return _safe_indexing(objective.X, rows), objective.Y[rows], weight[rows]


def grid_starts(objective: SelectionObjective, theta: Array, lam: float | None) -> list[Array]:
    """The best points z = (log λ, log cθ) of the valleys along c, the lowest first.

    A `lam` is kept. Without a machine at any point, the error of the kernel or of the factorisation
    is raised.
    """
    sample = sampled(objective, objective.options.grid_rows)
    scales = objective.options.scales if len(theta) else (1.0,)
    try:
        profile = [_best_ridge(sample, c * theta, lam) for c in scales]
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
    return _mean_eigenvalue(K) * np.array(objective.options.ridges)


def _mean_eigenvalue(K: Array) -> float:
    """That of the centred K, the unit of λ; not zero."""
    diagonal = float(K.diagonal().mean())
    return max(diagonal - float(K.mean()), 1e-6 * abs(diagonal), np.finfo(float).tiny)


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
        objective.options,
    )
