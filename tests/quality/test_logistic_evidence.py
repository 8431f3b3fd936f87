"""The evidence of classes against scikit-learn's, and the machine against its optimality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from kernlearn import LSSVMClassifier
from kernlearn.kernels import Gaussian
from kernlearn.quality.logistic_evidence import (
    INTERCEPT_VARIANCE,
    LogisticEvidence,
    evidence_slope,
    negative_log_evidence,
)
from kernlearn.quality.logistic_mode import find_logistic_mode

N = 30


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=N) > 0, 1.0, -1.0)
    return X, y, rng.uniform(0.3, 2.0, N)


@pytest.mark.parametrize("parameters", [[5.0, 0.8, 1.5], [400.0, 0.3, 9.0], [0.1, 2.0, 2.0]])
def test_value_and_slopes_are_scikit_learns(data, parameters):
    X, y, _ = data
    kernel = ConstantKernel() * RBF([1.0, 1.0])
    theta = np.log(parameters)
    judge = GaussianProcessClassifier(kernel, optimizer=None, max_iter_predict=1000).fit(X, y)
    value, slopes = judge.log_marginal_likelihood(theta, eval_gradient=True)
    A, dA = kernel.clone_with_theta(theta)(X, eval_gradient=True)
    mode = find_logistic_mode(A, y, np.ones(N))
    assert negative_log_evidence(mode) == pytest.approx(-value, rel=1e-8)
    found = np.einsum("ij,ijk->k", evidence_slope(mode), dA)
    np.testing.assert_allclose(found, -slopes, rtol=1e-6, atol=1e-8)


def test_the_mode_is_optimal_from_wherever_it_is_looked_for(data):
    X, y, weight = data
    A = 50.0 * Gaussian(0.7)(X)
    mode = find_logistic_mode(A, y, weight)
    np.testing.assert_allclose(mode.coef, weight * y * expit(-y * mode.values), atol=1e-12)
    again = find_logistic_mode(A, y, weight, 100.0 * y)
    np.testing.assert_allclose(again.values, mode.values, atol=1e-9)


def test_rows_left_out_are_nearly_those_of_machines_without_them(data):
    X, y, weight = data
    A = 2.0 * Gaussian(0.3)(X)
    mode, block = find_logistic_mode(A, y, weight), np.array([1, 4, 7])
    alone, together = mode.left_out(), mode.left_out([block])
    for rows, found in ((np.array([3]), alone), (block, together)):
        kept = np.setdiff1d(np.arange(N), rows)
        without = find_logistic_mode(A[np.ix_(kept, kept)], y[kept], weight[kept])
        expected = A[np.ix_(rows, kept)] @ without.coef
        # Closer to them, by far, than the machine that has seen these rows.
        seen = np.abs(mode.values[rows] - expected).max()
        assert np.abs(found[rows] - expected).max() < 0.1 * seen
    np.testing.assert_array_equal(np.delete(together, block), np.delete(alone, block))


def test_the_machine_is_a_function_of_new_points(data):
    X, y, weight = data
    K = Gaussian(0.7)(X)
    Y = np.column_stack([y, -y * np.where(np.arange(N) < 9, -1.0, 1.0)])
    lam, fit = LogisticEvidence(weight, Y).trained(K, Y, 0.3, None)
    values = np.column_stack([mode.values for mode in fit.modes])
    np.testing.assert_allclose(K @ fit.dual_coef + fit.intercept, values, atol=1e-10)
    # Where the kernel says nothing, the intercept says how large the classes are.
    _, fit = LogisticEvidence(weight, Y).trained(np.zeros((N, N)), Y, lam, None)
    odds = np.log((weight @ (Y > 0)) / (weight @ (Y < 0)))
    np.testing.assert_allclose(fit.intercept, odds, rtol=2.0 / INTERCEPT_VARIANCE)


@pytest.mark.parametrize("kernel", ["rbf", "ard"])
def test_classifiers_are_selected_by_it(data, kernel):
    X, y, weight = data
    model = LSSVMClassifier(kernel, "evidence").fit(X, y, sample_weight=weight)
    loo = LSSVMClassifier(kernel).fit(X, y, sample_weight=weight)

    def reported(other):
        evidence = LogisticEvidence(weight, y[:, None])
        return evidence.reported(
            evidence.trained(other.kernel_(X), y[:, None], other.lam_, None)[1]
        )

    assert model.objective_ == pytest.approx(reported(model), rel=1e-8)
    assert model.objective_ < reported(loo)
    losses = np.logaddexp(0.0, -y * model.loo_predictions_)
    assert model.loo_loss_ == pytest.approx(np.average(losses, weights=weight))
