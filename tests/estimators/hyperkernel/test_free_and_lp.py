"""Coefficients of any sign, and penalties on the coefficients, against CVXPY and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import kernlearn as kl
from kernlearn.hyperkernels import Harmonic
from kernlearn.reference import ong_lemma7

FREE = kl.HyperkernelOptions(weights="free")


def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(18, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=18) > 0, 1, -1)


@pytest.mark.filterwarnings("ignore:the learned kernel")
def test_free_coefficients_reach_the_optimum_of_lemma_7():
    X, y = data()
    model = kl.HyperkernelClassifier(Harmonic(0.6, 0.5), C=2.0, max_pivots=4, lambda_q=0.5)
    positive = model.fit(X, y)
    model = kl.HyperkernelClassifier(
        Harmonic(0.6, 0.5), C=2.0, max_pivots=4, lambda_q=0.5, options=FREE
    ).fit(X, y)
    sections = model.hyperkernel_.sections(X, model.pivots_)
    total = float(np.einsum("pii->p", sections).mean())
    K_pivots = model.hyperkernel_(model.pivots_)
    expected = ong_lemma7(sections, K_pivots, y, 2.0 * 18, total, 0.5)
    assert model.status_.is_optimal
    assert model.objective_ == pytest.approx(expected.value, rel=1e-5)
    assert model.weights_.min() < 0
    K = np.einsum("p,pij->ij", model.weights_, sections)
    assert np.linalg.eigvalsh(K)[0] > -1e-9 * np.trace(K)
    np.testing.assert_allclose(model.kernel_(X), K, atol=1e-10 * np.trace(K))
    # On the same trace, no positive coefficients do better.
    scaled = (
        positive.weights_ * total / np.trace(np.einsum("p,pij->ij", positive.weights_, sections))
    )
    solution = kl.learn_weights(
        np.einsum("p,pij->ij", scaled, sections)[None], y, C=2.0, constraint="sum"
    )
    norm = 0.25 * np.sqrt(scaled @ K_pivots @ scaled)
    assert model.objective_ <= solution.objective + norm + 1e-6


def test_a_penalty_on_the_coefficients_has_its_own_stationary_point():
    X, y = data()
    options = kl.HyperkernelOptions(p=1.5)
    model = kl.HyperkernelClassifier(
        Harmonic(0.6, 0.5), C=2.0, max_pivots=4, lambda_q=3.0, options=options
    ).fit(X, y)
    sections = model.hyperkernel_.sections(X, model.pivots_)
    solution = kl.learn_weights(
        sections, y, C=2.0, constraint="sum", penalty=kl.penalties.LpNorm(1.5, 3.0)
    )
    np.testing.assert_allclose(model.weights_, solution.weights, atol=1e-4)
    # V falls along the coefficients as fast as the penalty rises: the slopes differ by a constant.
    a = np.zeros(18)
    a[model.support_] = model.dual_coef_[0]
    w = model.weights_
    rise = 3.0 * np.linalg.norm(w, 1.5) ** 0.5 * w**0.5
    slopes = rise - 0.5 * np.einsum("i,pij,j->p", a, sections, a)
    assert np.ptp(slopes[w > 1e-3]) < 1e-3 * np.abs(slopes).max()
    assert np.count_nonzero(w) > 1
    with pytest.raises(ValueError, match=r"expected 1 < p <= 2, got 1.0"):
        model.set_params(options=kl.HyperkernelOptions(p=1.0)).fit(X, y)
    with pytest.raises(ValueError, match=r"expected p=None with squared=True, got 1.5"):
        model.set_params(options=kl.HyperkernelOptions(p=1.5, squared=True)).fit(X, y)


def test_free_coefficients_through_landmarks_are_refused():
    X, y = data()
    with pytest.raises(ValueError, match="expected rank=None with weights='free', got 5"):
        kl.HyperkernelClassifier(Harmonic(), rank=5, options=FREE).fit(X, y)
    with pytest.raises(ValueError, match="expected the option weights='positive' for novelty"):
        kl.HyperkernelNoveltyDetector(Harmonic(), options=FREE).fit(X)


@pytest.mark.filterwarnings("ignore:HyperkernelClassifier")
def test_free_coefficients_of_nearly_equal_sections_end_with_a_small_gap():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)[:60, :2]
    model = kl.HyperkernelClassifier(C=100.0, gamma_factor=8.0, options=FREE).fit(X, y[:60])
    assert model.duality_gap_ < 1e-3
    assert model.weights_.min() < 0 < model.weights_.max()
