"""A quasi-Newton method for very few variables, each evaluation of which is expensive.

Steps are capped, since far steps are the costliest, and every evaluation is made near the best
one so far, which serves as its starting point. What a rejected step has shown of the curvature is
kept.

The loss may have kinks: that of cross-validation has one wherever a parameter of a fold reaches
its bound. A minimum at a kink has no small slope, and is known by steps that have become short.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from kernlearn.typing import Array, Mask


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
        """Where it is."""

    @property
    def loss(self) -> float:
        """The value, not negative; infinite where there is none."""

    @property
    def slope(self) -> Array:
        """Its derivatives."""


Place = TypeVar("Place", bound=Evaluated)
Q = TypeVar("Q")
A = TypeVar("A")


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
