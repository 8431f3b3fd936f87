"""Hostile learning from pairs: values, and bounds against what anyone can find."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from benchmarks.hostile.fits.data import (
    Generator,
    Targets,
    hostile_labels,
    hostile_points,
    power,
)
from benchmarks.hostile.fits.problem import (
    HostileProblem,
    Model,
    at_most,
    close,
    right_status,
)
from benchmarks.hostile.long_double import EPSILON, Number, best_intercept, long
from kernlearn.estimators import HyperkernelMetric
from kernlearn.hyperkernels import GaussianHyperkernel, Harmonic, Hyperkernel
from kernlearn.typing import Array, Indices, LongArray, Mask

# Random combinations to try, and steps down from the returned one.
_TRIES = 30


class ScaledHyperkernel(Hyperkernel):
    """A hyperkernel times a positive factor."""

    def __init__(self, hyperkernel: Hyperkernel, factor: float) -> None:
        self.hyperkernel = hyperkernel
        self.factor = factor

    def _table(self, left: Array, right: Array) -> Array:
        return self.hyperkernel._table(left, right)

    def _evaluate(self, left: Array, right: Array) -> Array:
        return self.factor * self.hyperkernel._evaluate(left, right)

    def _diag(self, table: Array) -> Array:
        return self.factor * self.hyperkernel._diag(table)


def pair_problem(rng: Generator) -> HostileProblem:
    """A metric from classes, or from pairs that are few, duplicated or nearly contradictory."""
    n = int(rng.choice([2, 3, 5, 9, 14, 20]))
    X, y = hostile_points(rng, n), hostile_labels(rng, n)
    width = float(np.median(np.abs(X - X.mean(axis=0)))) or 1.0
    hyperkernel = [
        None,
        GaussianHyperkernel(width, 2.0 * width),
        ScaledHyperkernel(GaussianHyperkernel(width, width), power(rng, -12, 12)),
        Harmonic(0.6, power(rng, -6, 6)),
    ][int(rng.integers(4))]
    model = HyperkernelMetric(
        hyperkernel, ["conic", "linear"][int(rng.integers(2))], power(rng, -8, 8), random_state=0
    )
    pairs, labels = _pairs(rng, y)
    return HostileProblem(
        model,
        lambda model: model.fit_pairs(X, pairs, labels),
        lambda model: _broken(model, X, pairs, np.where(labels, 1.0, -1.0)),
        n,
        f"{len(pairs)} pairs, X of size {np.abs(X).max():.1e}",
    )


def _pairs(rng: Generator, y: Targets) -> tuple[Indices, Mask]:
    """Some or all distinct pairs with their labels, both of which occur where they can."""
    first, second = np.triu_indices(len(y))
    labels = y[first] == y[second]
    if rng.uniform() < 1 / 3:
        labels = np.where(first == second, True, rng.uniform(size=len(first)) < 0.5)
    kept = np.sort(rng.permutation(len(first))[: int(rng.integers(1, len(first) + 1))])
    if rng.uniform() < 1 / 2:
        kept = np.arange(len(first))
    return np.column_stack([first, second])[kept], labels[kept]


def _broken(model: Model, X: Array, pairs: Indices, labels: Array) -> Iterator[str]:
    yield from right_status(model, 1e-14)
    if model.combination == "conic" and not np.all(model.coef_ >= 0):
        yield f"a negative coefficient, {model.coef_.min():.3g}, in a conic combination"
    table = X[pairs]
    K, t, C = long(model.hyperkernel_(table)), long(labels), long(model.C)
    coef = _coefficients(model, table)
    if coef is None:
        yield "pairs_ holds a pair that was not given"
        return
    value, size = _value(K, t, C, coef, long(model.intercept_))
    size = size + model.objective_
    yield from close(
        model.objective_, value, 1e-9 * value + 1e4 * len(K) * EPSILON * size, "objective_"
    )
    rng = np.random.default_rng(0)
    for alpha in _found_by_anyone(K, labels, float(C), coef, model.combination == "conic", rng):
        other, size = _value(K, t, C, alpha, best_intercept(K @ alpha, t))
        yield from at_most(model.lower_bound_, other, len(K) * size, "lower_bound_")


def _coefficients(model: Model, table: Array) -> LongArray | None:
    """The coefficient of every pair, those of equal pairs at the first of them."""
    coef = np.zeros(len(table), dtype=np.longdouble)
    for pair, value in zip(model.pairs_, model.coef_, strict=True):
        same = np.flatnonzero((table == pair).all(axis=(1, 2)))
        if len(same) == 0:
            return None
        coef[same[0]] += value
    return coef


def _value(
    K: LongArray, t: LongArray, C: Number, alpha: LongArray, b: Number
) -> tuple[Number, Number]:
    """The program at α and b, and the size of the terms that it is the sum of."""
    f = K @ alpha
    loss = np.maximum(1 - t * (f + b), 0).sum()
    sizes = K @ np.abs(alpha)
    size = 0.5 * np.abs(alpha) @ sizes + C * (sizes.max() + np.abs(b) + 1)
    return 0.5 * alpha @ f + C * loss, size


def _found_by_anyone(
    K: LongArray, labels: Array, C: float, coef: LongArray, conic: bool, rng: Generator
) -> Iterator[LongArray]:
    """Coefficients that need no solver of ours: none, random ones, and some near the returned."""
    n = len(K)
    lengths = np.sqrt(np.maximum(K.diagonal(), 0))
    unit = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1), 0)
    yield np.zeros(n, dtype=np.longdouble)
    yield coef
    for _ in range(_TRIES):
        random = unit * np.abs(rng.normal(size=n)) * (rng.uniform(size=n) < rng.uniform())
        if not conic:
            random = random * labels
        yield random / unit.max() * 10.0 ** rng.uniform(-3, 1)
        yield coef * (1 + 10.0 ** rng.uniform(-6, 0) * rng.normal(size=n).clip(-1, 1))
        yield coef * (1 + 10.0 ** rng.uniform(-9, 0) * rng.choice([-1, 1]))
    if not conic:
        machine = SVC(C=C, kernel="precomputed", tol=1e-6, max_iter=10_000)
        machine.fit(K.astype(float), labels)
        alpha = np.zeros(n, dtype=np.longdouble)
        alpha[machine.support_] = machine.dual_coef_[0]
        yield alpha
