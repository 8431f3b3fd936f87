"""What differs between the libraries: room, products, factorisations, solutions."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dsyrk

from kernlearn._device.places import Place, beside, compat, is_elsewhere, namespace, take, to_host

# Above some 15,600 rows OpenBLAS 0.3.31 factorises with two threads beyond its own buffer, and the
# process ends. Products of matrices do not know that, and are as fast.
LARGEST_FOR_LAPACK = 8000
_BLOCK = 1024


def take_columns(array: Any, columns: Any) -> Any:
    """Some columns of a matrix, by the positions of the host."""
    return take(array.T, columns).T if is_elsewhere(array) else array[:, columns]


def empty_beside(shape: tuple[int, ...], other: Any) -> Any:
    """Room for numbers where another array is."""
    if not is_elsewhere(other):
        return np.empty(shape)
    xp = namespace(other)
    return xp.empty(shape, dtype=xp.float64, device=compat().device(other))


def eye_beside(n_rows: int, n_columns: int, other: Any) -> Any:
    """Ones on the diagonal of a matrix where another array is."""
    if not is_elsewhere(other):
        return np.eye(n_rows, n_columns)
    xp = namespace(other)
    return xp.eye(n_rows, n_columns, dtype=xp.float64, device=compat().device(other))


def copied(array: Any) -> Any:
    """A new array of the same numbers."""
    return 1.0 * array if is_elsewhere(array) else array.copy()


def column_dots(A: Any, B: Any) -> Any:
    """The inner products of the columns of two matrices."""
    return namespace(A).sum(A * B, axis=0) if is_elsewhere(A) else np.einsum("ij,ij->j", A, B)


def row_dots(A: Any, B: Any) -> Any:
    """The inner products of the rows of two matrices."""
    return namespace(A).sum(A * B, axis=1) if is_elsewhere(A) else np.einsum("ij,ij->i", A, B)


def lower_products(Z: Any, total: Any = None) -> Any:
    """ZᵀZ, added to a total, which may be overwritten; the host makes only the lower triangle.

    There are zeros above it.
    """
    if is_elsewhere(Z):
        return Z.T @ Z if total is None else total + Z.T @ Z
    if Z.shape[1] == 0:
        return np.zeros((0, 0))
    # The transpose of a C-contiguous block is how BLAS sees it.
    if total is None:
        return dsyrk(1.0, Z.T, lower=1)
    return dsyrk(1.0, Z.T, beta=1.0, c=total, lower=1, overwrite_c=1)


def lower_triangle(A: Any) -> Any:
    """What `lower_products` has found, on the host, with zeros above the diagonal."""
    return np.tril(to_host(A)) if is_elsewhere(A) else A


def add_to_diagonal(A: Any, values: Any) -> Any:
    """A square matrix in C order with a number, or numbers, added to its diagonal in place."""
    if not is_elsewhere(A):
        A[np.diag_indices(len(A))] += values
    elif hasattr(A, "diagonal"):
        diagonal = A.diagonal()  # a view
        diagonal += values
    else:
        A += namespace(A).eye(A.shape[0]) * values
    return A


def lower_factor(A: Any) -> Any:
    """The lower Cholesky factor, `LinAlgError` where there is none; what is above is undefined.

    On the host a matrix in C order is overwritten.
    """
    if not is_elsewhere(A):
        # LAPACK reads columns. The transpose of a symmetric matrix is the matrix itself in that
        # order, so that nothing need be copied.
        if len(A) > LARGEST_FOR_LAPACK:
            return _lower_factor_in_blocks(A.T)
        return cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)[0]
    library = Place.of(A).library
    if library == "torch":
        factor, info = import_module("torch").linalg.cholesky_ex(A)
        if int(info) == 0:
            return factor
    elif library == "cupy":
        factor = import_module("cupy").linalg.cholesky(A)  # NaN where it breaks down
        if bool(namespace(A).all(namespace(A).isfinite(factor))):
            return factor
    else:
        return beside(lower_factor(to_host(A).copy()), A)
    raise LinAlgError("the matrix is not positive definite")


def _lower_factor_in_blocks(A: Any) -> Any:
    """The same, block of columns by block of columns, from products of matrices."""
    n = len(A)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        if start:
            A[start:, start:stop] -= A[start:, :start] @ A[start:stop, :start].T
        factor = cho_factor(A[start:stop, start:stop], lower=True, check_finite=False)[0]
        A[start:stop, start:stop] = factor
        if stop < n:
            A[stop:, start:stop] = solve_lower(factor, A[stop:, start:stop].T).T
    return A


def solve_lower(L: Any, B: Any, transposed: bool = False) -> Any:
    """L⁻¹B, or L⁻ᵀB, for a lower triangular L."""
    if not is_elsewhere(L):
        if len(L) > LARGEST_FOR_LAPACK and not transposed:
            return _solved_in_blocks(L, B)
        return solve_triangular(L, B, lower=True, trans=int(transposed), check_finite=False)
    library = Place.of(L).library
    if library == "torch":
        solve = import_module("torch").linalg.solve_triangular
        return solve(L.T, B, upper=True) if transposed else solve(L, B, upper=False)
    if library == "cupy":
        solve = import_module("cupyx.scipy.linalg").solve_triangular
        return solve(L, B, lower=True, trans=int(transposed))
    return beside(solve_lower(to_host(L), to_host(B), transposed), L)


def _solved_in_blocks(L: Any, B: Any) -> Any:
    """L⁻¹B by products of matrices: parts of a large L need not be copied."""
    X = np.empty(B.shape)
    for start in range(0, len(L), _BLOCK):
        rows = slice(start, start + _BLOCK)
        left = B[rows] - L[rows, :start] @ X[:start]
        X[rows] = solve_triangular(L[rows, rows], left, lower=True, check_finite=False)
    return X


def solve_factored(L: Any, B: Any) -> Any:
    """(LLᵀ)⁻¹B."""
    if not is_elsewhere(L):
        return cho_solve((L, True), B, check_finite=False)
    return solve_lower(L, solve_lower(L, B), transposed=True)
