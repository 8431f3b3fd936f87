"""Squared differences (x_ir − x_jr)², summed with weights by matrix products."""

from __future__ import annotations

import numpy as np

from kernlearn._device import column_dots, namespace
from kernlearn.families.parametric.base import Array

_PAIRS_TOGETHER = 512


def middles(X: Array) -> Array:
    """Half way between the least and the largest entry of every column."""
    # Halves first: the sum of two large entries could overflow.
    xp = namespace(X)
    middle: Array = 0.5 * xp.min(X, axis=0) + 0.5 * xp.max(X, axis=0)
    return middle


def centred(X: Array) -> Array:
    """The columns around their middles: the same differences, with less cancellation."""
    return X - middles(X)


def mean_squares(X: Array) -> Array:
    """The variance of every column, one for columns that are constant."""
    with np.errstate(over="ignore"):
        spread = np.var(X, axis=0)
    # Rounding leaves some of the square of a constant column's own size.
    constant = spread <= (1e-14 * np.abs(X).max(axis=0)) ** 2
    return np.where(constant, 1.0, np.clip(spread, 1e-300, 1e300))


def weighted_sums(X: Array, M: Array) -> Array:
    r"""All of :math:`\sum_{ij} M_{ij} (x_{ir} - x_{jr})^2`, by one product; `X` is centred."""
    square = X * X
    xp = namespace(M)
    sums: Array = (xp.sum(M, axis=0) + xp.sum(M, axis=1)) @ square
    sums -= 2.0 * column_dots(X, M @ X)
    return sums


def cross_sums(X: Array, Y: Array, M: Array) -> Array:
    r"""All of :math:`\sum_{ij} M_{ij} (x_{ir} - y_{jr})^2`; both are centred alike."""
    xp = namespace(M)
    sums: Array = xp.sum(M, axis=1) @ (X * X) + xp.sum(M, axis=0) @ (Y * Y)
    sums -= 2.0 * column_dots(X, M @ Y)
    return sums


def products(X: Array, Y: Array, K: Array, v: Array) -> Array:
    r"""All of :math:`\sum_j K_{ij} (x_{ir} - y_{jr})^2 v_j`, of shape (n, d); both are centred."""
    d = X.shape[1]
    weighted = v[:, None] * Y
    sums = K @ np.column_stack([weighted, weighted * Y, v])
    return X * (X * sums[:, -1:] - 2.0 * sums[:, :d]) + sums[:, d : 2 * d]


def weighted_pairs(X: Array, M: Array) -> Array:
    r"""All of :math:`\sum_{ij} M_{ij} (x_{ir}-x_{jr})^2 (x_{is}-x_{js})^2`; `X` is centred.

    Multiplied out, with squares :math:`q = x^2` and m the row sums plus the column sums of M:
    :math:`q_r^T \mathrm{diag}(m) q_s + q_r^T (M + M^T) q_s - 2 q_r^T (x_s \circ (M + M^T) x_s)
    - 2 q_s^T (x_r \circ (M + M^T) x_r) + 4 (x_r \circ x_s)^T M (x_r \circ x_s)`.
    """
    d = X.shape[1]
    square = X * X
    image = M @ np.hstack([X, square])
    between = square.T @ image[:, d:]
    mixed = square.T @ (X * (image[:, :d] + M.T @ X))
    pairs: Array = (square.T * (M.sum(axis=0) + M.sum(axis=1))) @ square
    pairs += between + between.T - 2.0 * (mixed + mixed.T)
    pairs += 4.0 * product_forms(X, M)
    return pairs


def product_forms(X: Array, M: Array) -> Array:
    r"""All of :math:`(x_r \circ x_s)^T M (x_r \circ x_s)`, of shape (d, d)."""
    d = X.shape[1]
    first, second = np.triu_indices(d)
    forms = np.empty((d, d))
    # Few wide products are faster than many narrow ones; the width bounds the memory.
    for start in range(0, len(first), _PAIRS_TOGETHER):
        r, s = first[start : start + _PAIRS_TOGETHER], second[start : start + _PAIRS_TOGETHER]
        both = X[:, r] * X[:, s]
        forms[r, s] = forms[s, r] = np.einsum("ip,ip->p", both, M @ both)
    return forms
