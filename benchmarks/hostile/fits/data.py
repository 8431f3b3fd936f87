"""Points, labels and targets that are badly scaled, duplicated or degenerate; never a NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.typing import Array

Generator = np.random.Generator
Options = dict[str, Any]
"""Parameters of an estimator."""

Targets = NDArray[Any]
"""Labels of any type, or numbers."""


def power(rng: Generator, low: float, high: float) -> float:
    """A number with a uniform logarithm to the base ten; 1 one time in three."""
    return 1.0 if rng.uniform() < 1 / 3 else float(10.0 ** rng.uniform(low, high))


def hostile_points(rng: Generator, n: int) -> Array:
    """A table of n rows and one to four columns."""
    X = rng.normal(size=(n, int(rng.integers(1, 5))))
    for _ in range(int(rng.integers(0, 3))):
        X = _SPOILT[int(rng.integers(len(_SPOILT)))](rng, X)
    return X * power(rng, -12, 12)


def _constant_column(rng: Generator, X: Array) -> Array:
    X[:, int(rng.integers(X.shape[1]))] = rng.normal()
    return X


def _outlier(rng: Generator, X: Array) -> Array:
    X[int(rng.integers(len(X)))] *= 1e6
    return X


_SPOILT: list[Callable[[Generator, Array], Array]] = [
    lambda rng, X: X[rng.integers(0, max(2, len(X) // 2), len(X))],  # duplicates
    _constant_column,
    lambda rng, X: X * 10.0 ** rng.uniform(-6, 6, size=X.shape[1]),  # unequal columns
    lambda rng, X: X + 10.0 ** rng.uniform(0, 7),  # far away
    lambda rng, X: X[0] + 1e-8 * (X - X[0]),  # nearly equal
    lambda rng, X: np.tile(X[:1], (len(X), 1)),  # all equal
    _outlier,
]


def hostile_labels(rng: Generator, n: int, n_classes: int = 2) -> Targets:
    """Classes, all of which occur; one time in three all but one point are of one class."""
    y = rng.integers(0, n_classes, n)
    if rng.uniform() < 1 / 3:
        y[:] = 0
    y[rng.permutation(n)[:n_classes]] = np.arange(n_classes)
    return y


def hostile_targets(rng: Generator, X: Array) -> Array:
    """Numbers to predict: of any size, far from zero, with an outlier, or constant."""
    y = np.sin(X[:, 0] / (np.abs(X[:, 0]).max() or 1.0) * 3.0) + 0.1 * rng.normal(size=len(X))
    kind = rng.integers(6)
    if kind == 0:
        y = y + 10.0 ** rng.uniform(2, 8)
    elif kind == 1:
        y[int(rng.integers(len(y)))] = 1e6
    elif kind == 2:
        y[:] = y[0]
    elif kind == 3:
        y = np.round(y)
    return np.asarray(y * power(rng, -12, 12))


def hostile_weights(rng: Generator, n: int) -> Array | None:
    """Sample weights, if any: unequal by up to 1e12, some of them zero."""
    kind = rng.integers(4)
    if kind == 0:
        return np.asarray(10.0 ** rng.uniform(-6, 6, size=n))
    if kind == 1 and n > 4:
        weight = rng.uniform(0.5, 2.0, size=n)
        weight[rng.permutation(n)[:2]] = 0.0
        return weight
    return None
