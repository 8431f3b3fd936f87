"""Rows far out, columns in other units and columns that say nothing do not hide the others."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mkl.stretched_bank import learned_scales, stretched
from kernlearn.families.parametric._squares import mean_squares
from kernlearn.kernels import ARDGaussian, Gaussian, Linear, Stretched


def _with_rows_far_out(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 300, 4))
    y = (X[:, 0] + np.sin(2 * X[:, 1]) > 0).astype(int)
    X[:2] = 1e4 * rng.normal(size=(2, 4))
    return X[:n], y[:n], X[n:], y[n:]


def _exclusive_or(n, idle, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2 + idle))
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)


@pytest.mark.parametrize(
    ("model", "least"),
    [(kl.LSSVMClassifier(), 0.85), (kl.FirstLevelClassifier(), 0.9), (kl.MKLClassifier(), 0.9)],
    ids=lambda value: type(value).__name__,
)
def test_two_rows_far_out_do_not_set_the_unit_of_all(model, least):
    X, y, X_new, y_new = _with_rows_far_out(120)
    assert model.fit(X, y).score(X_new, y_new) > least


def test_idle_columns_do_not_hide_two_that_matter_together():
    X, y = _exclusive_or(520, idle=10)
    model = kl.MKLClassifier().fit(X[:220], y[:220])
    assert "columns scaled by the slopes along them" in model.bank_notes_[0]
    assert model.score(X[220:], y[220:]) > 0.9


def test_columns_in_other_units_are_brought_to_their_own():
    X, y = _exclusive_or(160, idle=0)
    unit = np.array([1e3, 1.0])
    found = learned_scales(X * unit, [y], np.ones(160), Gaussian(1e-6))
    assert found is not None
    scales, ratio, _ = found
    assert ratio < 0.7
    np.testing.assert_allclose(*(scales * unit), rtol=0.5)
    moved = learned_scales(X * unit, [1e150 * y], np.ones(160), Gaussian(1e-6))
    assert moved is not None
    np.testing.assert_allclose(moved[0], scales, rtol=1e-6)


def test_scales_stay_where_nothing_is_gained():
    X, y = _exclusive_or(160, idle=0)
    rows = np.ones(160)
    assert learned_scales(X, [y], rows, Gaussian(1.0)) is None
    noise = np.random.default_rng(1).choice([-1.0, 1.0], 160)
    assert learned_scales(X, [noise], rows, Gaussian(1.0)) is None
    assert learned_scales(X[:90] * [1e3, 1.0], [y[:90]], rows[:90], Gaussian(1e-6)) is None
    assert learned_scales(X * [1e150, 1.0], [y], rows, Gaussian(1e-6)) is None


def test_a_stretched_kernel_is_the_kernel_of_scaled_columns():
    X, scales = np.random.default_rng(0).normal(size=(5, 2)), np.array([2.0, 0.5])
    gaussian, linear = stretched(Gaussian(0.3), scales), stretched(Linear(), scales)
    assert isinstance(gaussian, ARDGaussian)
    assert isinstance(linear, Stretched)
    np.testing.assert_allclose(gaussian(X), Gaussian(0.3)(X * scales))
    np.testing.assert_allclose(linear(X), Linear()(X * scales))


def test_variances_are_without_cells_far_out():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.random(200) < 0.1, np.full(200, 3.0)])
    plain = mean_squares(X)
    np.testing.assert_allclose(plain, [*X[:, :2].var(axis=0), 1.0])
    X[:2, 0] = [1e6, -1e9]
    assert mean_squares(X)[0] < 2 * plain[0]
    X[:3, 1] = 1e9  # beside a column of few values
    assert mean_squares(X)[1] < 20 * plain[1]
