"""Hostile survival, rankings, grades, counts and several outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.hostile.fits.data import (
    Generator,
    Options,
    Targets,
    hostile_points,
    hostile_targets,
    hostile_weights,
    power,
)
from benchmarks.hostile.fits.problem import (
    HostileProblem,
    Model,
    close,
    nonnegative,
    right_status,
)
from benchmarks.hostile.outcomes import hostile_times
from kernlearn.estimators import (
    KernelClassifier,
    KernelRegressor,
    KernelSurvival,
    MKLOptions,
    MKLSurvival,
)
from kernlearn.kernels import Gaussian, Kernel, Linear, Polynomial
from kernlearn.ranking import MKLRanker
from kernlearn.testing.certificate import Case
from kernlearn.typing import Array

# The part of the tolerance to which a gap is told, and of two ways to a value.
_TOLD, _SAME = 1e-6, 1e-7
_TRIES = 5
# Trained quickly on few rows.
_CANDIDATES = ("linear", "polynomial", "Gaussian")


@dataclass(frozen=True, eq=False)
class GivenArrays:
    """Rows and what else `fit` takes by name, with copies that show whether it changed them."""

    X: Array
    others: dict[str, Any]

    def problem(self, model: Model, broken: Any, words: str = "") -> HostileProblem:
        """The problem of fitting this model to these arrays."""
        before = {name: np.array(each) for name, each in self._named()}

        def check(model: Model) -> Iterator[str]:
            for name, each in self._named():
                same = np.asarray(each)
                if same.tobytes() != before[name].tobytes():
                    yield f"{name} was changed by fit"
            yield from broken(model, self)

        said = f"X of size {np.abs(self.X).max():.1e}{words}"
        return HostileProblem(model, self.fit, check, len(self.X), said)

    def fit(self, model: Model) -> Model:
        """Fit the model."""
        return model.fit(self.X, **self.others)

    def _named(self) -> Iterator[tuple[str, Any]]:
        yield "X", self.X
        yield from ((name, each) for name, each in self.others.items() if each is not None)


def cox_problem(rng: Generator) -> HostileProblem:
    """Cox's partial likelihood with some kernels, and C given or chosen."""
    n = int(rng.choice([6, 12, 20, 30]))
    X, words = hostile_points(rng, n), list[str]()
    y = hostile_times(rng, X / (np.abs(X).max() or 1.0), bool(rng.integers(2)), words)
    y["event"][:2] = True
    C = "auto" if rng.uniform() < 0.2 else power(rng, -6, 6)
    model = MKLSurvival(_kernels(rng, X), C=C, **_options(rng), cv=3)
    if rng.uniform() < 0.2:
        model.set_params(weights="free")
    data = GivenArrays(X, {"y": y, "sample_weight": hostile_weights(rng, n)})
    model.set_params(ties=str(rng.choice(["efron", "breslow"])))
    return data.problem(model, _cox_broken, f", {', '.join(words)}")


def ranking_problem(rng: Generator) -> HostileProblem:
    """Pairs of grades, all rows against all or within groups."""
    n = int(rng.choice([3, 6, 12, 18]))
    X = hostile_points(rng, n)
    y = np.round(hostile_targets(rng, X) * 10.0 ** rng.uniform(-2, 2), int(rng.integers(0, 3)))
    groups = rng.integers(0, 3, n) if rng.uniform() < 0.4 else None
    model = MKLRanker(_kernels(rng, X), C=power(rng, -6, 6), n_pairs=40, **_options(rng), cv=2)
    data = GivenArrays(X, {"y": y, "groups": groups})
    return data.problem(model, _ranking_broken, "" if groups is None else ", groups")


def mixture_problem(rng: Generator) -> HostileProblem:
    """A mixture for times to an event, ordered grades, counts or several outcomes."""
    n = int(rng.choice([12, 20, 40]))
    X, kind = hostile_points(rng, n), int(rng.integers(4))
    options: Options = {"candidates": _candidates(rng), "cv": int(rng.integers(2, 4))}
    others: Options = {"sample_weight": hostile_weights(rng, n)}
    words = [("times", "grades", "counts", "outcomes")[kind]]
    if kind == 0:
        others["y"] = hostile_times(rng, X / (np.abs(X).max() or 1.0), True, words)
        y = others["y"]
        y["event"][:2] = True
        model: Model = KernelSurvival(**options)
    elif kind == 1:
        others["y"] = _grades(rng, X)
        model = KernelClassifier(ordinal=True, **options)
    elif kind == 2:
        others["y"] = _counts(rng, X, words)
        if rng.uniform() < 0.4:
            others["exposure"] = 10.0 ** rng.uniform(-6, 6, size=n)
            words.append("exposure")
        loss = ("poisson", "negative_binomial")[int(rng.integers(2))]
        model = KernelRegressor(loss=loss, **options)
    else:
        columns = [hostile_targets(rng, X) for _ in range(int(rng.integers(2, 5)))]
        if rng.uniform() < 0.3:
            columns.append(columns[0] * power(rng, -6, 6))
            words.append("one outcome twice")
        others["y"] = np.column_stack(columns)
        model = KernelRegressor(**options)
    return GivenArrays(X, others).problem(model, _mixture_broken, f", {', '.join(words)}")


