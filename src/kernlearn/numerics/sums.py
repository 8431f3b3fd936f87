r"""Sums whose rounding is bounded in the worst case, whatever the order in which BLAS adds.

A sum of n products that are added in any order is off by at most :math:`\gamma_n \sum |x_i y_i|`,
:math:`\gamma_n = nu/(1 - nu)` with u half the distance ε from one to the next number. Adding up
blocks of b products, and then the n/b results, leaves :math:`\gamma_{b + n/b}`, which for b near √n
grows like √n; and the blocks are as quick as the whole.

Quadratic forms have many more digits than a double by products that are exact: a matrix is split
into :math:`A = A_1 + A_2` and a vector into :math:`v = v_1 + v_2`, where :math:`A_1` and
:math:`v_1` have so few digits that :math:`A_1 v_1` is exact, in whatever order BLAS adds. The rest,
:math:`A_1 v_2 + A_2 v`, is a millionth of it, and so is its rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kernlearn.typing import AnyFloatArray, Array, DeviceArray

EPS = float(np.finfo(float).eps)
SMALLEST_BLOCK = 64  # shorter blocks cost more in calls than they save in rounding


def block(n: int) -> int:
    """Number of terms that are added at once, of n."""
    return max(SMALLEST_BLOCK, math.isqrt(n))


def n_roundings(n: int) -> int:
    """Largest number of roundings of a term in a blocked sum of n products."""
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


_DIGITS = np.finfo(float).nmant + 1  # of a double, in base two
_MATRIX_DIGITS = 24
_HALVES = 2.0**27 + 1.0  # Veltkamp's constant, which cuts a double in two halves
_KEPT = 2.0**24  # bytes of matrices that are split once; larger ones are split whenever needed


class SplitMatrices:
    """Symmetric matrices (m, n, n) of numbers, split for forms; n is at most 2**20.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[[1.0, 1.0], [1.0, 1.0 + 1e-15]]])
    >>> forms, error = SplitMatrices(K).forms(np.array([[1.0], [-1.0]]))
    >>> bool(forms[0, 0] == K[0, 1, 1] - 1.0), bool(error[0, 0] < 1e-21)
    (True, True)
    """

    def __init__(self, grams: Array, kept: float = _KEPT) -> None:
        self._grams = grams
        self._known = _split(grams) if grams.nbytes <= kept else None

    def forms(self, vectors: Array) -> tuple[Array, Array]:
        """The forms vᵀKᵢv of vectors in columns, and bounds on their errors, both (k, m)."""
        if self._known is not None:
            return _split_forms(self._known, vectors)
        found = [
            _split_forms(_split(self._grams[i : i + 1]), vectors) for i in range(len(self._grams))
        ]
        forms, errors = zip(*found, strict=True)
        return np.hstack(forms), np.hstack(errors)


class _Split(NamedTuple):
    """The leading digits of each of some matrices, the rest, and a power of two above them."""

    head: Array  # (m, n, n)
    tail: Array
    size: Array  # (m, 1, 1)


def _split(grams: Array) -> _Split:
    head, size = _head(grams, (1, 2), _MATRIX_DIGITS)
    return _Split(head, grams - head, size)


def _split_forms(grams: _Split, vectors: Array) -> tuple[Array, Array]:
    """The forms of some matrices, by products of the leading digits that are exact."""
    n = len(vectors)
    free = _DIGITS - _MATRIX_DIGITS - 1 - math.ceil(math.log2(max(n, 2)))
    digits = min(free, _MATRIX_DIGITS)
    head, size = _head(vectors, (0,), digits)
    rest = vectors - head
    exact, more = np.split(grams.head @ np.hstack([head, rest]), 2, axis=2)
    more = more + grams.tail @ vectors
    # Entries of the rest are half a unit of the last digit that the heads have, at most.
    largest = 2.0**-digits * (n * EPS) * n * grams.size * size
    products, errors = _two_products(vectors, exact)
    terms = vectors * more
    together = np.concatenate([products, errors], axis=1).transpose(0, 2, 1)
    summed = [[math.fsum(one) for one in of_matrix] for of_matrix in together.tolist()]
    found = np.array(summed) + terms.sum(axis=1)
    error = EPS * np.abs(found) + n * EPS * np.abs(terms).sum(axis=1)
    error += largest[:, 0] * np.abs(vectors).sum(axis=0)
    return found.T, error.T


def _head(values: Array, axes: tuple[int, ...], digits: int) -> tuple[Array, Array]:
    """The values rounded to `digits` digits of the largest, and a power of two above that."""
    largest = np.abs(values).max(axis=axes, keepdims=True, initial=0.0)
    size = np.exp2(np.ceil(np.log2(np.where(largest > 0.0, largest, 1.0))))
    unit = size * 2.0**-digits
    return np.rint(values / unit) * unit, size


def _two_products(a: Array, b: Array) -> tuple[Array, Array]:
    """The products of numbers, and exactly what rounding took off them (Dekker)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Array) -> tuple[Array, Array]:
    large = _HALVES * a
    high = large - (large - a)
    return high, a - high
