"""Kernels on histograms: the exponential χ² kernel and the intersection."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import chi2_kernel

from kernlearn.kernels._distances import sparse_distances
from kernlearn.kernels._parameters import positive
from kernlearn.kernels.base import Kernel, _UnitDiagonal
from kernlearn.typing import Array, Matrix, Table


class _OfHistograms(Kernel):
    """Refuses tables with negative entries."""

    def _check_data(self, X: Table, name: str) -> Matrix:
        table: Matrix = super()._check_data(X, name)
        values = csr_array(table).data if issparse(table) else table
        if values.size and values.min() < 0:
            raise ValueError(
                f"{type(self).__name__} needs histograms, without negative entries, got "
                f"{values.min():.3g} in {name}; choose columns of counts or shares, or another "
                "kernel."
            )
        return table


class ChiSquared(_UnitDiagonal, _OfHistograms):
    r"""The exponential χ² kernel on histograms.

    .. math:: k(x, z) = \exp\Bigl(-\gamma \sum_j \frac{(x_j - z_j)^2}{x_j + z_j}\Bigr),

    where a column that is zero in both adds nothing (Zhang, Marszałek, Lazebnik and Schmid, 2007).

    Parameters
    ----------
    gamma : float, default=1.0
        The inverse width γ, above zero.

    Examples
    --------
    >>> from kernlearn.kernels import ChiSquared
    >>> ChiSquared(gamma=0.5)([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    parameter_checks = (("gamma", positive),)

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def _evaluate(self, X: Array, Y: Array) -> Array:
        return np.asarray(chi2_kernel(X, Y, gamma=self.gamma))


class Intersection(_OfHistograms):
    r"""Intersection of two histograms, :math:`k(x, z) = \sum_j \min(x_j, z_j)`.

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

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        if issparse(X) or issparse(Y):
            distances = sparse_distances(csr_array(X), csr_array(Y), "cityblock")
        else:
            distances = cdist(X, Y, "cityblock")
        K: Array = 0.5 * (np.add.outer(self._diag(X), self._diag(Y)) - distances)
        return np.maximum(K, 0.0, out=K)

    def _diag(self, X: Matrix) -> Array:
        return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
