r"""Choose λ and the kernel parameters θ of an LS-SVM by descent on a selection criterion.

The variables are z = (log λ, log θ), so that nothing need be kept positive. Two descents:

1. tied: θ = cθ⁰ along one direction, from the best points of a coarse grid in (λ, c). With
   θ⁰ = 1 and an ARD kernel this is model selection for the RBF kernel. With many rows, a descent on
   a sample of them comes first.
2. free: all parameters, from there. Section 2.2 of Cawley and Talbot (2014) advises that start,
   because the criterion has many local minima in θ and few along the direction. If few of many
   columns matter, equal scales predict nothing, and no descent from there improves. So a second
   descent starts where columns count differently (:mod:`kernlearn.solvers.selection.column_starts`)
   if the loss there is clearly below that at the end of the first.

So the criterion of an ARD kernel is never above that of the RBF kernel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.numerics.rounding import first_least, usual_weight
from kernlearn.quality.held_out import SelectionCriterion
from kernlearn.quality.ls_svm import MachineFit
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped
from kernlearn.solvers.selection.column_starts import column_directions
from kernlearn.solvers.selection.objective import (
    DescentLimits,
    Evaluator,
    SelectionObjective,
    SelectionOptions,
    Stage,
    descend,
)
from kernlearn.typing import Array

# With θ below this share of its start, a Gaussian kernel is linear on the data to 0.1 per cent.
_LINEAR = 1e-3
# Parameters within this factor of one another count as equal.
_ALIKE = 2.0
_STEP = 0.1  # of logarithms
_FLAT = 1e-2


@dataclass(frozen=True, eq=False)
class Selection:
    """The result of model selection."""

    lam: float  # λ as it was used, raised where it would be lost in the rounding of K
    theta: Array  # θ, of shape (p,)
    fit: MachineFit  # The machine trained with them
    objective: float  # The criterion there
    n_iter: int  # Steps taken, and machines trained on the way
    n_evaluations: int
    status: Status  # Status of the ended fit


def select(
    kernel: ParametricKernel,
    X: Array,
    Y: Array,
    criterion: SelectionCriterion,
    limits: DescentLimits,
    lam: float | None = None,
    evaluator: Evaluator | None = None,
    several: bool = True,
    options: SelectionOptions | None = None,
) -> Selection:
    """Choose (λ, θ), or θ alone for a given `lam`; the best point found, also when time is up.

    `evaluator` computes the requests of the search but the last: the returned machine is trained
    here. `several` allows another start of the free descent than equal scales.
    """
    plain = replace(criterion, regularised=False)
    objective = SelectionObjective(kernel, X, Y, plain, limits.stopping, evaluator, options)
    z, status, _ = search(objective, criterion, limits, lam, several)
    theta = np.exp(z[1:])
    used, fit = objective.trained(float(np.exp(z[0])) if lam is None else lam, theta)
    return Selection(
        used,
        theta,
        fit,
        criterion.value(fit, theta),
        objective.n_steps,
        objective.n_evaluations,
        status,
    )


def search(
    objective: SelectionObjective,
    criterion: SelectionCriterion,
    limits: DescentLimits,
    lam: float | None,
    several: bool,
) -> tuple[Array, Status, Array | None]:
    """The best (log λ, log θ) found, also when it is time to end, and the best with tied θ."""
    common: Stage | None = None
    try:
        common = tied(objective, limits, lam)
        stage = _freed(objective, criterion, common, limits, lam, several)
    except (Stopped, KeyboardInterrupt) as stop:
        if objective.best.z is None:
            raise
        ended = limits.stopping.accept(stop)
        return objective.best.z, ended, None if common is None else common.z
    return stage.z, stage.status, common.z


def _freed(
    objective: SelectionObjective,
    criterion: SelectionCriterion,
    stage: Stage,
    limits: DescentLimits,
    lam: float | None,
    several: bool,
) -> Stage:
    """The descent of all parameters from the tied ones, and from another start."""
    if len(stage.z) <= 2 and not criterion.regularised:
        return stage
    scale = math.hypot(*objective.kernel.start(objective.X))
    objective.criterion = replace(criterion, small_theta=_LINEAR * scale)
    objective.best.value = np.inf  # of another criterion from now on; its point is still the best
    directions = np.eye(len(stage.z))[:, lam is not None :]
    stage = descend(objective, stage.z, directions, limits)
    if not several:
        return stage
    found = np.exp(stage.z)
    other = best_other_start(objective, found[0] if lam is None else lam, found[1:], lam)
    if other is not None:
        objective.follow(np.exp(other[1:]))
    if other is None or not objective.value(other) < stage.value + np.log(PROMISING):
        return stage
    return min(stage, descend(objective, other, directions, limits), key=lambda end: end.value)


def tied(objective: SelectionObjective, limits: DescentLimits, lam: float | None) -> Stage:
    """The lowest minimum over λ and a common factor of θ."""
    directions = _directions(objective.kernel, objective.X)
    stages = [stage for theta in directions for stage in _tied(objective, theta, lam, limits)]
    return stages[first_least(stage.value for stage in stages)]


def _directions(kernel: ParametricKernel, X: Array) -> list[Array]:
    """Equal parameters, and the kernel's own start where it is far from them."""
    start = kernel.start(X)
    if len(start) < 2 or np.allclose(start, start[0]):
        return [start]
    ones = np.ones(len(start))
    equal = kernel.along(ones).start(X) * ones
    return [equal] if start.max() < _ALIKE * start.min() else [start, equal]


