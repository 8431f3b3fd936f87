"""Hostile combinations of kernels: in lists, in families made on demand, and through landmarks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.hostile.fits.data import (
    Generator,
    Options,
    Targets,
    hostile_labels,
    hostile_points,
    hostile_targets,
    power,
)
from benchmarks.hostile.fits.landmarks import objective, through_landmarks, value_broken
from benchmarks.hostile.fits.problem import (
    HostileData,
    HostileProblem,
    Model,
    close,
    nonnegative,
    right_status,
)
from kernlearn.estimators import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor
from kernlearn.kernels import Gaussian, Grid, Kernel, Linear, PerColumn, Polynomial
from kernlearn.typing import Array

_TRIES = 5
# The part of the tolerance to which a gap is told.
_TOLD = 1e-6
# Relative differences of two ways to a value, and to one through landmarks: K(S, S) is inverted.
_SAME, _SAME_THROUGH_LANDMARKS = 1e-7, 1e-4
# Of the largest eigenvalue of K(S, S); what is below is not inverted.
_NEGLIGIBLE = 1e-13


def combination_problem(rng: Generator) -> HostileProblem:
    """A classifier, a regressor or a novelty detector of some kernels."""
    n = int(rng.choice([5, 10, 20, 30]))
    X = hostile_points(rng, n)
    options: Options = {
        "kernels": _kernels(rng, X),
        "tol": float(rng.choice([1e-3, 1e-6])),
        "random_state": 0,
    }
    certify = None
    place = int(rng.integers(4))
    if place == 0:
        family: type[PerColumn] | type[Grid] = [PerColumn, Grid][int(rng.integers(2))]
        size: Options = {} if family is PerColumn else {"size": [1, 2] if X.shape[1] > 1 else 1}
        options["kernels"] = family(options["kernels"], **size)
    elif place == 1:
        options["rank"] = int(rng.integers(2, n + 1))
        certify = ["exact", None][int(rng.integers(2))]
    options["options"] = MKLOptions(max_iter=50, certify=certify)
    kind = int(rng.integers(3))
    y: Targets | None = None
    if kind == 0:
        y = hostile_labels(rng, n, int(rng.integers(2, 4)))
        quality = str(rng.choice(["soft_margin", "squared_soft_margin", "least_squares"]))
        model: Model = MKLClassifier(quality=quality, C=power(rng, -6, 6), **options)
    elif kind == 1:
        y = hostile_targets(rng, X)
        quality = str(rng.choice(["epsilon_svr", "least_squares"]))
        model = MKLRegressor(quality=quality, C=power(rng, -6, 6), **options)
    else:
        nu = float(rng.uniform(0.05, 1))
        model = MKLNoveltyDetector(nu=nu, normalize=False, **options)
    return HostileData(X, y).problem(model, _broken)


def _kernels(rng: Generator, X: Array) -> list[Kernel]:
    """Gaussians that are nearly constant, nearly the identity or in between, and powers."""
    square = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean()) or 1.0
    kernels: list[Kernel] = [Gaussian(10.0 ** rng.uniform(-3, 3) / square) for _ in range(2)]
    if rng.uniform() < 0.4:
        kernels.append(Linear())
    if rng.uniform() < 0.3:
        kernels.append(Polynomial(2))
    return kernels


def _broken(model: Model, data: HostileData) -> Iterator[str]:
    yield from right_status(model, _TOLD * model.tol)
    X, weights = data.X, np.asarray(model.weights_, dtype=float)
    yield from nonnegative(weights)
    family = model.kernels
    is_list = isinstance(family, list)
    bound = None if is_list else family.bind(X)
    members = family if bound is None else [bound[i] for i in range(len(bound))]
    exact = np.array([np.asarray(kernel(X), dtype=float) for kernel in members])
    traces = np.trace(exact, axis1=1, axis2=2)
    total = float(traces.mean())
    yield from close(weights @ traces, total, 1e-9 * total, "the total of the weights")
    seen, same = exact, _SAME
    if getattr(model, "rank_", None) is not None:
        seen = through_landmarks(members, model.landmarks_, X, _NEGLIGIBLE)
        same = _SAME_THROUGH_LANDMARKS
        kept = slice(None) if is_list else np.flatnonzero(weights)
        yield from value_broken(model, data, data.s, weights[kept])
    value_at = objective(model, data, seen, total, data.s)
    value = value_at(weights)
    if model.status_.is_optimal and model.objective_ > value + (same + model.tol) * abs(value):
        yield f"objective_: {model.objective_:.12g}, but {value:.12g} at the weights returned"
    bounds = {"lower_bound_": (model.lower_bound_, value_at)}
    if getattr(model, "exact_lower_bound_", -np.inf) > -np.inf:
        exact_value = objective(model, data, exact, total, data.s)
        bounds["exact_lower_bound_"] = (model.exact_lower_bound_, exact_value)
    for other in _others(traces, total, weights):
        for name, (lower, at) in bounds.items():
            value = at(other)
            if lower > value + same * abs(value):
                yield f"{name}: {lower:.12g} is above {value:.12g}"


def _others(traces: Array, total: float, weights: Array) -> Iterator[Array]:
    """Those returned, corners and random ones, and mixtures of the first with each of these."""
    rng = np.random.default_rng(0)
    used = np.flatnonzero(traces > 0)
    yield weights
    for number in range(2 * _TRIES):
        share = np.zeros(len(traces))
        share[used] = rng.exponential(size=len(used)) ** 3
        if number < _TRIES:
            share[:] = 0.0
            share[rng.choice(used)] = 1.0
        other = total * share / (share @ traces)
        yield other
        yield 0.9 * weights + 0.1 * other
