"""Hostile first-level learning: equation (5) of Cawley and Talbot (2014), and steps from there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.hostile.fits.data import (
    Generator,
    Options,
    hostile_labels,
    hostile_points,
    hostile_targets,
    hostile_weights,
    power,
)
from benchmarks.hostile.fits.lssvm import target_columns
from benchmarks.hostile.fits.problem import HostileData, HostileProblem, Model, close
from benchmarks.hostile.long_double import EPSILON, Number, least_squares_machine, long
from kernlearn.estimators import FirstLevelClassifier, FirstLevelRegressor
from kernlearn.families.parametric import GaussianFamily
from kernlearn.typing import LongArray

# A converged fit has no step along one parameter that gains this part of the objective.
_LOWER = 1e-8


def first_level_problem(rng: Generator) -> HostileProblem:
    """A classifier or a regressor; λ and μ given, one time in six chosen."""
    n = int(rng.choice([2, 3, 6, 15, 30]))
    X, weight = hostile_points(rng, n), hostile_weights(rng, n)
    chosen = n >= 6 and rng.uniform() < 1 / 6
    options: Options = {
        "kernel": ["rbf", "ard"][int(rng.integers(2))],
        "lam": "cv" if chosen else power(rng, -12, 12),
        "mu": "cv" if chosen else power(rng, -12, 12),
        "cv": 2,
    }
    if rng.integers(2):
        y = hostile_labels(rng, n, 2)
        model: Model = FirstLevelClassifier(**options)
    else:
        y, model = hostile_targets(rng, X), FirstLevelRegressor(**options)
    return HostileData(X, y, weight).problem(model, _broken)


def _broken(model: Model, data: HostileData) -> Iterator[str]:
    kept, X = model.support_, data.X
    Y, s, theta = target_columns(model, data.y)[kept], data.s[kept], long(model.theta_)
    if not (np.all(theta >= 0) and np.isfinite(theta).all()):
        yield f"theta_ is {model.theta_}, expected nothing negative"
        return
    squares = (long(X)[kept][:, None] - long(X)[kept]) ** 2
    K = np.exp(-squares @ (theta if len(theta) > 1 else np.repeat(theta, squares.shape[2])))
    # Distances of points far away are rounded.
    wrong = np.abs(model.kernel_(X)[np.ix_(kept, kept)] - K).max()
    if not wrong <= 1e-6:
        yield f"kernel_ is not that of theta_: they differ by {float(wrong):.2g}"
        return
    yield from _objective(model, K, Y, s)
    # With a μ of zero θ was selected, not learned: it minimises another criterion.
    if model.status_.has_converged and model.mu_ > 0:
        # One width is kept above a millionth of its usual size, since without it nothing is left.
        floor = (
            GaussianFamily.floor * float(GaussianFamily().start(X[kept])[0])
            if model.kernel == "rbf"
            else 0.0
        )
        yield from _steps(model, Y, s, squares, 1e2 * (len(K) * EPSILON + wrong), floor)


def _objective(model: Model, K: LongArray, Y: LongArray, s: LongArray) -> Iterator[str]:
    alpha, b = long(model.dual_coef_).T, long(model.intercept_)
    lam, mu, theta = long(model.lam_), long(model.mu_), long(model.theta_)
    loss = s @ ((Y - K @ alpha - b) ** 2).sum(axis=1)
    norm = np.einsum("ik,ij,jk->", alpha, K, alpha)
    value = 0.5 * (loss + lam * norm + mu * theta @ theta)
    # Distances of far-away points are rounded, and the machine sees K through its ridge.
    wrong = 1e3 * len(K) * EPSILON * lam * np.square(np.abs(alpha).sum(axis=0)).sum()
    far = EPSILON * (s * np.abs(Y).max() * np.abs(lam * alpha / s[:, None]).sum(axis=1)).sum()
    yield from close(model.objective_, value, 1e-7 * value + wrong + 1e2 * far, "objective_ (5)")


def _steps(
    model: Model, Y: LongArray, s: LongArray, squares: LongArray, wrong: Number, floor: float
) -> Iterator[str]:
    """From a converged fit no step along one parameter leads lower: short ones, and Newton's."""
    lam, mu, theta = long(model.lam_), long(model.mu_), long(model.theta_)
    if len(theta) == 1:
        squares = squares.sum(axis=2, keepdims=True)
    Y = Y - s @ Y / s.sum()

    def machine(theta: LongArray) -> tuple[LongArray, LongArray, Number]:
        K = np.exp(-squares @ theta)
        alpha, _ = least_squares_machine(K, Y, lam / s)
        return K, alpha, 0.5 * lam * np.vdot(alpha, Y) + 0.5 * mu * theta @ theta

    K, alpha, value = machine(theta)
    # What rounding in K may do to the value.
    rounding = wrong * lam * np.square(np.abs(alpha).sum(axis=0)).sum()
    forms = np.einsum("ik,ijr,jk->r", alpha, K[:, :, None] * squares, alpha)
    gradient = 0.5 * lam * forms + mu * theta
    means = squares.mean(axis=(0, 1))
    for r in np.flatnonzero(means > 0):
        usual = 1 / (means[r] * len(theta))
        near = 1e-2 * max(usual, theta[r])
        # Newton's where only the penalty curves; farther away there may be other minima.
        newton = np.clip(-gradient[r] / mu, -near, near)
        for step in (newton, -near, -1e-2 * near, 1e-2 * near, near):
            trial = theta.copy()
            trial[r] = max(theta[r] + step, min(floor, theta[r]))
            _, _, lower = machine(trial)
            if lower < value - _LOWER * value - rounding:
                yield (
                    f"converged at {float(value):.12g}, but theta_[{r}] = {float(trial[r]):.6g} "
                    f"in place of {float(theta[r]):.6g} gives {float(lower):.12g}"
                )
