"""One problem of the fuzzer: what is fitted, on what, and who judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.testing._long_double import EPSILON


@dataclass(frozen=True, eq=False)
class HostileProblem:
    """An estimator with its data.

    Parameters
    ----------
    model : estimator
        Not fitted.
    fit : callable
        Fits a clone of it.
    check : callable
        Yields a sentence for every promise that the fitted model has broken.
    n_points : int
        How many points it learns from.
    words : str
        What is special about the data.
    """

    model: Any
    fit: Callable[[Any], Any]
    check: Callable[[Any], Iterator[str]]
    n_points: int
    words: str

    def __str__(self) -> str:
        return f"{self.model!r} on {self.n_points} points; {self.words}"


def close(found: Any, expected: Any, allowed: Any, what: str) -> Iterator[str]:
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


def at_most(low: Any, high: Any, size: Any, what: str) -> Iterator[str]:
    """A sentence if a number is above another by more than the rounding of terms of that size."""
    if not low - high <= 1e3 * EPSILON * size:
        yield f"{what}: {float(low):.12g} is above {float(high):.12g}"


def right_status(model: Any, allowed: float) -> Iterator[str]:
    """Said "optimal" exactly when the gap is within the tolerance; the gap is what it says."""
    gap = (model.objective_ - model.lower_bound_) / abs(model.objective_ or 1.0)
    if model.lower_bound_ > -np.inf:
        yield from close(model.duality_gap_, gap, 1e-3 * abs(gap) + allowed, "duality_gap_")
    if model.status_.is_optimal != (0 <= model.duality_gap_ <= model.tol):
        yield f"{model.status_.name} with a gap of {model.duality_gap_:.2g}, tol {model.tol:g}"
