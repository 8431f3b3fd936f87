"""The intersection of histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist

from kernlearn.kernels._histograms import check_non_negative
from kernlearn.kernels._sparse_distances import sparse_distances
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array


class Intersection(Kernel):
    r"""What two histograms have in common, :math:`k(x, z) = \sum_j \min(x_j, z_j)`.

    (Swain and Ballard, 1991; positive semidefinite by Odone, Barla and Verri, 2005.) Computed as
    :math:`\tfrac12 (\|x\|_1 + \|z\|_1 - \|x - z\|_1)`.

    Examples
    --------
    >>> from kernlearn.kernels import Intersection
    >>> Intersection()([[3.0, 1.0], [2.0, 4.0]])
    array([[4., 3.],
           [3., 6.]])
    """

    takes_sparse = True

    def _check_data(self, X: Any, name: str) -> Any:
        return check_non_negative(super()._check_data(X, name), "Intersection", name)

    def _evaluate(self, X: Any, Y: Any) -> Array:
        if issparse(X) or issparse(Y):
            distances = sparse_distances(csr_array(X), csr_array(Y), "cityblock")
        else:
            distances = cdist(X, Y, "cityblock")
        K: Array = 0.5 * (np.add.outer(self._diag(X), self._diag(Y)) - distances)
        return np.maximum(K, 0.0, out=K)

    def _diag(self, X: Any) -> Array:
        return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
