"""Stacks of Gram matrices, shape (m, n, n): one for each kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.gram.psd import Repair, check_gram, checked_gram, seems_psd
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import check_real, check_rows
from kernlearn.runtime.memory import require_matrices
from kernlearn.typing import Array, Rows


def gram_stack(kernels: Sequence[Callable[..., Array]], X: Rows, Y: Rows = None) -> Array:
    r"""Evaluate every kernel once, :math:`K_{p,ij} = k_p(x_i, z_j)`.

    Parameters
    ----------
    kernels : list of Kernel
        At least one; any function of two tables that returns a matrix will do.
    X : array-like or data frame of shape (n, d)
        The points in the rows.
    Y : array-like or data frame of shape (n_Y, d), optional
        The points in the columns; `X` itself when not given.

    Returns
    -------
    grams : ndarray of shape (m, n, n_Y)
        Filled in place: beside it there is never more than one further matrix.

    Examples
    --------
    >>> from kernlearn.gram import gram_stack
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> gram_stack([Linear(), Gaussian()], [[1.0], [2.0]]).shape
    (2, 2, 2)
    """
    kernels = list(kernels)
    if not kernels:
        raise ValueError(
            "kernels must be a list of at least one kernel, got an empty list; pass for example "
            "kernlearn.kernels.default_bank(X)."
        )
    n_rows = check_rows(X, "X").shape[0]
    n_columns = n_rows if Y is None else check_rows(Y, "Y").shape[0]
    require_matrices(len(kernels), n_rows, n_columns)
    grams = np.empty((len(kernels), n_rows, n_columns))
    with sharing():
        for i, kernel in enumerate(kernels):
            grams[i] = _evaluated(kernel, i, X, Y, grams.shape[1:])
    return grams


def _evaluated(kernel: object, i: int, X: Rows, Y: Rows, shape: tuple[int, ...]) -> Array:
    if not callable(kernel):
        raise ValueError(
            f"kernels must hold kernel objects only, got {kernel!r} at position {i}; pass for "
            "example kernlearn.kernels.Gaussian()."
        )
    K: Array = kernel(X, Y)
    if np.shape(K) != shape:
        raise ValueError(
            f"Kernel {i} must return a matrix of shape {shape}, got {np.shape(K)}; run "
            "kernlearn.testing.check_kernel on it."
        )
    check_real(K, f"The matrix of kernel {i}")
    return K


def check_stack(grams: ArrayLike | Sequence[ArrayLike], *, psd: Repair = "raise") -> Array:
    """Return `grams` as one array of Gram matrices, each passed through `check_gram`.

    Parameters
    ----------
    grams : array-like of shape (m, n, n), or list of m matrices of shape (n, n)
        Never modified. All-zero matrices are allowed.
    psd : {"raise", "clip", "shift", "trust"}, default="raise"
        Treatment of an indefinite matrix, as in `check_gram`.

    Returns
    -------
    grams : ndarray of shape (m, n, n)
        C-contiguous float64; the array passed in, not a copy, where it is so already and no
        matrix needs repair.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.gram import check_stack
    >>> check_stack([np.eye(2), np.ones((2, 2))]).shape
    (2, 2, 2)
    """
    return checked_stack(grams, psd)[0]


def checked_stack(
    grams: ArrayLike | Sequence[ArrayLike], psd: Repair, glance: bool = False
) -> tuple[Array, bool]:
    """`check_stack`, and whether every matrix is positive semidefinite up to rounding.

    With `glance`, a sample of the points is looked at first, and a whole matrix only if that shows
    a negative eigenvalue: for callers who factorise what is made of the matrices anyway.
    """
    matrices = _matrices(grams)
    stack, to_rounding = None, not glance
    if isinstance(grams, np.ndarray) and grams.dtype == np.float64 and grams.flags.c_contiguous:
        stack = np.asarray(grams)  # a subclass may have rules of its own
    owned = stack is None
    if stack is None:
        stack = np.empty((len(matrices), *np.shape(matrices[0])))
    for i, matrix in enumerate(matrices):
        name = f"Gram matrix {i}"
        checked, known = checked_gram(matrix, "trust" if glance else psd, name)
        to_rounding = to_rounding and known
        if glance and not seems_psd(checked):
            checked = check_gram(matrix, psd=psd, name=name)
        if not owned and not np.shares_memory(checked, matrix):
            stack, owned = stack.copy(), True
        if owned:
            stack[i] = checked
    return stack, to_rounding


def _matrices(grams: Any) -> list[ArrayLike]:
    """Return the matrices one by one, all of the shape of the first; entries are not looked at."""
    is_list = isinstance(grams, (list, tuple))
    if not is_list and np.ndim(grams) != 3:
        raise ValueError(
            "grams must be an array of shape (m, n, n) or a list of matrices, got shape "
            f"{np.shape(grams)}; pass [K] for a single matrix."
        )
    matrices = list(grams)
    if not matrices:
        raise ValueError(
            "grams must hold at least one Gram matrix, got none; pass the matrix of at least one "
            "kernel."
        )
    for i, matrix in enumerate(matrices):
        if np.shape(matrix) != np.shape(matrices[0]):
            raise ValueError(
                f"Gram matrix {i} must have the shape of the first, {np.shape(matrices[0])}, got "
                f"{np.shape(matrix)}; evaluate all kernels on the same points."
            )
    return matrices
