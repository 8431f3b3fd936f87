"""Distances between the rows of sparse tables, which are never made dense."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import manhattan_distances

from kernlearn.kernels._inner import inner_products, squared_lengths
from kernlearn.typing import Array

# Below this share of ‖x‖² + ‖z‖² a distance has lost half of its digits to cancellation.
_NEAR = 1e-7
# Pairs of rows subtracted together.
_BLOCK = 20_000


def sparse_rescaled(X: Any, Y: Any, scale: Any) -> tuple[Any, Any]:
    """Multiply all columns by `scale`, or each by its own; ``Y is X`` is kept.

    Where one table is dense, it becomes sparse: its zeros are those of the other.
    """
    X_scaled = csr_array(csr_array(X).multiply(scale))
    return X_scaled, X_scaled if Y is X else csr_array(csr_array(Y).multiply(scale))


def sparse_distances(X: Any, Y: Any, metric: str) -> Array:
    """Return "sqeuclidean", "euclidean" or "cityblock" distances between all rows."""
    if metric == "cityblock":
        return np.asarray(manhattan_distances(X, Y))
    squares = _squared(X, Y)
    return np.sqrt(squares, out=squares) if metric == "euclidean" else squares


def _squared(X: Any, Y: Any) -> Array:
    """‖x‖² + ‖z‖² − 2⟨x, z⟩; pairs that lie close to each other are subtracted entry by entry."""
    norms_X = squared_lengths(X)
    norms_Y = norms_X if Y is X else squared_lengths(Y)
    total = norms_X[:, None] + norms_Y[None, :]
    squares = total - 2.0 * inner_products(X, Y)
    close = squares <= _NEAR * total
    close &= total > 0
    if Y is X:
        np.fill_diagonal(close, False)
        np.fill_diagonal(squares, 0.0)
    rows, columns = np.nonzero(close)
    for start in range(0, len(rows), _BLOCK):
        i, j = rows[start : start + _BLOCK], columns[start : start + _BLOCK]
        squares[i, j] = squared_lengths(X[i] - Y[j])
    return np.maximum(squares, 0.0, out=squares)
