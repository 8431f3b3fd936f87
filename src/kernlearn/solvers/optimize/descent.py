r"""Two descents of few variables: Newton's method with lower bounds, and a quasi-Newton method.

Newton's method is for a smooth function. Every step minimises the quadratic model over the bounds
and a trust region that is a box too, so that a small quadratic program finds in one step which
variables belong at their bounds:

.. math:: \min_d\; g^Td + \tfrac12 d^T|H|d \quad\text{subject to}\quad
          \max(l - \theta, -\rho\sigma) \le d \le \rho\sigma .

If the function is not convex, \|H\| has the eigenvalues' absolute values, which leads away from
saddles. Bounds rather than logarithms: a logarithm never reaches zero, and near it has no slope
that would lead back.

The quasi-Newton method is for evaluations that are expensive. Steps are capped, since far steps are
the costliest, and every evaluation is made near the best one so far, which serves as its starting
point. The curvature shown by a rejected step is kept. The loss may have kinks: that of
cross-validation has one wherever a parameter of a fold reaches its bound. A minimum at a kink has
no small slope, and is known by steps that have become short.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.typing import Array, Mask


@dataclass(frozen=True)
class TrustRegionOptions:
    """Standard choices of trust-region methods, and what counts as rounding."""

    accept: float = 1e-4  # share of the predicted decrease from which on a step is taken
    poor: float = 0.25  # share below which the trust region shrinks
    good: float = 0.75  # share above which it grows
    smallest_radius: float = 1e-10
    rounding: float = 1e-14  # differences of function values below this share of them are rounding


# Eigenvalues of the scaled Hessian are kept above this share of the largest.
_FLAT = 1e-9
# If a step of a variable's size would change the function by more than this multiple of its value,
# the variable is measured in smaller units, down to this part of its size.
_STEEP, _LEAST_UNIT = 1e3, 1e-60
# Distance to a bound, relative to its variable's size, below which a variable counts as at it.
_AT_BOUND = 1e-6


@dataclass(frozen=True, eq=False)
class QuadraticModel:
    """A function around a point, with |H| for its Hessian, in units in which it is not steep."""

    size: Array  # how large the variables are, or usually are
    unit: Array  # what they are measured in here
    slope: Array
    curvature: Array  # the matrix of absolute eigenvalues, positive definite
    newton: Array  # the step to the minimum

    @classmethod
    def of(
        cls, theta: Array, objective: Array | float, gradient: Array, hessian: Array, scale: Array
    ) -> QuadraticModel:
        """The model of a function with these derivatives; of several, with axes before."""
        size = np.maximum(np.abs(theta), scale)
        unit = _units(objective, hessian, size)
        g = gradient * unit
        values, vectors = np.linalg.eigh(hessian * unit[..., :, None] * unit[..., None, :])
        absolute = np.abs(values)
        least = _FLAT * absolute.max(axis=-1, keepdims=True) + 1e-300
        curved = np.maximum(absolute, least)[..., None, :]
        across = np.matrix_transpose(vectors)
        newton = -((vectors / curved) @ (across @ g[..., None]))[..., 0]
        return cls(size, unit, g, (vectors * curved) @ across, newton)

    def __getitem__(self, number: int) -> QuadraticModel:
        """The model of one of several functions."""
        parts = (self.size, self.unit, self.slope, self.curvature, self.newton)
        return QuadraticModel(*(part[number] for part in parts))


class SmoothPoint(Protocol):
    """A point with the function's value there, and a model around it."""

    @property
    def theta(self) -> Array:
        """The parameters θ of the point."""

    @property
    def objective(self) -> float:
        """The function's value, positive."""

    @property
    def model(self) -> QuadraticModel:
        """The quadratic model around the point."""


Point = TypeVar("Point", bound=SmoothPoint)
Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, eq=False)
class Descent(Generic[Point]):
    """The end of a descent."""

    point: Point  # the best point
    # The Newton step from there, not taken: how far the minimum is. Zero after an early end
    step: Array
    # Predicted decrease of that step, relative to the objective; infinite after an early end
    decrease: float
    converged: bool  # whether the decrease is within the tolerance
    n_points: int  # points at which the function was evaluated


