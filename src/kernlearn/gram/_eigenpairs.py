"""Eigenpairs of a symmetric matrix, whatever its entries."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, eigh

from kernlearn.gram._validation import FloatArray


def lowest_eigenpairs(K: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The ``k`` smallest eigenvalues, from the lowest on, and their eigenvectors in columns.

    The quickest driver gives up on some matrices whose entries differ by many orders of
    magnitude; the QR method finds the eigenpairs of those, too.
    """
    k = min(k, len(K))
    try:
        values, vectors = eigh(K, subset_by_index=[0, k - 1], check_finite=False)
    except LinAlgError:
        size = float(np.abs(K).max()) or 1.0
        values, vectors = eigh(K / size, driver="ev", check_finite=False)
        values, vectors = size * values[:k], vectors[:, :k]
    return values, vectors
