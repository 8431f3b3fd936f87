"""Hostile fits through landmarks, judged on both sides from what they return.

The value of the returned function is recomputed in long double from ``landmark_coef_``,
``intercept_`` and ``weights_``: the objective may be neither above nor below it. The lower bound is
compared with values at other weights, found by the judge's own machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.class_weight import compute_sample_weight

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
    close,
    nonnegative,
    right_status,
    signed_targets,
)
from benchmarks.hostile.long_double import EPSILON, Number, long
from kernlearn._device import Place, on_place
from kernlearn.estimators import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor
from kernlearn.kernels import Gaussian, Grid, Kernel, Linear, PerColumn, Polynomial
from kernlearn.runtime.optional import load_dask_array
from kernlearn.testing.certificate.case import Case
from kernlearn.testing.certificate.definitions import Definition
from kernlearn.typing import Array, LongArray, Rows

# Shares of problems that are slow to make: chunks of Dask, arrays of another library;
# and of those that have no landmarks, because some rows lack a view.
_CHUNKED, _ELSEWHERE = 0.03, 0.03
_MISSING = 0.03
_TOLD = 1e-6  # the part of the tolerance to which a gap is told
_SAME = 1e-8  # relative difference of an objective from its definition, beside rounding
_BELOW = 1e-6  # a bound may not lie further above another value than this, relative to it
_NEGLIGIBLE = 1e-10  # of the largest eigenvalue of K(S, S)
_TRIES = 3
# Of the mean diagonal: no kernel of free signs has a more negative eigenvalue on the rows.
_INDEFINITE = 1e-8

_Maker = Callable[[Generator, Array, int, Options], tuple[Model, Targets | None]]


def landmark_problem(rng: Generator) -> HostileProblem:
    """A combination of kernels through landmarks, with all that may go with it."""
    return _problem(rng, _model)


def robust_landmark_problem(rng: Generator) -> HostileProblem:
    """The same for log-odds, Huber's loss and quantiles; half of them without landmarks."""
    return _problem(rng, _robust_model)


def _problem(rng: Generator, make: _Maker) -> HostileProblem:
    n = int(rng.choice([10, 20, 40]))
    X = hostile_points(rng, n)
    options: Options = {
        "kernels": _kernels(rng, X),
        "rank": int(rng.integers(1, n + 1)),
        "normalize": bool(rng.uniform() < 0.3),
        "tol": float(10.0 ** rng.integers(-6, 0)),
        "random_state": 0,
        "options": MKLOptions(max_iter=50),
    }
    kind = int(rng.integers(7))
    if make is _robust_model and rng.uniform() < 0.5:
        options["rank"] = None
    if rng.uniform() < 0.2:
        options["weights"] = "free"
    elif rng.uniform() < 0.2:
        family: type[PerColumn] | type[Grid] = [PerColumn, Grid][int(rng.integers(2))]
        size: Options = {} if family is PerColumn else {"size": 1}
        options["kernels"] = family(options["kernels"], **size)
    elif rng.uniform() < 0.15 and kind < 6:
        share = float(rng.uniform(0, 1))
        options["options"] = MKLOptions(max_iter=50, equal_share=share)
    model, y = make(rng, X, kind, options)
    weight = None
    if rng.uniform() < 0.4:
        reach = float(rng.choice([0.3, 1.0, 6.0, 12.0]))
        weight = np.asarray(10.0 ** rng.uniform(-reach, reach, size=n))
    if rng.uniform() < _MISSING and y is not None and not _is_family(model):
        return _with_missing_view(rng, model, X, y)
    data = HostileData(X, y, weight, _given(rng, X, model))
    return data.problem(model, _broken, f", {type(data.given).__name__}")


