"""Awkward data and parameters: a right answer, or one sentence that says what to do."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit

from kernlearn import FirstLevelRegressor, LSSVMClassifier, LSSVMRegressor
from kernlearn.kernels import Linear, Polynomial, Precomputed

KERNELS = ["rbf", "ard", "ard_polynomial"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kernel": "gauss"}, "kernel to be one of rbf, ard, ard_polynomial.*got 'gauss'"),
        ({"kernel": None}, "got None; try kernel='rbf'"),
        ({"selection": "aic"}, "selection to be one of loo, cv, bayes, evidence, got 'aic'"),
        ({"selection": None}, "expected lam and theta with selection=None, got lam=None"),
        ({"selection": None, "lam": 1.0}, "got theta=None; pass theta"),
        ({"lam": -1.0}, "lam to be a positive number, got -1.0"),
        ({"theta": [1.0, 2.0]}, r"theta to hold 1 non-negative.*got \[1.0, 2.0\]"),
        ({"theta": -1.0}, "theta to hold 1 non-negative"),
        ({"theta": "wide"}, "theta to hold 1 non-negative.*got 'wide'"),
        ({"kernel": Linear(), "theta": 1.0}, "no parameters to select, got 1.0"),
        ({"tol": 0.0}, "tol to be a positive number"),
        ({"max_iter": 0}, "max_iter to be a positive integer"),
        ({"selection": "cv", "cv": 1}, "cv between 2 and 40, the number of points, got 1"),
        ({"selection": "cv", "cv": 41}, "got 41; lower cv, or choose selection='loo'"),
        ({"selection": "cv", "cv": "ten"}, "cv to be a number of folds"),
        ({"selection": "cv", "cv": 2.5}, "cv to be a number of folds.*got 2.5"),
        ({"selection": "cv", "cv": ShuffleSplit(3, random_state=0)}, "40 rows of positive weight"),
    ],
)
def test_parameters(refused, problem, options, text):
    assert re.search(text, refused(LSSVMClassifier(**options), problem.X, problem.y))


@pytest.mark.parametrize("kind", [LSSVMRegressor, FirstLevelRegressor])
def test_the_unit_of_the_targets(refused, problem, kind):
    model, plain = kind(lam=0.1), kind(lam=0.1).fit(problem.X, problem.target).predict(problem.X)
    for unit in (2.0**-460, 2.0**460):  # 1e-138, 1e138
        scaled = model.fit(problem.X, unit * problem.target).predict(problem.X)
        np.testing.assert_allclose(scaled / unit, plain, rtol=1e-6, atol=1e-9)
    for unit in (1e-150, 1e-310):
        text = refused(model, problem.X, unit * problem.target)
        assert re.search("expected targets that are equal or differ by 1e-140 at least", text)
    for unit in (1e153, 1e300):
        assert "rescale y" in refused(model, problem.X, unit * problem.target)
    for constant in (0.0, 1e-150):
        same = model.fit(problem.X, np.full(40, constant)).predict(problem.X)
        np.testing.assert_allclose(same, constant, rtol=1e-9)


def test_one_row(refused, problem):
    for model, y in ((LSSVMClassifier(), problem.y), (LSSVMRegressor(), problem.target)):
        text = refused(model, problem.X[:1], y[:1])
        assert re.search(r"1 sample\(s\).*minimum of 2 is required", text)


def test_targets_and_weights(refused, problem):
    assert "at least two classes" in refused(LSSVMClassifier(), problem.X, np.zeros(40))
    spoilt = np.where(np.arange(40) == 3, np.nan, problem.target)
    assert "contains NaN" in refused(LSSVMRegressor(), problem.X, spoilt)
    weight = np.zeros(40)
    for sign, text in ((-1.0, "smallest of -1"), (1.0, "two points of positive weight, got 1")):
        weight[0] = sign
        told = refused(LSSVMRegressor(), problem.X, problem.target, sample_weight=weight)
        assert text in told


def test_matrices_that_are_no_kernels(refused, problem):
    rows = np.arange(40)[:, None]
    K = -np.eye(40)
    for selection in ("loo", None):
        text = refused(LSSVMClassifier(Precomputed(K), selection, 0.1), rows, problem.y)
        assert re.search("positive semidefinite kernel matrix.*kernlearn.gram.check_gram", text)
    text = refused(LSSVMClassifier(Polynomial(degree=5)), 1e70 * problem.X, problem.y)
    assert "rescale the columns" in text


@pytest.mark.parametrize("kernel", KERNELS)
def test_two_points_are_told_apart(kernel):
    X = np.array([[0.0, 1.0], [1.0, 3.0]])
    for selection in ("loo", "cv", "bayes", "evidence"):
        model = LSSVMClassifier(kernel, selection, cv=2).fit(X, ["a", "b"])
        np.testing.assert_array_equal(model.predict(X), ["a", "b"])
        # Without one of them the other is all there is; of log-odds it is an approximation.
        if selection != "evidence":
            np.testing.assert_allclose(model.loo_predictions_, [1.0, -1.0])


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_class_smaller_than_the_number_of_folds(problem, kernel):
    y = np.where(np.arange(40) < 2, 1, 0)
    model = LSSVMClassifier(kernel, "cv", cv=5).fit(problem.X, y)
    assert np.isfinite(model.objective_)


@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_columns_change_nothing_but_their_own_parameter(problem, kernel):
    plain = LSSVMRegressor(kernel, tol=1e-6).fit(problem.X, problem.target)
    lifted = np.column_stack([problem.X, np.zeros(40)])
    model = LSSVMRegressor(kernel, tol=1e-6).fit(lifted, problem.target)
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_where_all_rows_are_the_same_the_mean_is_predicted(kernel):
    y = np.arange(10.0)
    model = LSSVMRegressor(kernel).fit(np.ones((10, 2)), y)
    np.testing.assert_allclose(model.predict(np.ones((3, 2))), 4.5, rtol=1e-6)
    np.testing.assert_allclose(model.loo_predictions_, (45.0 - y) / 9, rtol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "ard"])
def test_repeated_rows_with_different_targets(problem, kernel):
    X, y = np.repeat(problem.X, 2, axis=0), np.repeat(problem.y, 2)
    y[::20] = 1 - y[::20]
    model = LSSVMClassifier(kernel).fit(X, y)
    assert model.score(X, np.repeat(problem.y, 2)) > 0.8


def test_columns_of_any_size(problem):
    """ARD finds its own units; the Gaussian with one scale still gives an answer."""
    units = np.array([1e9, 1.0, 1e-9])
    for kernel, least in (("ard", 0.8), ("rbf", 0.1)):
        model = LSSVMRegressor(kernel).fit(problem.X * units, problem.target)
        assert model.score(problem.X * units, problem.target) > least


@pytest.mark.parametrize("kernel", KERNELS)
def test_more_columns_than_rows(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 12))
    for selection in ("loo", "cv", "bayes", "evidence"):
        model = LSSVMRegressor(kernel, selection).fit(X, X[:, 0])
        assert np.isfinite(model.predict(X)).all()
        # Without noise the evidence grows without end.
        assert model.status_.has_converged or selection == "evidence"


@pytest.mark.parametrize("lam", [1e-300, 1e300])
def test_the_two_ends_of_the_ridge(problem, lam):
    model = LSSVMRegressor("rbf", None, lam, 1.0).fit(problem.X, problem.target)
    expected = problem.target if lam < 1 else np.full(40, problem.target.mean())
    np.testing.assert_allclose(model.predict(problem.X), expected, atol=1e-6)
    # Not below what rounding of a kernel of size one asks for.
    assert model.lam_ == pytest.approx(max(lam, 1e-12), rel=1e-9)


@pytest.mark.parametrize("selection", ["loo", "cv", "bayes", "evidence"])
def test_targets_without_noise_and_without_spread(problem, selection):
    exact = LSSVMRegressor("rbf", selection).fit(problem.X, np.full(40, 7.0))
    np.testing.assert_allclose(exact.predict(problem.X_new), 7.0)
    smooth = LSSVMRegressor("rbf", selection).fit(problem.X, problem.X[:, 0])
    assert smooth.score(problem.X_new, problem.X_new[:, 0]) > 0.9999


def test_too_few_steps_are_told(problem):
    model = LSSVMRegressor("ard", tol=1e-9, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="iteration limit.*raise max_iter or tol"):
        model.fit(problem.X, problem.target)
    assert not model.status_.has_converged
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LSSVMRegressor("ard").fit(problem.X, problem.target)
