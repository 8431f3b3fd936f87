"""The geometric series in every column, shared by the two harmonic hyperkernels."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from kernlearn.typing import Array

# Blocks of the result that stay in cache over all columns; ufuncs slow down on shorter rows.
_ROWS, _COLUMNS = 16, 4096
# A product λt below this changes no digit of 1 − λto. As a bound, it keeps a group in range.
_NEGLIGIBLE, _GROUP = 1e-20, 8


def check_lambda_h(lambda_h: Any, owner: str) -> None:
    """Refuse a ratio for which the geometric series is no kernel or does not converge."""
    is_number = isinstance(lambda_h, Real) and not isinstance(lambda_h, bool)
    if not (is_number and 0 < lambda_h < 1):
        raise ValueError(
            f"{owner}'s lambda_h must be a number between 0 and 1, both excluded, got "
            f"{lambda_h!r}; 0.6 is the usual choice."
        )


def harmonic_gram(table: Array, other: Array, lambda_h: float) -> Array:
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
    """The same for one row, column by column in few passes."""
    share = 1.0 / (1.0 - lambda_h)
    factors = other.T * (-lambda_h * share * row)[:, None]
    factors += share
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / np.multiply.reduce(factors, axis=0, keepdims=True))


def harmonic_diag(table: Array, lambda_h: float) -> Array:
    """Return the diagonal of ``harmonic_gram(table, table, lambda_h)``."""
    with np.errstate(over="ignore"):
        reciprocals = (1.0 - lambda_h * table**2) / (1.0 - lambda_h)
        values: Array = 1.0 / np.prod(reciprocals, axis=1)
    return values


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
