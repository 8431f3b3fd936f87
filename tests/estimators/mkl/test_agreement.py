"""Estimators against the core, against libsvm, and against the paper's programs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, NuSVR, OneClassSVM

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor, learn_weights
from kernlearn.kernels import Centered, Normalized
from kernlearn.reference import eq36, eq38, eq47

MARGINS = [
    "soft_margin",
    "squared_soft_margin",
    "hard_margin",
    "nu_svm",
    "logistic",
    "least_squares",
]
REGRESSIONS = ["epsilon_svr", "nu_svr", "huber", "quantile", "least_squares"]


def _by_hand(kernels, solution, X, X_new):
    """Values K(w) a + b at new points, from the core's solution alone."""
    weighted = zip(kernels, solution.weights, strict=True)
    return sum(w * k(X_new, X) for k, w in weighted) @ solution.dual_coef + solution.intercept


def _mean_trace(grams):
    return float(np.mean([np.trace(K) for K in grams]))


@pytest.mark.parametrize("weights", ["positive", "free"])
@pytest.mark.parametrize("quality", MARGINS)
def test_the_classifier_is_the_core_on_the_same_matrices(problem, kernels, quality, weights):
    model = MKLClassifier(kernels, quality=quality, C=2.0, weights=weights)
    model.fit(problem.X, problem.y)
    grams = [k(problem.X) for k in kernels]
    signs = 2.0 * problem.y - 1.0
    solution = learn_weights(
        grams, signs, quality=quality, C=2.0, weights=weights, total=_mean_trace(grams)
    )
    np.testing.assert_allclose(model.weights_, solution.weights, rtol=1e-9, atol=1e-12)
    assert model.objective_ == pytest.approx(solution.objective, rel=1e-12)
    assert model.lower_bound_ == pytest.approx(solution.lower_bound, rel=1e-9)
    expected = _by_hand(kernels, solution, problem.X, problem.X_new)
    np.testing.assert_allclose(model.decision_function(problem.X_new), expected, rtol=1e-8)
    np.testing.assert_array_equal(model.predict(problem.X_new), (expected > 0).astype(int))


@pytest.mark.parametrize("quality", REGRESSIONS)
def test_the_regressor_is_the_core_on_the_same_matrices(problem, kernels, quality):
    model = MKLRegressor(kernels, quality=quality, C=2.0).fit(problem.X, problem.target)
    grams = [k(problem.X) for k in kernels]
    options = {"C": 2.0, "nu": 0.3, "epsilon": model.epsilon_, "total": _mean_trace(grams)}
    solution = learn_weights(grams, problem.target, quality=quality, **options)
    # The estimator works around the mean of y; a machine with an intercept cannot tell.
    assert model.objective_ == pytest.approx(solution.objective, rel=2e-6)
    np.testing.assert_allclose(model.weights_, solution.weights, atol=2e-3)
    expected = _by_hand(kernels, solution, problem.X, problem.X_new)
    np.testing.assert_allclose(model.predict(problem.X_new), expected, atol=2e-3)


def test_the_detector_is_the_core_on_unit_diagonals(problem, kernels):
    model = MKLNoveltyDetector(kernels, nu=0.2).fit(problem.X)
    grams = [k(problem.X) for k in kernels]
    solution = learn_weights(grams, quality="one_class", nu=0.2, total=_mean_trace(grams))
    np.testing.assert_allclose(model.weights_, solution.weights, rtol=1e-9, atol=1e-12)
    expected = _by_hand(kernels, solution, problem.X, problem.X_new)
    np.testing.assert_allclose(model.decision_function(problem.X_new), expected, atol=1e-8)


def test_centring_and_normalising_wrap_every_kernel(problem, kernels):
    asked = MKLClassifier(kernels, options=MKLOptions(center=True), normalize=True).fit(
        problem.X, problem.y
    )
    wrapped = [Normalized(Centered(k, problem.X)) for k in kernels]
    done = MKLClassifier(wrapped).fit(problem.X, problem.y)
    np.testing.assert_allclose(asked.weights_, done.weights_, rtol=1e-9)
    np.testing.assert_allclose(
        asked.decision_function(problem.X_new), done.decision_function(problem.X_new), rtol=1e-8
    )
    plain = MKLClassifier(kernels).fit(problem.X, problem.y)
    assert np.abs(plain.weights_ - asked.weights_).max() > 1e-3


def test_total_and_constraint_reach_the_core(problem, kernels):
    model = MKLClassifier(kernels, options=MKLOptions(constraint="sum", total=5.0)).fit(
        problem.X, problem.y
    )
    assert model.weights_.sum() == pytest.approx(5.0)
    traced = MKLClassifier(kernels, options=MKLOptions(total=80.0)).fit(problem.X, problem.y)
    assert np.trace(traced.kernel_(problem.X)) == pytest.approx(80.0)


