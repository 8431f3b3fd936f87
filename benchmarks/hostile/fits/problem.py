"""One hostile problem: what is fitted, on what, and who judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.hostile.fits.data import Targets
from benchmarks.hostile.long_double import EPSILON, Number, long
from kernlearn.typing import Array, LongArray

Model = Any
"""An estimator of any kind; each judge knows its own."""


@dataclass(frozen=True, eq=False)
class HostileProblem:
    """An estimator with its data.

    `fit` fits a clone of the model, and `check` yields a sentence for every promise that the fitted
    model has broken. `words` say what is special about the data.
    """

    model: Model
    fit: Callable[[Model], Model]
    check: Callable[[Model], Iterator[str]]
    n_points: int
    words: str

    def __str__(self) -> str:
        return f"{self.model!r} on {self.n_points} points; {self.words}"


@dataclass(frozen=True, eq=False)
class HostileData:
    """What a model is fitted to: rows as they are judged, and `given` if in another form."""

    X: Array
    y: Targets | None = None
    sample_weight: Array | None = None
    given: Any = None

    def fit(self, model: Model) -> Model:
        """Fit the model."""
        rows = self.X if self.given is None else self.given
        given = {"y": self.y, "sample_weight": self.sample_weight}
        return model.fit(rows, **{name: each for name, each in given.items() if each is not None})

    @property
    def s(self) -> LongArray:
        """Sample weights in long double."""
        return long(np.ones(len(self.X)) if self.sample_weight is None else self.sample_weight)

    def problem(
        self,
        model: Model,
        check: Callable[[Model, HostileData], Iterator[str]],
        words: str = "",
    ) -> HostileProblem:
        """The problem of fitting this model to these data."""
        said = f"X of size {np.abs(self.X).max():.1e}{words}"
        return HostileProblem(model, self.fit, lambda m: check(m, self), len(self.X), said)


def close(found: Number, expected: Number, allowed: Number, what: str) -> Iterator[str]:
    """A sentence if two numbers or arrays differ by more than is allowed."""
    difference = np.abs(np.asarray(found) - expected)
    wrong = ~(difference <= allowed)
    if np.any(wrong):
        at = np.unravel_index(int(np.argmax(wrong)), difference.shape)
        yield (
            f"{what}: {np.asarray(found)[at]:.9g}, by its definition "
            f"{np.broadcast_to(expected, difference.shape)[at]:.9g}, allowed difference "
            f"{np.broadcast_to(allowed, difference.shape)[at]:.2g}"
        )


def at_most(low: Number, high: Number, size: Number, what: str) -> Iterator[str]:
    """A sentence if a number is above another by more than the rounding of terms of that size."""
    if not low - high <= 1e3 * EPSILON * size:
        yield f"{what}: {float(low):.12g} is above {float(high):.12g}"


def right_status(model: Model, allowed: float) -> Iterator[str]:
    """Said "optimal" exactly when the gap is within the tolerance; the gap is what it says."""
    gap = (model.objective_ - model.lower_bound_) / abs(model.objective_ or 1.0)
    if model.lower_bound_ > -np.inf:
        yield from close(model.duality_gap_, gap, 1e-3 * abs(gap) + allowed, "duality_gap_")
    if model.status_.is_optimal != (0 <= model.duality_gap_ <= model.tol):
        yield f"{model.status_.name} with a gap of {model.duality_gap_:.2g}, tol {model.tol:g}"


def nonnegative(weights: Array | LongArray) -> Iterator[str]:
    """A sentence if a weight is negative."""
    if not np.all(weights >= 0):
        yield f"a negative weight, {float(weights.min()):.3g}"


def signed_targets(y: Targets | None, is_regression: bool) -> list[LongArray]:
    """The targets of every machine: the numbers, or ±1 for each class against the rest."""
    if is_regression:
        return [long(y)]
    classes = np.unique(np.asarray(y))
    classes = classes[1:] if len(classes) == 2 else classes
    return [long(np.where(np.asarray(y) == label, 1.0, -1.0)) for label in classes]
