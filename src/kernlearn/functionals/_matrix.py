"""The matrix of any kernel on the data, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.gram import check_gram
from kernlearn.kernels import Kernel
from kernlearn.typing import Array


def kernel_matrix(kernel: Any, X: Any) -> Array:
    """K of the rows of `X`: finite, symmetric, positive semidefinite and not zero."""
    if not callable(kernel):
        raise ValueError(
            f"expected a kernel that can be called as k(X, Y), got {type(kernel).__name__}; pass "
            "for example kernlearn.kernels.Gaussian(), or a matrix as "
            "kernlearn.kernels.Precomputed(K)"
        )
    # A function from elsewhere may insist on its second argument.
    K = kernel(X) if isinstance(kernel, Kernel) else kernel(X, X)
    if np.shape(K) != (len(X), len(X)):
        raise ValueError(
            f"expected a kernel that returns a matrix of shape {(len(X), len(X))} for "
            f"{len(X)} points, got shape {np.shape(K)}; return k(x, z) for every row x of X and z "
            "of Y"
        )
    name = "The matrix of the kernel"
    matrix = check_gram(K, psd="trust", name=name)
    # What needs no repair comes back as it is.
    if check_gram(matrix, psd="clip", name=name) is not matrix:
        raise ValueError(
            "expected a kernel whose matrix is positive semidefinite, got one with negative "
            "eigenvalues on these points; use another kernel, or mend its matrix with "
            "kernlearn.gram.check_gram(K, psd='clip') and pass Precomputed"
        )
    if not matrix.diagonal().any():
        raise ValueError(
            "expected a kernel that is not zero on all of these points, got a zero matrix; check "
            "the kernel's parameters"
        )
    return matrix
