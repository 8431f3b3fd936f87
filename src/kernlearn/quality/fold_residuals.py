r"""Residuals of folds held out by a least-squares machine, and how they change with its ridge.

The residuals of a fold F are :math:`r_F = (P_{FF})^{-1} \alpha_F`, as in
:mod:`kernlearn.quality.held_out`. With :math:`a_F = \alpha - P_{:F} r_F`, the coefficients of the
machine trained without F, their derivative by the logarithm of a common factor of all ridges is

.. math:: dr_F = -(P_{FF})^{-1} P_{F:} \Lambda\, a_F .
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kernlearn.quality.ls_svm import LSSVMFit
from kernlearn.typing import Array, Indices


def fold_residuals(fit: LSSVMFit, folds: Sequence[Indices]) -> tuple[Array, Array]:
    """Residuals and their derivatives, each of shape (n, k); every row is in one fold.

    >>> import numpy as np
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> fit = fit_ls_svm(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
    >>> residuals, slopes = fold_residuals(fit, [np.array([0]), np.array([1, 2])])
    >>> residuals.round(3).ravel().tolist(), slopes.round(3).ravel().tolist()
    ([-3.0, 1.0, 5.0], [0.0, 0.0, 0.0])
    """
    residuals, slopes = np.empty_like(fit.dual_coef), np.empty_like(fit.dual_coef)
    for rows in folds:
        columns = fit.inverse[rows]
        factor = cho_factor(columns[:, rows], lower=True, check_finite=False)
        residuals[rows] = cho_solve(factor, fit.dual_coef[rows], check_finite=False)
        without = fit.dual_coef - columns.T @ residuals[rows]
        change = columns @ (fit.ridge[:, None] * without)
        slopes[rows] = -cho_solve(factor, change, check_finite=False)
    return residuals, slopes
