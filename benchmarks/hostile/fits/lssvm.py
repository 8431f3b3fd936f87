"""Hostile least-squares machines, and what they promise."""

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
    hostile_weights,
    power,
)
from benchmarks.hostile.fits.problem import (
    HostileData,
    HostileProblem,
    Model,
    close,
    signed_targets,
)
from benchmarks.hostile.long_double import EPSILON, held_out, long
from kernlearn.estimators import LSSVMClassifier, LSSVMRegressor
from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.kernels import Gaussian, Linear, Polynomial
from kernlearn.typing import Folds, Indices, LongArray

# Refitting without every point is quick up to so many.
_SMALL = 16


def lssvm_problem(rng: Generator) -> HostileProblem:
    """A classifier or a regressor, with selection or without."""
    n = int(rng.choice([2, 3, 5, 12, 16, 40]))
    X, weight = hostile_points(rng, n), hostile_weights(rng, n)
    kernel = [
        "rbf", "ard", Gaussian(power(rng, -6, 6)), Linear(), Polynomial(2), 1e-9 * Linear()
    ][int(rng.integers(6))]  # fmt: skip
    options: Options = {
        "kernel": kernel,
        "selection": [None, None, "loo", "cv", "bayes"][int(rng.integers(5))],
        "cv": _two_folds(n) if n >= 4 else 2,
    }
    if options["selection"] is None:
        options["lam"] = power(rng, -30, 12)
        options["theta"] = power(rng, -12, 12) if kernel in ("rbf", "ard") else None
        if kernel == "ard":
            options["theta"] = np.full(X.shape[1], options["theta"])
    if rng.integers(2):
        y = hostile_labels(rng, n, int(rng.integers(2, 4)) if n > 3 else 2)
        model: Model = LSSVMClassifier(**options)
    else:
        y, model = hostile_targets(rng, X), LSSVMRegressor(**options)
    return HostileData(X, y, weight).problem(model, _broken)


def _two_folds(n: int) -> Folds:
    return [(np.arange(1 - i, n, 2), np.arange(i, n, 2)) for i in range(2)]


def target_columns(model: Model, y: Targets | None) -> LongArray:
    """One column for each machine: the targets, or ±1 of each class."""
    return np.column_stack(signed_targets(y, not hasattr(model, "classes_")))


def _broken(model: Model, data: HostileData) -> Iterator[str]:
    kept, Y, s = model.support_, target_columns(model, data.y), data.s
    inside = long(model.kernel_(data.X))[np.ix_(kept, kept)]
    ridge = long(model.lam_) / s[kept]
    alpha, b = long(model.dual_coef_).T, long(model.intercept_)
    yield from _system(inside, ridge, alpha, b, Y[kept])
    yield from _losses(model, Y, s, kept)
    if 3 <= len(kept) <= _SMALL:
        yield from _refits(model, inside, ridge, Y[kept], data, kept)


def _system(
    K: LongArray, ridge: LongArray, alpha: LongArray, b: LongArray, Y: LongArray
) -> Iterator[str]:
    """Backward stable: the residual is rounding of what was added up."""
    n = len(K)
    unit = 100.0 * n * EPSILON
    size = np.abs(K).max() * np.abs(alpha).sum(axis=0) + (np.abs(alpha) * ridge[:, None]).max(
        axis=0
    )
    left = (K + np.diag(ridge)) @ alpha + b - Y
    yield from close(left, 0.0, unit * (size + np.abs(b) + np.abs(Y).max(axis=0)), "system (3)")
    # Targets that are nearly constant have coefficients that are nothing but rounding.
    total = unit * (np.abs(alpha).sum(axis=0) + unit * np.abs(Y).max(axis=0) / ridge.min())
    yield from close(alpha.sum(axis=0), 0.0, total, "the sum of the dual coefficients")


def _losses(model: Model, Y: LongArray, s: LongArray, kept: Indices) -> Iterator[str]:
    """The two ways in which leave-one-out is told agree."""
    residuals = Y[kept] - long(model.loo_predictions_).reshape(Y.shape)[kept]
    rounding = 8.0 * EPSILON * np.abs(Y).max() * (np.abs(residuals) + np.abs(Y).max()).max()
    loss = (s[kept] @ (residuals**2).sum(axis=1)) / s[kept].sum()
    yield from close(model.loo_loss_, loss, 1e-9 * loss + 10 * rounding, "loo_loss_")
    if model.selection in (None, "loo"):
        total = s[kept].sum() * loss
        allowed = 1e-9 * total + 10 * rounding * s[kept].sum()
        yield from close(model.objective_, total, allowed, "PRESS")


def _refits(
    model: Model, K: LongArray, ridge: LongArray, Y: LongArray, data: HostileData, kept: Indices
) -> Iterator[str]:
    """Every point by a machine trained without it and its copies, and the k-fold loss likewise."""
    n, s = len(K), data.s[kept]
    codes = RowGroups.of(data.X, None, len(data.X)).codes[kept]
    alone = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    if len(alone) < 2:
        return
    # What rounding in the system does to a machine, seen through the least ridge.
    condition = 1.0 + (np.abs(K).max() + ridge.max()) / ridge.min()
    allowed = 100.0 * n * EPSILON * condition
    expected = held_out(K, Y, ridge, alone)
    spread = np.abs(Y - Y.mean(axis=0)).max() + np.abs(expected - Y).max() + 1e-3 * np.abs(Y).max()
    found = long(model.loo_predictions_).reshape(-1, Y.shape[1])[kept]
    told = 8.0 * EPSILON * np.abs(Y).max()
    yield from close(found, expected, allowed * spread + told, "loo_predictions_")
    if model.selection == "cv" and isinstance(model.cv, list):
        folds = [np.flatnonzero(np.isin(kept, fold)) for _, fold in model.cv]
        if min(n - len(fold) for fold in folds) < 1:
            return
        residuals = Y - held_out(K, Y, ridge, [fold for fold in folds if len(fold)])
        loss = s @ (residuals**2).sum(axis=1)
        slack = s.sum() * spread * np.abs(residuals).max()
        yield from close(model.objective_, loss, 1e-9 * loss + allowed * slack, "k-fold loss")
