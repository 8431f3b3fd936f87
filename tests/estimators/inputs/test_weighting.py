"""Sample weights and class weights multiply C, point by point."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_sample_weight

from kernlearn import (
    FirstLevelClassifier,
    LSSVMClassifier,
    MKLClassifier,
    MKLNoveltyDetector,
    MKLRegressor,
)

# What is chosen among is tested elsewhere.
pytestmark = pytest.mark.usefixtures("quick_choices")

MODELS = [
    MKLClassifier(C=0.5),
    MKLClassifier(C=0.5, quality="squared_soft_margin"),
    MKLClassifier(C=0.5, quality="least_squares"),
    MKLClassifier(quality="nu_svm", nu=0.4),
    MKLClassifier(quality="squared_soft_margin", C="learn"),
    MKLClassifier(quality="alignment", C=0.5),
    MKLRegressor(C=0.5),
    MKLRegressor(C=0.5, quality="nu_svr"),
    MKLRegressor(C=0.5, quality="least_squares"),
    MKLNoveltyDetector(nu=0.3),
]


def _values(model, X):
    return getattr(model, "decision_function", model.predict)(X)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_row_of_weight_zero_is_no_row(problem, kernels, model):
    y = problem.y if isinstance(model, MKLClassifier) else problem.target
    model = clone(model).set_params(kernels=kernels)
    weight = np.ones(len(y))
    weight[::4] = 0.0
    kept = weight > 0
    removed = _values(model.fit(problem.X[kept], y[kept]), problem.X_new)
    everything = _values(model.fit(problem.X, y), problem.X_new)
    weighted = model.fit(problem.X, y, sample_weight=weight)
    np.testing.assert_allclose(_values(weighted, problem.X_new), removed, rtol=1e-6, atol=1e-8)
    assert np.abs(everything - removed).max() > 1e-3
    # Support vectors are counted in the rows that came, not in those that were kept.
    assert not np.isin(weighted.support_, np.flatnonzero(weight == 0)).any()
    np.testing.assert_array_equal(weighted.support_vectors_, problem.X[weighted.support_])


@pytest.mark.parametrize("model", [m for m in MODELS if "alignment" not in str(m)], ids=str)
def test_a_row_of_weight_two_is_two_rows(problem, kernels, model):
    """Repeated rows make a singular kernel, at which the certificate must hold all the same."""
    y = problem.y if isinstance(model, MKLClassifier) else problem.target
    model = clone(model).set_params(kernels=kernels, tol=1e-7)
    times = np.random.default_rng(0).integers(1, 4, size=len(y))
    weighted = model.fit(problem.X, y, sample_weight=times)
    values, objective = _values(weighted, problem.X_new), weighted.objective_
    repeated = model.fit(np.repeat(problem.X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(values, _values(repeated, problem.X_new), rtol=1e-3, atol=1e-4)
    assert repeated.objective_ == pytest.approx(objective, rel=2e-6)
    gap = (repeated.objective_ - repeated.lower_bound_) / abs(repeated.objective_)
    assert repeated.duality_gap_ == pytest.approx(gap, abs=1e-9)


def test_sample_weights_are_the_c_of_every_point(problem, kernels):
    weight = np.random.default_rng(0).uniform(0.2, 3.0, size=len(problem.y))
    model = MKLClassifier(kernels, C=0.3).fit(problem.X, problem.y, sample_weight=weight)
    svc = SVC(kernel=model.kernel_, C=0.3, tol=1e-8)
    svc.fit(problem.X, problem.y, sample_weight=weight)
    np.testing.assert_allclose(
        model.decision_function(problem.X_new), svc.decision_function(problem.X_new), atol=1e-4
    )
    size = np.abs(model.dual_coef_[0])
    bound = 0.3 * weight[model.support_]
    assert (size <= bound * (1 + 1e-9)).all()
    assert np.isclose(size, bound, rtol=1e-6).sum() > 5


def test_one_weight_for_all_multiplies_c(problem, kernels):
    weighted = MKLClassifier(kernels, C=0.2).fit(problem.X, problem.y, sample_weight=4.0)
    direct = MKLClassifier(kernels, C=0.8).fit(problem.X, problem.y)
    np.testing.assert_allclose(weighted.weights_, direct.weights_, rtol=1e-7)


def test_class_weights_are_sample_weights(problem, kernels):
    names = np.where(problem.y, "pos", "neg")
    by_class = MKLClassifier(kernels, C=0.2, class_weight={"pos": 3.0, "neg": 0.5})
    by_class.fit(problem.X, names)
    by_sample = MKLClassifier(kernels, C=0.2)
    by_sample.fit(problem.X, names, sample_weight=np.where(problem.y, 3.0, 0.5))
    values = by_class.decision_function(problem.X_new)
    np.testing.assert_allclose(values, by_sample.decision_function(problem.X_new), rtol=1e-7)
    plain = MKLClassifier(kernels, C=0.2).fit(problem.X, names)
    assert (values - plain.decision_function(problem.X_new)).mean() > 0.05  # towards "pos"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_balanced_gives_every_class_the_same_share(make_problem, kernels, n_classes):
    p = make_problem(n=60, n_classes=3)
    keep = np.flatnonzero((p.y > 0) | (np.arange(60) % 3 == 0))  # a third of the first class
    X, y = p.X[keep], np.minimum(p.y[keep], n_classes - 1)
    counts = np.bincount(y)
    balanced = MKLClassifier(kernels, C=0.1, class_weight="balanced").fit(X, y)
    weight = (len(y) / n_classes / counts)[y]
    by_hand = MKLClassifier(kernels, C=0.1).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        balanced.decision_function(p.X_new), by_hand.decision_function(p.X_new), rtol=1e-7
    )
    plain = MKLClassifier(kernels, C=0.1).fit(X, y)
    rare = (balanced.predict(p.X) == 0).sum()
    assert rare > (plain.predict(p.X) == 0).sum()


def test_balanced_does_not_count_rows_of_weight_zero(problem, kernels):
    weight = np.ones(len(problem.y))
    weight[np.flatnonzero(problem.y)[:10]] = 0.0
    kept = weight > 0
    model = MKLClassifier(kernels, C=0.2, class_weight="balanced")
    removed = model.fit(problem.X[kept], problem.y[kept]).decision_function(problem.X_new)
    weighted = model.fit(problem.X, problem.y, sample_weight=weight)
    np.testing.assert_allclose(weighted.decision_function(problem.X_new), removed, rtol=1e-6)


def test_a_class_of_weight_zero_is_no_class(make_problem, kernels):
    p = make_problem(n_classes=3)
    model = MKLClassifier(kernels).fit(p.X, p.y, sample_weight=(p.y != 1).astype(float))
    np.testing.assert_array_equal(model.classes_, [0, 2])
    assert set(model.predict(p.X_new)) == {0, 2}


@pytest.mark.parametrize(
    ("kind", "names"), [(LSSVMClassifier, ("no", "yes")), (FirstLevelClassifier, ("01", "02"))]
)
def test_class_weights_of_least_squares_are_sample_weights(kind, names):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.where(X[:, 0] + generator.normal(size=60) > 1.0, names[1], names[0])
    by_row = np.where(y == names[1], 5.0, 0.5)
    given = by_row.copy()
    model = kind(class_weight={names[0]: 0.5, names[1]: 5.0}).fit(X, y)
    same = kind().fit(X, y, sample_weight=given)
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
    balanced = kind(class_weight="balanced").fit(X, y)
    shares = kind().fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    np.testing.assert_array_equal(balanced.decision_function(X), shares.decision_function(X))
    np.testing.assert_array_equal(given, by_row)
