"""Symmetry of square matrices up to rounding, and divisions by the roots of two diagonals."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kernlearn.numerics.rounding import without_rounding
from kernlearn.typing import Array

# Tiles of this side stay in cache, so that reading the transposed tile costs no more than reading.
_TILE = 256
# Rounding of a long sum can differ between k(x, z) and k(z, x); anything above this is a mistake.
SYMMETRY_TOLERANCE = 1e-8


def largest_asymmetry(K: Array) -> float:
    """Return max over i, j of |K_ij − K_ji|, without a temporary of the size of `K`."""
    n = K.shape[0]
    largest = 0.0
    for i in range(0, n, _TILE):
        for j in range(i, n, _TILE):
            upper, lower = K[i : i + _TILE, j : j + _TILE], K[j : j + _TILE, i : i + _TILE].T
            if not (upper == lower).all():
                # Halves are compared so that entries near the largest float do not overflow.
                largest = max(largest, 2.0 * float(np.abs(0.5 * upper - 0.5 * lower).max()))
    return largest


def surely_symmetric(K: Array, tile: int = _TILE) -> bool:
    """Whether a probe shows `K` finite and symmetric up to rounding; False proves nothing.

    An entry that differs from its mirror image by δ shows as ±δ in ``K v − Kᵀ v`` for a vector v
    of random signs, and NaN or infinity spreads. Rows of what is right of the diagonal are held
    against columns of what is below it, so that every entry is read once.
    """
    signs = _signs(len(K))
    allowed = 0.1 * SYMMETRY_TOLERANCE * float(np.abs(K.diagonal()).max())
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(K), tile):
            part, rest = slice(start, start + tile), signs[start:]
            difference = K[part, start:] @ rest - rest @ K[start:, part]
            if not float(np.abs(difference).max()) <= allowed:  # nor where it is no number
                return False
    return True


@lru_cache(maxsize=8)
def _signs(n: int) -> Array:
    """The random signs for all matrices of this size; not to be written to."""
    return np.random.default_rng(n).choice([-1.0, 1.0], size=n)


def is_asymmetric(asymmetry: float, K: Array) -> bool:
    """Whether `asymmetry` is more than rounding beside the largest entry of `K`."""
    return asymmetry > SYMMETRY_TOLERANCE * max(float(K.max()), -float(K.min()))


def exactly_symmetric(K: Array, name: str) -> Array:
    """Return `K` itself if symmetric, the mean of K and Kᵀ if rounding parts them, else refuse."""
    asymmetry = largest_asymmetry(K)
    if asymmetry == 0.0:
        return K
    if is_asymmetric(asymmetry, K):
        raise ValueError(
            f"{name} must be symmetric, got entries (i, j) and (j, i) that differ by up to "
            f"{asymmetry:.3g}; if both are estimates of one value, use (K + K.T) / 2."
        )
    return 0.5 * K + 0.5 * K.T


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