def _tied(
    objective: SelectionObjective, theta: Array, lam: float | None, limits: DescentLimits
) -> list[Stage]:
    """Minima over λ and a common factor of one θ."""
    directions = np.zeros((1 + len(theta), min(1 + len(theta), 2)))
    directions[0, 0] = 1.0
    directions[1:, 1:] = 1.0
    directions = directions[:, lam is not None :]
    starts = grid_starts(objective, theta, lam)
    n_some = objective.options.sample_rows
    sample = sampled(objective, n_some)
    if len(objective.Y) < 2 * n_some or sample is objective or directions.shape[1] == 0:
        return [descend(objective, z, directions, limits) for z in starts]
    found = [descend(sample, z, directions, limits) for z in starts]
    objective.best.fall_back_on(sample.best.z)
    best = found[first_least(objective.value(stage.z) for stage in found)].z
    # The logarithm of a loss bends alike whatever the number of rows.
    rounded = directions @ _inverse_root(_curvature(sample, best, directions))
    objective.n_evaluations += sample.n_evaluations
    return [descend(objective, best, rounded, limits)]


def _curvature(objective: SelectionObjective, z: Array, directions: Array) -> Array:
    """Second derivatives along the directions, from differences of slopes."""
    slopes = [
        objective.value_and_gradient(z + sign * _STEP * direction)[1] @ directions
        for direction in directions.T
        for sign in (1.0, -1.0)
    ]
    H = np.array([above - below for above, below in zip(slopes[::2], slopes[1::2], strict=True)])
    return np.asarray((H + H.T) / (4.0 * _STEP))


def _inverse_root(H: Array) -> Array:
    """A matrix R with RᵀHR = 1 where H is positive; flat or falling directions stay short."""
    values, vectors = np.linalg.eigh(H)
    return np.asarray(vectors / np.sqrt(np.maximum(values, _FLAT)))


# A start that was found by the targets of the rows it is judged on has an optimistic loss: only one
# with at most this share of what is known is descended from.
PROMISING = 0.8
# Rows that separate columns, and the least and the largest number on which these are judged.
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
        ridges = _ridge_unit(K, self.weight) * self.ridges if lam is None else np.array([lam])
        losses = [self.weight @ (path.residuals(ridge) ** 2).sum(axis=1) for ridge in ridges]
        best = first_least(losses)
        return float(losses[best]), float(ridges[best])


def _rows(objective: SelectionObjective, max_rows: int) -> tuple[Array, Array, Array]:
    """Evenly spaced rows, their targets and weights."""
    rows = np.linspace(0, len(objective.Y) - 1, min(len(objective.Y), max_rows)).astype(int)
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
    weight = objective.criterion.loss.weight
    return _ridge_unit(K, weight) * np.array(objective.options.ridges)


def _ridge_unit(K: Array, weight: Array) -> float:
    """Mean eigenvalue of the centred K times the usual weight, the unit of λ; not zero."""
    diagonal = float(K.diagonal().mean())
    eigenvalue = max(diagonal - float(K.mean()), 1e-6 * abs(diagonal))
    return max(eigenvalue * usual_weight(weight), np.finfo(float).tiny)


def sampled(objective: SelectionObjective, n_points: int) -> SelectionObjective:
    """The objective on evenly spaced rows, if there are more than enough."""
    n = len(objective.Y)
    rows = np.linspace(0, n - 1, n_points).astype(int)
    # A sample may miss a rare class.
    if n <= n_points or (np.ptp(objective.Y[rows], axis=0) == 0).any():
        return objective
    loss = objective.criterion.loss.subset(rows)
    return SelectionObjective(
        objective.kernel,
        _safe_indexing(objective.X, rows),
        objective.Y[rows],
        replace(objective.criterion, loss=loss),
        objective.stopping,
        objective.evaluator,
        objective.options,
    )
