"""Tuning a machine on Gram matrices by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array, Folds, Indices

Label = TypeVar("Label")
Candidate = TypeVar("Candidate")
Estimator = Any
"""An estimator of this library or of scikit-learn, which has no types."""


def best_on_folds(
    grams: Iterable[tuple[Label, Array]],
    candidates: Sequence[Candidate],
    folds: Folds,
    score: Callable[[Array, Indices, Indices, Candidate], float],
) -> tuple[Label, Candidate]:
    """Return the kernel and the candidate with the highest mean score; the first of the best.

    `grams` are made one at a time; ``score(K, fit, check, candidate)`` is high where good.
    """
    best_score, best = -np.inf, None
    for label, K in grams:
        for candidate in candidates:
            found = float(np.mean([score(K, fit, check, candidate) for fit, check in folds]))
            if best is None or found > best_score:
                best_score, best = found, (label, candidate)
    if best is None:
        raise ValueError("expected a kernel and a candidate at least, got none: give one of each.")
    return best


def precomputed_score(
    machine: Estimator, K: Array, y: NDArray[Any], fit: Indices, check: Indices
) -> float:
    """Fit a machine to the Gram matrix of some rows and return its score on others."""
    fit_quietly(machine, K[np.ix_(fit, fit)], y[fit])
    return float(machine.score(K[np.ix_(check, fit)], y[check]))


def fit_quietly(machine: Estimator, K: Array, y: NDArray[Any]) -> Estimator:
    """Fit a machine whose iterations are bounded, without a warning when the bound is met."""
    with quietly():
        return machine.fit(K, y)


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress warnings of fits that end before their tolerance is reached.

    A fit that an interrupt has ended is no result: the interrupt is raised.
    """
    with quiet_about(ConvergenceWarning), interrupts_end_everything():
        yield
