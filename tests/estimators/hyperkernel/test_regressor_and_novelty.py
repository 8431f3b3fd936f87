"""Regression and novelty detection with hyperkernels, and the scales they report."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import kernlearn as kl
from kernlearn.hyperkernels import Harmonic


@pytest.fixture(scope="module")
def wave():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(120, 3)) * [1.0, 1e4, 1e-3]
    return X, np.sin(X[:, 0]) + 0.3 * (X[:, 1] / 1e4) ** 2


@pytest.fixture(scope="module")
def fitted(wave):
    """Read by many tests, of few rows."""
    X, y = (part[:60] for part in wave)
    return kl.HyperkernelRegressor(max_pivots=20).fit(X, y), X, y


@pytest.mark.parametrize("quality", ["nu_svr", "epsilon_svr", "least_squares"])
def test_functions_of_raw_columns_are_found(quality, wave):
    X, y = wave
    model = kl.HyperkernelRegressor(quality=quality, epsilon=0.01, max_pivots=60)
    model.fit(X[:80], y[:80])
    assert model.status_.is_optimal
    assert model.score(X[80:], y[80:]) > 0.9


def test_the_scale_of_the_kernel_is_the_spread_of_the_targets(fitted):
    model, X, y = fitted
    assert model.weights_.sum() == pytest.approx(np.std(y))
    given = kl.HyperkernelRegressor(max_pivots=20, options=kl.HyperkernelOptions(total=2.5)).fit(
        X, y
    )
    assert given.weights_.sum() == pytest.approx(2.5)


def test_the_penalty_is_in_the_units_of_program_31(wave):
    """The objective is the machine's value plus ½ λ_Q C n times the norm in the hyper-RKHS."""
    X, y = (part[:60] for part in wave)
    model = kl.HyperkernelRegressor(max_pivots=15, lambda_q=0.01).fit(X, y)
    machine = kl.learn_weights(
        [model.kernel_(X)],
        y - y.mean(),
        quality="nu_svr",
        C=100.0,
        nu=0.3,
        constraint="sum",
        psd="trust",
    )
    K = model.hyperkernel_(model.pivots_)
    norm = np.sqrt(model.weights_ @ K @ model.weights_)
    expected = machine.objective + 0.5 * 0.01 * 100.0 * len(y) * norm
    assert model.objective_ == pytest.approx(expected, rel=1e-5)


def test_real_targets():
    X, y = load_diabetes(return_X_y=True)
    model = kl.HyperkernelRegressor(max_pivots=20, C=1.0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.3


@pytest.mark.parametrize("constant", [0.0, 5.0, -1e9])
def test_a_row_that_differs_where_no_other_did_is_novel(constant):
    X = np.random.default_rng(0).normal(size=(60, 2))

    def beside(column):
        return np.column_stack([X, np.full(60, column)])

    alone = kl.HyperkernelNoveltyDetector(max_pivots=20).fit(X)
    model = kl.HyperkernelNoveltyDetector(max_pivots=20).fit(beside(constant))
    same = model.decision_function(beside(constant))
    np.testing.assert_allclose(same, alone.decision_function(X), rtol=1e-6, atol=1e-9)
    rounded = constant * (1 + 1e-12)
    np.testing.assert_allclose(model.decision_function(beside(rounded)), same, atol=1e-9)
    assert (model.predict(beside(constant + max(1e-3, 1e-3 * abs(constant)))) == -1).all()


def test_a_column_that_a_sample_finds_constant_is_seen():
    X = np.random.default_rng(0).normal(size=(1200, 2))
    X[:, 1] = np.arange(1200) == 0  # which is not among the rows that tell the widths
    model = kl.HyperkernelNoveltyDetector(max_pivots=20, n_pairs=500).fit(X)
    assert np.isfinite(model.feature_scales_).all()


def test_novelties_are_found_in_raw_columns():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2)) * [1.0, 1e5]
    model = kl.HyperkernelNoveltyDetector(max_pivots=40).fit(X)
    assert (model.predict(X) == -1).mean() <= 0.1 + 0.05
    assert (model.predict([[8.0, 0.0], [0.0, 8e5]]) == -1).all()
    assert (model.predict([[0.0, 0.0]]) == 1).all()


def test_feature_scales_are_the_curvature_of_the_learned_kernel(fitted):
    model, _, _ = fitted
    origin = np.zeros((1, 3))
    for j, scale in enumerate(model.feature_scales_):
        step = np.zeros((1, 3))
        step[0, j] = 1e-3 * scale
        drop = -np.log(model.kernel_(origin, step) / model.kernel_(origin, origin))[0, 0]
        assert drop == pytest.approx(0.5e-6, rel=1e-2)


def test_feature_scales_follow_the_units_of_a_column(fitted):
    model, X, y = fitted
    before = model.feature_scales_
    after = kl.HyperkernelRegressor(max_pivots=20).fit(X * [10.0, 1.0, 1.0], y).feature_scales_
    np.testing.assert_allclose(after, before * [10.0, 1.0, 1.0], rtol=1e-3)


def test_feature_scales_are_not_guessed_for_other_hyperkernels(wave):
    X, y = wave
    model = kl.HyperkernelRegressor(Harmonic(gamma=1e-9), max_pivots=5).fit(X[:30], y[:30])
    with pytest.raises(AttributeError, match="known for ARDHarmonic, not for Harmonic"):
        _ = model.feature_scales_
