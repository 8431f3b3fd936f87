"""Hostile learning in a hyper-RKHS: weights, both values, and bounds against other weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kernlearn.estimators import (
    HyperkernelClassifier,
    HyperkernelNoveltyDetector,
    HyperkernelRegressor,
)
from kernlearn.testing._hostile_data import (
    Generator,
    hostile_labels,
    hostile_points,
    hostile_targets,
    power,
)
from kernlearn.testing._hostile_machines import MACHINES, HostileMachine
from kernlearn.testing._hostile_problem import HostileProblem, at_most, close, right_status
from kernlearn.testing._long_double import Long, long
from kernlearn.typing import Array

_TRIES = 6
# The part of the tolerance to which a gap is told, and the machine solved.
_TOLD = 1e-6


def hyperkernel_problem(rng: Generator) -> HostileProblem:
    """A classifier, a regressor or a novelty detector with the default hyperkernel."""
    n = int(rng.choice([3, 5, 10, 20, 30]))
    X = hostile_points(rng, n)
    options: dict[str, Any] = {
        "lambda_q": power(rng, -6, 6),
        "squared": bool(rng.integers(2)),
        "max_pivots": int(rng.choice([1, 5, 20])),
        "random_state": 0,
    }
    kind = int(rng.integers(3))
    if kind == 0:
        y: Any = hostile_labels(rng, n)
        model: Any = HyperkernelClassifier(C=power(rng, -8, 8), **options)
    elif kind == 1:
        y = hostile_targets(rng, X)
        quality = ["nu_svr", "epsilon_svr"][int(rng.integers(2))]
        model = HyperkernelRegressor(quality=quality, C=power(rng, -8, 8), **options)
    else:
        y, model = None, HyperkernelNoveltyDetector(nu=float(rng.uniform(0.05, 1)), **options)
    return HostileProblem(
        model,
        lambda model: model.fit(X) if y is None else model.fit(X, y),
        lambda model: _broken(model, X, y),
        n,
        f"X of size {np.abs(X).max():.1e}",
    )


def _broken(model: Any, X: Array, y: Any) -> Iterator[str]:
    yield from right_status(model, _TOLD * model.tol)
    weights = long(model.weights_)
    total = _total(model, y)
    if not np.all(weights >= 0):
        yield f"a negative weight, {float(weights.min()):.3g}"
    yield from close(weights.sum(), total, 1e-9 * total, "the sum of the weights")
    grams = long(model.hyperkernel_.sections(X, model.pivots_))
    machine = MACHINES[getattr(model, "quality", "one_class")](model, y, len(X))
    penalty = _Penalty(model, len(X))
    yield from _values(model, machine, np.tensordot(weights, grams, 1), penalty(weights))
    rng = np.random.default_rng(0)
    for other in _other_weights(len(weights), total, rng):
        K = np.tensordot(other, grams, 1)
        for a, b in machine.found_by_anyone(K):
            value, size = machine.primal(K, a, b)
            value, size = value + penalty(other), size + penalty(other)
            yield from at_most(model.lower_bound_, value, len(K) * size, "lower_bound_")


def _values(model: Any, machine: HostileMachine, K: Long, penalty: Any) -> Iterator[str]:
    """The objective lies between the dual and the primal value of what is returned."""
    a = np.zeros(len(K), dtype=np.longdouble)
    a[model.support_] = model.dual_coef_[0]
    yield from machine.feasible(a)
    high, size = machine.primal(K, a, long(model.intercept_)[0])
    low = machine.dual(K, a)
    size = len(K) * (size + penalty)
    slack = model.tol * abs(model.objective_)
    yield from at_most(low + penalty - slack, model.objective_, size, "the dual value")
    yield from at_most(model.objective_ - slack, high + penalty, size, "objective_")
    yield from at_most(model.lower_bound_, high + penalty, size, "lower_bound_")


def _total(model: Any, y: Any) -> float:
    if model.total is not None:
        return float(model.total)
    spread = float(np.std(long(y))) if isinstance(model, HyperkernelRegressor) else 0.0
    return spread if spread > 0 else 1.0


class _Penalty:
    """λ_Q/2 times the norm in the hyper-RKHS or its square, in the units of each machine."""

    def __init__(self, model: Any, n: int) -> None:
        self.K, self.squared = long(model.hyperkernel_(model.pivots_)), model.squared
        self.factor = long(model.lambda_q)
        if isinstance(model, HyperkernelRegressor):
            self.factor = self.factor * model.C * n
        elif isinstance(model, HyperkernelNoveltyDetector):
            self.factor = self.factor / model.nu

    def __call__(self, weights: Long) -> Any:
        square = np.maximum(weights @ self.K @ weights, 0)
        return 0.5 * self.factor * (square if self.squared else np.sqrt(square))


def _other_weights(m: int, total: float, rng: Generator) -> Iterator[Long]:
    """Corners, the centre, and random ones."""
    yield long(np.full(m, total / m))
    for p in rng.permutation(m)[:_TRIES]:
        yield total * long(np.arange(m) == p)
    for _ in range(_TRIES):
        random = rng.exponential(size=m) ** 3
        yield total * long(random / random.sum())
