"""The rival of Tables 3 and 5: one Gaussian kernel, width and C tuned by cross-validation."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import BaseCrossValidator, KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from kernlearn.papers.grid_search import best_on_folds, fit_quietly, precomputed_score
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.typing import Array, Indices

__all__ = ["TUNING_NOTE", "RBFSearch", "candidate_widths", "tuned_svm", "tuned_svr"]


@dataclass(frozen=True)
class RBFSearch:
    """The candidates of the rival, and how they are compared."""

    C: tuple[float, ...] = tuple(10.0**exponent for exponent in range(-2, 10))
    """Values of C."""

    quantiles: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    """Quantiles of the distances that are values of σ."""

    sample_share: float = 0.2
    """Share of the training points whose distances are taken."""

    folds: int = 10
    """Folds of the cross-validation."""

    max_iterations: int = 20_000
    """Limit for libsvm, which may go on for hours with C up to 1e9 on unscaled columns."""

    epsilon: float = 0.1
    """Libsvm's own default, in the units of the target; the paper prints none."""

    splits: int = 10
    """Splits on which the rival is run."""


TUNING_NOTE = (
    "Tuned column: exp(−‖x − z‖²/(2σ²)) with σ and C by 10-fold cross-validation in the training "
    "data, twelve C from 1e-2 to 1e9, five σ from the 10 % to the 90 % quantile of the distances "
    f"in a 20 % sample; at most {RBFSearch.max_iterations} iterations of libsvm per fit, and the "
    f"first {RBFSearch.splits} splits only, since C up to 1e9 on unscaled columns is what takes "
    "time."
)


Score = Callable[[NDArray[Any], Array, Indices, Indices, float], float]


def tuned_svm(split: TrainTestSplit, seed: int, search: RBFSearch) -> dict[str, float]:
    """Tune a C-SVM on the training points by stratified folds.

    Returns the ``error`` on the test points in per cent, ``C``, ``width`` and the ``seconds`` of
    the search. The seed is that of the folds and of the sample for the widths.
    """
    folds = StratifiedKFold(search.folds, shuffle=True, random_state=seed)

    def accuracy(y: NDArray[Any], K: Array, fit: Indices, check: Indices, C: float) -> float:
        machine = SVC(kernel="precomputed", C=C, max_iter=search.max_iterations)
        return precomputed_score(machine, K, y, fit, check)

    score, chosen = _tuned(split, folds, accuracy, seed, search)
    return {"error": 100.0 * (1.0 - score), **chosen}


def tuned_svr(split: TrainTestSplit, seed: int, search: RBFSearch) -> dict[str, float]:
    """Tune an ε-SVR likewise, and return its ``mse`` on the test points in place of ``error``."""
    # The machine is the same in any unit of the target, but libsvm's stopping rule is not.
    unit = float(np.std(split.y_train)) or 1.0
    scaled = TrainTestSplit(split.X_train, split.y_train / unit, split.X_test, split.y_test / unit)
    folds = KFold(search.folds, shuffle=True, random_state=seed)

    def minus_mse(y: NDArray[Any], K: Array, fit: Indices, check: Indices, C: float) -> float:
        machine = SVR(
            kernel="precomputed",
            C=C / unit,
            epsilon=search.epsilon / unit,
            max_iter=search.max_iterations,
        )
        fit_quietly(machine, K[np.ix_(fit, fit)], y[fit])
        return -float(np.mean((machine.predict(K[np.ix_(check, fit)]) - y[check]) ** 2))

    score, chosen = _tuned(scaled, folds, minus_mse, seed, search)
    return {"mse": -score * unit**2, **chosen}


def candidate_widths(squared: Array, seed: int, search: RBFSearch) -> list[float]:
    """Return σ at some quantiles of the distances between points of a sample."""
    n = len(squared)
    generator = np.random.default_rng(seed)
    sample = generator.choice(n, max(2, round(search.sample_share * n)), replace=False)
    first, second = np.triu_indices(len(sample), k=1)
    distances = np.sqrt(squared[sample[first], sample[second]])
    widths = np.unique(np.quantile(distances, search.quantiles))
    return [float(width) for width in widths if width > 0]


def _tuned(
    split: TrainTestSplit, folds: BaseCrossValidator, score: Score, seed: int, search: RBFSearch
) -> tuple[float, dict[str, float]]:
    """Return the score on the test points, and what was chosen without them."""
    start = time.perf_counter()
    n, y = split.n_train, split.y
    squared = euclidean_distances(split.X, split.X_train, squared=True)

    def gaussian(rows: Array, width: float) -> Array:
        return np.asarray(np.exp(-0.5 * rows / width**2))

    widths = candidate_widths(squared[:n], seed, search)
    width, C = best_on_folds(
        ((width, gaussian(squared[:n], width)) for width in widths),
        search.C,
        list(folds.split(split.X_train, split.y_train)),
        partial(score, split.y_train),
    )
    seconds = time.perf_counter() - start
    found = score(y, gaussian(squared, width), np.arange(n), np.arange(n, len(y)), C)
    return float(found), {"C": C, "width": width, "seconds": seconds}
