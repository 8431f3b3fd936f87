"""The linear kernel."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from kernlearn.kernels._distances import inner_products, squared_lengths
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import check_sparse
from kernlearn.kernels.base import Kernel, check_values
from kernlearn.typing import Array, Matrix, Table


class Linear(Kernel):
    r"""The inner product, :math:`k(x, z) = \langle x, z \rangle`.

    Examples
    --------
    >>> from kernlearn.kernels import Linear
    >>> Linear()([[1.0, 2.0], [0.0, 3.0]])
    array([[5., 6.],
           [6., 9.]])
    """

    takes_sparse = True
    follows_arrays = True

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The rows themselves, where they are sparse."""
        if not issparse(X):
            return None
        rows = SparseRows(csr_array(check_sparse(X, "X")))
        with np.errstate(over="ignore"):
            check_values(self, rows.squared_lengths())
        return rows

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return inner_products(X, Y)

    def _diag(self, X: Matrix) -> Array:
        return squared_lengths(X)
