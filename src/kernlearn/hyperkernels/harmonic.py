"""The harmonic hyperkernels: one scale for all dimensions, or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.hyperkernels.of_kernels import _OfKernels, check_in_unit_interval
from kernlearn.kernels import Kernel
from kernlearn.kernels._composite import check_part
from kernlearn.kernels._parameters import non_negative_vector, one_for_each_column, positive
from kernlearn.typing import Array, Indices

# Blocks of the result that stay in cache over all columns; ufuncs slow down on shorter rows.
_ROWS, _COLUMNS = 16, 4096
_TOGETHER = 4096  # the same of one row
# A product λt below this changes no digit of 1 − λto. As a bound, it keeps a group in range.
_NEGLIGIBLE, _GROUP = 1e-20, 8


class _GeometricSeries(Hyperkernel):
    """The geometric series in every column of a table with entries in [0, 1]."""

    lambda_h: float

    def _check_parameters(self) -> None:
        lambda_h: object = self.lambda_h
        is_number = isinstance(lambda_h, Real) and not isinstance(lambda_h, bool)
        if not (is_number and 0 < self.lambda_h < 1):
            raise ValueError(
                f"{type(self).__name__}'s lambda_h must be a number between 0 and 1, both "
                f"excluded, got {lambda_h!r}; 0.6 is the usual choice."
            )

    def _evaluate(self, table: Array, other: Array) -> Array:
        return _harmonic_gram(table, other, self.lambda_h)

    def _diag(self, table: Array) -> Array:
        with np.errstate(over="ignore"):
            reciprocals = (1.0 - self.lambda_h * table**2) / (1.0 - self.lambda_h)
            values: Array = 1.0 / np.prod(reciprocals, axis=1)
        return values


class Harmonic(_GeometricSeries, _OfKernels):
    r"""The harmonic hyperkernel over the powers of a kernel (Ong 2005, (12) and (13)).

    .. math::

        \underline k((x, z), (s, t))
            = \frac{1 - \lambda_h}{1 - \lambda_h\, k(x, z)\, k(s, t)}

    By default k is :math:`\exp(-\gamma \|x - z\|^2)`, whose powers are the Gaussian kernels of all
    widths. A kernel of strings, graphs or sets may take its place, or a precomputed matrix.

    Parameters
    ----------
    lambda_h : float, default=0.6
        The ratio λ_h of the geometric series, between 0 and 1. Small values favour wide kernels,
        values near 1 treat all widths alike.
    gamma : float, default=1.0
        The inverse squared width of the widest kernel, above zero; σ² in (13).
    kernel : Kernel, optional
        A kernel with values from 0 to 1, in place of the Gaussian.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Harmonic
    >>> from kernlearn.kernels import Normalized, Spectrum
    >>> Harmonic(lambda_h=0.5)([[[0.0, 0.0], [0.0, 1.0]]]).round(4)
    array([[0.5363]])
    >>> of_words = Harmonic(kernel=Normalized(Spectrum(2)))
    >>> of_words([("gene", "gene"), ("gene", "genes")]).round(3)
    array([[1.   , 0.833],
           [0.833, 0.727]])
    """

    def __init__(
        self, lambda_h: float = 0.6, gamma: float = 1.0, kernel: Kernel | None = None
    ) -> None:
        self.lambda_h = lambda_h
        self.gamma = gamma
        self.kernel = kernel

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive(self.gamma, "Harmonic's gamma")
        if self.kernel is not None:
            check_part(self.kernel, "Harmonic")

    def _parts(self) -> Sequence[Kernel]:
        return [] if self.kernel is None else [self.kernel]

    def _with_parts(self, parts: Sequence[Kernel]) -> Self:
        return self._copied(kernel=parts[0])

    def _of_values(self, values: list[Array]) -> Array:
        assert self.kernel is not None
        return check_in_unit_interval(values[0], self.kernel)[:, None]

    def _grid_table(self, X: Array, Y: Array) -> Array:
        if self.kernel is None:
            return Hyperkernel._grid_table(self, X, Y)
        return super()._grid_table(X, Y)

    def _table_of_rows(self, X: Array, pairs: Indices) -> Array:
        if self.kernel is None:
            return Hyperkernel._table_of_rows(self, X, pairs)
        return super()._table_of_rows(X, pairs)

    def _table(self, left: Array, right: Array) -> Array:
        if self.kernel is not None:
            return super()._table(left, right)
        # Scaled before squaring, which keeps large data with a small gamma in range.
        scaled = (left - right) * np.sqrt(self.gamma)
        values: Array = np.exp(-np.einsum("ij,ij->i", scaled, scaled))
        return values[:, None]


class ARDHarmonic(_GeometricSeries):
    r"""The harmonic hyperkernel for automatic relevance determination (Ong 2005, (14)).

    .. math::

        \underline k((x, z), (s, t)) = \prod_{j=1}^d \frac{1 - \lambda_h}
            {1 - \lambda_h \exp(-\gamma_j ((x_j - z_j)^2 + (s_j - t_j)^2))}

    Its sections are products of one kernel for each dimension, each with a scale of its own.
    (The first line of (14) prints a sum over the dimensions; the product of the second is meant.)

    Parameters
    ----------
    lambda_h : float, default=0.6
        The ratio λ_h of the geometric series, between 0 and 1.
    gammas : array-like of shape (d,), optional
        The inverse squared width of the widest kernel in every dimension, not negative; a zero
        leaves that dimension out. Estimators set them from the data when not given.

    Notes
    -----
    The exponentials of a pair are computed once; everything after that is products and
    divisions, ordered so that 60 or 600 dimensions neither underflow nor overflow.

    Examples
    --------
    >>> from kernlearn.hyperkernels import ARDHarmonic
    >>> hk = ARDHarmonic(lambda_h=0.5, gammas=[1.0, 0.0])
    >>> hk([[[0.0, 5.0], [1.0, 7.0]]]).round(4)
    array([[0.5363]])
    """

    def __init__(self, lambda_h: float = 0.6, gammas: ArrayLike | None = None) -> None:
        self.lambda_h = lambda_h
        self.gammas = gammas

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.gammas is None:
            raise ValueError(
                "ARDHarmonic's gammas must be given before it is called, got None; pass one number "
                "for each column, or leave it to an estimator, which sets them from the data."
            )
        non_negative_vector(self.gammas, "ARDHarmonic's gammas")

    def _table(self, left: Array, right: Array) -> Array:
        n_features = left.shape[1]
        assert self.gammas is not None  # as checked
        gammas = one_for_each_column(self.gammas, n_features, "ARDHarmonic's gammas", "feature")
        # Column by column in memory, as it is read.
        table: Array = np.empty((n_features, len(left)))
        np.subtract(left.T, right.T, out=table)
        table *= np.sqrt(gammas)[:, None]
        np.square(table, out=table)
        np.negative(table, out=table)
        return np.exp(table, out=table).T


def _harmonic_gram(table: Array, other: Array, lambda_h: float) -> Array:
    r"""Return :math:`\prod_j (1 - \lambda) / (1 - \lambda\, t_j o_j)` for entries in [0, 1].

    The reciprocals are multiplied: each lies between 1 and 1 / (1 − λ), so their product leaves
    the range of floats only where the value itself does, in any number of dimensions. The powers
    (1 − λ)^d of numerator and denominator, taken apart, would both vanish long before.
    """
    if len(table) == 1:
        return _one_row(table[0], other, lambda_h)
    # (1 − λto) / (1 − λ) = (λt / (1 − λ)) (1 / (λt) − o): a difference and a product for each
    # entry, where the left side takes three passes; the first factors are applied in groups.
    products = np.maximum(lambda_h * table.T, _NEGLIGIBLE)
    shifts = 1.0 / products
    scales = np.multiply.reduceat(
        products / (1.0 - lambda_h), np.arange(0, len(products), _GROUP), axis=0
    )
    result: Array = np.empty((len(table), len(other)))
    with np.errstate(over="ignore"):
        for start in range(0, len(other), _COLUMNS):
            columns = np.ascontiguousarray(other[start : start + _COLUMNS].T)
            for first in range(0, len(table), _ROWS):
                rows = slice(first, first + _ROWS)
                block = result[rows, start : start + _COLUMNS]
                _multiply_reciprocals(shifts[:, rows], scales[:, rows], columns, block)
    return result


def _one_row(row: Array, other: Array, lambda_h: float) -> Array:
    """The same for one row, column by column while both products are in cache."""
    share = 1.0 / (1.0 - lambda_h)
    result = np.empty((1, len(other)))
    with np.errstate(over="ignore"):
        for start in range(0, len(other), _TOGETHER):
            block = other[start : start + _TOGETHER]
            product = np.ones(len(block))
            factor = np.empty(len(block))
            for slope, column in zip(-lambda_h * share * row, block.T, strict=True):
                np.multiply(column, slope, out=factor)
                factor += share
                product *= factor
            np.divide(1.0, product, out=result[0, start : start + _TOGETHER])
    return result


def _multiply_reciprocals(shifts: Array, scales: Array, columns: Array, out: Array) -> None:
    product = np.ones(out.shape)
    factor = np.empty(out.shape)
    for j, (shift, column) in enumerate(zip(shifts, columns, strict=True)):
        if j % _GROUP == 0:
            # Before the group, not after it: where the shifts are large, the scale is small.
            np.multiply(product, scales[j // _GROUP, :, None], out=product)
        np.subtract(shift[:, None], column, out=factor)
        np.multiply(product, factor, out=product)
    np.divide(1.0, product, out=out)
