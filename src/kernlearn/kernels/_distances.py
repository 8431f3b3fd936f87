"""Inner products and distances of rows, computed without overflow and without cancellation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics.pairwise import manhattan_distances

from kernlearn._device import beside, is_elsewhere, matrix_transpose, namespace, row_dots
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, Matrix


@dataclass(frozen=True)
class DistanceOptions:
    """Conditions for distances by matrix products, and the number that is handled together."""

    # With fewer rows in a table, SciPy's direct distances are faster than a product
    few_rows: int = 16
    # Columns from which on a product is faster also where a root is taken of the squares
    many_columns: int = 100
    # ‖x‖² + ‖z‖² − 2⟨x, z⟩ loses about 4·eps·max‖x‖²: below this norm, kernels err by 1e-12
    safe_squared_norm: float = 1000.0
    # Pairs with a square below this part of max‖x‖² are subtracted if a root is taken of it
    near: float = 1e-4
    # Rows of a symmetric matrix that stay in cache from the product to the exponential
    block: int = 128
    block_numbers: int = 2**15  # numbers of any other matrix that do
    # Below this share of ‖x‖² + ‖z‖², a distance of sparse rows has lost half of its digits
    sparse_near: float = 1e-7
    sparse_pairs: int = 20_000  # pairs of sparse rows that are subtracted together


_DEFAULT = DistanceOptions()


def inner_products(X: Matrix, Y: Matrix) -> Array:
    """Return ⟨x, z⟩ for all rows as a dense matrix; only the result is ever dense."""
    K = X @ Y.T
    if is_elsewhere(K):
        return K
    return np.asarray(csr_array(K).toarray() if issparse(K) else K)


def squared_lengths(X: Matrix) -> Array:
    """Return ⟨x, x⟩ for every row."""
    if issparse(X):
        return np.asarray(csr_array(X).multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def rescaled(X: Matrix, Y: Matrix, scale: ArrayLike) -> tuple[Matrix, Matrix]:
    """Shift both tables to the middle of `X` and multiply by `scale`; ``Y is X`` is kept.

    Distances are unchanged by the shift. Scaling before the distances are taken keeps their
    squares in range when large data meet a small scale; shifting first loses no digits to it.
    Sparse tables are not shifted.
    """
    if issparse(X) or issparse(Y):
        # A dense table becomes sparse like the other one: its zeros are those of the other.
        sparse_X = csr_array(csr_array(X).multiply(scale))
        return sparse_X, sparse_X if Y is X else csr_array(csr_array(Y).multiply(scale))
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


def radial_gram(
    X: Matrix,
    Y: Matrix,
    metric: str,
    profile: Callable[[Array], Array],
    options: DistanceOptions = _DEFAULT,
) -> Array:
    """Return profile(distance) for all pairs; `profile` may overwrite its argument.

    For ``Y is X`` each pair is computed once and the diagonal is exactly one.
    """
    if issparse(X):
        values = profile(sparse_distances(X, Y, metric, options))
        if Y is X:
            np.fill_diagonal(values, 1.0)
        return values
    is_large = X.shape[1] >= options.many_columns and min(len(X), len(Y)) >= options.few_rows
    if metric == "euclidean" and is_large:
        lengths = _squared_norms(X)
        other = lengths if Y is X else _squared_norms(Y)
        if max(lengths.max(), other.max()) <= options.safe_squared_norm:
            return _radial_by_product(X, Y, lengths, other, profile, options)
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
    options: DistanceOptions,
) -> Array:
    """The same from inner products, but for pairs so close that they would cancel."""
    near = options.near * max(lengths.max(), other.max())
    left, right = _sides(X, Y, lengths, other, 1.0)
    K = np.empty((len(X), len(Y)))
    for start in range(0, len(X), options.block):
        stop = min(start + options.block, len(X))
        first = start if Y is X else 0
        squares = left[start:stop] @ right[first:].T
        rows, columns = np.nonzero(squares < near)
        if len(rows) > 4 * options.block:
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


def gaussian_gram(
    X: Matrix, Y: Matrix, gamma: ArrayLike, options: DistanceOptions = _DEFAULT
) -> Array:
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
    is_safe = max(lengths.max(), other.max()) <= options.safe_squared_norm
    if min(len(X), len(Y)) < options.few_rows or not is_safe:
        return radial_gram(X, Y, "sqeuclidean", exp_of_minus)
    left, right = _sides(X, Y, lengths, other, -1.0)
    if Y is X:
        return _symmetric_exponential(left, right, options.block)
    return _exponential(left, right, options.block_numbers)


def _exponential(left: Array, right: Array, block_numbers: int) -> Array:
    """The exponential of a product of two tables that is nowhere positive but by rounding."""
    K: Array = left @ right.T
    size = max(1, block_numbers // len(right))
    for start in range(0, len(K), size):
        block = K[start : start + size]
        np.exp(np.minimum(block, 0.0, out=block), out=block)
    return K


def _symmetric_exponential(left: Array, right: Array, size: int) -> Array:
    """The same where the product is symmetric but for rounding, and zero on the diagonal."""
    n = len(left)
    K = np.empty((n, n))
    for start in range(0, n, size):
        stop = min(start + size, n)
        block = K[start:stop, start:]
        np.matmul(left[start:stop], right[start:].T, out=block)
        np.exp(np.minimum(block, 0.0, out=block), out=block)
        corner = block[:, : stop - start]
        K[start:stop, start:stop] = 0.5 * (corner + corner.T)
        K[stop:, start:stop] = block[:, stop - start :].T
    np.fill_diagonal(K, 1.0)
    return K


def _gaussian_elsewhere(X: Matrix, Y: Matrix, gamma: ArrayLike) -> Array:
    """The same for arrays that are elsewhere, and for stacks."""
    xp = namespace(X)
    low, high = xp.min(X, axis=-2, keepdims=True), xp.max(X, axis=-2, keepdims=True)
    middle = 0.5 * low + 0.5 * high
    roots = np.sqrt(np.asarray(gamma, float))[..., None, :] if np.ndim(gamma) else np.sqrt(gamma)
    scale = beside(np.broadcast_to(roots, (*X.shape[:-2], 1, X.shape[-1])), X)
    K: Array = xp.exp(squared_distances((X - middle) * scale, (Y - middle) * scale, -1.0))
    return K


def squared_distances(X: Matrix, Y: Matrix, sign: float = 1.0, unit: float = 1.0) -> Array:
    """±‖x − z‖² for all pairs, of tables or of stacks of them, wherever they are.

    The tables lie in the middle of the coordinates. Squares are multiplied by `unit` where they
    are used: if they cancel there, they are added up column by column instead.
    """
    xp = namespace(X)
    lengths = row_dots(X, X)
    other = lengths if Y is X else row_dots(Y, Y)
    largest = max(float(xp.max(lengths)), float(xp.max(other)))
    if unit * largest > _DEFAULT.safe_squared_norm:
        return _direct_squares(X, Y, sign)
    left, right = _sides(X, Y, lengths, other, sign)
    D: Array = left @ matrix_transpose(right)
    if is_elsewhere(D):
        D = xp.clip(D, 0.0, None) if sign > 0.0 else xp.clip(D, None, 0.0)
        return D
    return np.maximum(D, 0.0, out=D) if sign > 0.0 else np.minimum(D, 0.0, out=D)


def _direct_squares(X: Matrix, Y: Matrix, sign: float) -> Array:
    """The same without cancellation."""
    if not is_elsewhere(X) and X.ndim == 2:
        return np.asarray(sign * cdist(X, Y, "sqeuclidean"))
    D: Array = namespace(X).zeros_like(X[..., :, None, 0] - Y[..., None, :, 0])
    for j in range(X.shape[-1]):
        D += sign * (X[..., :, None, j] - Y[..., None, :, j]) ** 2
    return D


def _sides(X: Matrix, Y: Matrix, lengths: Array, other: Array, sign: float) -> tuple[Array, Array]:
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


def sparse_distances(
    X: Matrix, Y: Matrix, metric: str, options: DistanceOptions = _DEFAULT
) -> Array:
    """Return "sqeuclidean", "euclidean" or "cityblock" distances between all rows."""
    if metric == "cityblock":
        return np.asarray(manhattan_distances(X, Y))
    squares = _sparse_squares(X, Y, options)
    return np.sqrt(squares, out=squares) if metric == "euclidean" else squares


def _sparse_squares(X: Matrix, Y: Matrix, options: DistanceOptions) -> Array:
    """‖x‖² + ‖z‖² − 2⟨x, z⟩; pairs that lie close to each other are subtracted entry by entry."""
    norms_X = squared_lengths(X)
    norms_Y = norms_X if Y is X else squared_lengths(Y)
    total = norms_X[:, None] + norms_Y[None, :]
    squares = total - 2.0 * inner_products(X, Y)
    close = squares <= options.sparse_near * total
    close &= total > 0
    if Y is X:
        np.fill_diagonal(close, False)
        np.fill_diagonal(squares, 0.0)
    rows, columns = np.nonzero(close)
    step = options.sparse_pairs
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        squares[i, j] = squared_lengths(X[i] - Y[j])
    return np.maximum(squares, 0.0, out=squares)
