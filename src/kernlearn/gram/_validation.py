"""Checks shared by the functions on Gram matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._symmetry import is_asymmetric, largest_asymmetry, surely_symmetric
from kernlearn.kernels._validation import as_floats, is_finite
from kernlearn.typing import Array


def check_matrix(K: ArrayLike, name: str) -> Array:
    """Return `K` as a 2-D float64 array of finite numbers, without a copy where it is one."""
    matrix = as_floats(K, name)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            f"{name} must be a matrix with rows and columns, got shape {matrix.shape}; pass the "
            "kernel values of all pairs of points."
        )
    return check_finite(matrix, name)


def check_square(K: ArrayLike, name: str) -> Array:
    """Return `K` as a square float64 array of finite numbers."""
    shape = np.shape(K)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be a square matrix, got shape {shape}; pass the kernel values of the "
            "same points in rows and in columns."
        )
    return check_matrix(K, name)


def check_symmetric(K: ArrayLike, name: str) -> Array:
    """Return `K` as a square float64 array, symmetric up to rounding."""
    shape = np.shape(K)
    if len(shape) == 2 and shape[0] == shape[1] > 0:
        matrix = as_floats(K, name)
        if surely_symmetric(matrix):
            return matrix
    matrix = check_square(K, name)
    asymmetry = largest_asymmetry(matrix)
    if is_asymmetric(asymmetry, matrix):
        raise ValueError(
            f"{name} must be symmetric, got entries (i, j) and (j, i) that differ by up to "
            f"{asymmetry:.3g}; if both are estimates of one value, pass (K + K.T) / 2."
        )
    return matrix


def check_vector(values: ArrayLike, length: int, name: str) -> Array:
    """Return `values` as a float64 vector of finite numbers of this length."""
    vector = as_floats(values, name)
    if vector.shape != (length,):
        raise ValueError(
            f"{name} must be a vector of length {length}, got shape {vector.shape}; pass one "
            "number for each row or column of the matrix."
        )
    return check_finite(vector, name)


def check_finite(values: Array, name: str) -> Array:
    """Return `values` if no entry is NaN or infinite."""
    if not is_finite(values):
        raise ValueError(
            f"{name} must hold finite numbers only, got NaN or infinity; rescale the data, or "
            "remove the points that cause it."
        )
    return values
