"""Kernel principal components of a learned kernel, on the points that it was learned from."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.utils import check_random_state

from kernlearn.kernels import Kernel
from kernlearn.typing import Array

# Of more points than these a sample is taken: the components of a few thousand are those of all.
_MOST_POINTS = 2000


class Embedding:
    """Coordinates √λ v of the centred kernel, for any points; signs are settled.

    The components are found when coordinates are first asked for: scores and distances need none.
    """

    def __init__(self, kernel: Kernel, n_components: int, seed: int) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self._seed = seed

    def fit(self, X: Array) -> Self:
        """Keep (at most two thousand of) the rows of `X`, whose components these are."""
        if len(X) > _MOST_POINTS:
            chosen = check_random_state(self._seed).choice(len(X), _MOST_POINTS, replace=False)
            X = X[np.sort(chosen)]
        else:
            X = X.copy()
        self.n_components = min(self.n_components, len(X))
        self.points = X
        return self

    @cached_property
    def pca(self) -> KernelPCA:
        """The components."""
        # The dense solver: no random start, so that the same data give the same picture.
        components = KernelPCA(self.n_components, kernel="precomputed", eigen_solver="dense")
        return components.fit(self.kernel(self.points))

    def transform(self, X: Array) -> Array:
        """Return the coordinates of points, old or new."""
        return np.asarray(self.pca.transform(self.kernel(X, self.points)))
