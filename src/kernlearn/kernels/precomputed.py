"""A kernel given by its matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._validation import check_real
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Indices


class Precomputed(Kernel):
    r"""The kernel on row numbers, :math:`k(i, j) = K_{ij}`.

    The data are a single column of row numbers of K. So splitting, `Pipeline` and `GridSearchCV`
    work as with any other data: ``X = np.arange(len(K))[:, None]``.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A symmetric positive semidefinite matrix over all points, training and test. It is kept as
        it is: `clone` shares it and never copies it.
    name : str, optional
        Name in formulas and pictures.

    Examples
    --------
    >>> from kernlearn.kernels import Precomputed
    >>> k = Precomputed([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    >>> k([[0], [2]], [[1]])
    array([[1. ],
           [0.5]])
    >>> k
    Precomputed(K=<3 x 3 matrix>)
    """

    def __init__(self, K: ArrayLike, name: str | None = None) -> None:
        self.K = K
        self.name = name

    def __sklearn_clone__(self) -> Precomputed:
        return type(self)(self.K, self.name)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        size = " x ".join(str(n) for n in np.shape(self.K))
        name = "" if self.name is None else f", name={self.name!r}"
        return f"{type(self).__name__}(K=<{size} matrix>{name})"

    def _check_parameters(self) -> None:
        shape = np.shape(self.K)
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
            raise ValueError(
                f"Precomputed must be given a square matrix K, got shape {shape}; pass the kernel "
                "of all points against all points, training and test together."
            )
        check_real(self.K, "The matrix of Precomputed")

    def _evaluate(self, X: Array, Y: Array) -> Array:
        rows = self._row_numbers(X)
        columns = rows if Y is X else self._row_numbers(Y)
        return self._matrix()[np.ix_(rows, columns)].astype(np.float64, copy=False)

    def _diag(self, X: Array) -> Array:
        rows = self._row_numbers(X)
        return self._matrix()[rows, rows].astype(np.float64, copy=False)

    def _overflow(self) -> str:
        matrix = self._matrix().astype(np.float64, copy=False)
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        return (
            f"Precomputed must be given a matrix K of finite numbers, got {matrix[row, column]} in "
            f"row {row} of column {column}; replace the entries that are NaN or infinite."
        )

    def _matrix(self) -> Array:
        return np.asarray(self.K)

    def _row_numbers(self, X: Array) -> Indices:
        n = np.shape(self.K)[0]
        if X.shape[1] != 1:
            raise ValueError(
                "Precomputed must be called with one column of row numbers of K, got "
                f"{X.shape[1]} columns; pass for example np.arange({n})[:, None]."
            )
        is_row = (np.floor(X) == X) & (X >= 0) & (n > X)
        if not is_row.all():
            raise ValueError(
                f"Precomputed must be called with row numbers of K, whole numbers from 0 to "
                f"{n - 1}, got {X[~is_row][0]:g}; pass for example np.arange({n})[:, None]."
            )
        return X[:, 0].astype(np.intp)
