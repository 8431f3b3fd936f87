"""Hostile learning in a hyper-RKHS: weights, both values, and bounds against other weights."""

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
from benchmarks.hostile.fits.problem import (
    HostileData,
    HostileProblem,
    Model,
    at_most,
    close,
    nonnegative,
    right_status,
    signed_targets,
)
from benchmarks.hostile.long_double import Number, long
from kernlearn.estimators import (
    HyperkernelClassifier,
    HyperkernelNoveltyDetector,
    HyperkernelOptions,
    HyperkernelRegressor,
)
from kernlearn.testing.certificate.definitions import Definition
from kernlearn.testing.certificate.machine_training import train
from kernlearn.typing import LongArray

_TRIES = 6
# The part of the tolerance to which a gap is told, and the machine solved.
_TOLD = 1e-6
# Coefficients are in their box to this part of it.
_FEASIBLE = 1e-12


def hyperkernel_problem(rng: Generator) -> HostileProblem:
    """A classifier, a regressor or a novelty detector with the default hyperkernel."""
    n = int(rng.choice([3, 5, 10, 20, 30]))
    X = hostile_points(rng, n)
    options: Options = {
        "lambda_q": power(rng, -6, 6),
        "options": HyperkernelOptions(squared=bool(rng.integers(2))),
        "max_pivots": int(rng.choice([1, 5, 20])),
        "random_state": 0,
    }
    kind = int(rng.integers(3))
    if kind == 0:
        y: Targets | None = hostile_labels(rng, n)
        model: Model = HyperkernelClassifier(C=power(rng, -8, 8), **options)
    elif kind == 1:
        y = hostile_targets(rng, X)
        quality = ["nu_svr", "epsilon_svr"][int(rng.integers(2))]
        model = HyperkernelRegressor(quality=quality, C=power(rng, -8, 8), **options)
    else:
        y, model = None, HyperkernelNoveltyDetector(nu=float(rng.uniform(0.05, 1)), **options)
    return HostileData(X, y).problem(model, _broken)


def _broken(model: Model, data: HostileData) -> Iterator[str]:
    yield from right_status(model, _TOLD * model.tol)
    weights, total = long(model.weights_), _total(model, data.y)
    yield from nonnegative(weights)
    yield from close(weights.sum(), total, 1e-9 * total, "the sum of the weights")
    grams = long(model.hyperkernel_.sections(data.X, model.pivots_))
    machine = _Machine(model, data)
    penalty = _Penalty(model, len(data.X))
    yield from _values(model, machine, np.tensordot(weights, grams, 1), penalty(weights))
    others = list(_other_weights(len(weights), total, np.random.default_rng(0)))
    kernels = np.tensordot(np.array(others), grams, 1)
    for other, K, (a, b) in zip(others, kernels, machine.trained(kernels), strict=True):
        value, size = machine.primal(K, a, b)
        value, size = value + penalty(other), size + penalty(other)
        yield from at_most(model.lower_bound_, value, len(K) * size, "lower_bound_")


def _values(model: Model, machine: _Machine, K: LongArray, penalty: Number) -> Iterator[str]:
    """The objective lies between the dual and the primal value of what is returned."""
    a = np.zeros(len(K), dtype=np.longdouble)
    a[model.support_] = model.dual_coef_[0]
    yield from machine.feasible(a)
    high, size = machine.primal(K, a, long(model.intercept_)[0])
    low = machine.definition.dual(K, a)
    size = len(K) * (size + penalty)
    slack = model.tol * abs(model.objective_)
    yield from at_most(low + penalty - slack, model.objective_, size, "the dual value")
    yield from at_most(model.objective_ - slack, high + penalty, size, "objective_")
    yield from at_most(model.lower_bound_, high + penalty, size, "lower_bound_")


class _Machine:
    """The machine of a fitted model from its definition, targets around their median."""

    def __init__(self, model: Model, data: HostileData) -> None:
        n, is_regression = len(data.X), isinstance(model, HyperkernelRegressor)
        y = long(np.zeros(n)) if data.y is None else signed_targets(data.y, is_regression)[0]
        self.middle = np.median(y) if is_regression else np.longdouble(0.0)
        self.scale = np.abs(y - self.middle).max() + np.abs(y).max() if is_regression else 1.0
        self.definition = Definition(
            getattr(model, "quality", "one_class"),
            y - self.middle,
            getattr(model, "C", 1.0),
            getattr(model, "nu", 0.5),
            getattr(model, "epsilon_", 0.1),
            long(np.ones(n)),
        )

    def feasible(self, a: LongArray) -> Iterator[str]:
        """A sentence for coefficients outside of their polytope."""
        violation = self.definition.infeasibility(a) * max(float(np.abs(a).sum()), 1e-300)
        if violation > len(a) * _FEASIBLE * float(self.definition.upper.max()):
            yield f"a dual coefficient outside of its polytope by {violation:.3g}"

    def primal(self, K: LongArray, a: LongArray, b: Number) -> tuple[Number, Number]:
        """The primal value of the function Ka + b, and the size of its terms."""
        sizes = np.abs(K) @ np.abs(a)
        size = 0.5 * np.abs(a) @ sizes
        size += self.definition.upper.sum() * (sizes.max() + np.abs(b) + self.scale)
        return self.definition.primal(K, a, b - self.middle), size

    def trained(self, K: LongArray) -> Iterator[tuple[LongArray, Number]]:
        """A function for every kernel, by the judge's own interior-point method, or a constant."""
        found = train([self.definition] * len(K), K.astype(float))
        for a, b in zip(*found, strict=True):
            known = np.isfinite(a).all() and np.isfinite(b)
            yield (
                (long(a) if known else long(np.zeros_like(a))),
                (b if known else 0.0) + self.middle,
            )


def _total(model: Model, y: Targets | None) -> float:
    spread = float(np.std(long(y))) if isinstance(model, HyperkernelRegressor) else 0.0
    return spread if spread > 0 else 1.0


class _Penalty:
    """λ_Q/2 times the norm in the hyper-RKHS or its square, in the units of each machine."""

    def __init__(self, model: Model, n: int) -> None:
        self.K, self.squared = long(model.hyperkernel_(model.pivots_)), model.options.squared
        self.factor = long(model.lambda_q)
        if isinstance(model, HyperkernelRegressor):
            self.factor = self.factor * model.C * n
        elif isinstance(model, HyperkernelNoveltyDetector):
            self.factor = self.factor / model.nu

    def __call__(self, weights: LongArray) -> Number:
        square = np.maximum(weights @ self.K @ weights, 0)
        return 0.5 * self.factor * (square if self.squared else np.sqrt(square))


def _other_weights(m: int, total: float, rng: Generator) -> Iterator[LongArray]:
    """Corners, the centre, and random ones."""
    yield long(np.full(m, total / m))
    for p in rng.permutation(m)[:_TRIES]:
        yield total * long(np.arange(m) == p)
    for _ in range(_TRIES):
        random = rng.exponential(size=m) ** 3
        yield total * long(random / random.sum())
