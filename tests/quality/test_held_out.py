"""One decomposition for all λ against one factorisation for each."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.kernels import Gaussian, Linear
from kernlearn.quality.held_out import KFoldLoss, LeaveOneOut
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.ridge_path import RidgePath


def problem(n=40, k=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, rng.normal(size=(n, k)) + 1e3, rng.uniform(0.2, 3.0, size=n)


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Gaussian(1e-4), Linear()], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_residuals_are_those_of_a_factorisation_for_every_ridge(kernel, weighted):
    X, Y, weight = problem()
    weight = weight if weighted else np.ones(len(X))
    K = kernel(X)
    path = RidgePath.of(K, Y, weight)
    unit = float(K.diagonal().mean() - K.mean())
    for lam in unit * np.logspace(-5, 3, 9):
        fit = fit_ls_svm(K, Y, lam / weight)
        expected = LeaveOneOut(weight).residuals(fit)
        np.testing.assert_allclose(path.residuals(lam), expected, rtol=1e-6, atol=1e-7)
        folds = [np.arange(i, 40, 4) for i in range(4)]
        expected = KFoldLoss(weight, folds).residuals(fit)
        found = path.fold_residuals(lam, folds)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_the_matrix_is_not_changed_and_rows_may_be_equal():
    Y = np.arange(6.0)[:, None]
    K = np.ones((6, 6))
    path = RidgePath.of(K, Y, np.ones(6))
    np.testing.assert_array_equal(K, 1.0)
    # A constant kernel has nothing but the mean of the other rows.
    np.testing.assert_allclose(path.residuals(1.0)[:, 0], (Y[:, 0] - 2.5) * 6 / 5)


def test_a_matrix_that_is_not_finite_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        RidgePath.of(np.full((2, 2), np.nan), np.ones((2, 1)), np.ones(2))
