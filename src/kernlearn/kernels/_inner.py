"""Inner products and squared lengths of rows, of dense and of sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from kernlearn._device import is_elsewhere
from kernlearn.typing import Array


def inner_products(X: Any, Y: Any) -> Array:
    """Return ⟨x, z⟩ for all rows as a dense matrix; only the result is ever dense."""
    K = X @ Y.T
    dense: Array = K if is_elsewhere(K) else np.asarray(K.toarray() if issparse(K) else K)
    return dense


def squared_lengths(X: Any) -> Array:
    """Return ⟨x, x⟩ for every row."""
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    values: Array = np.einsum("ij,ij->i", X, X)
    return values
