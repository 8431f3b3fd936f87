"""Awkward data and wrong parameters: a right answer or a clear sentence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernlearn import FirstLevelClassifier, FirstLevelRegressor


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"kernel": "linear"},
            "expected kernel to be one of rbf, ard, ard_polynomial, substitution or a",
        ),
        ({"lam": -1.0}, "expected lam to be a positive number, got -1.0"),
        (
            {"lam": "loo"},
            "expected lam to be a positive number, 'cv' or 'evidence', got 'loo'; try",
        ),
        ({"lam": "evidence"}, "chosen in one way, got lam='evidence' and mu='cv'; use 'cv' or"),
        ({"mu": 0}, "expected mu to be a positive number, got 0"),
        ({"options__strategy": "grid"}, "expected strategy to be one of gradient, nelder-mead"),
        ({"tol": 0}, "expected tol to be a positive number"),
        ({"max_iter": 0.5}, "expected max_iter to be a positive integer"),
        ({"cv": 1}, "expected cv between 2 and 40, the number of points, got 1"),
        ({"cv": "five"}, "expected cv to be a number of folds"),
    ],
)
def test_wrong_parameters(parameters, message, problem, refused):
    assert message in refused(FirstLevelClassifier().set_params(**parameters), problem.X, problem.y)


def test_fewer_points_than_folds(refused):
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 1]
    assert "or pass numbers for lam and mu" in refused(FirstLevelClassifier(), X, y)
    model = FirstLevelClassifier(cv=4).fit(X, y)
    assert np.isfinite(model.theta_).all()


def test_one_class_and_missing_values(problem, refused):
    assert "at least two classes" in refused(FirstLevelClassifier(), problem.X, np.ones(40))
    X = problem.X.copy()
    X[3, 1] = np.nan
    assert "NaN" in refused(FirstLevelClassifier(), X, problem.y)


def test_only_one_point_of_weight(problem, refused):
    weight = np.zeros(40)
    weight[0] = 1.0
    text = refused(FirstLevelRegressor(), problem.X, problem.target, sample_weight=weight)
    assert "at least two points of positive weight, got 1" in text


@pytest.mark.parametrize("size", [1e80, 1e-80])
def test_columns_of_impossible_size(size, problem, refused):
    text = refused(FirstLevelClassifier(), problem.X * size, problem.y)
    assert "sizes between 1e-60 and 1e60" in text


def test_a_class_in_one_fold_only(problem):
    y = np.zeros(40, dtype=int)
    y[7] = 1
    model = FirstLevelClassifier().fit(problem.X, y)
    assert np.isfinite(model.decision_function(problem.X)).all()


def test_two_points():
    model = FirstLevelClassifier(cv=2).fit([[0.0, 1.0], [1.0, 1.0]], ["no", "yes"])
    assert model.predict([[0.1, 1.0], [0.9, 1.0]]).tolist() == ["no", "yes"]


def test_a_constant_column_gets_a_theta_of_zero(problem):
    X = np.column_stack([problem.X, np.full(40, 7.0)])
    model = FirstLevelClassifier(cv=3).fit(X, problem.y)
    assert model.theta_[3] == 0.0


def test_only_constant_columns(problem):
    model = FirstLevelRegressor(cv=3).fit(np.ones((40, 2)), problem.target)
    np.testing.assert_allclose(model.predict(np.ones((1, 2))), problem.target.mean(), rtol=1e-9)


def test_duplicated_rows_that_contradict_each_other(problem):
    X, y = np.vstack([problem.X, problem.X]), np.r_[problem.y, 1 - problem.y]
    model = FirstLevelClassifier(cv=2).fit(X, y)
    assert np.abs(model.decision_function(X)).max() < 1e-6


@pytest.mark.parametrize("repeats", [1, 3])
def test_lambda_next_to_zero_is_raised_and_says_so(repeats, problem):
    X, y = np.tile(problem.X, (repeats, 1)), np.tile(problem.y, repeats)
    model = FirstLevelClassifier(lam=1e-300, mu=1.0).fit(X, y)
    assert 1e-300 < model.lam_ < 1e-4
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("mu", [1e-300, 1e300])
def test_extreme_mu(mu, problem):
    model = FirstLevelClassifier(lam=0.1, mu=mu).fit(problem.X, problem.y)
    assert np.isfinite(model.theta_).all()
    assert model.status_.has_converged


def test_one_unit_for_all_columns_changes_nothing(problem):
    plain = FirstLevelClassifier(cv=2).fit(problem.X, problem.y)
    for unit in (1e9, 1e-9):
        model = FirstLevelClassifier(cv=2).fit(problem.X * unit, problem.y)
        np.testing.assert_allclose(model.theta_ * unit**2, plain.theta_, rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(model.lam_, plain.lam_, rtol=1e-6)


@pytest.mark.parametrize("kernel", ["ard", "rbf", "ard_polynomial"])
def test_columns_eighteen_orders_of_magnitude_apart(kernel, problem):
    units = np.array([1e9, 1.0, 1e-9])
    model = FirstLevelClassifier(kernel, cv=2).fit(problem.X * units, problem.y)
    assert np.isfinite(model.decision_function(problem.X_new * units)).all()
    assert model.score(problem.X * units, problem.y) > 0.6


def test_more_columns_than_points():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 20))
    X[:, 7] += np.repeat([3.0, -3.0], 6)
    model = FirstLevelClassifier(cv=3).fit(X, np.repeat([0, 1], 6))
    assert model.theta_.argmax() == 7


def test_constant_targets_are_predicted(problem):
    model = FirstLevelRegressor(cv=3).fit(problem.X, np.full(40, 5.0))
    np.testing.assert_allclose(model.predict(problem.X_new), 5.0, rtol=1e-12)
    assert model.cv_loss_ == 0.0


def test_a_limit_on_iterations_warns(problem):
    with pytest.warns(ConvergenceWarning, match="iteration limit.*raise max_iter or tol"):
        model = FirstLevelClassifier(max_iter=2).fit(problem.X, problem.y)
    assert not model.status_.has_converged


def test_columns_of_unlike_units_do_not_hide_each_other():
    """One penalty for all θ: the steep column made the other look flat, and it stayed at zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 2)) * [5e-4, 100.0]
    y = rng.normal(size=15)
    y[3] = 1e6
    model = FirstLevelRegressor(lam=4.5e5, mu=5e9).fit(X, y)
    assert model.status_.has_converged
    assert model.theta_[0] == 0.0
    alone = FirstLevelRegressor(lam=4.5e5, mu=5e9).fit(X[:, 1:], y)
    assert model.objective_ == pytest.approx(alone.objective_, rel=1e-9)
    assert model.theta_[1] > 0.0


def test_constant_targets_need_no_width_and_no_time():
    X = np.random.default_rng(0).normal(size=(6, 4)) * [2e9, 1e9, 8e8, 2e6]
    model = FirstLevelRegressor(cv=2).fit(X, np.zeros(6))
    assert model.status_.has_converged
    assert model.n_machine_solves_ < 50
    assert model.objective_ == 0.0
