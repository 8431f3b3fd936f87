r"""Quadratic forms with many more digits than a double has, by products that are exact.

A matrix is split into :math:`A = A_1 + A_2` and a vector into :math:`v = v_1 + v_2`, where
:math:`A_1` and :math:`v_1` have so few digits that :math:`A_1 v_1` is exact, in whatever order BLAS
adds. The rest, :math:`A_1 v_2 + A_2 v`, is a millionth of it, and so is its rounding.
"""

from __future__ import annotations

import math

import numpy as np

from kernlearn.numerics.sums import EPS
from kernlearn.typing import Array

_DIGITS = np.finfo(float).nmant + 1  # of a double, in base two
_MATRIX_DIGITS = 24
_HALVES = 2.0**27 + 1.0  # Veltkamp's constant, which cuts a double in two halves


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

    def __init__(self, grams: Array) -> None:
        self.head, self._size = _head(grams, (1, 2), _MATRIX_DIGITS)
        self.tail = grams - self.head

    def forms(self, vectors: Array) -> tuple[Array, Array]:
        """The forms vᵀKᵢv of vectors in columns, and bounds on their errors, both (k, m)."""
        n = len(vectors)
        free = _DIGITS - _MATRIX_DIGITS - 1 - math.ceil(math.log2(max(n, 2)))
        digits = min(free, _MATRIX_DIGITS)
        head, size = _head(vectors, (0,), digits)
        rest = vectors - head
        exact = self.head @ head
        more = self.head @ rest + self.tail @ vectors
        # Entries of the rest are half a unit of the last digit that the heads have, at most.
        largest = 2.0**-digits * (n * EPS) * n * self._size * size
        products, errors = _two_products(vectors, exact)
        terms = vectors * more
        together = np.concatenate([products, errors], axis=1).transpose(0, 2, 1)
        summed = [[math.fsum(one) for one in of_matrix] for of_matrix in together.tolist()]
        found = np.array(summed) + terms.sum(axis=1)
        error = EPS * np.abs(found) + n * EPS * np.abs(terms).sum(axis=1)
        error += largest[:, 0] * np.abs(vectors).sum(axis=0)
        return found.T, error.T


def _head(values: Array, axes: tuple[int, ...], digits: int) -> tuple[Array, Array]:
    """The values rounded to so many digits of the largest, and a power of two above that."""
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
