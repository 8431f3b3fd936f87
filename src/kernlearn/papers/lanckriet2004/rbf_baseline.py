"""The rival: an SVM with one Gaussian kernel, tuned by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from kernlearn.papers.grid_search import best_on_folds, precomputed_score
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.typing import Array, Indices

Norm = Literal["hard", "1-norm", "2-norm"]

HARD_BOX = 1e6
# A wide Gaussian with a hard margin can keep libsvm busy for ever; such a candidate loses anyway.
MAX_ITERATIONS = 50_000


@dataclass(frozen=True)
class RBFGrid:
    """The candidates; our copy of the paper does not print its grid."""

    relative_sigmas: tuple[float, ...] = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
    """σ in multiples of the median squared distance."""

    C: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    """Soft margin parameters."""

    folds: int = 5
    """Folds of the cross-validation."""


def tuned_rbf_accuracy(
    split: TrainTestSplit, norm: Norm, seed: int, grid: RBFGrid | None = None
) -> float:
    """Return the test accuracy, in per cent, of the Gaussian SVM tuned on the training set.

    σ and C (σ only for the hard margin) are chosen from a grid by stratified five-fold
    cross-validation; the paper used 30 random partitions of the training set. The first best
    candidate wins. The 2-norm machine is a hard margin with :math:`K + I/C`.
    """
    grid = grid or RBFGrid()
    n, X, y = split.n_train, split.X, split.y
    squared = euclidean_distances(X, X[:n], squared=True)
    scale = float(np.median(squared[:n][np.triu_indices(n, k=1)]))
    folds = StratifiedKFold(grid.folds, shuffle=True, random_state=seed).split(X[:n], y[:n])

    def accuracy(K: Array, fit: Indices, check: Indices, candidate: tuple[float, float]) -> float:
        box, ridge = candidate
        machine = SVC(kernel="precomputed", C=box, max_iter=MAX_ITERATIONS)
        with_ridge = K + ridge * np.eye(*K.shape)
        return precomputed_score(machine, with_ridge, y, fit, check)

    sigmas = [relative * scale for relative in grid.relative_sigmas]
    sigma, candidate = best_on_folds(
        ((sigma, np.exp(-0.5 * squared[:n] / sigma)) for sigma in sigmas),
        list(_candidates(norm, grid)),
        list(folds),
        accuracy,
    )
    K = np.exp(-0.5 * squared / sigma)
    return 100.0 * accuracy(K, np.arange(n), np.arange(n, len(y)), candidate)


def _candidates(norm: Norm, grid: RBFGrid) -> Iterator[tuple[float, float]]:
    """Yield the box of the coefficients and the ridge that is added to the diagonal."""
    if norm == "hard":
        yield HARD_BOX, 0.0
        return
    for C in grid.C:
        yield (C, 0.0) if norm == "1-norm" else (HARD_BOX, 1.0 / C)
