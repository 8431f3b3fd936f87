"""Centring in feature space: the mean of the training points becomes the origin."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.gram._validation import check_finite, check_matrix, check_square, check_symmetric
from kernlearn.kernels._rescaling import squares_around_mean
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
