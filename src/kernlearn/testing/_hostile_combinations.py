"""Hostile combinations of kernels: in lists, in families made on demand, and through landmarks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from kernlearn.estimators import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.kernels import Gaussian, Grid, Kernel, Linear, PerColumn, Polynomial
from kernlearn.testing._hostile_data import (
    Generator,
    hostile_labels,
    hostile_points,
    hostile_targets,
    power,
)
from kernlearn.testing._hostile_landmarks import Data, value_broken
from kernlearn.testing._hostile_problem import HostileProblem, close, right_status
from kernlearn.testing._long_double import long
from kernlearn.testing.fuzz.judge import Case
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
    options: dict[str, Any] = {
        "kernels": _kernels(rng, X),
        "tol": float(rng.choice([1e-3, 1e-6])),
        "max_iter": 50,
        "random_state": 0,
    }
    place = int(rng.integers(4))
    if place == 0:
        family: Any = [PerColumn, Grid][int(rng.integers(2))]
        size = {} if family is PerColumn else {"size": [1, 2] if X.shape[1] > 1 else 1}
        options["kernels"] = family(options["kernels"], **size)
    elif place == 1:
        options["rank"] = int(rng.integers(2, n + 1))
        options["certify"] = ["exact", None][int(rng.integers(2))]
    kind = int(rng.integers(3))
    y: Any = None
    if kind == 0:
        y = hostile_labels(rng, n, int(rng.integers(2, 4)))
        quality = str(rng.choice(["soft_margin", "squared_soft_margin", "least_squares"]))
        model: Any = MKLClassifier(quality=quality, C=power(rng, -6, 6), **options)
    elif kind == 1:
        y = hostile_targets(rng, X)
        quality = str(rng.choice(["epsilon_svr", "least_squares"]))
        model = MKLRegressor(quality=quality, C=power(rng, -6, 6), **options)
    else:
        nu = float(rng.uniform(0.05, 1))
        model = MKLNoveltyDetector(nu=nu, normalize=False, **options)
    return HostileProblem(
        model,
        lambda model: model.fit(X) if y is None else model.fit(X, y),
        lambda model: _broken(model, X, y),
        n,
        f"X of size {np.abs(X).max():.1e}",
    )


def _kernels(rng: Generator, X: Array) -> list[Kernel]:
    """Gaussians that are nearly constant, nearly the identity or in between, and powers."""
    square = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean()) or 1.0
    kernels: list[Kernel] = [Gaussian(10.0 ** rng.uniform(-3, 3) / square) for _ in range(2)]
    if rng.uniform() < 0.4:
        kernels.append(Linear())
    if rng.uniform() < 0.3:
        kernels.append(Polynomial(2))
    return kernels


def _broken(model: Any, X: Array, y: Any) -> Iterator[str]:
    yield from right_status(model, _TOLD * model.tol)
    weights = np.asarray(model.weights_, dtype=float)
    if not np.all(weights >= 0):
        yield f"a negative weight, {weights.min():.3g}"
    family = model.kernels
    members = list(family) if isinstance(family, list) else _members(family.bind(X))
    exact = np.array([np.asarray(kernel(X), dtype=float) for kernel in members])
    traces = np.trace(exact, axis1=1, axis2=2)
    total = float(traces.mean())
    yield from close(weights @ traces, total, 1e-9 * total, "the total of the weights")
    seen = exact
    if getattr(model, "rank_", None) is not None:
        seen = np.array(
            [_through(*pair, X) for pair in zip(members, model.landmarks_, strict=True)]
        )
        kept = np.flatnonzero(weights) if not isinstance(family, list) else slice(None)
        yield from value_broken(model, Data(X, y, None, X), long(np.ones(len(X))), weights[kept])
    objective = _Objective(model, seen, y, total)
    same = _SAME if seen is exact else _SAME_THROUGH_LANDMARKS
    value = objective(weights)
    if model.status_.is_optimal and model.objective_ > value + (same + model.tol) * abs(value):
        yield f"objective_: {model.objective_:.12g}, but {value:.12g} at the weights returned"
    exact_objective = _Objective(model, exact, y, total)
    exact_bound = getattr(model, "exact_lower_bound_", -np.inf)
    for other in _others(traces, total, weights):
        value = objective(other)
        if model.lower_bound_ > value + same * abs(value):
            yield f"lower_bound_: {model.lower_bound_:.12g} is above {value:.12g}"
        if exact_bound > -np.inf:
            value = exact_objective(other)
            if exact_bound > value + same * abs(value):
                yield f"exact_lower_bound_: {exact_bound:.12g} is above {value:.12g}"


def _members(family: Any) -> list[Kernel]:
    return [family[i] for i in range(len(family))]


def _through(kernel: Kernel, landmarks: Any, X: Array) -> Array:
    """K(X, S) K(S, S)⁻¹ K(S, X); the matrix itself where there are no landmarks."""
    if landmarks is None:
        return np.asarray(kernel(X), dtype=float)
    values, vectors = np.linalg.eigh(np.asarray(kernel(landmarks), dtype=float))
    kept = values > _NEGLIGIBLE * values[-1]
    Z = np.asarray(kernel(X, landmarks), dtype=float) @ (vectors[:, kept] / np.sqrt(values[kept]))
    return np.asarray(Z @ Z.T)


class _Objective:
    """The value at any weights, or something above it: the sum over classes or targets."""

    def __init__(self, model: Any, grams: Array, y: Any, total: float) -> None:
        case = Case(grams, np.ones(grams.shape[1]), total=total, tol=model.tol)
        if y is None:
            self.cases = [replace(case, quality="one_class", nu=model.nu)]
            return
        case = replace(case, quality=model.quality, C=model.C_)
        if isinstance(model, MKLRegressor):
            self.cases = [replace(case, y=np.asarray(y, dtype=float), epsilon=model.epsilon_)]
            return
        classes = np.unique(y)
        last = classes[1:] if len(classes) == 2 else classes
        self.cases = [replace(case, y=np.where(y == label, 1.0, -1.0)) for label in last]

    def __call__(self, weights: Array) -> float:
        return sum(case.value(weights) for case in self.cases)


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
