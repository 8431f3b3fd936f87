"""A selection criterion as a function of log λ and log θ, its gradient, and descent along these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.numerics.rounding import usual_weight
from kernlearn.quality.held_out import SelectionCriterion
from kernlearn.quality.ls_svm import MachineFit
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.typing import Array

# With fewer λ, a machine for each takes less time than a decomposition.
_FEW = 4
# A kernel whose mean is closer to its diagonal, relative to it, is constant.
_CONSTANT = 1e-6
# The criterion and its gradient; infinite and zero where no machine can be trained.
ValueAndSlopes = tuple[float, Array]


@dataclass(frozen=True)
class SelectionOptions:
    """Grids and samples from which a selection finds its starts."""

    # λ in units of the mean eigenvalue of the centred K. The largest comes first: among equal
    # criteria it is the safest.
    ridges: tuple[float, ...] = tuple((10.0 ** np.arange(1, -5, -1)).tolist())
    # θ in units of the family's start
    scales: tuple[float, ...] = tuple((5.0 ** np.arange(-3, 3)).tolist())
    grid_rows: int = 300  # Enough rows to choose a start; the descent uses more of them
    # From twice as many rows on, the tied descent uses a sample of this size first: all rows then
    # need a few steps, in coordinates in which the valley is round
    sample_rows: int = 700
    # The search of first-level learning ends at this multiple of its tolerance
    rougher: float = 1.0


@dataclass(eq=False)
class BestSeen:
    """The lowest point of all that were evaluated."""

    z: Array | None = None
    value: float = np.inf

    def keep_if_lower(self, z: Array, value: float) -> None:
        """Keep the point if it is lower."""
        if value < self.value:
            self.z, self.value = z.copy(), value

    def fall_back_on(self, z: Array | None) -> None:
        """Start at a point if there is none yet."""
        self.z = z if self.z is None else self.z


@dataclass(frozen=True, eq=False)
class EvaluationRequest:
    """A point z at which a search needs the criterion and its gradient."""

    objective: SelectionObjective
    z: Array

    def alone(self) -> ValueAndSlopes:
        """The value and the gradient, computed on the host."""
        return self.objective.computed(self.z)


# Computes requests in a batch, instead of the objective.
Evaluator = Callable[[list[EvaluationRequest]], Sequence[ValueAndSlopes]]


class SelectionObjective:
    r"""The logarithmic criterion at z = (log λ, log θ).

    With W the derivative of the criterion with respect to K,

    .. math::

        \frac{\partial}{\partial \log\theta_r}
            = \theta_r \sum_{ij} W_{ij} \frac{\partial K_{ij}}{\partial \theta_r} .

    `stopping` may raise to end the selection early: the lowest point is kept in `best`. If there is
    an `evaluator`, it computes the requests, together with those of other searches.
    """

    def __init__(
        self,
        kernel: ParametricKernel,
        X: Array,
        Y: Array,
        criterion: SelectionCriterion,
        stopping: StoppingControl | None = None,
        evaluator: Evaluator | None = None,
        options: SelectionOptions | None = None,
    ) -> None:
        self.kernel = kernel
        self.X = X
        self.Y = Y
        self.criterion = criterion
        self.stopping = StoppingControl() if stopping is None else stopping
        self.evaluator = evaluator
        self.options = SelectionOptions() if options is None else options
        self.best = BestSeen()
        self.n_evaluations = self.n_steps = self.n_breakdowns = 0
        self._last: tuple[Array, Array] | None = None
        self._last_fit: MachineFit | None = None

    def matrix(self, theta: Array) -> Array:
        """K(θ); the last one is kept, since several λ are tried with it."""
        if self._last is None or not np.array_equal(self._last[0], theta):
            K = self.kernel.matrix(self.X, None, theta)
            self._last = (theta.copy(), K)
        return self._last[1]

    def follow(self, theta: Array) -> None:
        """Make ready for a descent from θ: nothing to do with the matrix of all rows."""

    def machine(self, z: Array) -> MachineFit:
        """The machine trained at z, without being counted."""
        return self._train(float(np.exp(z[0])), np.exp(z[1:]))[1]

    def trained(self, lam: float, theta: Array) -> tuple[float, MachineFit]:
        """The λ that was used, raised above rounding, and the machine."""
        self.n_evaluations += 1
        return self._train(lam, theta)

    def value(self, z: Array) -> float:
        """The criterion; infinite where no machine can be trained."""
        if self.evaluator is not None:
            return self.values([z])[0]
        self.n_evaluations += 1
        try:
            value = self.criterion.log_value(self.machine(z), np.exp(z[1:]))
        except BREAKDOWNS:
            # A kernel refuses an overflow, a factorisation breaks down: step back from there.
            value = np.inf
        value = value if np.isfinite(value) else np.inf
        self._note(z, value)
        return value

    def values(self, points: Sequence[Array]) -> list[float]:
        """The criterion at several points, in one batch."""
        if self.evaluator is None:
            return [self.value(z) for z in points]
        values = [value for value, _ in self._evaluated(points)]
        for z, value in zip(points, values, strict=True):
            self._note(z, value)
        return values

    def values_along(self, points: Sequence[Array]) -> list[float]:
        """The same at points of one θ: by one decomposition for all λ.

        For kernels that are sure to be positive semidefinite.
        """
        if self.evaluator is not None or not self.kernel.follows_arrays or len(points) < _FEW:
            return self.values(points)
        loss = self.criterion.loss
        theta = np.exp(points[0][1:])
        K = self.matrix(theta)
        if not K.mean() < (1.0 - _CONSTANT) * K.diagonal().mean():  # rounding is all there is to it
            return self.values(points)
        value_at = loss.along(K, self.Y)
        if value_at is None:
            return self.values(points)
        self.n_evaluations += len(points)
        values = []
        for z in points:
            total = value_at(float(np.exp(z[0])))
            values.append(self.criterion.logarithm(total, self.Y.size, theta))
            self._note(z, values[-1])
        return values

    def value_and_gradient(self, z: Array) -> ValueAndSlopes:
        """The criterion and its gradient; infinite and zero where no machine can be trained."""
        ((value, gradient),) = self._evaluated([z])
        self._note(z, value)
        return value, gradient

    def computed(self, z: Array) -> ValueAndSlopes:
        """The same on the host, without being counted or noted."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                value, gradient = self._at(float(np.exp(z[0])), np.exp(z[1:]))
        except BREAKDOWNS:
            value = np.inf
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return float("inf"), np.zeros(len(z))
        return value, gradient

    def _at(self, lam: float, theta: Array) -> ValueAndSlopes:
        fit, criterion = self._train(lam, theta)[1], self.criterion
        W = criterion.log_slope(fit)
        by_lam = criterion.loss.ridge_slope(fit, W, lam)
        slope = theta * self.kernel.gradient(self.X, theta, self.matrix(theta), W)
        slope += criterion.penalty_slope(self.Y.size, theta)
        return criterion.log_value(fit, theta), np.append(by_lam, slope)

    def count_step(self, _: Array) -> None:
        """Count a step of a descent."""
        self.n_steps += 1

    def _note(self, z: Array, value: float) -> None:
        self.best.keep_if_lower(z, value)
        self.n_breakdowns += not np.isfinite(value)
        if self.best.z is not None:
            message = f"lam {np.exp(z[0]):.3g}, logarithm of the held-out criterion {value:.6g}"
            self.stopping.report(message, self.best.value)

    def _evaluated(self, points: Sequence[Array]) -> Sequence[ValueAndSlopes]:
        self.n_evaluations += len(points)
        requests = [EvaluationRequest(self, z) for z in points]
        return (
            [each.alone() for each in requests]
            if self.evaluator is None
            else self.evaluator(requests)
        )

    def _train(self, lam: float, theta: Array) -> tuple[float, MachineFit]:
        loss = self.criterion.loss
        lam, self._last_fit = loss.trained(self.matrix(theta), self.Y, lam, self._last_fit)
        return lam, self._last_fit


