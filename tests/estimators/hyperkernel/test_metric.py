"""A metric learned from pairs: contracts, laws, and what people do with it."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.estimators.hyperkernel.metric import ScoringOptions
from kernlearn.hyperkernels import ARDHarmonic, GaussianHyperkernel, Harmonic, Hyperkernel
from kernlearn.kernels import Gaussian
from kernlearn.reference import kondor_section5
from kernlearn.testing import check_kernel


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


@pytest.fixture(scope="module")
def model(digits):
    X, y = digits
    return kl.HyperkernelMetric(max_pivots=60).fit(X[:60], y[:60])


def pairs_of(X):
    first, second = np.triu_indices(len(X), 1)
    return np.stack([X[first], X[second]], axis=1), first, second


@pytest.mark.parametrize("combination", ["conic", "linear"])
def test_the_papers_size_against_the_program_as_printed(digits, combination):
    X, y = digits[0][:20], digits[1][:20] % 4
    model = kl.HyperkernelMetric(GaussianHyperkernel(1.0, 2.0), combination, pivot_tol=0.0)
    model.fit(X, y)
    first, second = np.triu_indices(20)
    K = model.hyperkernel_(np.stack([X[first], X[second]], axis=1))
    t = np.where(y[first] == y[second], 1.0, -1.0)
    expected = kondor_section5(K, t, 10.0, conic=combination == "conic")
    assert model.n_pairs_ == 210
    assert model.objective_ == pytest.approx(expected.value, rel=1e-6)
    assert model.status_.is_optimal
    # The stored pairs and coefficients are those of the optimum.
    f = model.pair_score(np.stack([X[first], X[second]], axis=1))
    np.testing.assert_allclose(f - f[0], K @ expected.weights - K[0] @ expected.weights, atol=0.02)


def test_a_linear_combination_of_few_pairs_has_the_bound_of_its_program(digits):
    """With a coarse factor it was that of another program, above feasible values of this one."""
    X, y = digits[0][:20], digits[1][:20] % 4
    model = kl.HyperkernelMetric(GaussianHyperkernel(1.0, 2.0), "linear", pivot_tol=0.1).fit(X, y)
    first, second = np.triu_indices(20)
    K = model.hyperkernel_(np.stack([X[first], X[second]], axis=1))
    t = np.where(y[first] == y[second], 1.0, -1.0)
    expected = kondor_section5(K, t, 10.0, conic=False).value
    assert model.lower_bound_ <= expected * (1 + 1e-9)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    assert model.whole_lower_bound_ == model.lower_bound_
    assert model.pivot_residual_ == 0.0


@pytest.mark.parametrize("combination", ["conic", "linear"])
def test_sections_that_vanish_leave_a_constant(combination):
    """Points so far apart that no section reaches any pair: no pair has a coefficient."""
    X = 1e6 * np.arange(5.0)[:, None]
    model = kl.HyperkernelMetric(GaussianHyperkernel(1.0, 1.0), combination)
    model.fit_pairs(X, [[0, 1], [1, 2], [3, 4]], [1, 0, 1])
    assert model.coef_.shape == (0,)
    assert model.pairs_.shape == (0, 2, 1)
    assert model.status_.is_optimal
    assert model.objective_ == pytest.approx(20.0)  # the one pair of the other kind, C · 2
    pairs = np.stack([X, X], axis=1)
    np.testing.assert_array_equal(model.predict_pairs(pairs), 1)
    assert model._repr_html_()
    if combination == "conic":
        np.testing.assert_array_equal(model.kernel_(X), 0.0)
        np.testing.assert_array_equal(model.pair_distance(pairs), 0.0)
        np.testing.assert_array_equal(model.transform(X), 0.0)


class Indefinite(Hyperkernel):
    """No hyperkernel: its matrix has negative eigenvalues, or a negative diagonal."""

    def __init__(self, diagonal=0.0):
        self.diagonal = diagonal

    def _evaluate(self, left, right):
        values = np.abs(left[:, 0, 0][:, None] - right[:, 0, 0])
        return np.where(values == 0, self.diagonal, values)

    def _diag(self, pairs):
        return np.full(len(pairs), self.diagonal)


@pytest.mark.parametrize("combination", ["conic", "linear"])
@pytest.mark.parametrize("diagonal", [-1.0, 0.0, 0.1])
def test_an_indefinite_hyperkernel_is_refused(combination, diagonal):
    X, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    model = kl.HyperkernelMetric(Indefinite(diagonal), combination)
    with pytest.raises(ValueError, match="must be positive semidefinite on the pairs, got an eig"):
        model.fit(X, y)


def test_a_conic_result_is_a_kernel_on_any_points(model, digits):
    new = digits[0][500:560]
    K = model.kernel_(new)
    assert model.coef_.min() > 0
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.trace(K)
    check_kernel(model.kernel_, new[:6])


def test_scores_are_the_kernel_plus_the_intercept(model, digits):
    new = digits[0][500:520]
    pairs, first, second = pairs_of(new)
    scores = model.pair_score(pairs)
    expected = model.kernel_(new)[first, second] + model.intercept_
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.predict_pairs(pairs), np.where(scores > 0, 1, -1))
    np.testing.assert_allclose(model.pair_score(pairs[:, ::-1]), scores, rtol=1e-10)


def test_distances_are_those_of_the_feature_space(model, digits):
    new = digits[0][500:515]
    pairs, _, _ = pairs_of(new)
    distances = model.pair_distance(pairs)
    values, vectors = np.linalg.eigh(model.kernel_(new))
    np.testing.assert_allclose(
        distances, pdist(vectors * np.sqrt(np.maximum(values, 0.0))), rtol=1e-6, atol=1e-8
    )
    assert model.pair_distance(new[0], new[1]) == pytest.approx(distances[0])
    assert model.pair_distance(new[3], new[3]) == 0.0


def test_unseen_pairs_are_told_apart(model, digits):
    X, y = digits[0][900:1000], digits[1][900:1000]
    pairs, first, second = pairs_of(X)
    same = y[first] == y[second]
    assert roc_auc_score(same, model.pair_score(pairs)) > 0.9
    assert roc_auc_score(same, -model.pair_distance(pairs)) > 0.9
    assert ((model.predict_pairs(pairs) > 0) == same).mean() > 0.93
    assert model.score(X, y) == pytest.approx(roc_auc_score(same, model.pair_score(pairs)))


def test_a_grid_search_chooses_widths_and_C_by_held_out_pairs(digits, monkeypatch):
    X, y = digits[0][:45], digits[1][:45] % 3
    metric = kl.HyperkernelMetric(GaussianHyperkernel(), n_pairs=200, max_pivots=30)
    grid = {"hyperkernel__sigma": [1e-3, 1.0], "hyperkernel__sigma_h": [2.0], "C": [10.0]}
    search = GridSearchCV(metric, grid, cv=2).fit(X, y)
    assert search.best_params_["hyperkernel__sigma"] == 1.0
    assert search.cv_results_["mean_test_score"][0] == 0.5  # nothing reaches another row
    whole = search.score(X, y)
    monkeypatch.setattr(kl.HyperkernelMetric, "_scoring", ScoringOptions(pairs=700))
    assert search.score(X, y) == pytest.approx(whole, abs=0.05)  # from a sample of the pairs


def test_neighbours_in_the_learned_metric_and_an_svc(model, digits):
    X, y = digits
    old, new = X[:10], X[900:905]
    apart, far = np.repeat(new, 10, axis=0), np.tile(old, (5, 1))
    D = model.pair_distance(np.stack([apart, far], axis=1)).reshape(5, 10)
    for algorithm in ("brute", "ball_tree"):
        neighbours = KNeighborsClassifier(1, metric=model.pair_distance, algorithm=algorithm)
        found, _ = neighbours.fit(old, y[:10]).kneighbors(new)
        np.testing.assert_allclose(found[:, 0], D.min(axis=1), rtol=1e-6)
    svc = SVC(kernel=model.kernel_, C=10.0).fit(X[:60], y[:60])
    by_matrix = SVC(kernel="precomputed", C=10.0).fit(model.kernel_(X[:60]), y[:60])
    expected = by_matrix.decision_function(model.kernel_(X[900:1000], X[:60]))
    np.testing.assert_allclose(svc.decision_function(X[900:1000]), expected, rtol=1e-6, atol=1e-6)


def test_the_embedding_keeps_the_distances_when_complete(digits):
    X, y = digits[0][:25], digits[1][:25] % 2
    model = kl.HyperkernelMetric(n_components=25).fit(X, y)
    pairs, _, _ = pairs_of(X)
    np.testing.assert_allclose(pdist(model.transform(X)), model.pair_distance(pairs), atol=1e-6)


def test_the_embedding_is_ordered_centred_and_repeatable(model, digits):
    X, y = digits[0][:60], digits[1][:60]
    Z = model.transform(X)
    assert Z.shape == (60, 2)
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-10)
    assert Z[:, 0].var() >= Z[:, 1].var() > 0
    np.testing.assert_allclose(clone(model).fit_transform(X, y), Z, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.transform(X[7:8]), Z[7:8], atol=1e-10)
    assert model.get_feature_names_out().tolist() == ["hyperkernelmetric0", "hyperkernelmetric1"]
    frame = clone(model).set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(frame, pd.DataFrame)


def test_in_a_pipeline_and_through_pickle(digits):
    X, y = digits[0][:80], digits[1][:80] % 3
    metric = kl.HyperkernelMetric(n_components=10, n_pairs=300, random_state=0)
    pipeline = make_pipeline(metric, KNeighborsClassifier(3)).fit(X, y)
    again = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(again.predict(X), pipeline.predict(X))


def test_pairs_instead_of_classes_give_the_same_model(digits):
    X, y = digits[0][:15], digits[1][:15] % 3
    by_class = kl.HyperkernelMetric().fit(X, y)
    first, second = np.triu_indices(15)
    same = y[first] == y[second]
    by_pairs = kl.HyperkernelMetric().fit_pairs(X, np.column_stack([second, first]), same)
    points = np.stack([X[first], X[second]], axis=1)
    by_points = kl.HyperkernelMetric(by_class.hyperkernel_).fit_pairs(None, points, same)
    for other in (by_pairs, by_points):
        assert other.objective_ == pytest.approx(by_class.objective_, rel=1e-5)
        np.testing.assert_allclose(other.pair_score(points), by_class.pair_score(points), atol=2e-2)
    assert not hasattr(by_pairs, "classes_")
    refitted = clone(by_class).fit(X, y).fit_pairs(X, np.column_stack([first, second]), same)
    assert not hasattr(refitted, "classes_")


def test_a_linear_result_scores_pairs_but_is_no_kernel(digits):
    X, y = digits[0][:20], digits[1][:20] % 3
    model = kl.HyperkernelMetric(combination="linear").fit(X, y)
    assert model.coef_.min() < 0
    assert model.pair_score(X[:4].reshape(2, 2, -1)).shape == (2,)
    for name in ("transform", "fit_transform", "pair_distance", "kernel_"):
        assert not hasattr(model, name)
    switched = kl.HyperkernelMetric().fit(X, y).set_params(combination="linear").fit(X, y)
    assert not hasattr(switched, "kernel_")


def test_ten_thousand_columns_and_twenty_rows():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 5)
    X = rng.normal(size=(4, 10_304))[y] + 0.7 * rng.normal(size=(20, 10_304))
    model = kl.HyperkernelMetric().fit(X, y)
    pairs, first, second = pairs_of(X)
    np.testing.assert_array_equal(model.predict_pairs(pairs) > 0, y[first] == y[second])


def test_other_hyperkernels_and_default_widths(digits):
    X, y = digits[0][:30], digits[1][:30] % 2
    assert kl.HyperkernelMetric(Harmonic(0.6, 0.05)).fit(X, y).status_.is_optimal
    default = kl.HyperkernelMetric().fit(X, y)
    assert default.hyperkernel is None
    assert default.hyperkernel_.sigma == pytest.approx(0.5 * np.median(pdist(X)))
    assert default.hyperkernel_.sigma_h == pytest.approx(3 * default.hyperkernel_.sigma)


def test_many_pairs_are_scored_in_bounded_memory(model):
    pairs = np.random.default_rng(0).uniform(size=(40_000, 2, 64))
    tracemalloc.start()
    model.pair_score(pairs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Everything at once would take 40,000 × 64 numbers for the means alone: 20 MB.
    assert peak < 12e6


def test_progress_and_a_warning_at_the_limit(digits, capsys):
    X, y = digits[0][:20], digits[1][:20] % 2
    with pytest.warns(ConvergenceWarning, match="HyperkernelMetric stopped at the iteration limit"):
        kl.HyperkernelMetric(max_iter=3, verbose=1).fit(X, y)
    assert "HyperkernelMetric: 3 steps, objective" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"hyperkernel": Gaussian()}, r"expected a hyperkernel of kernlearn.hyperkernels, got"),
        ({"hyperkernel": ARDHarmonic()}, r"gammas must be given before it is called"),
        ({"hyperkernel": GaussianHyperkernel(0.0, 1.0)}, r"sigma must be a positive finite number"),
        ({"combination": "convex"}, r"expected combination to be one of conic, linear, got"),
        ({"C": 0.0}, r"expected C to be a positive number, got 0.0"),
        ({"n_pairs": 0}, r"expected n_pairs to be a positive integer, got 0"),
        ({"n_pairs": 1}, r"expected n_pairs of at least two"),
        ({"n_components": 0}, r"expected n_components to be a positive integer"),
        ({"tol": -1.0}, r"expected tol to be a positive number"),
        ({"max_pivots": 0}, r"expected max_pivots to be a positive integer"),
        ({"pivot_tol": 2.0}, r"expected pivot_tol to be a number from 0 to below 1"),
    ],
)
def test_bad_parameters(parameters, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        kl.HyperkernelMetric(**parameters).fit(X[::10], y[::10])


def test_bad_data(model):
    with pytest.raises(ValueError, match="expected at least two classes in y, got one class"):
        kl.HyperkernelMetric().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match=r"pairs must have as many features .* got 3 for 64"):
        model.pair_score(np.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match=r"pairs must have shape \(n_pairs, 2, n_features\)"):
        model.pair_score(np.zeros((2, 64)))
    with pytest.raises(ValueError, match="two rows of one class, got 2 in 2 rows of y"):
        model.score(np.zeros((2, 64)), [0, 1])
    with pytest.raises(ValueError, match="integers of shape"):
        kl.HyperkernelMetric().fit_pairs(np.zeros((4, 2)), np.zeros((3, 2, 2)), [1, 1, -1])


def test_equal_points_of_different_classes_are_no_obstacle():
    model = kl.HyperkernelMetric().fit([[0.0], [0.0], [0.0]], [0, 1, 1])
    assert model.status_.is_optimal
    assert np.isfinite(model.transform([[0.0], [1.0]])).all()
