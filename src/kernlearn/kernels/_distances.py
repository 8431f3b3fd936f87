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
from kernlearn.kernels._validation import FloatArray, is_finite

# With more columns than this the matrix product overtakes scipy's direct distances (measured).
_FEW_COLUMNS = 24
# ‖x‖² + ‖z‖² − 2⟨x, z⟩ loses about 4·eps·max‖x‖²: below this norm the kernel errs by under 1e-12.
SAFE_SQUARED_NORM = 1000.0
# Rows handled together, so that a block stays in cache from the product to the exponential.
_BLOCK = 64


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
        raise ValueError(
            "Distances must be finite numbers in units of the kernel's width, got an overflow; "
            "rescale the columns first, for example with sklearn.preprocessing.StandardScaler."
        )
    return X_scaled, Y_scaled


def radial_gram(
    X: Any, Y: Any, metric: str, profile: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return profile(distance) for all pairs; `profile` may overwrite its argument.

    For ``Y is X`` each pair is computed once and the diagonal is exactly one.
    """
    if issparse(X):
        values = profile(sparse_distances(X, Y, metric))
        if Y is X:
            np.fill_diagonal(values, 1.0)
        return values
    if Y is not X:
        return profile(cdist(X, Y, metric))
    K: FloatArray = squareform(profile(pdist(X, metric)), checks=False)
    np.fill_diagonal(K, 1.0)
    return K


def exp_of_minus(distances: FloatArray) -> FloatArray:
    """Overwrite `distances` with exp(−distances); elsewhere, a new array."""
    if is_elsewhere(distances):
        found: FloatArray = namespace(distances).exp(-distances)
        return found
    np.negative(distances, out=distances)
    return np.exp(distances, out=distances)


def gaussian_gram(X: Any, Y: Any, gamma: ArrayLike) -> FloatArray:
    """Return exp(−Σ_j gamma_j (x_j − z_j)²), accurate for near-duplicates and at any scale.

    X and Y may be stacks of tables, gamma has then a row for each.
    """
    if is_elsewhere(X) or X.ndim > 2:
        return _gaussian_elsewhere(X, Y, gamma)
    X, Y = rescaled(X, Y, np.sqrt(gamma))
    if issparse(X):
        return radial_gram(X, Y, "sqeuclidean", exp_of_minus)
    norms_X = _squared_norms(X)
    norms_Y = norms_X if Y is X else _squared_norms(Y)
    if X.shape[1] <= _FEW_COLUMNS or max(norms_X.max(), norms_Y.max()) > SAFE_SQUARED_NORM:
        return radial_gram(X, Y, "sqeuclidean", exp_of_minus)
    K: FloatArray = X @ Y.T
    for start in range(0, len(X), _BLOCK):
        stop = min(start + _BLOCK, len(X))
        first = start if Y is X else 0
        block = K[start:stop, first:]
        block *= -2.0
        # One sum of both norms, rather than one after the other, rounds alike for (i, j), (j, i).
        block += norms_X[start:stop, None] + norms_Y[None, first:]
        exp_of_minus(np.maximum(block, 0.0, out=block))
        if Y is X:
            K[stop:, start:stop] = block[:, stop - start :].T
    if Y is X:
        np.fill_diagonal(K, 1.0)
    return K


def _gaussian_elsewhere(X: Any, Y: Any, gamma: ArrayLike) -> FloatArray:
    """The same for arrays that are elsewhere, and for stacks."""
    xp = namespace(X)
    low, high = xp.min(X, axis=-2, keepdims=True), xp.max(X, axis=-2, keepdims=True)
    middle = 0.5 * low + 0.5 * high
    roots = np.sqrt(np.asarray(gamma, float))[..., None, :] if np.ndim(gamma) else np.sqrt(gamma)
    scale = beside(np.broadcast_to(roots, (*X.shape[:-2], 1, X.shape[-1])), X)
    D = squared_distances((X - middle) * scale, (Y - middle) * scale)
    D *= -1.0
    K: FloatArray = xp.exp(D)
    return K


def squared_distances(X: Any, Y: Any) -> FloatArray:
    """‖x − z‖² for all pairs, elsewhere or in stacks.

    By a product, or column by column where that cancels.
    """
    xp = namespace(X)
    lengths, other = row_dots(X, X)[..., None], row_dots(Y, Y)[..., None, :]
    largest = max(float(xp.max(lengths)), float(xp.max(other)))
    if largest <= SAFE_SQUARED_NORM:
        D: FloatArray = X @ turned(Y)
        D *= -2.0
        D += lengths
        D += other
        D = xp.clip(D, 0.0, None)
        return D
    D = xp.zeros_like(lengths + other)
    for j in range(X.shape[-1]):
        D += (X[..., :, None, j] - Y[..., None, :, j]) ** 2
    return D


def _squared_norms(X: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        norms: FloatArray = np.einsum("ij,ij->i", X, X)
    return norms
