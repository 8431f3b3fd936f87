"""Ranking: the program of differences against CVXPY, pairs, groups and bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernlearn as kl
from kernlearn.estimators.ranking.preferences import normalized_gain, pair_accuracy
from kernlearn.kernels import Gaussian, Linear, Normalized, Polynomial
from kernlearn.ranking import MKLRanker

KERNELS = [Linear(), Gaussian(0.5)]


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.round(2.0 + np.sin(2.0 * X[:, 0]) + 0.4 * X[:, 1]).clip(0)
    return X, y, np.repeat(np.arange(10), 6)


@pytest.fixture(scope="module")
def model(rows):
    X, y, groups = rows
    return MKLRanker(KERNELS, n_pairs=120).fit(X, y, groups=groups)


def differences(K, pairs):
    """By the definition, one entry at a time."""
    return np.array([[K[a, b] - K[a, d] - K[c, b] + K[c, d] for b, d in pairs] for a, c in pairs])


def test_the_objective_is_that_of_the_convex_program(model, rows):
    cp = pytest.importorskip("cvxpy")
    X, _, _ = rows
    used = np.unique(model.pairs_)
    grams = [kernel(X[used]) for kernel in model.kernels_]
    places = np.searchsorted(used, model.pairs_)
    stack = [differences(K, places) for K in grams]
    traces = np.array([np.trace(D) for D in stack])
    a, t = cp.Variable(len(places)), cp.Variable()
    limits = [
        cp.sum_squares(np.linalg.cholesky(D + 1e-9 * np.eye(len(D))).T @ a) <= r * t
        for D, r in zip(stack, traces, strict=True)
    ]
    value = cp.sum(a) - 0.5 * traces.mean() * t
    program = cp.Problem(cp.Maximize(value), [a >= 0, a <= model.C_, *limits])
    program.solve(solver="CLARABEL")
    assert model.objective_ == pytest.approx(program.value, rel=1e-5)
    assert model.duality_gap_ <= 1e-6
    assert model.weights_ @ traces == pytest.approx(traces.mean())


def test_one_linear_kernel_is_a_linear_machine_of_differences(rows):
    X, _, _ = rows
    generator = np.random.default_rng(1)
    pairs = generator.permutation(60).reshape(-1, 2)
    pairs = np.where((X[pairs[:, :1], 0] > X[pairs[:, 1:], 0]), pairs, pairs[:, ::-1])
    model = MKLRanker([Linear()], C=1.0, options=kl.MKLOptions(total=None)).fit_pairs(X, pairs)
    D = X[pairs[:, 0]] - X[pairs[:, 1]]
    signs = np.tile([1.0, -1.0], 15)
    svm = LinearSVC(
        loss="hinge", C=float(model.weights_[0]), fit_intercept=False, tol=1e-10, max_iter=10**6
    )
    svm.fit(D * signs[:, None], signs)
    expected = X @ svm.coef_[0]
    scores = model.predict(X)
    np.testing.assert_allclose(scores - scores[0], expected - expected[0], atol=1e-4)


def test_learn_weights_takes_matrices_of_differences(rows):
    X, _, _ = rows
    pairs = np.arange(20).reshape(-1, 2)
    grams = [differences(kernel(X[:20]), pairs) for kernel in KERNELS]
    solution = kl.learn_weights(grams, quality="ranking", C=2.0)
    assert solution.gap <= 1e-6
    assert solution.dual_coef.min() >= 0.0
    assert solution.dual_coef.max() <= 2.0


def test_scores_order_rows_and_pairs(model, rows):
    X, y, groups = rows
    assert model.score(X, y) > 0.8
    assert model.score(X, y, groups=groups) > 0.9
    assert model.predict(X).shape == (60,)
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-8)
    assert len({groups[a] == groups[c] for a, c in model.pairs_}) == 1
    assert (y[model.pairs_[:, 0]] > y[model.pairs_[:, 1]]).all()
    assert model.loss_by_C_.shape[1] == 2


def test_fewer_groups_than_folds_hold_out_pairs(rows):
    X, y, groups = rows
    model = MKLRanker([Linear()], n_pairs=60).fit(X[:12], y[:12], groups=groups[:12])
    assert np.isfinite(model.loss_by_C_).all()


def test_gains_are_those_of_scikit_learn(rows):
    generator = np.random.default_rng(2)
    grades, scores = generator.integers(0, 4, 12), generator.integers(0, 5, 12).astype(float)
    expected = ndcg_score([2.0**grades - 1.0], [scores])
    assert normalized_gain(scores, grades) == pytest.approx(expected)
    assert normalized_gain(scores, np.ones(12)) is None
    assert pair_accuracy(np.array([1.0, 0.0, 1.0]), np.array([[0, 1], [1, 0], [0, 2]])) == 0.5


def test_contradictions_are_allowed_and_cancel():
    X = np.array([[0.0], [1.0], [2.0]])
    model = MKLRanker([Linear()], C=1.0).fit_pairs(X, [[0, 1], [1, 0]])
    scores = model.predict(X)
    assert np.ptp(scores) == pytest.approx(0.0, abs=1e-6)


def test_sources_and_frames_are_taken(rows, tmp_path):
    X, y, groups = rows
    sources = kl.Sources({"first": X[:, :1], "second": X[:, 1:]})
    model = MKLRanker(KERNELS, C=1.0, n_pairs=60).fit(sources, y, groups=groups)
    assert list(model.views_) == ["first", "second"]
    assert len(model.weights_) == 4
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = MKLRanker(KERNELS, C=1.0, n_pairs=60).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    kl.save(model, tmp_path / "model.kernlearn")
    np.testing.assert_allclose(
        kl.load(tmp_path / "model.kernlearn").predict(frame), model.predict(frame)
    )


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ([[0, 60]], r"row numbers from 0 to 59 in pairs, got 0 to 60"),
        ([[0, 1], [2, 2]], r"two different rows, got the pair \[2, 2\] at place 1"),
        (np.zeros((0, 2), dtype=int), r"integers of shape \(n_pairs, 2\) with the better row"),
        ([[0.5, 1.0]], r"expected pairs of row numbers of X, integers"),
    ],
)
def test_bad_pairs_get_a_sentence(rows, pairs, text):
    with pytest.raises(ValueError, match=text):
        MKLRanker(KERNELS).fit_pairs(rows[0], pairs)


def test_grades_without_pairs_get_a_sentence(rows, model):
    X, y, groups = rows
    with pytest.raises(ValueError, match="two different grades in y, got equal ones"):
        MKLRanker(KERNELS).fit(X, np.ones(60))
    with pytest.raises(ValueError, match="groups of two rows or more, got 60 groups of one row"):
        MKLRanker(KERNELS).fit(X, y, groups=np.arange(60))
    with pytest.raises(ValueError, match="two different grades in some group"):
        MKLRanker(KERNELS).fit(X, groups.astype(float), groups=groups)
    with pytest.raises(ValueError, match="one label for each of 60 rows, got an array of shape"):
        MKLRanker(KERNELS).fit(X, y, groups=groups[:5])
    with pytest.raises(ValueError, match="a label in groups for every row, got 6 rows without one"):
        MKLRanker(KERNELS).fit(X, y, groups=np.where(groups == 0, np.nan, groups))
    with pytest.raises(ValueError, match="grades of zero or more for NDCG"):
        model.score(X, y - 3.0, groups=groups)
    with pytest.raises(ValueError, match="a list of kernels, got a family"):
        MKLRanker(kl.kernels.PerColumn(Gaussian(1.0))).fit(X, y)


# A list: pytest wants no generator, which scikit-learn 1.7 gives.
CHECKS = parametrize_with_checks([MKLRanker(KERNELS, C=1.0, n_pairs=40)])


@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_the_default_bank_keeps_the_length_of_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) * rng.uniform(0.1, 3.0, size=(60, 1))
    model = MKLRanker(C=0.1, n_pairs=100).fit(X, np.round(X @ [1.0, -1.0]))
    plain = [kernel for kernel in model.kernels_ if isinstance(kernel, Linear | Polynomial)]
    assert len(plain) == 2
    assert not any(isinstance(kernel, Normalized) for kernel in model.kernels_)


def test_C_is_chosen_among_values_for_rows_of_many_pairs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    model = MKLRanker([Linear()], n_pairs=300).fit(X, X[:, 0] + rng.normal(size=40))
    first, second = model.pairs_.T
    size = ((X[first] - X[second]) ** 2).sum(axis=1).mean()
    factors = model.loss_by_C_[:, 0] * size
    assert all(np.isclose(factor, [0.002, 0.02, 0.1, 0.5, 2.5]).any() for factor in factors)


def test_large_grades_have_no_gains():
    rng = np.random.default_rng(0)
    X, group = rng.normal(size=(20, 1)), np.arange(20) // 5
    model = MKLRanker([Linear()], C=1.0).fit(X, 1e4 * X[:, 0] ** 2, groups=group)
    with pytest.raises(ValueError, match="expected grades of at most 1000 for NDCG"):
        model.score(X, 1e4 * X[:, 0] ** 2, groups=group)


@pytest.mark.parametrize(
    ("grades", "said"),
    [
        (np.full(12, np.nan), "expected finite grades in y, got NaN"),
        (np.ones((12, 2)), r"a grade for each of 12 rows, got y of shape \(12, 2\)"),
        ([1.0, 2.0], r"a grade for each of 12 rows, got y of shape \(2,\)"),
        (["good"] * 12, "y must be an array of real numbers"),
        (np.full(12, 1j), "y must hold real numbers, got complex ones"),
        (None, r"a grade for each of 12 rows, got y of shape \(\)"),
    ],
)
def test_a_score_needs_a_number_for_each_row(grades, said):
    rows = np.random.default_rng(0).normal(size=(12, 2))
    model = MKLRanker([Linear()], C=1.0).fit(rows, np.arange(12))
    assert model.score(rows, np.arange(12)[:, None]) == model.score(rows, np.arange(12))
    for groups in (None, np.arange(12) // 6):
        with pytest.raises(ValueError, match=said):
            model.score(rows, grades, groups=groups)
