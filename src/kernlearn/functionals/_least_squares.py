"""Predictions of the least-squares machine, λ = 1/C, with points held out."""

from __future__ import annotations

import numpy as np

from kernlearn.quality.leave_one_out import LeaveOneOut
from kernlearn.quality.ls_svm import LSSVMFit, fit_ls_svm
from kernlearn.typing import Array


def least_squares_predictions(K_train: Array, K_test: Array, Y: Array, C: float) -> Array:
    """Values of f on the test points for every column of `Y` (inputs are checked)."""
    fit = _fit(K_train, Y, C)
    return np.asarray(K_test @ fit.dual_coef + fit.intercept)


def leave_one_out_predictions(K: Array, Y: Array, C: float) -> Array:
    """Values f⁽⁻ⁱ⁾(xᵢ) for every point and column of `Y`, from one inverse (inputs are checked)."""
    return np.asarray(Y - LeaveOneOut(np.ones(len(Y))).residuals(_fit(K, Y, C)))


def _fit(K: Array, Y: Array, C: float) -> LSSVMFit:
    return fit_ls_svm(K, Y, np.full(len(K), 1.0 / C))
