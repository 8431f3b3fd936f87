"""Dividing a matrix by the square roots of two diagonals, shared by kernels and Gram matrices."""

from __future__ import annotations

import numpy as np

from kernlearn.numerics.rounding import without_rounding
from kernlearn.typing import Array

# In four terms of one size, three of them means, which are summed in pairs of pairs.
_ROUNDINGS = 32


def divide_by_roots(K: Array, rows: Array, columns: Array) -> Array:
    r"""Return :math:`K_{ij} / \sqrt{r_i c_j}` as a new array, zero where r_i or c_j is zero.

    The product of the roots lies between the smallest and the largest diagonal entry, so it
    neither overflows nor vanishes, and it is the same for (i, j) and (j, i).
    """
    result = np.multiply.outer(roots(rows), roots(columns))
    return np.divide(K, result, out=result)


def check_diagonal(diagonal: Array, owner: str) -> None:
    """Refuse a negative diagonal, which no positive semidefinite matrix has."""
    if diagonal.min() < 0:
        raise ValueError(
            f"{owner} needs a diagonal without negative entries, got {diagonal.min():.3g}; "
            "check that the kernel is positive semidefinite."
        )


def squares_around_mean(found: Array, squares: Array, means: Array, mean: float) -> Array:
    """Squared lengths around a mean, zero at the mean, where rounding leaves one of either sign.

    `found` is k(x, x), the `squares`, less twice the `means` of k(x, ·) plus the `mean` of all.
    """
    size = np.maximum(np.maximum(np.abs(squares), np.abs(means)), abs(mean))
    return without_rounding(found, size, _ROUNDINGS)


def roots(diagonal: Array) -> Array:
    """√r, infinite where r is zero."""
    # Dividing by infinity gives the zero that a point without length should have.
    return np.sqrt(np.where(diagonal > 0, diagonal, np.inf))
