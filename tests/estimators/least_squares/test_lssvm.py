"""Least-squares machines as estimators: against refitting, kernel ridge, and each other."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn import LSSVMClassifier, LSSVMRegressor
from kernlearn.families.parametric import ARDGaussianFamily, GaussianFamily
from kernlearn.kernels import ARDGaussian, Columns, Gaussian, Precomputed


def _given(model, fitted):
    """The same machine without selection."""
    theta = fitted.theta_ if len(fitted.theta_) else None
    return clone(model).set_params(selection=None, lam=fitted.lam_, theta=theta)


@pytest.mark.parametrize(
    ("kernel", "selection"),
    [("rbf", "loo"), ("ard", "cv"), (Gaussian(0.2), "bayes")],
    ids=["rbf", "ard", "fixed"],
)
def test_leave_one_out_predictions_are_those_of_refitting(problem, kernel, selection):
    model = LSSVMRegressor(kernel, selection).fit(problem.X, problem.target)
    again = cross_val_predict(_given(model, model), problem.X, problem.target, cv=LeaveOneOut())
    np.testing.assert_allclose(model.loo_predictions_, again, rtol=1e-8, atol=1e-8)
    assert model.loo_loss_ == pytest.approx(np.mean((again - problem.target) ** 2))
    assert model.status_.has_converged


def _log_evidence(model, X, y):
    """The density of n − 1 contrasts of y, whose covariance is K + λI in the best unit."""
    contrasts = np.linalg.svd(np.eye(len(y)) - 1 / len(y))[0][:, :-1]
    z = contrasts.T @ y
    covariance = contrasts.T @ (model.kernel_(X) + model.lam_ * np.eye(len(y))) @ contrasts
    covariance *= z @ np.linalg.solve(covariance, z) / len(z)
    return multivariate_normal(np.zeros(len(z)), covariance).logpdf(z)


def test_the_objectives_are_the_published_ones(problem):
    X, y = problem.X, problem.target
    loo = LSSVMRegressor("ard", "loo").fit(X, y)
    assert loo.objective_ == pytest.approx(((y - loo.loo_predictions_) ** 2).sum())
    folds = KFold(4, shuffle=True, random_state=1)
    cv = LSSVMRegressor("ard", "cv", cv=folds).fit(X, y)
    held_out = cross_val_predict(_given(cv, cv), X, y, cv=folds)
    assert cv.objective_ == pytest.approx(((y - held_out) ** 2).sum(), rel=1e-8)
    bayes = LSSVMRegressor("ard", "bayes").fit(X, y)
    press = ((y - bayes.loo_predictions_) ** 2).sum()
    expected = 20 * np.log(press) + 1.5 * np.log(0.5 * bayes.theta_ @ bayes.theta_)
    assert bayes.objective_ == pytest.approx(expected, rel=1e-8)
    evidence = LSSVMRegressor("ard", "evidence").fit(X, y)
    assert evidence.objective_ == pytest.approx(-_log_evidence(evidence, X, y), rel=1e-8)
    assert _log_evidence(evidence, X, y) > max(_log_evidence(other, X, y) for other in (loo, cv))
    given = _given(loo, loo).fit(X, y)
    assert given.objective_ == pytest.approx(loo.objective_)
    assert str(given.status_).startswith("given")


def test_a_regression_without_an_intercept_would_be_kernel_ridge(problem):
    """On centred kernels and targets they are the same."""
    K = Gaussian(0.2)(problem.X)
    H = np.eye(40) - 1 / 40
    y = problem.target - problem.target.mean()
    rows = np.arange(40)[:, None]
    model = LSSVMRegressor(Precomputed(H @ K @ H), None, 0.3).fit(rows, y)
    ridge = KernelRidge(alpha=0.3, kernel="precomputed").fit(H @ K @ H, y)
    np.testing.assert_allclose(model.dual_coef_[0], ridge.dual_coef_, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, 0.0, atol=1e-10)


def test_the_prediction_is_the_learned_kernel_times_the_coefficients(problem):
    model = LSSVMRegressor("ard").fit(problem.X, problem.target)
    assert isinstance(model.kernel_, ARDGaussian)
    K = np.exp(-((problem.X_new[:, None] - problem.X) ** 2) @ model.theta_)
    expected = K @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.predict(problem.X_new), expected, rtol=1e-8)
    np.testing.assert_array_equal(model.support_, np.arange(40))
    np.testing.assert_array_equal(model.support_vectors_, problem.X)


def test_several_targets_are_several_machines_on_one_kernel(problem):
    Y = np.column_stack([problem.target, problem.X[:, 2] ** 2, problem.y])
    model = LSSVMRegressor().fit(problem.X, Y)
    assert model.dual_coef_.shape == (3, 40)
    assert model.loo_predictions_.shape == (40, 3)
    single = _given(model, model)
    for j in range(3):
        alone = clone(single).fit(problem.X, Y[:, j])
        np.testing.assert_allclose(
            model.predict(problem.X_new)[:, j], alone.predict(problem.X_new), atol=1e-10
        )
    column = clone(single).fit(problem.X, Y[:, :1])
    assert column.predict(problem.X_new).shape == (15, 1)


def test_classes_are_told_apart_one_against_the_rest(make_problem):
    data = make_problem(n=60, n_classes=3)
    model = LSSVMClassifier().fit(data.X, data.y)
    assert model.decision_function(data.X_new).shape == (15, 3)
    # The three machines see labels that sum to minus one, so do their values.
    np.testing.assert_allclose(model.decision_function(data.X_new).sum(axis=1), -1.0, atol=1e-8)
    for j in range(3):
        alone = LSSVMClassifier("rbf", None, model.lam_, model.theta_).fit(data.X, data.y == j)
        np.testing.assert_allclose(
            model.decision_function(data.X_new)[:, j],
            alone.decision_function(data.X_new),
            atol=1e-9,
        )
    assert model.score(data.X_new, data.y_new) > 0.6


def test_labels_come_back_as_they_went_in(problem):
    names = np.array(["benign", "malign"])
    model = LSSVMClassifier().fit(problem.X, names[problem.y])
    plain = LSSVMClassifier().fit(problem.X, problem.y)
    np.testing.assert_array_equal(model.predict(problem.X_new), names[plain.predict(problem.X_new)])
    assert plain.score(problem.X_new, problem.y_new) > 0.7


def test_rows_of_no_weight_are_predicted_but_do_not_count(problem):
    weight = np.ones(40)
    weight[[3, 17]] = 0.0
    kept = weight > 0
    model = LSSVMRegressor().fit(problem.X, problem.target, sample_weight=weight)
    without = LSSVMRegressor().fit(problem.X[kept], problem.target[kept])
    np.testing.assert_allclose(model.theta_, without.theta_)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(kept))
    np.testing.assert_allclose(model.loo_predictions_[kept], without.loo_predictions_)
    np.testing.assert_allclose(
        model.loo_predictions_[~kept], without.predict(problem.X[~kept]), rtol=1e-10
    )


def test_weights_of_any_unit_choose_the_same(problem):
    weight = np.linspace(0.2, 2.0, 40)
    one, ten = (
        LSSVMRegressor().fit(problem.X, problem.target, sample_weight=c * weight)
        for c in (1.0, 10.0)
    )
    np.testing.assert_allclose(ten.theta_, one.theta_, rtol=1e-2)
    assert ten.lam_ == pytest.approx(10 * one.lam_, rel=1e-2)
    assert ten.loo_loss_ == pytest.approx(one.loo_loss_, rel=1e-5)


def test_a_given_parameter_is_kept_and_the_other_selected(problem):
    X, y = problem.X, problem.target
    lam_given = LSSVMRegressor("ard", lam=0.7).fit(X, y)
    assert lam_given.lam_ == 0.7
    theta_given = LSSVMRegressor("ard", theta=[0.5, 0.1, 0.0]).fit(X, y)
    np.testing.assert_array_equal(theta_given.theta_, [0.5, 0.1, 0.0])
    both = LSSVMRegressor("ard", None, theta_given.lam_, [0.5, 0.1, 0.0]).fit(X, y)
    for factor in (0.8, 1.25):
        other = clone(both).set_params(lam=factor * theta_given.lam_).fit(X, y)
        assert other.objective_ > both.objective_
    np.testing.assert_allclose(both.objective_, theta_given.objective_)


def test_names_families_and_kernels_agree(problem):
    X, y = problem.X, problem.target
    by_name, by_family = (LSSVMRegressor(k).fit(X, y) for k in ("ard", ARDGaussianFamily()))
    np.testing.assert_array_equal(by_name.theta_, by_family.theta_)
    rbf = LSSVMRegressor(GaussianFamily(), tol=1e-6).fit(X, y)
    fixed = LSSVMRegressor(Gaussian(float(rbf.theta_[0])), tol=1e-6).fit(X, y)
    assert fixed.theta_.shape == (0,)
    assert fixed.lam_ == pytest.approx(rbf.lam_, rel=1e-2)
    assert fixed.objective_ == pytest.approx(rbf.objective_, rel=1e-7)


def test_data_frames_and_their_columns(problem):
    frame = pd.DataFrame(problem.X, columns=["a", "b", "c"])
    model = LSSVMClassifier().fit(frame, problem.y)
    plain = LSSVMClassifier().fit(problem.X, problem.y)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    np.testing.assert_allclose(model.decision_function(frame), plain.decision_function(problem.X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["c", "b", "a"]])
    words = frame.assign(d="word")
    named = LSSVMClassifier(Columns(["a", "b"], Gaussian(0.2))).fit(words, problem.y)
    placed = LSSVMClassifier(Columns([0, 1], Gaussian(0.2))).fit(problem.X, problem.y)
    np.testing.assert_allclose(named.decision_function(words), placed.decision_function(problem.X))
    several = LSSVMRegressor(Columns("a", Gaussian(0.2))).fit(words, problem.X[:, :2])
    assert several.predict(words).shape == (40, 2)


def test_it_works_in_searches_and_pipelines(problem):
    search = GridSearchCV(
        LSSVMClassifier(Gaussian()), {"kernel__gamma": [1e-4, 0.3, 100.0]}, cv=3
    ).fit(problem.X, problem.y)
    assert search.best_params_["kernel__gamma"] == 0.3
    far = problem.X * [1.0, 1e4, 1e-3] + 50.0
    pipeline = make_pipeline(StandardScaler(), LSSVMClassifier("ard")).fit(far, problem.y)
    by_hand = LSSVMClassifier("ard").fit(StandardScaler().fit_transform(problem.X), problem.y)
    np.testing.assert_allclose(pipeline[-1].theta_, by_hand.theta_, rtol=1e-4)


def test_a_pickle_predicts_the_same_and_a_clone_forgets(problem):
    model = LSSVMRegressor("ard", "cv", cv=4).fit(problem.X, problem.target)
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict(problem.X_new), model.predict(problem.X_new))
    assert restored.status_ is model.status_
    assert not hasattr(clone(model), "theta_")


def test_what_came_is_unchanged(problem):
    theta, weight = np.array([0.3, 0.1, 0.2]), np.linspace(0.0, 2.0, 40)
    passed = [problem.X, problem.target, theta, weight]
    before = [a.copy() for a in passed]
    for array in passed:
        array.setflags(write=False)
    LSSVMRegressor("ard", theta=theta).fit(problem.X, problem.target, sample_weight=weight)
    LSSVMRegressor("ard", "bayes").fit(problem.X, problem.target, sample_weight=weight)
    for now, then in zip(passed, before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("weights", [None, [1.0, 100.0, 1e-3, 1.0, 1.0, 2.0]])
@pytest.mark.parametrize("lam", [1e-300, 1e-20, 1e-3])
def test_lam_is_the_one_that_was_used(weights, lam):
    """Also where it was lost in the rounding of K, and the system is that of lam_."""
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1e-9], [2.0]])
    y = np.array([0.0, 1.0, -1.0, 3.0, 0.5, 2.0])
    model = LSSVMRegressor(Gaussian(1.0), None, lam).fit(X, y, sample_weight=weights)
    K = Gaussian(1.0)(X)
    ridge = model.lam_ / (np.ones(6) if weights is None else np.asarray(weights))
    left = (K + np.diag(ridge)) @ model.dual_coef_[0] + model.intercept_ - y
    assert np.abs(left).max() <= 1e-12 * np.abs(model.dual_coef_).max()
    assert (model.lam_ == lam) if lam == 1e-3 else (1e-12 <= model.lam_ <= 1e-9)
    # Asked for the λ that was used, it is the same machine to the last digit.
    again = LSSVMRegressor(Gaussian(1.0), None, model.lam_).fit(X, y, sample_weight=weights)
    assert again.lam_ == model.lam_
    np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)
    assert again.objective_ == model.objective_
