"""Novelty detection: ν bounds the outliers, far points are novel."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import MKLNoveltyDetector
from kernlearn.kernels import Gaussian, Linear


@pytest.mark.parametrize("nu", [0.05, 0.1, 0.3, 0.5, 0.8])
def test_nu_is_between_outliers_and_support_vectors(nu):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = MKLNoveltyDetector([Gaussian(0.3), Gaussian(3.0)], nu=nu).fit(X)
    assert (model.predict(X) == -1).mean() <= nu + 1e-9
    assert len(model.support_) / len(X) >= nu - 1e-9
    assert model.dual_coef_.sum() == pytest.approx(1.0)
    assert model.dual_coef_.max() <= (1 + 1e-9) / (nu * len(X))


def test_nu_of_one_weighs_every_point_alike():
    """Then all coefficients are 1/n: a density estimate with the learned kernel."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = MKLNoveltyDetector([Gaussian(0.3), Gaussian(3.0)], nu=1.0).fit(X)
    new = np.random.default_rng(1).normal(size=(8, 2))
    np.testing.assert_allclose(model.score_samples(new), model.kernel_(new, X).mean(axis=1))


def test_the_offset_is_the_threshold_of_the_scores():
    X = np.random.default_rng(1).normal(size=(60, 2))
    model = MKLNoveltyDetector(nu=0.2).fit(X)
    new = np.random.default_rng(2).normal(scale=3.0, size=(40, 2))
    values = model.decision_function(new)
    scores = model.kernel_(new, X[model.support_]) @ model.dual_coef_[0]
    np.testing.assert_allclose(model.score_samples(new), scores, rtol=1e-9)
    np.testing.assert_allclose(values, scores - model.offset_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(new), np.where(values >= 0, 1, -1))
    assert set(model.predict(new)) == {-1, 1}


def test_support_vectors_on_the_edge_are_inside():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = MKLNoveltyDetector([Gaussian(0.3)], nu=0.3).fit(X)
    free = model.dual_coef_[0] < (1 - 1e-6) / (0.3 * 60)
    assert free.sum() > 2
    assert (model.predict(model.support_vectors_[free]) == 1).all()


def test_fit_predict_is_fit_and_predict():
    X = np.random.default_rng(0).normal(size=(50, 2))
    X[:3] += 8.0
    together = MKLNoveltyDetector(nu=0.15).fit_predict(X)
    np.testing.assert_array_equal(together, MKLNoveltyDetector(nu=0.15).fit(X).predict(X))
    assert (together == -1).any()


def test_far_points_are_novel_and_the_middle_is_not():
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = MKLNoveltyDetector().fit(X, y=np.zeros(80))
    angles = np.linspace(0, 6, 12)
    ring = 12.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    assert (model.predict(ring) == -1).all()
    assert model.predict([[0.0, 0.0]])[0] == 1
    assert model.score_samples([[0.0, 0.0]])[0] > model.score_samples(ring).max()


def test_the_unit_diagonal_is_on_unless_switched_off():
    X = np.random.default_rng(0).normal(size=(30, 2)) + 2.0
    on = MKLNoveltyDetector([Linear()]).fit(X)
    off = MKLNoveltyDetector([Linear()], normalize=False).fit(X)
    np.testing.assert_allclose(on.kernel_.diag(X), 1.0)
    np.testing.assert_allclose(off.kernel_.diag(X), (X**2).sum(axis=1))


def test_rows_far_out_in_the_direction_of_all_others_are_novel():
    X = np.column_stack([np.random.default_rng(0).normal(size=(80, 2)), np.full(80, 5.0)])
    model = MKLNoveltyDetector().fit(X)
    assert (model.predict(X + [0.0, 0.0, 100.0]) == -1).all()
