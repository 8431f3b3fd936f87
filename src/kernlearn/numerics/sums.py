r"""Sums whose rounding is bounded in the worst case, whatever the order in which BLAS adds.

A sum of n products that are added in any order is off by at most :math:`\gamma_n \sum |x_i y_i|`,
:math:`\gamma_n = nu/(1 - nu)` with u half the distance ε from one to the next number. Adding up
blocks of b products, and then the n/b results, leaves :math:`\gamma_{b + n/b}`, which for b near √n
grows like √n; and the blocks are as quick as the whole.
"""

from __future__ import annotations

import math

import numpy as np

from kernlearn.typing import AnyFloatArray, Array, DeviceArray

EPS = float(np.finfo(float).eps)
SMALLEST_BLOCK = 64  # shorter blocks cost more in calls than they save in rounding


def block(n: int) -> int:
    """How many terms are added at once, of n."""
    return max(SMALLEST_BLOCK, math.isqrt(n))


def n_roundings(n: int) -> int:
    """How many roundings a term of a blocked sum of n products goes through, at most."""
    size = block(n)
    return n if n <= size else size + -(-n // size)


def rounding(n: int) -> float:
    r"""Bound on the relative error of a bilinear form xᵀMy over n points, by blocked sums.

    It is relative to :math:`|x|^\top |M| |y|`. There are two sums, one after the other, and the
    four more roundings are those of the few operations that follow.
    """
    error = (n_roundings(n) + 4) * EPS
    return error / (1.0 - error)


def blocked_product(A: DeviceArray, B: DeviceArray) -> DeviceArray:
    """The product AB over the last axis of A, summed in blocks; arrays of a device stay there.

    It is quick where A is small, since the blocks of a large B are whole rows.
    """
    n, size = A.shape[-1], block(A.shape[-1])
    if n <= size:
        return A @ B
    total = 0.0
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        total = total + A[..., part] @ (B[part] if B.ndim == 1 else B[..., part, :])
    return total


def blocked_sum(x: Array) -> float:
    """The sum of the entries of a vector, in blocks."""
    size = block(len(x))
    if len(x) <= size:
        return float(x.sum())
    whole = len(x) // size * size
    return float(x[:whole].reshape(-1, size).sum(axis=1).sum()) + float(x[whole:].sum())


def exact_sum(x: Array, more: float = 0.0) -> float:
    """The sum of the entries of a vector, and of one more number, rounded once."""
    return math.fsum([*x.tolist(), more])


def inner_product(A: AnyFloatArray, B: AnyFloatArray) -> float:
    """The Frobenius inner product of two matrices: over rows in blocks, then rounded once."""
    return exact_sum(blocked_product(np.ones(len(A)), A * B))


def column_means(K: AnyFloatArray) -> AnyFloatArray:
    """The means of the columns of a matrix, in its own precision, summed in blocks."""
    return np.asarray(blocked_product(np.ones(len(K), dtype=K.dtype), K) / len(K))
