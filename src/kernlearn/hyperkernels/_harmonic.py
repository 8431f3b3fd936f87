"""The geometric series in every column, shared by the two harmonic hyperkernels."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from kernlearn.kernels._validation import FloatArray

# Blocks of the result that stay in cache over all columns; ufuncs slow down on shorter rows.
_ROWS, _COLUMNS = 16, 4096


def check_lambda_h(lambda_h: Any, owner: str) -> None:
    """Refuse a ratio for which the geometric series is no kernel or does not converge."""
    is_number = isinstance(lambda_h, Real) and not isinstance(lambda_h, bool)
    if not (is_number and 0 < lambda_h < 1):
        raise ValueError(
            f"{owner}'s lambda_h must be a number between 0 and 1, both excluded, got "
            f"{lambda_h!r}; 0.6 is the usual choice."
        )


def harmonic_gram(table: FloatArray, other: FloatArray, lambda_h: float) -> FloatArray:
    r"""Return :math:`\prod_j (1 - \lambda) / (1 - \lambda\, t_j o_j)` for entries in [0, 1].

    The reciprocals are multiplied: each lies between 1 and 1 / (1 − λ), so their product leaves
    the range of floats only where the value itself does, in any number of dimensions. The powers
    (1 − λ)^d of numerator and denominator, taken apart, would both vanish long before.
    """
    top, slope = _reciprocal(lambda_h)
    result: FloatArray = np.empty((len(table), len(other)))
    scaled = slope * table.T
    with np.errstate(over="ignore"):
        for start in range(0, len(other), _COLUMNS):
            columns = np.ascontiguousarray(other[start : start + _COLUMNS].T)
            for first in range(0, len(table), _ROWS):
                block = result[first : first + _ROWS, start : start + _COLUMNS]
                _multiply_reciprocals(scaled[:, first : first + _ROWS], columns, top, block)
    return result


def harmonic_diag(table: FloatArray, lambda_h: float) -> FloatArray:
    """Return the diagonal of ``harmonic_gram(table, table, lambda_h)``."""
    top, slope = _reciprocal(lambda_h)
    with np.errstate(over="ignore"):
        values: FloatArray = 1.0 / np.prod(top - slope * table**2, axis=1)
    return values


def _reciprocal(lambda_h: float) -> tuple[float, float]:
    """The numbers a, b of (1 − λp) / (1 − λ) = a − bp; a − b is exactly one."""
    top = 1.0 / (1.0 - lambda_h)
    return top, top - 1.0


def _multiply_reciprocals(
    rows: FloatArray, columns: FloatArray, top: float, out: FloatArray
) -> None:
    product = np.ones(out.shape)
    factor = np.empty(out.shape)
    for row, column in zip(rows, columns, strict=True):
        np.multiply.outer(row, column, out=factor)
        np.subtract(top, factor, out=factor)
        np.multiply(product, factor, out=product)
    np.divide(1.0, product, out=out)
