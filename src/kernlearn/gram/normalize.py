"""Unit diagonals: cosines instead of inner products."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.gram._validation import check_matrix, check_symmetric, check_vector
from kernlearn.kernels._rescaling import check_diagonal, divide_by_roots
from kernlearn.typing import Array


def unit_diagonal(K: ArrayLike) -> Array:
    r"""Return :math:`K_{ij} / \sqrt{K_{ii} K_{jj}}`.

    Rows and columns of points with :math:`K_{ii} = 0` become zero, as in
    `kernlearn.kernels.Normalized`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A Gram matrix; not modified.

    Returns
    -------
    K : ndarray of shape (n, n)
        A new array, with exact ones (or zeros) on the diagonal.

    Examples
    --------
    >>> from kernlearn.gram import unit_diagonal
    >>> unit_diagonal([[4.0, 1.0], [1.0, 1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    matrix = check_symmetric(K, "Gram matrix")
    diagonal = np.diagonal(matrix)
    check_diagonal(diagonal, "unit_diagonal")
    result = divide_by_roots(matrix, diagonal, diagonal)
    np.fill_diagonal(result, diagonal > 0)
    return result


def cross_unit_diagonal(K_cross: ArrayLike, diag_rows: ArrayLike, diag_cols: ArrayLike) -> Array:
    r"""Return :math:`K_{ij} / \sqrt{r_i c_j}`, the match of `unit_diagonal` for test rows.

    Parameters
    ----------
    K_cross : array-like of shape (n, m)
        Kernel values of the points in rows with those in columns; not modified.
    diag_rows : array-like of shape (n,)
        The values r_i = k(x_i, x_i) of the points in rows.
    diag_cols : array-like of shape (m,)
        The values c_j = k(z_j, z_j) of the points in columns.

    Returns
    -------
    K_cross : ndarray of shape (n, m)
        A new array, zero where r_i or c_j is zero.

    Examples
    --------
    >>> from kernlearn.gram import cross_unit_diagonal
    >>> cross_unit_diagonal([[2.0, 1.0]], [4.0], [1.0, 1.0])
    array([[1. , 0.5]])
    """
    matrix = check_matrix(K_cross, "K_cross")
    rows = check_vector(diag_rows, matrix.shape[0], "diag_rows")
    columns = check_vector(diag_cols, matrix.shape[1], "diag_cols")
    check_diagonal(rows, "cross_unit_diagonal")
    check_diagonal(columns, "cross_unit_diagonal")
    return divide_by_roots(matrix, rows, columns)