def _grades(rng: Generator, X: Array) -> Targets:
    """Three to five grades that rise with a column, each of them there; some of one row only."""
    n, n_grades = len(X), int(rng.integers(3, 6))
    order = np.argsort(X[:, 0] + 0.5 * np.abs(X).max() * rng.normal(size=n), kind="stable")
    grades = np.zeros(n, dtype=int)
    shares = rng.dirichlet(np.full(n_grades, 0.5 if rng.uniform() < 0.5 else 5.0))
    grades[order] = np.searchsorted(np.cumsum(shares)[:-1], (np.arange(n) + 0.5) / n)
    grades[rng.permutation(n)[:n_grades]] = np.arange(n_grades)
    return grades * int(rng.choice([1, 1, 1000]))


def _counts(rng: Generator, X: Array, words: list[str]) -> Array:
    """Counts, most of them zero, or huge, or all of them equal."""
    size = np.abs(X[:, 0]).max() or 1.0
    counts = rng.poisson(np.exp(X[:, 0] / size + rng.choice([-3.0, 0.0, 4.0]))).astype(float)
    kind = int(rng.integers(5))
    if kind == 0:
        counts[int(rng.integers(len(counts)))] = 1e9
        words.append("an outlying count")
    elif kind == 1:
        counts[:] = 0.0
        counts[0] = 1.0
        words.append("one event")
    elif kind == 2:
        counts[:] = counts[0]
        words.append("equal counts")
    return np.asarray(counts)


def _candidates(rng: Generator) -> list[str]:
    return [str(each) for each in rng.permutation(_CANDIDATES)[: int(rng.integers(1, 3))]]


def _options(rng: Generator) -> Options:
    return {
        "tol": float(rng.choice([1e-3, 1e-6])),
        "normalize": bool(rng.integers(2)),
        "options": MKLOptions(max_iter=50),
    }


def _kernels(rng: Generator, X: Array) -> list[Kernel]:
    square = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean()) or 1.0
    kernels: list[Kernel] = [Gaussian(10.0 ** rng.uniform(-3, 3) / square), Linear()]
    if rng.uniform() < 0.5:
        kernels.append(Polynomial(2))
    if rng.uniform() < 0.2:
        kernels.append(kernels[0])
    return kernels


def _cox_broken(model: Model, data: GivenArrays) -> Iterator[str]:
    yield from _finite_curves(model, data.X)
    kept = np.ones(len(data.X), dtype=bool)
    weight = data.others["sample_weight"]
    if weight is not None:
        kept = weight > 0
        weight = weight[kept]
    X = data.X[kept]
    grams = np.array([np.asarray(kernel(X), dtype=float) for kernel in model.kernels_])
    case = Case(
        grams,
        data.others["y"][kept],
        quality="cox",
        C=model.C_,
        ties=model.ties,
        weights=model.weights,
        sample_weight=weight,
        total=float(np.trace(grams, axis1=1, axis2=2).mean()),
        tol=model.tol,
    )
    rows = np.flatnonzero(kept)
    coef = np.zeros(len(data.X))
    coef[model.support_] = model.dual_coef_[0]
    yield from _certificate(model, case, coef[rows], 0.0)


