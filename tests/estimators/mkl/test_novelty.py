"""Novelty detection: ν bounds the outliers, far points are novel."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions
from kernlearn.kernels import Gaussian, Linear, Polynomial
from kernlearn.results import Status


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


def _ordinary(seed):
    """Rows, kernels and settings as people choose them."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 60)), int(rng.integers(1, 5))
    banks = [
        None,
        [Linear(), Gaussian(0.5)],
        [Linear(), Polynomial(2)],
        [Gaussian(g) for g in 10.0 ** rng.uniform(-2, 1, size=3)],
    ]
    settings = {
        "nu": float(rng.uniform(0.05, 0.9)),
        "options": MKLOptions(center=bool(seed % 2)),
        "normalize": bool(rng.random() < 0.5),
    }
    return rng.normal(size=(n, d)), banks[seed // 2 % 4], settings


def test_ordinary_fits_are_optimal_or_trivial():
    """Either the gap is within the tolerance, or the origin is among the points in every kernel.

    Then no function is better than zero, and nothing but rounding could be returned in its place.
    """
    ends = Counter()
    for seed in range(40):
        X, kernels, settings = _ordinary(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MKLNoveltyDetector(kernels, **settings).fit(X)
        ends[model.status_] += 1
        if model.status_ is not Status.TRIVIAL:
            K, a = model.kernel_(X[model.support_]), model.dual_coef_[0]
            value = 0.5 * a @ K @ a - model.offset_
            edge = model.score_samples(X) - model.offset_
            value += np.maximum(-edge, 0.0).sum() / (model.nu * len(X))
            assert model.objective_ == pytest.approx(value, rel=1e-6)
    assert set(ends) == {Status.OPTIMAL, Status.TRIVIAL}
    assert ends[Status.OPTIMAL] > 15


@pytest.mark.parametrize("rank", [None, 8])
@pytest.mark.parametrize("kernels", [[Linear()], [Gaussian(0.2), Polynomial(2)]])
def test_no_region_around_the_origin(kernels, rank):
    """Centring puts the origin amid the points: the best function is zero, and so it is told."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = MKLNoveltyDetector(kernels, options=MKLOptions(center=True), normalize=False, rank=rank)
    with pytest.warns(ConvergenceWarning, match=r"trivial: .* is zero; pass center=False"):
        model.fit(X)
    assert model.status_ is Status.TRIVIAL
    assert model.lower_bound_ <= model.objective_ == pytest.approx(0.0, abs=1e-12)
    assert len(model.history_) == 1
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-12)
    if rank is None:
        assert model.objective_ == 0.0
        assert (model.predict(X) == 1).all()


def test_classes_that_no_kernel_separates_at_a_nu():
    """Below a least ν the reduced hulls of the classes meet, and the function is zero."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.tile([-1, 1], 30)
    with pytest.warns(ConvergenceWarning, match="trivial: .* or a larger nu"):
        model = MKLClassifier([Linear()], quality="nu_svm", nu=0.05).fit(X, y)
    assert model.status_ is Status.TRIVIAL
    assert model.objective_ == 0.0
    assert MKLClassifier([Gaussian(3.0)], quality="nu_svm", nu=0.3).fit(X, y).status_.is_optimal
