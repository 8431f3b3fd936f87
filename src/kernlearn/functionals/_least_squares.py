r"""The least-squares machine without a solver, and what leaving points out does to it.

With :math:`A = K + I/C` and the intercept unpenalised, the coefficients are a = P y,

.. math::

    P = A^{-1} - \frac{A^{-1} \mathbf 1 \mathbf 1^\top A^{-1}}{\mathbf 1^\top A^{-1} \mathbf 1} .

P is the leading block of the inverse of the bordered matrix of K + I/C and 1, so that block
elimination of the i-th point gives the residual of the machine trained without it,

.. math::

    y_i - f^{(-i)}(x_i) = a_i / P_{ii} .
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from kernlearn.kernels._validation import FloatArray


def least_squares_predictions(
    K_train: FloatArray, K_test: FloatArray, Y: FloatArray, C: float
) -> FloatArray:
    """Values of f on the test points for every column of `Y` (inputs are checked)."""
    factor = _factor(K_train, C)
    n, k = Y.shape
    solved = scipy.linalg.cho_solve(factor, np.column_stack([Y, np.ones(n)]), check_finite=False)
    fitted, ones = solved[:, :k], solved[:, k]
    intercept = fitted.sum(axis=0) / ones.sum()
    result: FloatArray = K_test @ (fitted - np.outer(ones, intercept)) + intercept
    return result


def leave_one_out_predictions(K: FloatArray, Y: FloatArray, C: float) -> FloatArray:
    """Values f⁽⁻ⁱ⁾(xᵢ) for every point and column of `Y`, from one inverse (inputs are checked)."""
    inverse = scipy.linalg.cho_solve(_factor(K, C), np.eye(len(K)), check_finite=False)
    ones = inverse.sum(axis=1)
    P = inverse - np.outer(ones, ones) / ones.sum()
    result: FloatArray = Y - (P @ Y) / P.diagonal()[:, None]
    return result


def _factor(K: FloatArray, C: float) -> tuple[FloatArray, bool]:
    ridged = K.copy()
    ridged.flat[:: len(K) + 1] += 1.0 / C
    try:
        factor, lower = scipy.linalg.cho_factor(ridged, lower=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        raise ValueError(
            f"expected a matrix K + I/C that can be inverted, got one that is singular up to "
            f"rounding with C={C:g}; lower C"
        ) from None
    return factor, bool(lower)
