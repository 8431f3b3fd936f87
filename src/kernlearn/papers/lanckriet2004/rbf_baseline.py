"""The rival: an SVM with one Gaussian kernel, tuned by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from kernlearn.papers.grid_search import best_on_folds, fit_quietly
from kernlearn.papers.lanckriet2004.protocol import Split
from kernlearn.typing import Array

__all__ = ["GRID", "Norm", "tuned_rbf_accuracy"]

Norm = Literal["hard", "1-norm", "2-norm"]

# σ in multiples of the median squared distance; the paper does not print its grid.
RELATIVE_SIGMAS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
CS = (0.1, 1.0, 10.0, 100.0, 1000.0)
N_FOLDS = 5
HARD_BOX = 1e6
GRID = {"relative_sigmas": RELATIVE_SIGMAS, "C": CS, "folds": N_FOLDS}
# A wide Gaussian with a hard margin can keep libsvm busy for ever; such a candidate loses anyway.
MAX_ITERATIONS = 50_000


def tuned_rbf_accuracy(split: Split, norm: Norm, seed: int) -> float:
    """Return the test accuracy, in per cent, of the Gaussian SVM tuned on the training set.

    σ and C (σ only for the hard margin) are chosen from a grid by stratified five-fold
    cross-validation; the paper used 30 random partitions of the training set. The first best
    candidate wins.

    Parameters
    ----------
    split : Split
        Training and test points.
    norm : {"hard", "1-norm", "2-norm"}
        The margin. The 2-norm machine is a hard margin with :math:`K + I/C`.
    seed : int
        Seed of the folds.

    Returns
    -------
    float
    """
    n = split.n_train
    squared = euclidean_distances(split.X, split.X[:n], squared=True)
    scale = float(np.median(squared[:n][np.triu_indices(n, k=1)]))
    folds = list(
        StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(split.X[:n], split.y_train)
    )
    sigmas = [relative * scale for relative in RELATIVE_SIGMAS]
    sigma, candidate = best_on_folds(
        ((sigma, np.exp(-0.5 * squared[:n] / sigma)) for sigma in sigmas),
        list(_candidates(norm)),
        folds,
        partial(_accuracy, split.y_train),
    )
    K = np.exp(-0.5 * squared / sigma)
    y = np.concatenate([split.y_train, split.y_test])
    return 100.0 * _accuracy(y, K, np.arange(n), np.arange(n, len(y)), candidate)


def _candidates(norm: Norm) -> Iterator[tuple[float, float]]:
    """Yield the box of the coefficients and what is added to the diagonal."""
    if norm == "hard":
        yield HARD_BOX, 0.0
        return
    for C in CS:
        yield (C, 0.0) if norm == "1-norm" else (HARD_BOX, 1.0 / C)


def _accuracy(
    y: NDArray[np.int64],
    K: Array,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    candidate: tuple[float, float],
) -> float:
    box, ridge = candidate
    machine = SVC(kernel="precomputed", C=box, max_iter=MAX_ITERATIONS)
    fit_quietly(machine, K[np.ix_(train, train)] + ridge * np.eye(len(train)), y[train])
    return float(machine.score(K[np.ix_(test, train)], y[test]))
