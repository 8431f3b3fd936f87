"""A kernel with unit diagonal."""

from __future__ import annotations

import numpy as np

from kernlearn._device import beside, is_elsewhere, to_host
from kernlearn.kernels._composite import _Wrapper
from kernlearn.kernels._rescaling import check_diagonal, divide_by_roots, roots
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Table


class Normalized(_Wrapper):
    r"""The cosine in feature space, :math:`k(x, z) / \sqrt{k(x, x) \, k(z, z)}`.

    A point with k(x, x) = 0 has no direction: its normalised value is zero with every point,
    itself included, so that the matrix stays positive semidefinite.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.

    Examples
    --------
    >>> from kernlearn.kernels import Linear, Normalized
    >>> Normalized(Linear())([[3.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).round(3)
    array([[1.   , 0.707, 0.   ],
           [0.707, 1.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """

    passes_arrays = True

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The directions of the rows."""
        rows = self.kernel.sparse_rows(X)
        if rows is None:
            return None
        return rows.rescaled(1.0 / roots(rows.squared_lengths()))

    def _evaluate(self, X: Table, Y: Table) -> Array:
        if is_elsewhere(X):
            outer = roots(self._checked_diag(to_host(X))), roots(self._checked_diag(to_host(Y)))
            scales = [beside(1.0 / part, X) for part in outer]
            cosines: Array = self.kernel(X, Y) * scales[0][:, None] * scales[1][None, :]
            return cosines
        rows = self._checked_diag(X)
        columns = rows if Y is X else self._checked_diag(Y)
        K = divide_by_roots(self.kernel(X, Y), rows, columns)
        if Y is X:
            np.fill_diagonal(K, rows > 0)
        return K

    def _diag(self, X: Table) -> Array:
        return (self._checked_diag(X) > 0).astype(np.float64)

    def _checked_diag(self, X: Table) -> Array:
        diagonal = self.kernel.diag(X)
        check_diagonal(diagonal, "Normalized")
        return diagonal
