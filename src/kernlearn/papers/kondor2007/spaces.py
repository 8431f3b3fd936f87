"""The spaces of Figure 1: distances and components of learned kernels, and of a fixed one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist, pdist

from kernlearn import HyperkernelMetric
from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.kernels import Gaussian
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.typing import Array, Indices

__all__ = [
    "Choice",
    "Components",
    "fitted_metric",
    "fixed_gram",
    "learned_gram",
    "squared_distances",
]

# σ in units of the median distance, σ_h in units of σ, and C.
Choice = tuple[float, float, float]

# Pairs of distant points have small values, and are what is learned from.
PIVOT_TOL = 1e-10


def fitted_metric(
    sample: TrainTestSplit,
    combination: str,
    choice: Choice,
    max_pivots: int,
    rows: Indices | slice = slice(None),
) -> HyperkernelMetric:
    """Learn from (some of) the training points, with widths in the units of the table."""
    sigma, sigma_h, C = choice
    width = sigma * float(np.median(pdist(sample.X_train)))
    hyperkernel = GaussianHyperkernel(width, sigma_h * width)
    model = HyperkernelMetric(
        hyperkernel, combination, C=C, max_pivots=max_pivots, pivot_tol=PIVOT_TOL
    )
    return model.fit(sample.X_train[rows], sample.y_train[rows])


def learned_gram(model: HyperkernelMetric, X: Array, Y: Array) -> Array:
    """Return k(x, z) for all x and z, without b; k need not be positive semidefinite."""
    pairs = np.stack([np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1))], axis=1)
    return (model.pair_score(pairs) - model.intercept_).reshape(len(X), len(Y))


def fixed_gram(sample: TrainTestSplit, X: Array, Y: Array) -> Array:
    """Return an RBF as wide as the median distance of the training points."""
    width = float(np.median(pdist(sample.X_train)))
    return Gaussian(0.5 / width**2)(X, Y)


def squared_distances(K: Array) -> Array:
    """Return k(x, x) − 2k(x, z) + k(z, z), the square of d of section 5; their order is one.

    Of a k that is not positive semidefinite it may be negative, and still be put in order.
    """
    diagonal = K.diagonal()
    return np.asarray(diagonal[:, None] + diagonal[None] - 2.0 * K)


@dataclass(frozen=True, eq=False)
class Components:
    r"""The first two eigenvectors of a centred matrix, as in kernel PCA.

    With :math:`HKH v = \lambda v` for the K of the training points, a point has the coordinate
    :math:`\sum_i v_i \tilde k(x, x_i)/\sqrt\lambda`. Unlike scikit-learn's, K may have negative
    eigenvalues, as long as the two largest are positive.
    """

    K_train: Array

    def of(self, K: Array) -> Array:
        """Return the coordinates of points, from their matrix with the training points."""
        means = self.K_train.mean(axis=0)
        centred = self.K_train - means - means[:, None] + means.mean()
        values, vectors = np.linalg.eigh(centred)
        new = K - K.mean(axis=1, keepdims=True) - means + means.mean()
        return np.asarray(new @ vectors[:, :-3:-1] / np.sqrt(values[:-3:-1]))

    def distances(self, K: Array) -> Array:
        """Return the distances of points in the plane of the two components."""
        plane = self.of(K)
        return np.asarray(cdist(plane, plane))