def test_libsvm_with_the_learned_kernel_finds_the_same_classifier(problem, kernels):
    model = MKLClassifier(kernels, C=0.7).fit(problem.X, problem.y)
    svc = SVC(kernel=model.kernel_, C=0.7, tol=1e-8).fit(problem.X, problem.y)
    values = model.decision_function(problem.X_new)
    np.testing.assert_allclose(svc.decision_function(problem.X_new), values, atol=1e-4)
    np.testing.assert_array_equal(svc.predict(problem.X_new), model.predict(problem.X_new))


@pytest.mark.parametrize(
    ("quality", "machine"),
    [
        ("epsilon_svr", lambda k: SVR(kernel=k, C=2.0, epsilon=0.05, tol=1e-8)),
        ("nu_svr", lambda k: NuSVR(kernel=k, C=2.0, nu=0.4, tol=1e-8)),
    ],
)
def test_libsvm_with_the_learned_kernel_finds_the_same_regression(
    problem, kernels, quality, machine
):
    model = MKLRegressor(kernels, quality=quality, C=2.0, nu=0.4, epsilon=0.05)
    model.fit(problem.X, problem.target)
    svr = machine(model.kernel_).fit(problem.X, problem.target)
    np.testing.assert_allclose(
        svr.predict(problem.X_new), model.predict(problem.X_new), rtol=1e-3, atol=1e-4
    )


def test_logistic_is_logistic_regression_on_the_features_of_the_learned_kernel(problem, kernels):
    model = MKLClassifier(kernels, quality="logistic", C=2.0).fit(problem.X, problem.y)
    both = np.vstack([problem.X, problem.X_new])
    values, vectors = np.linalg.eigh(model.kernel_(both))
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    n = len(problem.X)
    rival = LogisticRegression(C=2.0, tol=1e-10, max_iter=1000).fit(features[:n], problem.y)
    expected = rival.predict_proba(features[n:])
    # The probabilities are those of the loss itself.
    np.testing.assert_allclose(model.predict_proba(problem.X_new), expected, atol=1e-5)


def test_quantiles_lie_one_above_the_other(problem, kernels):
    low, high = (
        MKLRegressor(kernels, quality="quantile", C=2.0, options=MKLOptions(quantile=q)).fit(
            problem.X, problem.target
        )
        for q in (0.1, 0.9)
    )
    for model, share in ((low, 0.1), (high, 0.9)):
        below = np.mean(problem.target < model.predict(problem.X) - 1e-6)
        upto = np.mean(problem.target <= model.predict(problem.X) + 1e-6)
        # Where the intercept is optimal, so many residuals have either sign.
        assert below <= share + 1e-9
        assert upto >= share - 1e-9


def test_least_squares_solves_its_linear_system(problem, kernels):
    model = MKLRegressor(kernels, quality="least_squares", C=5.0).fit(problem.X, problem.target)
    n = len(problem.X)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = model.kernel_(problem.X) + np.eye(n) / 5.0
    system[n, n] = 0.0
    solved = np.linalg.solve(system, np.append(problem.target, 0.0))
    expected = model.kernel_(problem.X_new, problem.X) @ solved[:n] + solved[n]
    np.testing.assert_allclose(model.predict(problem.X_new), expected, rtol=1e-6, atol=1e-8)


def test_libsvm_with_the_learned_kernel_finds_the_same_region(problem, kernels):
    """libsvm's one-class coefficients add up to νn, ours to one."""
    nu = 0.25
    model = MKLNoveltyDetector(kernels, nu=nu).fit(problem.X)
    svm = OneClassSVM(kernel=model.kernel_, nu=nu, tol=1e-8).fit(problem.X)
    scale = nu * len(problem.X)
    np.testing.assert_allclose(
        svm.decision_function(problem.X_new) / scale,
        model.decision_function(problem.X_new),
        atol=1e-4,
    )


@pytest.mark.parametrize(
    ("options", "program", "arguments"),
    [
        ({"C": 0.5}, eq38, {"C": 0.5}),
        ({"C": 0.5, "weights": "free"}, eq36, {"C": 0.5}),
        ({"quality": "squared_soft_margin", "C": "learn"}, eq47, {}),
    ],
)
def test_the_value_is_half_of_the_papers(make_problem, kernels, options, program, arguments):
    p = make_problem(n=14)
    # The paper's total is the sum of the traces, here all 14, of the identity's too.
    total = 14.0 * (len(kernels) + (options["C"] == "learn"))
    model = MKLClassifier(kernels, options=MKLOptions(total=total), **options).fit(p.X, p.y)
    paper = program([k(p.X) for k in kernels], 2.0 * p.y - 1.0, **arguments)
    assert model.objective_ == pytest.approx(0.5 * paper.value, rel=2e-6)
    assert model.lower_bound_ <= 0.5 * paper.value * (1 + 1e-6)
