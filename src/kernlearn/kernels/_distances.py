"""Kernels that are functions of a distance, computed without overflow and without cancellation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.spatial.distance import cdist, pdist, squareform

from kernlearn._device import beside, is_elsewhere, namespace, row_dots, turned
from kernlearn.kernels._sparse_distances import sparse_distances, sparse_rescaled
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array

# With fewer rows than this in a table scipy's direct distances overtake the product (measured).
_FEW_ROWS = 16
# ‖x‖² + ‖z‖² − 2⟨x, z⟩ loses about 4·eps·max‖x‖²: below this norm the kernel errs by some 1e-12.
SAFE_SQUARED_NORM = 1000.0
# Rows of a symmetric matrix, and numbers of any other, that are handled together: they stay in
# cache from the product to the exponential.
_BLOCK, _BLOCK_NUMBERS = 128, 2**15
# From so many columns on a product is faster than scipy's distances, too, where a root is taken of
# them (measured). Pairs whose square is below this part of the largest ‖x‖² are looked at directly,
# since the root makes rounding larger.
_MANY_COLUMNS, _NEAR = 100, 1e-4


def rescaled(X: Any, Y: Any, scale: ArrayLike) -> tuple[Any, Any]:
    """Shift both tables to the middle of `X` and multiply by `scale`; ``Y is X`` is kept.

    Distances are unchanged by the shift. Scaling before the distances are taken keeps their
    squares in range when large data meet a small scale; shifting first loses no digits to it.
    Sparse tables are not shifted.
    """
    if issparse(X) or issparse(Y):
        return sparse_rescaled(X, Y, scale)
    # Halves first: the sum of two large entries could overflow.
    middle = 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        X_scaled = (X - middle) * scale
        Y_scaled = X_scaled if Y is X else (Y - middle) * scale
    if not (is_finite(X_scaled) and is_finite(Y_scaled)):
        raise NumericalError(
            "Distances must be finite numbers in units of the kernel's width, got an overflow; "
            "rescale the columns first, for example with sklearn.preprocessing.StandardScaler."
        )
    return X_scaled, Y_scaled


def radial_gram(X: Any, Y: Any, metric: str, profile: Callable[[Array], Array]) -> Array:
    """Return profile(distance) for all pairs; `profile` may overwrite its argument.

    For ``Y is X`` each pair is computed once and the diagonal is exactly one.
    """
    if issparse(X):
        values = profile(sparse_distances(X, Y, metric))
        if Y is X:
            np.fill_diagonal(values, 1.0)
        return values
    if metric == "euclidean" and X.shape[1] >= _MANY_COLUMNS and min(len(X), len(Y)) >= _FEW_ROWS:
        lengths = _squared_norms(X)
        other = lengths if Y is X else _squared_norms(Y)
        if max(lengths.max(), other.max()) <= SAFE_SQUARED_NORM:
            return _radial_by_product(X, Y, lengths, other, profile)
    if Y is not X:
        return profile(cdist(X, Y, metric))
    K: Array = squareform(profile(pdist(X, metric)), checks=False)
    np.fill_diagonal(K, 1.0)
    return K


def _radial_by_product(
    X: Array,
    Y: Array,
    lengths: Array,
    other: Array,
    profile: Callable[[Array], Array],
) -> Array:
    """The same from inner products, but for pairs so close that they would cancel."""
    near = _NEAR * max(lengths.max(), other.max())
    left, right = _sides(X, Y, lengths, other, 1.0)
    K = np.empty((len(X), len(Y)))
    for start in range(0, len(X), _BLOCK):
        stop = min(start + _BLOCK, len(X))
        first = start if Y is X else 0
        squares = left[start:stop] @ right[first:].T
        rows, columns = np.nonzero(squares < near)
        if len(rows) > 4 * _BLOCK:
            squares = cdist(X[start:stop], Y[first:], "sqeuclidean")
        else:
            apart = X[start + rows] - Y[first + columns]
            squares[rows, columns] = row_dots(apart, apart)
        K[start:stop, first:] = profile(np.sqrt(squares, out=squares))
        if Y is X:
            K[first:, start:stop] = K[start:stop, first:].T
    if Y is X:
        np.fill_diagonal(K, 1.0)
    return K


def exp_of_minus(distances: Array) -> Array:
    """Overwrite `distances` with exp(−distances); elsewhere, a new array."""
    if is_elsewhere(distances):
        found: Array = namespace(distances).exp(-distances)
        return found
    np.negative(distances, out=distances)
    return np.exp(distances, out=distances)


def gaussian_gram(X: Any, Y: Any, gamma: ArrayLike) -> Array:
    """Return exp(−Σ_j gamma_j (x_j − z_j)²), accurate for near-duplicates and at any scale.

    X and Y may be stacks of tables, gamma has then a row for each.
    """
    if is_elsewhere(X) or X.ndim > 2:
        return _gaussian_elsewhere(X, Y, gamma)
    X, Y = rescaled(X, Y, np.sqrt(gamma))
    if issparse(X):
        return radial_gram(X, Y, "sqeuclidean", exp_of_minus)
    lengths = _squared_norms(X)
    other = lengths if Y is X else _squared_norms(Y)
    is_safe = max(lengths.max(), other.max()) <= SAFE_SQUARED_NORM
    if min(len(X), len(Y)) < _FEW_ROWS or not is_safe:
        return radial_gram(X, Y, "sqeuclidean", exp_of_minus)
    left, right = _sides(X, Y, lengths, other, -1.0)
    return _symmetric_exponential(left, right) if Y is X else _exponential(left, right)


def _exponential(left: Array, right: Array) -> Array:
    """The exponential of a product of two tables that is nowhere positive but by rounding."""
    K: Array = left @ right.T
    size = max(1, _BLOCK_NUMBERS // len(right))
    for start in range(0, len(K), size):
        block = K[start : start + size]
        np.exp(np.minimum(block, 0.0, out=block), out=block)
    return K


def _symmetric_exponential(left: Array, right: Array) -> Array:
    """The same where the product is symmetric but for rounding, and zero on the diagonal."""
    n = len(left)
    K = np.empty((n, n))
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        block = K[start:stop, start:]
        np.matmul(left[start:stop], right[start:].T, out=block)
        np.exp(np.minimum(block, 0.0, out=block), out=block)
        corner = np.triu(block[:, : stop - start], 1)
        K[start:stop, start:stop] = corner + corner.T
        K[stop:, start:stop] = block[:, stop - start :].T
    np.fill_diagonal(K, 1.0)
    return K


def _gaussian_elsewhere(X: Any, Y: Any, gamma: ArrayLike) -> Array:
    """The same for arrays that are elsewhere, and for stacks."""
    xp = namespace(X)
    low, high = xp.min(X, axis=-2, keepdims=True), xp.max(X, axis=-2, keepdims=True)
    middle = 0.5 * low + 0.5 * high
    roots = np.sqrt(np.asarray(gamma, float))[..., None, :] if np.ndim(gamma) else np.sqrt(gamma)
    scale = beside(np.broadcast_to(roots, (*X.shape[:-2], 1, X.shape[-1])), X)
    K: Array = xp.exp(squared_distances((X - middle) * scale, (Y - middle) * scale, -1.0))
    return K


def squared_distances(X: Any, Y: Any, sign: float = 1.0, unit: float = 1.0) -> Array:
    """±‖x − z‖² for all pairs, of tables or of stacks of them, wherever they are.

    Parameters
    ----------
    X, Y : arrays of shape (..., n, d) and (..., k, d)
        Tables in the middle of the coordinates.
    sign : float
        1 or −1.
    unit : float
        What squares are multiplied by where they are used: if they cancel there, they are added up
        column by column instead.
    """
    xp = namespace(X)
    lengths = row_dots(X, X)
    other = lengths if Y is X else row_dots(Y, Y)
    largest = max(float(xp.max(lengths)), float(xp.max(other)))
    if unit * largest > SAFE_SQUARED_NORM:
        return _direct_squares(X, Y, sign)
    left, right = _sides(X, Y, lengths, other, sign)
    D: Array = left @ turned(right)
    if is_elsewhere(D):
        D = xp.clip(D, 0.0, None) if sign > 0.0 else xp.clip(D, None, 0.0)
        return D
    return np.maximum(D, 0.0, out=D) if sign > 0.0 else np.minimum(D, 0.0, out=D)


def _direct_squares(X: Any, Y: Any, sign: float) -> Array:
    """The same without cancellation."""
    if not is_elsewhere(X) and X.ndim == 2:
        return np.asarray(sign * cdist(X, Y, "sqeuclidean"))
    D: Array = namespace(X).zeros_like(X[..., :, None, 0] - Y[..., None, :, 0])
    for j in range(X.shape[-1]):
        D += sign * (X[..., :, None, j] - Y[..., None, :, j]) ** 2
    return D


def _sides(X: Any, Y: Any, lengths: Any, other: Any, sign: float) -> tuple[Any, Any]:
    """Tables whose product is ±‖x − z‖²: [x, ‖x‖², 1] and [−2z, 1, ‖z‖²], times the sign.

    One product with two columns more takes a half of the time of adding both lengths to it.
    """
    xp = namespace(X)
    lengths, other = lengths[..., None], other[..., None]
    left = xp.concat([X, lengths, xp.ones_like(lengths)], axis=-1)
    right = xp.concat([-2.0 * Y, xp.ones_like(other), other], axis=-1)
    return left, sign * right


def _squared_norms(X: Array) -> Array:
    with np.errstate(over="ignore"):
        # In one order, whatever that of the table: the same numbers have the same sum.
        norms: Array = row_dots(np.ascontiguousarray(X), np.ascontiguousarray(X))
    return norms
