"""Kernels of the inner product of two rows: linear and polynomial."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from kernlearn._device import is_elsewhere
from kernlearn.kernels._distances import inner_products, squared_lengths
from kernlearn.kernels._parameters import non_negative, positive_integer
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


class Polynomial(Kernel):
    r"""The polynomial kernel, :math:`k(x, z) = (c + \langle x, z \rangle)^p`.

    Parameters
    ----------
    degree : int, default=2
        The power p, at least one.
    offset : float, default=1.0
        The constant c, not negative; above zero, all lower powers take part too.

    Examples
    --------
    >>> from kernlearn.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0], [2.0]])
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    takes_sparse = True
    follows_arrays = True
    parameter_checks = (("degree", positive_integer), ("offset", non_negative))

    def __init__(self, degree: int = 2, offset: float = 1.0) -> None:
        self.degree = degree
        self.offset = offset

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return self._raise(inner_products(X, Y))

    def _diag(self, X: Matrix) -> Array:
        return self._raise(squared_lengths(X))

    def _raise(self, inner: Array) -> Array:
        inner += self.offset
        if is_elsewhere(inner):
            return inner**self.degree
        return np.power(inner, self.degree, out=inner)
