"""Sums of kernels of few columns each."""

from __future__ import annotations

from math import comb

import numpy as np

from kernlearn.kernels._distances import exp_of_minus, rescaled
from kernlearn.kernels._parameters import positive, positive_integer
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.typing import Array

# Rows handled together, so that a block stays in cache from the first column to the last.
_BLOCK = 16


class ANOVA(_UnitDiagonal):
    r"""Products of Gaussians of single columns, averaged over sets of at most p columns.

    .. math:: k(x, z) = \frac1p \sum_{q=1}^{p} \binom{d}{q}^{-1} \sum_{j_1 < \dots < j_q}
              \prod_{i=1}^{q} \kappa(x_{j_i}, z_{j_i}), \qquad
              \kappa(s, t) = e^{-\gamma (s - t)^2}

    For p = 1 its functions are sums of functions of one column each, for p = 2 of two each, and so
    on: far fewer than those of a Gaussian of all columns, and enough where columns add up. The sums
    of products are elementary symmetric polynomials, which take p additions and products for every
    column. With fewer columns than p, p is their number.

    Parameters
    ----------
    gamma : float, default=1.0
        γ, above zero: the inverse squared width of every column.
    degree : int, default=2
        p, at least one.

    Examples
    --------
    >>> from kernlearn.kernels import ANOVA
    >>> ANOVA(gamma=1.0, degree=1)([[0.0, 0.0], [0.0, 9.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    parameter_checks = (("gamma", positive), ("degree", positive_integer))

    def __init__(self, gamma: float = 1.0, degree: int = 2) -> None:
        self.gamma = gamma
        self.degree = degree

    def _evaluate(self, X: Array, Y: Array) -> Array:
        same = Y is X
        X, Y = rescaled(X, Y, np.sqrt(self.gamma))
        columns = np.ascontiguousarray(Y.T)
        K = np.empty((len(X), len(Y)))
        for start in range(0, len(X), _BLOCK):
            rows = slice(start, start + _BLOCK)
            first = start if same else 0
            K[rows, first:] = self._block(X[rows], columns[:, first:])
            if same:
                K[first:, rows] = K[rows, first:].T
        return K

    def _block(self, rows: Array, columns: Array) -> Array:
        n_columns = len(columns)
        degree = min(self.degree, n_columns)
        # sums[q] holds the polynomial of degree q of the columns so far.
        sums = np.zeros((degree + 1, len(rows), columns.shape[1]))
        sums[0] = 1.0
        product = np.empty_like(sums[0])
        for j, column in enumerate(columns):
            single = rows[:, j, None] - column
            single *= single
            exp_of_minus(single)
            for q in range(min(degree, j + 1), 0, -1):
                np.multiply(sums[q - 1], single, out=product)
                sums[q] += product
        shares = [1.0 / (degree * comb(n_columns, q)) for q in range(1, degree + 1)]
        return np.asarray(np.tensordot(shares, sums[1:], axes=1))
