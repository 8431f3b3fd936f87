"""The laws that every kernel obeys, as a check suite for new ones."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
from sklearn.base import clone

from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import FloatArray, is_frame

# Different orders of summation differ by rounding; a broken law differs by far more.
_RELATIVE = 1e-8
# Points compared one pair at a time; more would only repeat the same code.
_N_POINTWISE = 8


def check_kernel(kernel: Kernel, X: Any) -> None:
    """Check that `kernel` obeys, on the rows of `X`, the laws that the library relies on.

    The laws: the matrix is symmetric and positive semidefinite; ``kernel(X)`` is exactly
    symmetric and equals ``kernel(X, X)``; ``kernel.diag(X)`` is its diagonal; every entry depends
    on its own two points only; clones and pickled copies give the same matrix; `X` is left as it
    was.

    Parameters
    ----------
    kernel : Kernel
        The kernel to check.
    X : array-like or data frame of shape (n, d)
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
    # A second table with the same rows, so that the path for two different tables is taken.
    K = np.asarray(kernel(X, copy.deepcopy(X)))
    # First of all, since later comparisons would be of different tables.
    _check_unchanged(X, before)
    n_rows = len(before)
    _require(
        K.shape == (n_rows, n_rows) and K.dtype == np.float64,
        f"kernel(X, Y) must be a float64 matrix of shape {(n_rows, n_rows)}, "
        f"got {K.dtype} of shape {K.shape}",
    )
    _require_close(K, K.T, "symmetry, k(x, z) = k(z, x)", K)
    _check_semidefinite(K)
    square, diagonal = np.asarray(kernel(X)), kernel.diag(X)
    _check_unchanged(X, before)
    _require_close(square, K, "kernel(X) = kernel(X, X)", K)
    gap = float(np.abs(square - square.T).max())
    _require(gap == 0.0, f"kernel(X) must be exactly symmetric, but is so only up to {gap:.3g}")
    _require_close(diagonal, np.diagonal(K), "kernel.diag(X) = diagonal of kernel(X)", K)
    _check_pointwise(kernel, before, K)
    _check_copies(kernel, X, square)


def _check_semidefinite(K: FloatArray) -> None:
    smallest = float(np.linalg.eigvalsh((K + K.T) / 2)[0])
    allowed = _RELATIVE * float(np.abs(np.diagonal(K)).sum())
    _require(
        smallest >= -allowed,
        "the matrix must be positive semidefinite, but its smallest eigenvalue is "
        f"{smallest:.3g}, with {-allowed:.3g} allowed for rounding",
    )


def _check_pointwise(kernel: Kernel, X: Any, K: FloatArray) -> None:
    n = min(len(X), _N_POINTWISE)
    single = [X.iloc[[i]] if is_frame(X) else np.asarray(X)[[i]] for i in range(n)]
    entries = np.array([[kernel(x, z)[0, 0] for z in single] for x in single])
    law = "every entry depends on its own two points only, kernel(X, Y)[i, j] = k(x_i, z_j)"
    _require_close(entries, K[:n, :n], law, K)


def _check_copies(kernel: Kernel, X: Any, square: FloatArray) -> None:
    for word, copied in (
        ("a clone", clone(kernel)),
        ("a pickled copy", pickle.loads(pickle.dumps(kernel))),
    ):
        gap = float(np.abs(copied(X) - square).max())
        _require(gap == 0.0, f"{word} must give the same matrix, but it differs by {gap:.3g}")


def _require_close(left: Any, right: FloatArray, law: str, K: FloatArray) -> None:
    _require(
        np.shape(left) == right.shape, f"{law}: the shapes are {np.shape(left)}, {right.shape}"
    )
    gap = float(np.abs(np.asarray(left) - right).max())
    allowed = _RELATIVE * float(np.abs(K).max())
    _require(gap <= allowed, f"{law}: broken by {gap:.3g}, with {allowed:.3g} allowed for rounding")


def _require(holds: bool, sentence: str) -> None:
    # Not an assert statement: those vanish under ``python -O``.
    if not holds:
        raise AssertionError(f"Kernel law: {sentence}.")


def _check_unchanged(X: Any, before: Any) -> None:
    same = bool(X.equals(before)) if is_frame(X) else bool(np.array_equal(X, before))
    _require(same, "kernel(X) must leave X as it was, but X was modified")