def bounded_newton(
    evaluate: Callable[[Array], Generator[Q, A, Point | None]],
    first: Point,
    low: Array,
    tol: float,
    max_iter: int,
    stopping: StoppingControl | None = None,
    options: TrustRegionOptions = TrustRegionOptions(),
) -> Generator[Q, A, Descent[Point]]:
    """Descend from `first`, never below `low`.

    A search as in :mod:`kernlearn.solvers.optimize.coroutines`, as is `evaluate`, which may return
    None for a point at which the function has no value: the step is then shortened. `stopping`
    reports every point, and may end the descent at the best so far; without it nothing is caught.
    """
    point, radius, n_points = first, 1.0, 1
    try:
        while True:
            if stopping is not None:
                message = f"machine {n_points}, criterion {point.objective:.6g}"
                stopping.report(message, point.objective)
            size = point.model.size
            step, gain = _model_step(point.model, low - point.theta, radius)
            decrease = gain / max(abs(point.objective), 1e-300)
            # The trust region has to let the whole step through.
            inside = bool(np.max(np.abs(step) / size) < radius)
            converged = inside and decrease <= max(tol, options.rounding)
            stalled = radius < options.smallest_radius or decrease <= 0.0
            if converged or stalled or n_points > max_iter:
                return Descent(point, step, decrease, converged, n_points)
            trial = yield from evaluate(np.maximum(point.theta + step, low))
            n_points += 1
            ratio = -np.inf if trial is None else (point.objective - trial.objective) / gain
            reach = float(np.max(np.abs(step) / size))
            if ratio < options.poor:
                radius = 0.25 * reach
            elif ratio > options.good and reach > 0.9 * radius:
                radius *= 4.0
            if trial is not None and ratio > options.accept:
                point = trial
    except (Stopped, KeyboardInterrupt) as stop:
        if stopping is None:
            raise
        stopping.accept(stop)
        return Descent(point, np.zeros_like(point.theta), np.inf, False, n_points)


def _model_step(model: QuadraticModel, room: Array, radius: float) -> tuple[Array, float]:
    """The step that minimises the model, no further down than there is room, and its gain."""
    unit, size, g, B = model.unit, model.size, model.slope, model.curvature
    high = radius * size / unit
    nearest = np.maximum(room / unit, -high)
    step = model.newton
    if (step < nearest).any() or (step > high).any():
        step = _boxed(B, g, nearest, high)
    gain = -(g @ step + 0.5 * step @ B @ step)
    moved = step * unit
    # Variables this close to their bounds belong there; rounding and the interior method of the
    # quadratic program stop just short of the bounds.
    return np.where(moved - room < 1e-9 * size, room, moved), max(float(gain), 0.0)


def _units(objective: Array | float, H: Array, size: Array) -> Array:
    """The sizes of the variables, less where the function is far too steep for such steps.

    A variable whose curvature is beyond all others would otherwise make these look flat, and a
    step along them be cut: as columns of very different units do, where all θ have one penalty.
    """
    curved = np.abs(np.linalg.diagonal(H)) * size**2
    limit = _STEEP * np.maximum(np.abs(objective), 1e-300)[..., None]
    share = np.sqrt(limit / np.maximum(curved, limit))
    return np.asarray(size * np.maximum(share, _LEAST_UNIT))


def _boxed(B: Array, g: Array, low: Array, high: Array) -> Array:
    """Minimise gᵀx + ½xᵀBx in a box."""
    unit = max(float(np.abs(B).max()), 1e-300)
    none = np.zeros((0, len(g)))
    solution = quadratic_program(B / unit, g / unit, none, np.zeros(0), low, high)
    if solution is None:
        return np.clip(-g / unit, low, high)
    return _polished(B, g, low, high, solution.x)


def _polished(B: Array, g: Array, low: Array, high: Array, x: Array) -> Array:
    """The same with the bounds that x is at, exact in flat directions too."""
    exact = np.where(x - low < _AT_BOUND, low, np.where(high - x < _AT_BOUND, high, x))
    free = (exact > low) & (exact < high)
    right = -g[free] - B[np.ix_(free, ~free)] @ exact[~free]
    exact[free] = np.linalg.solve(B[np.ix_(free, free)], right)
    exact = np.clip(exact, low, high)

    def model(step: Array) -> float:
        return float(g @ step + 0.5 * step @ B @ step)

    return exact if model(exact) <= model(x) else x


