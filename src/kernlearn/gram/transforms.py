"""Gram matrices centred in feature space, with a unit diagonal, or of a given trace."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.gram.psd import (
    check_finite,
    check_matrix,
    check_square,
    check_symmetric,
    check_vector,
)
from kernlearn.kernels._matrices import check_diagonal, divide_by_roots, squares_around_mean
from kernlearn.typing import Array


def center(K: ArrayLike) -> Array:
    r"""Return :math:`HKH` with :math:`H = I - \frac1n \mathbf 1 \mathbf 1^\top`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A Gram matrix; not modified.

    Returns
    -------
    K : ndarray of shape (n, n)
        A new array, whose rows and columns sum to zero.

    Examples
    --------
    >>> from kernlearn.gram import center
    >>> center([[1.0, 0.0], [0.0, 1.0]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    matrix = check_symmetric(K, "Gram matrix")
    means = _means(matrix, axis=1)  # in pairs of pairs, with few roundings
    centred = _subtract_means(matrix, means, means)
    squares = squares_around_mean(
        np.diagonal(centred), np.diagonal(matrix), means, float(np.abs(means).max())
    )
    np.fill_diagonal(centred, squares)
    return centred


def center_cross(K_cross: ArrayLike, K_train: ArrayLike) -> Array:
    r"""Centre the kernel values of new points with training points as `center` does `K_train`.

    .. math::

        K_{ij} - \frac1n \sum_l K_{il} - \frac1n \sum_l K^{\text{train}}_{lj}
            + \frac1{n^2} \sum_{l,l'} K^{\text{train}}_{ll'}

    Parameters
    ----------
    K_cross : array-like of shape (m, n)
        New points in rows, training points in columns; not modified.
    K_train : array-like of shape (n, n)
        The Gram matrix of the training points, not centred; not modified.

    Returns
    -------
    K_cross : ndarray of shape (m, n)
        A new array.

    Examples
    --------
    >>> from kernlearn.gram import center_cross
    >>> center_cross([[2.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    array([[ 1., -1.]])
    """
    matrix, train = check_matrix(K_cross, "K_cross"), check_square(K_train, "K_train")
    if matrix.shape[1] != len(train):
        raise ValueError(
            f"K_cross must have one column for each of the {len(train)} training points, got "
            f"{matrix.shape[1]} columns; put new points in rows and training points in columns."
        )
    return _subtract_means(matrix, _means(matrix, axis=1), _means(train, axis=0))


def _means(K: Array, axis: int) -> Array:
    with np.errstate(over="ignore"):
        return check_finite(K.mean(axis=axis), "The means of a Gram matrix")


def _subtract_means(K: Array, rows: Array, columns: Array) -> Array:
    # Both means are added before they meet K: their sum is the same for (i, j) and (j, i).
    shift = np.add.outer(rows, columns)
    shift -= columns.mean()
    return np.subtract(K, shift, out=shift)


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


def scale_to_trace(K: ArrayLike, trace: float | None = None) -> Array:
    r"""Return the multiple of `K` with a given trace, :math:`\frac{c}{\operatorname{tr} K} K`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A Gram matrix, not all zero; not modified.
    trace : float, optional
        The trace c; n when not given, as for a matrix with unit diagonal.

    Returns
    -------
    K : ndarray of shape (n, n)
        A new array.

    Examples
    --------
    >>> from kernlearn.gram import scale_to_trace
    >>> scale_to_trace([[3.0, 1.0], [1.0, 1.0]])
    array([[1.5, 0.5],
           [0.5, 0.5]])
    """
    matrix = check_square(K, "Gram matrix")
    target = float(len(matrix)) if trace is None else float(trace)
    if not (np.isfinite(target) and target > 0):
        raise ValueError(
            f"trace must be a positive finite number, got {trace!r}; choose a value above zero."
        )
    # The mean, taken as a sum of small terms, does not overflow where the trace would.
    mean = float((np.diagonal(matrix) / len(matrix)).sum())
    if mean <= 0:
        raise ValueError(
            f"Gram matrix must have a positive trace, got {mean * len(matrix):.3g}; leave out a "
            "kernel that is zero on all points."
        )
    return matrix / mean * (target / len(matrix))