def _ranking_broken(model: Model, data: GivenArrays) -> Iterator[str]:
    yield from _finite(model.predict(data.X), "a score")
    X, pairs = data.X, model.pairs_
    grams = np.array([np.asarray(kernel(X), dtype=float) for kernel in model.kernels_])
    first, second = pairs.T
    halves = grams[:, first] - grams[:, second]
    differences = halves[:, :, first] - halves[:, :, second]
    total = float(np.trace(differences, axis1=1, axis2=2).mean())
    case = Case(
        differences, np.zeros(len(pairs)), quality="ranking", C=model.C_, total=total, tol=model.tol
    )
    yield from right_status(model, _TOLD * model.tol)
    weights = np.asarray(model.weights_, dtype=float)
    yield from nonnegative(weights)
    # What is returned are coefficients of rows: their function, and its loss at the pairs.
    coef = np.zeros(len(X), dtype=np.longdouble)
    coef[model.support_] = model.dual_coef_[0]
    K = np.tensordot(weights.astype(np.longdouble), grams.astype(np.longdouble), 1)
    f = K @ coef
    loss = np.maximum(0.0, 1.0 - f[first] + f[second])
    value = 0.5 * coef @ f + model.C_ * loss.sum()
    sizes = np.abs(K) @ np.abs(coef)
    known = 1e-15 * float(np.abs(coef) @ sizes + model.C_ * (sizes[first] + sizes[second]).sum())
    yield from close(model.objective_, value, _SAME * abs(value) + known, "objective_")
    yield from _no_other_is_below(model, case, weights)


def _certificate(model: Model, case: Case, coef: Array, intercept: float) -> Iterator[str]:
    """The objective is that of the function returned, and no other weights are below the bound."""
    yield from right_status(model, _TOLD * model.tol)
    weights = np.asarray(model.weights_, dtype=float)
    if case.weights == "positive":
        yield from nonnegative(weights)
    total = case.c
    yield from close(weights @ case.normaliser, total, 1e-9 * total, "the total of the weights")
    K, a = case.kernel(weights), coef.astype(np.longdouble)
    machine = case.machine(weights)
    value = machine.primal(K, a, np.longdouble(intercept))
    steepest = np.maximum(machine.upper, -machine.lower)
    known = 1e-15 * float((np.abs(a) + steepest) @ (np.abs(K) @ np.abs(a)))
    yield from close(model.objective_, value, _SAME * abs(value) + known, "objective_")
    if case.weights == "positive":
        yield from _no_other_is_below(model, case, weights)


def _no_other_is_below(model: Model, case: Case, weights: Array) -> Iterator[str]:
    rng, r = np.random.default_rng(0), case.normaliser
    used, others = np.flatnonzero(r > 0), [weights]
    for number in range(2 * _TRIES):
        share = np.zeros(len(r))
        share[used] = rng.dirichlet(np.full(len(used), 0.5))
        if number < _TRIES:
            share[:] = 0.0
            share[rng.choice(used)] = 1.0
        other = np.where(r > 0, case.c * share / np.where(r > 0, r, 1.0), 0.0)
        others += [other, 0.9 * weights + 0.1 * other]
    for value in case.values(others):
        if model.lower_bound_ > value + _SAME * abs(value):
            yield f"lower_bound_: {model.lower_bound_:.12g} is above {value:.12g}"


def _mixture_broken(model: Model, data: GivenArrays) -> Iterator[str]:
    if isinstance(model, KernelSurvival):
        yield from _finite_curves(model, data.X)
        return
    predicted = model.predict(data.X)
    yield from _finite(np.asarray(predicted, dtype=float), "a prediction")
    if isinstance(model, KernelClassifier):
        shares = model.predict_proba(data.X)
        yield from _finite(shares, "a probability")
        yield from close(shares.sum(axis=1), 1.0, 1e-9, "the sum of probabilities")
        yield from nonnegative(shares)
        if not np.isin(predicted, model.classes_).all():
            yield "a predicted grade that is none of the grades"
    elif model.loss != "squared":
        yield from nonnegative(predicted)
    elif predicted.shape != data.others["y"].shape:
        yield f"predictions of shape {predicted.shape}"
    else:
        size = np.abs(data.others["y"]).max(axis=0)
        # No mixture need go far beyond the targets at the rows that it has learned from.
        if (np.abs(predicted).max(axis=0) > 100.0 * size).any():
            yield "predictions at training rows beyond a hundred times the targets"


def _finite_curves(model: Model, X: Array) -> Iterator[str]:
    yield from _finite(model.predict(X), "a risk")
    curves = model.predict_survival_function(X)
    yield from _finite(curves, "a survival probability")
    if (np.diff(curves, axis=1) > 0).any() or not ((curves >= 0) & (curves <= 1)).all():
        yield "a curve that rises, or leaves the probabilities"
    if np.isnan(model.predict_median(X)).any():
        yield "a median that is no number"


def _finite(values: Array, what: str) -> Iterator[str]:
    if not np.isfinite(values).all():
        yield f"{what} that is not finite"