@dataclass(frozen=True)
class BFGSOptions:
    """Steps in logarithmic variables, and what counts as progress."""

    first_radius: float = 1.0  # the first step changes an original variable by at most a factor e
    largest_radius: float = 4.0  # no step changes it by more than a factor of about 50
    smallest_radius: float = 5e-3
    curvature: float = 0.03  # the curvature that is assumed at first, relative to the loss
    accept: float = 1e-4  # share of the predicted decrease from which on a step is taken
    good: float = 0.5  # share above which the next step may be longer
    noise: float = 1e-5  # losses are compared no closer than this: they come from iterations too


class Evaluated(Protocol):
    """A place with its loss."""

    @property
    def x(self) -> Array:
        """The coordinates of the place."""

    @property
    def loss(self) -> float:
        """The loss, not negative; infinite where it has no value."""

    @property
    def slope(self) -> Array:
        """The derivatives of the loss."""


Place = TypeVar("Place", bound=Evaluated)


@dataclass(frozen=True, eq=False)
class BFGSResult(Generic[Place]):
    """The best place, whether it is a minimum to the tolerance, and evaluations made."""

    best: Place
    converged: bool
    n_evaluations: int


def capped_bfgs(
    near: Callable[[Array, Place], Generator[Q, A, Place]],
    first: Place,
    free: Mask,
    low: Array,
    high: Array,
    tol: float,
    max_iter: int,
    options: BFGSOptions = BFGSOptions(),
) -> Generator[Q, A, BFGSResult[Place]]:
    """Minimise over the free variables from `first`, within bounds.

    A search as in :mod:`kernlearn.solvers.optimize.coroutines`, as is `near`, which evaluates a new
    place by the help of a known one. The descent ends where every derivative of log loss is within
    `tol`, or where only steps of under half a per cent of the original variables would lower the
    loss.
    """
    best, radius, n_evaluations = first, options.first_radius, 1
    B = options.curvature * max(first.loss, 1e-300) * np.eye(len(free))
    while True:
        g = _open_slope(best, free, low, high)
        converged = _is_flat(best, free, low, high, tol) or radius < options.smallest_radius
        if converged or n_evaluations >= max_iter:
            return BFGSResult(best, converged, n_evaluations)
        step = -np.linalg.solve(B, g) * (g != 0)
        step *= min(1.0, radius / float(np.linalg.norm(step)))
        x = np.clip(best.x + step, low, high)
        step = x - best.x
        trial = yield from near(x, best)
        n_evaluations += 1
        gain = -(g @ step + 0.5 * step @ B @ step)
        ratio = (best.loss - trial.loss) / max(gain, 1e-300)
        length = float(np.linalg.norm(step))
        if np.isfinite(trial.loss):
            B = _updated(B, step, np.where(free, trial.slope - best.slope, 0.0))
        settled = (
            _is_flat(trial, free, low, high, tol) and ratio * gain > -options.noise * best.loss
        )
        if ratio > options.accept or settled:
            best = trial
            if ratio > options.good and length > 0.9 * radius:
                radius = min(2.0 * radius, options.largest_radius)
        else:
            radius = 0.4 * length


def _open_slope(place: Evaluated, free: Mask, low: Array, high: Array) -> Array:
    """The slope in the free variables, zero where it points out of the bounds."""
    g = np.where(free, place.slope, 0.0)
    outwards = ((place.x <= low) & (g > 0)) | ((place.x >= high) & (g < 0))
    return np.where(outwards, 0.0, g)


def _is_flat(place: Evaluated, free: Mask, low: Array, high: Array, tol: float) -> bool:
    slope = np.abs(_open_slope(place, free, low, high)).max()
    return bool(slope <= tol * place.loss and np.isfinite(place.loss))


def _updated(B: Array, step: Array, change: Array) -> Array:
    """Powell's damped BFGS update, which stays positive definite."""
    image = B @ step
    curved = float(step @ image)
    if curved <= 0.0:
        return B
    along = float(step @ change)
    share = 1.0 if along >= 0.2 * curved else 0.8 * curved / (curved - along)
    damped = share * change + (1.0 - share) * image
    # Roots first: losses of large targets have slopes whose squares are no numbers.
    old, new = image / np.sqrt(curved), damped / np.sqrt(float(step @ damped))
    return np.asarray(B - np.outer(old, old) + np.outer(new, new))
