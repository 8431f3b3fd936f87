"""Operations that differ between the libraries: memory, products, factorisations, solutions."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dgemm, dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs, spotrf, spotrs, strtrs

from kernlearn._device.places import Place, beside, compat, is_elsewhere, namespace, to_host
from kernlearn.runtime.threads import LARGEST_FOR_LAPACK
from kernlearn.typing import AnyFloatArray, DeviceArray, Indices

_BLOCK = 1024
_IN_CACHE = 2**20  # numbers: of a larger matrix no copy of whole rows is made


def take_columns(array: DeviceArray, columns: Indices | slice | list[int]) -> DeviceArray:
    """Some columns of a matrix, or of every matrix of a stack, by the positions of the host."""
    if isinstance(columns, slice):
        return array[..., columns]
    if not is_elsewhere(array):
        return array.take(columns, axis=-1)  # a fifth of the time of a look-up by brackets
    positions = Place.of(array).put(np.asarray(columns), np.int64)
    return namespace(array).take(array, positions, axis=-1)


def minor(
    A: AnyFloatArray, rows: NDArray[np.intp], out: AnyFloatArray | None = None
) -> AnyFloatArray:
    """The same rows and columns of a square matrix on the host.

    Row by row, each of which stays in cache: half the time of one look-up of all entries.
    """
    if A.size <= _IN_CACHE:
        return A.take(rows, axis=0).take(rows, axis=1, out=out, mode="clip")
    found = np.empty((len(rows), len(rows)), dtype=A.dtype) if out is None else out
    for place, row in zip(found, rows, strict=True):
        A[row].take(rows, out=place, mode="clip")  # "raise" would make a copy first
    return found


def empty_beside(shape: tuple[int, ...], other: DeviceArray) -> DeviceArray:
    """Room for numbers where another array is."""
    if not is_elsewhere(other):
        return np.empty(shape)
    xp = namespace(other)
    return xp.empty(shape, dtype=xp.float64, device=compat().device(other))


def eye_beside(n_rows: int, n_columns: int, other: DeviceArray) -> DeviceArray:
    """Ones on the diagonal of a matrix where another array is."""
    if not is_elsewhere(other):
        return np.eye(n_rows, n_columns)
    xp = namespace(other)
    return xp.eye(n_rows, n_columns, dtype=xp.float64, device=compat().device(other))


def copied(array: DeviceArray) -> DeviceArray:
    """A new array of the same numbers."""
    return 1.0 * array if is_elsewhere(array) else array.copy()


def matrix_transpose(A: DeviceArray) -> DeviceArray:
    """A matrix transposed, or every matrix of a stack."""
    return namespace(A).matrix_transpose(A)


def column_dots(A: DeviceArray, B: DeviceArray) -> DeviceArray:
    """The inner products of the columns of two matrices, or of two stacks of them."""
    if is_elsewhere(A):
        return namespace(A).sum(A * B, axis=-2)
    return np.einsum("...ij,...ij->...j", A, B)


def row_dots(A: DeviceArray, B: DeviceArray) -> DeviceArray:
    """The inner products of the rows of two matrices, or of two stacks of them."""
    if is_elsewhere(A):
        return namespace(A).sum(A * B, axis=-1)
    return np.einsum("...ij,...ij->...i", A, B)


def lower_products(Z: DeviceArray, total: DeviceArray = None) -> DeviceArray:
    """ZᵀZ, added to a total, which may be overwritten; the host makes only the lower triangle.

    There are zeros above it.
    """
    if is_elsewhere(Z):
        return Z.T @ Z if total is None else total + Z.T @ Z
    if Z.shape[1] == 0:
        return np.zeros((0, 0))
    # BLAS reads a C-contiguous block as its transpose.
    if total is None:
        return dsyrk(1.0, Z.T, lower=1)
    return dsyrk(1.0, Z.T, beta=1.0, c=total, lower=1, overwrite_c=1)


def lower_outer_products(Z: DeviceArray, total: DeviceArray = None) -> DeviceArray:
    """ZZᵀ, added to a total, which may be overwritten; of the same form as `lower_products`."""
    if is_elsewhere(Z):
        return Z @ Z.T if total is None else total + Z @ Z.T
    if Z.size == 0:  # BLAS complains of it
        return np.zeros((len(Z), len(Z)), order="F") if total is None else total
    if total is None:
        return dsyrk(1.0, Z.T, trans=1, lower=1)
    return dsyrk(1.0, Z.T, trans=1, beta=1.0, c=total, lower=1, overwrite_c=1)


def transposed_product(Z: DeviceArray, B: NDArray[np.float64]) -> DeviceArray:
    """ZᵀB, where Z is, for few columns of the host.

    By the library that makes `lower_products`: the threads of NumPy's would not yet have gone to
    sleep when those begin.
    """
    if is_elsewhere(Z):
        return Z.T @ beside(B, Z)
    return dgemm(1.0, Z.T, B) if Z.shape[1] else np.zeros((0, B.shape[1]))


def lower_triangle(A: DeviceArray) -> DeviceArray:
    """The result of `lower_products` on the host, with zeros above the diagonal."""
    return np.tril(to_host(A)) if is_elsewhere(A) else A


def add_to_diagonal(A: DeviceArray, values: DeviceArray) -> DeviceArray:
    """A square matrix in C order with a number, or numbers, added to its diagonal in place."""
    if not is_elsewhere(A):
        A[np.diag_indices(len(A))] += values
    elif hasattr(A, "diagonal"):
        diagonal = A.diagonal()  # a view
        diagonal += values
    else:
        A += namespace(A).eye(A.shape[0]) * values
    return A


def lower_factor(A: DeviceArray) -> DeviceArray:
    """The lower Cholesky factor, `LinAlgError` where there is none; what is above is undefined.

    On the host a matrix in C order is overwritten.
    """
    if not is_elsewhere(A):
        # LAPACK reads columns. The transpose of a symmetric matrix is the matrix itself in that
        # order, so that nothing need be copied.
        if len(A) > LARGEST_FOR_LAPACK:
            return lower_factor_in_blocks(A.T)
        return _factorised(A.T, overwrite=True)
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


def lower_factors(A: DeviceArray) -> tuple[DeviceArray, NDArray[np.bool_]]:
    """The lower Cholesky factors of a stack of matrices, and which of them there are.

    What there is not, and what is above the diagonals, is undefined. On the host the matrices are
    overwritten.
    """
    if not is_elsewhere(A):
        found = np.ones(len(A), dtype=bool)
        for i, matrix in enumerate(A):
            try:
                A[i] = lower_factor(matrix)
            except LinAlgError:
                found[i] = False
        return A, found
    library = Place.of(A).library
    if library == "torch":
        factors, info = import_module("torch").linalg.cholesky_ex(A)
        return factors, to_host(info) == 0
    if library == "cupy":
        factors = import_module("cupy").linalg.cholesky(A)  # NaN where it breaks down
        return factors, to_host(namespace(A).all(namespace(A).isfinite(factors), axis=(1, 2)))
    factors, found = lower_factors(to_host(A).copy())
    return beside(factors, A), found


# LAPACK's own functions: on a few dozen points they take less than what SciPy does around them.


def _single(*arrays: DeviceArray) -> bool:
    """Whether LAPACK may work in single precision."""
    return all(array.dtype == np.float32 for array in arrays)


def _factorised(A: DeviceArray, overwrite: bool = False) -> DeviceArray:
    if len(A) == 0:
        return A
    factor, failed = (spotrf if _single(A) else dpotrf)(A, lower=1, clean=0, overwrite_a=overwrite)
    if failed:
        raise LinAlgError("the matrix is not positive definite")
    return factor


def _triangular_solve(L: DeviceArray, B: DeviceArray, transposed: bool = False) -> DeviceArray:
    if np.size(B) == 0:
        return np.zeros(np.shape(B))
    solve = strtrs if _single(L, B) else dtrtrs
    if L.flags.f_contiguous:
        X, failed = solve(L, B, lower=1, trans=int(transposed))
    else:  # LAPACK reads columns, in which a matrix in C order is its transpose
        X, failed = solve(L.T, B, lower=0, trans=int(not transposed))
    if failed:
        raise LinAlgError("the triangular matrix is singular")
    return X


def lower_factor_in_blocks(A: DeviceArray, size: int = _BLOCK) -> DeviceArray:
    """The same, block of columns by block of columns, from products of matrices."""
    n = len(A)
    for start in range(0, n, size):
        stop = min(start + size, n)
        if start:
            A[start:, start:stop] -= A[start:, :start] @ A[start:stop, :start].T
        factor = _factorised(A[start:stop, start:stop])
        A[start:stop, start:stop] = factor
        if stop < n:
            A[stop:, start:stop] = solve_lower(factor, A[stop:, start:stop].T).T
    return A


def solve_lower(L: DeviceArray, B: DeviceArray, transposed: bool = False) -> DeviceArray:
    """L⁻¹B, or L⁻ᵀB, for a lower triangular L, or for stacks of both."""
    if not is_elsewhere(L):
        if L.ndim > 2:
            return np.stack([solve_lower(*pair, transposed) for pair in zip(L, B, strict=True)])
        if len(L) > LARGEST_FOR_LAPACK and not transposed:
            return solved_in_blocks(L, B)
        return _triangular_solve(L, B, transposed)
    library = Place.of(L).library
    if library == "torch":
        solve = import_module("torch").linalg.solve_triangular
        return solve(L.mT, B, upper=True) if transposed else solve(L, B, upper=False)
    if library == "cupy":
        if L.ndim > 2:
            pairs = zip(L, B, strict=True)
            return namespace(L).stack([solve_lower(*pair, transposed) for pair in pairs])
        solve = import_module("cupyx.scipy.linalg").solve_triangular
        return solve(L, B, lower=True, trans=int(transposed))
    return beside(solve_lower(to_host(L), to_host(B), transposed), L)


def solved_in_blocks(L: DeviceArray, B: DeviceArray, size: int = _BLOCK) -> DeviceArray:
    """L⁻¹B by products of matrices: parts of a large L need not be copied."""
    X = np.empty(B.shape)
    for start in range(0, len(L), size):
        rows = slice(start, start + size)
        left = B[rows] - L[rows, :start] @ X[:start]
        X[rows] = _triangular_solve(L[rows, rows], left)
    return X


def solve_factored(L: DeviceArray, B: DeviceArray) -> DeviceArray:
    """(LLᵀ)⁻¹B."""
    if not is_elsewhere(L):
        if np.size(B) == 0:
            return np.zeros(np.shape(B))
        return (spotrs if _single(L, B) else dpotrs)(L, B, lower=1)[0]
    return solve_lower(L, solve_lower(L, B), transposed=True)
