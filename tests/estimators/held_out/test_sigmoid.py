"""The sigmoid is held against a general minimiser and against scikit-learn's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.calibration import _SigmoidCalibration

from kernlearn.estimators.held_out.sigmoid import fit_sigmoid


def _data(n=200, seed=0, share=0.0):
    rng = np.random.default_rng(seed)
    values = 2.0 * rng.normal(size=n)
    return values, rng.random(n) < expit(1.5 * values + share), rng.uniform(0.1, 3.0, n)


def _loss(ab, values, positive, weight):
    on, off = weight[positive].sum(), weight[~positive].sum()
    t = np.where(positive, (on + 1) / (on + 2), 1 / (off + 2))
    z = ab[0] * values + ab[1]
    return -weight @ (t * log_expit(z) + (1 - t) * log_expit(-z))


@pytest.mark.parametrize("share", [0.0, -3.0])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_it_is_the_minimum_of_the_penalised_likelihood(share, scale):
    values, positive, weight = _data(share=share)
    slope, offset = fit_sigmoid(scale * values, positive, weight)
    best = minimize(_loss, [1.0, 0.0], (values, positive, weight), method="Nelder-Mead", tol=1e-12)
    np.testing.assert_allclose([slope * scale, offset], best.x, atol=1e-6)


def test_scikit_learn_finds_the_same():
    values, positive, _ = _data()
    slope, offset = fit_sigmoid(values, positive)
    other = _SigmoidCalibration().fit(values, positive.astype(int))
    np.testing.assert_allclose([slope, offset], [-other.a_, -other.b_], atol=1e-4)


def test_a_weight_of_two_is_a_row_that_is_there_twice():
    values, positive, _ = _data(50)
    twice = np.arange(50) % 3 == 0
    repeated = np.r_[np.arange(50), np.flatnonzero(twice)]
    np.testing.assert_allclose(
        fit_sigmoid(values, positive, 1.0 + twice),
        fit_sigmoid(values[repeated], positive[repeated]),
        rtol=1e-7,
    )


def test_values_that_tell_the_classes_apart_give_a_finite_slope():
    slope, offset = fit_sigmoid(np.array([-1.0, -0.9, 0.9, 1.0]), np.array([0, 0, 1, 1]) > 0)
    # Platt's targets are 3/4 and 1/4.
    np.testing.assert_allclose(expit(slope * np.array([-0.95, 0.95]) + offset), [0.25, 0.75], 0.02)


@pytest.mark.parametrize("values", [[1.0, 1.0, -1.0, -1.0], [0.0] * 4, [7.0] * 4])
def test_values_that_say_nothing_or_the_contrary_leave_the_share_of_the_class(values):
    slope, offset = fit_sigmoid(np.array(values), np.array([0, 0, 0, 1]) > 0)
    assert slope == pytest.approx(0.0, abs=1e-9)
    # (3 · 1/5 + 2/3) / 4: the share of the class, drawn towards one half as Platt does.
    assert expit(slope * values[0] + offset) == pytest.approx((3 / 5 + 2 / 3) / 4)


def test_huge_values_do_not_overflow():
    values, positive, _ = _data()
    assert np.isfinite(fit_sigmoid(1e300 * values, positive)).all()