def _with_missing_view(rng: Generator, model: Model, X: Array, y: Targets | None) -> HostileProblem:
    """The same from two views, one of which some rows do not have: there are no landmarks then."""
    other = np.hstack([X, X**2])
    other[rng.permutation(len(X))[: len(X) // 3]] = np.nan
    model.set_params(missing=str(rng.choice(["mean", "complete"])), rank=None)
    data = HostileData(X, y, None, {"one": X, "other": other})
    return data.problem(model, _broken, ", and a view that some rows do not have")


def _model(rng: Generator, X: Array, kind: int, options: Options) -> tuple[Model, Targets | None]:
    C = power(rng, -6, 9)
    if kind < 3:
        quality = ["soft_margin", "squared_soft_margin", "least_squares"][kind]
        y = hostile_labels(rng, len(X), int(rng.integers(2, 4)))
        balance = "balanced" if rng.uniform() < 0.2 else None
        return MKLClassifier(quality=quality, C=C, class_weight=balance, **options), y
    if kind < 6:
        y = hostile_targets(rng, X)
        quality = "least_squares" if kind == 5 else "epsilon_svr"
        epsilon = float(10.0 ** rng.uniform(-3, 0) * (np.std(y) or 1.0))
        return MKLRegressor(quality=quality, C=C, epsilon=epsilon, **options), y
    return MKLNoveltyDetector(nu=float(rng.uniform(0.05, 1)), **options), None


def _robust_model(
    rng: Generator, X: Array, kind: int, options: Options
) -> tuple[Model, Targets | None]:
    C = power(rng, -6, 6)
    if kind < 3:
        y = hostile_labels(rng, len(X), int(rng.integers(2, 4)))
        return MKLClassifier(quality="logistic", C=C, **options), y
    y = hostile_targets(rng, X)
    size = float(np.std(y)) or 1.0
    if kind < 5:
        epsilon = size * float(10.0 ** rng.uniform(-3, 1))
        return MKLRegressor(quality="huber", C=C / size**2, epsilon=epsilon, **options), y
    options["options"].quantile = float(rng.choice([0.5, 0.1, 0.95]))
    return MKLRegressor(quality="quantile", C=C, **options), y


def _kernels(rng: Generator, X: Array) -> list[Kernel]:
    """Kernels of low and of full rank, some of them twice, some nearly twice."""
    square = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean()) or 1.0
    gamma = 10.0 ** rng.uniform(-2, 2) / square
    kinds: list[Kernel] = [Linear(), Polynomial(2), Gaussian(gamma), Gaussian(0.1 * gamma)]
    chosen = [kinds[int(i)] for i in rng.integers(0, 4, int(rng.integers(1, 4)))]
    if rng.uniform() < 0.3:
        chosen.append(chosen[0])
    if rng.uniform() < 0.1:
        chosen.append(Gaussian(gamma * (1.0 + 1e-7)))
    return chosen


def _given(rng: Generator, X: Array, model: Model) -> Any:
    """The rows as sparse ones, in chunks of Dask, as arrays of another library, or as they are."""
    place, is_list = rng.uniform(), not _is_family(model)
    plain = is_list and not model.normalize
    if place < 0.1 and plain and all(isinstance(each, Linear) for each in model.kernels):
        return csr_array(X)
    place -= 0.1
    if 0 <= place < _CHUNKED and is_list and find_spec("dask"):
        arrays = load_dask_array("chunks of rows")
        return arrays.from_array(X, chunks=(len(X) // 2, X.shape[1]))
    place -= _CHUNKED
    if 0 <= place < _ELSEWHERE and is_list and find_spec("array_api_strict"):
        return on_place(X, Place("array_api_strict", "cpu"))
    return X


def _broken(model: Model, data: HostileData) -> Iterator[str]:
    yield from right_status(model, _TOLD * model.tol)
    if model.rank_ is None:
        return
    weights = np.asarray(model.weights_, dtype=float)
    free = getattr(model, "weights", "positive") == "free"
    if not free:
        yield from nonnegative(weights)
    kept = np.flatnonzero(weights) if _is_family(model) else np.arange(len(weights))
    s = _row_weights(model, data)
    yield from value_broken(model, data, s, weights[kept])
    if not _is_family(model):
        yield from _bound(model, data, s, weights, free)


def value_broken(model: Model, data: HostileData, s: LongArray, weights: Array) -> Iterator[str]:
    """Whether the objective is above or below the value of the function, or "optimal" is false."""
    value, known = returned_value(model, data, s, weights)
    size = max(abs(value), abs(model.objective_))
    yield from close(model.objective_, value, _SAME * size + known, "objective_")
    gap = value - model.lower_bound_
    if model.status_.is_optimal and not gap <= model.tol * size * (1.0 + 1e-6) + known:
        yield f"optimal: the function returned is {gap / size:.2g} above the bound"


def _is_family(model: Model) -> bool:
    return not isinstance(model.kernels, list)


def _row_weights(model: Model, data: HostileData) -> LongArray:
    """What multiplies C, row by row."""
    if getattr(model, "class_weight", None) is None:
        return data.s
    return data.s * long(compute_sample_weight(model.class_weight, data.y))


def returned_value(
    model: Model, data: HostileData, s: LongArray, weights: Array
) -> tuple[float, float]:
    """½‖f‖² and the losses of the functions returned, and what rounding of kernels makes of it."""
    b = long(np.ravel(model.intercept_))
    F = np.zeros((len(data.X), len(b)), dtype=np.longdouble)
    sizes, norm, known = F.copy(), np.longdouble(0.0), np.longdouble(0.0)
    parts = zip(model.kernel_.kernels, model.landmarks_, model.landmark_coef_, weights, strict=True)
    for kernel, landmarks, coef, weight in parts:
        beta = long(coef)
        if not beta.any():
            continue
        if landmarks is None:  # coefficients of the columns themselves
            K, G = long(data.X), long(np.eye(len(beta)))
        else:
            points = _dense(landmarks)
            K, G = long(kernel(data.X, points)), long(kernel(points))
        F, sizes = F + K @ beta, sizes + np.abs(K) @ np.abs(beta)
        norm += (beta * (G @ beta)).sum() / (2 * long(weight))
        known += (np.abs(beta) * (np.abs(G) @ np.abs(beta))).sum() / np.abs(2 * long(weight))
    total, known = norm, 16 * EPSILON * known
    for j, target in enumerate(_targets(model, data)):
        loss, slopes = _loss(model, target, F[:, j] + b[j], s, b[j])
        total += loss
        known += 16 * EPSILON * (slopes @ (sizes[:, j] + np.abs(b[j]) + np.abs(target)))
    return float(total), float(known)


def _targets(model: Model, data: HostileData) -> list[LongArray]:
    if data.y is None:
        return [long(np.zeros(len(data.X)))]
    return signed_targets(data.y, isinstance(model, MKLRegressor))


def _loss(
    model: Model, y: LongArray, f: LongArray, s: LongArray, b: Number
) -> tuple[Number, LongArray]:
    """The loss of one function, and its steepest slopes."""
    if isinstance(model, MKLNoveltyDetector):
        upper = s / (long(model.nu) * s.sum())
        # The intercept is moved by 1e-9 of itself, so that rows on the edge are inside.
        return b + upper @ np.maximum(-f, 0), upper + 1e-9 * np.abs(b) / EPSILON / len(f)
    if model.quality in ("logistic", "huber", "quantile"):
        machine = _stated(model, y, s)
        return machine.loss(f, 0.0, b), np.maximum(machine.upper, -machine.lower)
    upper = long(model.C_) * s
    if model.quality == "soft_margin":
        return upper @ np.maximum(1 - y * f, 0), upper
    if model.quality == "epsilon_svr":
        return upper @ np.maximum(np.abs(y - f) - long(model.epsilon_), 0), upper
    left = y - f if model.quality == "least_squares" else np.maximum(1 - y * f, 0)
    return (upper * left**2).sum() / 2, upper * np.abs(left)


def _stated(model: Model, y: LongArray, s: LongArray) -> Definition:
    """A machine of the model, by its definition."""
    epsilon = getattr(model, "epsilon_", None) or 0.1
    C, quantile = float(model.C_), model.options.quantile
    return Definition(model.quality, y, C, 0.5, epsilon, s, quantile=quantile)


def _bound(
    model: Model, data: HostileData, s: LongArray, weights: Array, free: bool
) -> Iterator[str]:
    """Whether other weights have a value below the bound, or K(w) is indefinite."""
    kernels = model.kernel_.kernels
    exact = np.array([float(np.asarray(each.diag(data.X)).sum()) for each in kernels])
    seen = through_landmarks(kernels, model.landmarks_, data.X, _NEGLIGIBLE)
    traces = np.trace(seen, axis1=1, axis2=2)
    total = float(exact[exact > 0].mean())
    if free:
        K = np.tensordot(weights, seen, 1)
        terms = float(np.abs(weights) @ traces)  # to which their sum is known
        lowest = float(np.linalg.eigvalsh(K)[0])
        if lowest < -_INDEFINITE * total / len(K) - 1e-9 * terms:
            yield f"K(w) has an eigenvalue of {lowest:.3g} beside a trace of {total:.3g}"
    r = traces if free else exact
    value_at = objective(model, data, seen, total, s)
    share = model.equal_share_
    for other in _others(r, total, share, len(data.X)):
        value = value_at(other)
        if model.lower_bound_ > value + _BELOW * abs(value):
            yield f"lower_bound_: {model.lower_bound_:.12g} is above {value:.12g} at {other}"


def objective(
    model: Model, data: HostileData, grams: Array, total: float, s: LongArray
) -> Callable[[Array], float]:
    """The value at any weights, or something above it: the sum over classes or targets."""
    weight = s.astype(float)
    case = Case(grams, np.ones(len(s)), total=total, tol=model.tol, sample_weight=weight)
    if isinstance(model, MKLNoveltyDetector):
        case = replace(case, quality="one_class", nu=model.nu)
    else:
        epsilon = getattr(model, "epsilon_", 0.1)
        quantile = 0.5 if model.options is None else model.options.quantile
        case = replace(case, quality=model.quality, C=model.C_, epsilon=epsilon, quantile=quantile)
    cases = [replace(case, y=y.astype(float)) for y in _targets(model, data)]
    return lambda weights: sum(each.value(weights) for each in cases)


def _others(r: Array, total: float, share: float, n: int) -> Iterator[Array]:
    """Even weights, corners and random ones."""
    rng, used = np.random.default_rng(n), np.flatnonzero(r > 0)
    even = np.zeros(len(r))
    even[used] = total / r[used] / len(used)
    yield even
    for number in range(_TRIES):
        shares = np.zeros(len(r))
        shares[used] = rng.dirichlet(np.full(len(used), 0.5 if number else 0.01))
        other = np.zeros(len(r))
        other[used] = total * shares[used] / r[used]
        yield (1.0 - share) * other + share * even


def _dense(landmarks: Rows) -> Array:
    table = landmarks.toarray() if issparse(landmarks) else landmarks
    return np.asarray(table, dtype=float)


def through_landmarks(
    kernels: Sequence[Kernel], landmarks: Sequence[Any], X: Array, negligible: float
) -> Array:
    """Matrices K(X, S) K(S, S)⁻¹ K(S, X), or less; K itself where there are no landmarks.

    Eigenvalues of K(S, S) below this part of the largest are not inverted, which makes values of
    the objective larger.
    """
    pairs = zip(kernels, landmarks, strict=True)
    return np.array([_nystroem(kernel, each, X, negligible) for kernel, each in pairs])


def _nystroem(kernel: Kernel, landmarks: Rows, X: Array, negligible: float) -> Array:
    if landmarks is None:
        return np.asarray(kernel(X), dtype=float)
    points = _dense(landmarks)
    values, vectors = np.linalg.eigh(np.asarray(kernel(points), dtype=float))
    kept = values > negligible * max(float(values[-1]), 0.0)
    Z = np.asarray(kernel(X, points), dtype=float) @ (vectors[:, kept] / np.sqrt(values[kept]))
    return np.asarray(Z @ Z.T)
