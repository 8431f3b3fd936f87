"""The laws that every kernel obeys, as a check suite for new ones."""

from __future__ import annotations

import copy

import numpy as np
from scipy.sparse import issparse

from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import is_frame, is_missing
from kernlearn.testing._laws import Laws
from kernlearn.typing import Array, Rows

_LAW = Laws("Kernel")
# Points compared one pair at a time; more would only repeat the same code.
_N_POINTWISE = 8


def check_kernel(kernel: Kernel, X: Rows) -> None:
    """Check that `kernel` obeys, on the rows of `X`, the laws that the library relies on.

    The laws: the matrix is symmetric and positive semidefinite; ``kernel(X)`` is exactly
    symmetric and equals ``kernel(X, X)``; ``kernel.diag(X)`` is its diagonal; every entry depends
    on its own two points only; clones and pickled copies give the same matrix; `X` is left as it
    was. A kernel that takes something from data is fitted to `X` first, and fitting again changes
    nothing.

    Parameters
    ----------
    kernel : Kernel
        The kernel to check.
    X : array-like, sparse matrix, data frame, or list of things
        Points on which to check it, a few dozen at most.

    Raises
    ------
    AssertionError
        With a sentence that says which law was broken, and by how much.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian
    >>> from kernlearn.testing import check_kernel
    >>> check_kernel(Gaussian(), [[0.0, 1.0], [2.0, 3.0], [0.5, 0.5]])
    """
    before = copy.deepcopy(X)
    kernel = kernel.fitted_to(X)
    # A second table with the same rows, so that the path for two different tables is taken.
    K = np.asarray(kernel(X, copy.deepcopy(X)))
    # First of all, since later comparisons would be of different tables.
    _check_unchanged(X, before)
    n_rows = before.shape[0] if hasattr(before, "shape") else len(before)
    _LAW.require(
        K.shape == (n_rows, n_rows) and K.dtype == np.float64,
        f"kernel(X, Y) must be a float64 matrix of shape {(n_rows, n_rows)}, "
        f"got {K.dtype} of shape {K.shape}",
    )
    _LAW.require_close(K, K.T, "symmetry, k(x, z) = k(z, x)", K)
    _LAW.require_semidefinite(K)
    square, diagonal = np.asarray(kernel(X)), kernel.diag(X)
    _check_unchanged(X, before)
    _LAW.require_close(square, K, "kernel(X) = kernel(X, X)", K)
    _LAW.require_symmetric(square, "kernel(X) must be exactly symmetric, but is")
    _LAW.require_close(diagonal, np.diagonal(K), "kernel.diag(X) = diagonal of kernel(X)", K)
    _check_pointwise(kernel, before, K)
    _LAW.require_equal_copies(kernel, X, square)
    again = np.asarray(kernel.fitted_to(_single_rows(before)[0])(X))
    gap = float(np.abs(again - square).max())
    _LAW.require(gap == 0.0, f"a fitted kernel must stay as it is, but it moves by {gap:.3g}")


def _check_pointwise(kernel: Kernel, X: Rows, K: Array) -> None:
    single = _single_rows(X)
    n = len(single)
    entries = np.array([[kernel(x, z)[0, 0] for z in single] for x in single])
    law = "every entry depends on its own two points only, kernel(X, Y)[i, j] = k(x_i, z_j)"
    _LAW.require_close(entries, K[:n, :n], law, K)


def _single_rows(X: Rows) -> list[Rows]:
    """The first few points, each in a table or a list of its own."""
    n = min(X.shape[0] if hasattr(X, "shape") else len(X), _N_POINTWISE)
    if is_frame(X):
        return [X.iloc[[i]] for i in range(n)]
    return [[X[i]] if isinstance(X, list | tuple) else X[[i]] for i in range(n)]


def _check_unchanged(X: Rows, before: Rows) -> None:
    _LAW.require(_is_same(X, before), "kernel(X) must leave X as it was, but X was modified")


def _is_same(a: Rows, b: Rows) -> bool:
    """Whether two data sets are equal, whatever they are made of."""
    if is_frame(a):
        return bool(a.equals(b))
    if issparse(a):
        return bool(a.shape == b.shape and (a != b).nnz == 0)
    if isinstance(a, np.ndarray) and a.dtype != object:
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    if isinstance(a, list | tuple | np.ndarray):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_is_same(a[key], b[key]) for key in a)
    if is_missing(a) or is_missing(b):
        return is_missing(a) and is_missing(b)
    # Objects that compare by identity, such as graphs, are compared by their attributes.
    return bool(a == b) or (hasattr(a, "__dict__") and _is_same(vars(a), vars(b)))