# Limits of a descent. α grows as 1/λ, and predictions lose as many digits, so λ stays above
# this share of the mean diagonal of K; far beyond the others nothing depends on them any more.
_SMALLEST_RIDGE = 1e-8
_WIDEST_RIDGE = np.log(1e14)
_WIDEST_SCALE = np.log(1e8)
# Value of a point without a machine, above the start; in logarithms, far beyond any loss.
_REFUSED = 100.0
# Steps that the curvature is taken from: an evaluation costs far more than keeping them.
_MEMORY = 30


@dataclass(frozen=True)
class DescentLimits:
    """When to stop: the largest slope of the logarithmic criterion, and the number of steps.

    `stopping` may end it before, and so does a step that lowers the criterion by less than
    `least_gain`, or by less than the tolerance resolves.
    """

    tol: float
    max_iter: int
    stopping: StoppingControl = field(default_factory=StoppingControl)
    least_gain: float = 0.0


@dataclass(frozen=True, eq=False)
class Stage:
    """The state of a descent."""

    z: Array
    value: float
    status: Status


def descend(
    objective: SelectionObjective, start: Array, directions: Array, limits: DescentLimits
) -> Stage:
    """Minimise over u at z = start + directions @ u, by L-BFGS within wide bounds.

    Values are differences from the start: a unit of the targets adds a number to the logarithm,
    which must not affect the relative tolerance of L-BFGS.
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
    diagonal *= usual_weight(objective.criterion.loss.weight)
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
    """The value at u less that of the start; without a machine it is high and flat."""

    def value_and_gradient(u: Array) -> tuple[float, Array]:
        value, gradient = first
        z = start + directions @ u
        if z[0] < smallest - 1e-9:  # beyond any bounds
            return _REFUSED, np.zeros(len(u))
        if u.any():
            value, gradient = objective.value_and_gradient(z)
        return min(value - first[0], _REFUSED), gradient @ directions

    return value_and_gradient
