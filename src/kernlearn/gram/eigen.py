"""Eigenpairs of Gram matrices: the leading ones, the lowest ones, and Ritz values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, eigh

from kernlearn.gram.psd import check_gram
from kernlearn.numerics.rounding import first_least
from kernlearn.typing import Array


def eigenvectors(
    K: ArrayLike, n_components: int | None = None, *, tol: float = 1e-10
) -> tuple[Array, Array]:
    r"""Return the leading eigenpairs of `K`, :math:`K v_i = \lambda_i v_i`.

    The matrices :math:`v_i v_i^\top` span the rank-one families of Lanckriet et al. (2004),
    equations (32), (37), (42), (46) and (54).

    Parameters
    ----------
    K : array-like of shape (n, n)
        A Gram matrix; not modified.
    n_components : int, optional
        Largest number of pairs; all when not given.
    tol : float, default=1e-10
        Pairs with :math:`\lambda_i \le \text{tol} \cdot \lambda_1` are numerically null and left
        out.

    Returns
    -------
    vectors : ndarray of shape (n, r)
        Orthonormal columns, each with its largest entry (in size) positive.
    values : ndarray of shape (r,)
        The eigenvalues, positive, from large to small.

    Examples
    --------
    >>> from kernlearn.gram import eigenvectors
    >>> vectors, values = eigenvectors([[2.0, 0.0], [0.0, 0.0]])
    >>> vectors, values
    (array([[1.],
           [0.]]), array([2.]))
    """
    matrix = check_gram(K)
    n = len(matrix)
    count = n if n_components is None else min(n_components, n)
    if count < 1 or int(count) != count:
        raise ValueError(
            f"n_components must be a positive integer, got {n_components!r}; choose at least 1."
        )
    if not 0 <= tol < 1:
        raise ValueError(f"tol must be between 0 and 1, got {tol!r}; choose for example 1e-10.")
    values, vectors = eigh(matrix, subset_by_index=(n - int(count), n - 1), check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = (values > tol * values[0]) & (values > 0)
    values, vectors = values[kept], vectors[:, kept]
    # Two entries may be as large, of either sign. np.sign is never zero here: the largest entry of
    # a unit vector is not.
    largest = [first_least(-np.abs(vector)) for vector in vectors.T]
    vectors = vectors * np.sign(vectors[largest, np.arange(len(values))])
    return vectors, values.copy()


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
