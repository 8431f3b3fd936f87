"""Infinite kernel learning: its bound is below every grid of bandwidths, and its value is best."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor, learn_weights
from kernlearn.kernels import ARDGaussian, ARDGaussianRange, Gaussian, GaussianRange


def rings(n=40, seed=0):
    """Two rings, and a coarse pattern across them: no single bandwidth suits both."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    radius = np.hypot(*X.T)
    return X, np.where((radius < 1.0) ^ (X[:, 0] > 1.0), 1, -1)


@pytest.mark.parametrize(
    ("quality", "C", "size"), [("soft_margin", 1.0, 400), ("squared_soft_margin", 50.0, 40)]
)
def test_no_mixture_of_400_bandwidths_is_better_than_the_bound(quality, C, size):
    X, y = rings()
    model = MKLClassifier(GaussianRange(0.01, 100.0), quality, C=C).fit(X, y)
    grid = np.stack([Gaussian(gamma)(X) for gamma in np.geomspace(0.01, 100.0, size)])
    dense = learn_weights(grid, y, quality=quality, C=C, total=40.0)
    assert model.status_.is_optimal
    assert model.duality_gap_ <= 1e-6
    assert dense.objective >= model.lower_bound_
    assert model.objective_ <= dense.objective * (1 + 1e-6)
    # A grid of a few is worse by far more than the gap: the interval is what is certified.
    few = learn_weights(grid[:: size // 7], y, quality=quality, C=C, total=40.0)
    assert few.objective > model.objective_ * (1 + 1e-4)
    assert model.certificate_covers_ == "every Gaussian with gamma from 0.01 to 100"
    assert model.weights_.sum() == pytest.approx(1.0)
    assert len(model.kernels_) == len(model.weights_)
    K = sum(w * k(X) for w, k in zip(model.weights_, model.kernels_, strict=True))
    np.testing.assert_allclose(K, model.kernel_(X), atol=1e-12)


def test_learn_weights_takes_a_range_at_points():
    X, y = rings()
    kernels = GaussianRange(0.01, 100.0).bind(X)
    found = learn_weights(kernels, y, C=1.0)
    model = MKLClassifier(GaussianRange(0.01, 100.0), C=1.0).fit(X, y)
    assert found.objective == pytest.approx(model.objective_, rel=1e-9)
    assert found.lower_bound == pytest.approx(model.lower_bound_, rel=1e-9)
    assert len(found.weights) == len(kernels) > 9
    assert kernels.covers == model.certificate_covers_
    refused = [
        {"weights": "free"},
        {"quality": "alignment"},
        {"quality": "squared_soft_margin", "C": "learn"},
        {"penalty": kl.penalties.LpNorm(2.0, 1.0)},
    ]
    for options in refused:
        with pytest.raises(ValueError, match="positive weights of a machine at a given C"):
            learn_weights(kernels, y, **options)


def test_the_certificate_is_that_of_the_found_kernels_and_more():
    """Told the bandwidths that were found, the finite problem has the same value."""
    X, y = rings()
    model = MKLClassifier(GaussianRange(0.01, 100.0), C=1.0).fit(X, y)
    grams = [kernel(X) for kernel in model.kernels_]
    finite = learn_weights(grams, y, total=40.0)
    assert finite.objective == pytest.approx(model.objective_, rel=1e-6)
    assert finite.lower_bound >= model.lower_bound_ - 1e-9


@pytest.mark.parametrize(
    "model",
    [
        MKLRegressor(GaussianRange(), "least_squares", C=10.0),
        MKLRegressor(GaussianRange(), C="auto"),
        MKLNoveltyDetector(GaussianRange(0.1, 10.0), nu=0.3),
        MKLClassifier(GaussianRange(0.01, 30.0), C="auto"),
    ],
    ids=["least squares", "regression, C chosen", "novelty", "C chosen"],
)
def test_other_machines_and_a_chosen_C(model, tmp_path):
    X, y = rings(30)
    target = X[:, 0] * X[:, 1] if isinstance(model, MKLRegressor) else y
    model.fit(X, target)
    assert model.duality_gap_ <= 1e-6
    assert model.certificate_covers_.startswith("every Gaussian with gamma from")
    kl.save(model, tmp_path / "model")
    np.testing.assert_array_equal(kl.load(tmp_path / "model").predict(X), model.predict(X))


def test_three_classes_and_unlabelled_rows():
    X, _ = rings(45)
    y = np.arange(30) % 3
    model = MKLClassifier(GaussianRange(0.01, 30.0)).fit(X[:30], y, X_unlabeled=X[30:])
    assert model.duality_gap_ <= 1e-6
    assert model.transduction_.shape == (15,)
    assert not hasattr(MKLClassifier().fit(X[:30], y), "certificate_covers_")


def test_many_bandwidths_are_certified_for_the_kernels_looked_at():
    X, y = rings(40)
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(40, 1))])
    model = MKLClassifier(ARDGaussianRange(1e-3, 10.0), C=10.0, tol=1e-3).fit(X, y)
    assert model.duality_gap_ <= 1e-3
    assert model.certificate_covers_.startswith(f"the {len(model.kernels_)} Gaussians that were")
    single = MKLClassifier(GaussianRange(1e-3, 10.0), C=10.0, tol=1e-3).fit(X, y)
    assert model.objective_ < single.lower_bound_
    heaviest = model.kernel_.kernels[int(np.argmax(model.kernel_.weights))]
    assert isinstance(heaviest, ARDGaussian)
    assert heaviest.gammas[2] < 0.1 * heaviest.gammas[:2].min()  # the column of noise


@pytest.mark.parametrize(
    ("kernels", "options", "sentence"),
    [
        (GaussianRange(-1.0, 2.0), {}, "low of GaussianRange to be a number above 0 or None"),
        (GaussianRange(3.0, 2.0), {}, "low below high in GaussianRange, got 3 and 2"),
        (ARDGaussianRange(0.1, "2"), {}, "high of ARDGaussianRange to be a number above 0"),
        (GaussianRange(), {"weights": "free"}, "a list of kernels with weights='free'"),
        (GaussianRange(), {"options": MKLOptions(center=True)}, "with center=True, got a family"),
        (GaussianRange(), {"rank": 5}, "a range of kernels"),
    ],
)
def test_what_a_range_cannot_do_is_refused_with_a_cure(kernels, options, sentence):
    X, y = rings(20)
    with pytest.raises(ValueError, match=sentence):
        MKLClassifier(kernels, **options).fit(X, y)
