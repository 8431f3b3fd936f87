"""Eigenpairs of a symmetric matrix, whatever its entries."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, eigh

from kernlearn.typing import Array


def lowest_eigenpairs(K: Array, k: int) -> tuple[Array, Array]:
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


def ritz_values(K: Array, steps: int) -> Array:
    """Ritz values of a symmetric matrix after some Lanczos steps, in increasing order.

    They lie within the spectrum, the first and the last of them near its ends. The start is fixed,
    so that the result is the same every time.
    """
    n = len(K)
    start = np.cos(np.arange(n, dtype=float)) + 0.1
    basis = np.zeros((n, min(steps, n)))
    basis[:, 0] = start / np.linalg.norm(start)
    k = 1
    while k < basis.shape[1]:
        known = basis[:, :k]
        vector = K @ known[:, -1]
        size = float(np.linalg.norm(vector))
        for _ in range(2):  # twice is enough for orthogonality
            vector = vector - known @ (known.T @ vector)
        left = float(np.linalg.norm(vector))
        if not left > n * np.finfo(float).eps * size:
            break  # the subspace is invariant
        basis[:, k] = vector / left
        k += 1
    known = basis[:, :k]
    return np.asarray(np.linalg.eigvalsh(known.T @ K @ known))
