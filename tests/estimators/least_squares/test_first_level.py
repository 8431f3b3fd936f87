"""First-level classification and regression: what is learned, and from what."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn import FirstLevelClassifier, FirstLevelOptions, FirstLevelRegressor, LSSVMClassifier
from kernlearn.datasets import make_twonorm
from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, ParametricKernel
from kernlearn.kernels import Laplacian

GIVEN = {"lam": 0.3, "mu": 2.0}


def test_the_stored_machine_solves_equation_3_and_is_worth_equation_5(problem):
    model = FirstLevelClassifier(**GIVEN).fit(problem.X, problem.y)
    y = np.where(problem.y == 1, 1.0, -1.0)
    alpha, b = model.dual_coef_[0], model.intercept_[0]
    K = model.kernel_(problem.X)
    np.testing.assert_allclose(K @ alpha + 0.3 * alpha + b, y, atol=1e-9)
    np.testing.assert_allclose(alpha.sum(), 0.0, atol=1e-9)
    f = K @ alpha + b
    np.testing.assert_allclose(model.decision_function(problem.X), f, atol=1e-9)
    value = 0.5 * np.sum((y - f) ** 2) + 0.15 * alpha @ K @ alpha + model.theta_ @ model.theta_
    np.testing.assert_allclose(model.objective_, value, rtol=1e-9)
    assert (model.lam_, model.mu_, model.cv_loss_) == (0.3, 2.0, None)


def test_no_other_scales_are_better(problem):
    """Against the machine of the library with θ given, in small steps around the solution."""
    model = FirstLevelClassifier(**GIVEN).fit(problem.X, problem.y)

    def criterion(theta):
        machine = LSSVMClassifier("ard", None, 0.3, theta).fit(problem.X, problem.y)
        y = np.where(problem.y == 1, 1.0, -1.0)
        return 0.15 * machine.dual_coef_[0] @ y + theta @ theta

    best = criterion(model.theta_)
    np.testing.assert_allclose(model.objective_, best, rtol=1e-8)
    for r in range(3):
        for factor in (0.9, 1.1):
            theta = model.theta_.copy()
            theta[r] = theta[r] * factor + (0.01 if theta[r] == 0 else 0.0)
            assert criterion(theta) > best


def test_it_finds_the_columns_that_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6))
    y = X[:, 1] * X[:, 4] > 0
    model = FirstLevelClassifier().fit(X, y)
    assert set(np.argsort(model.theta_)[-2:]) == {1, 4}
    others = np.delete(model.theta_, [1, 4])
    assert others.max() < 0.2 * model.theta_[[1, 4]].min()
    assert model.status_.has_converged
    X_new = rng.normal(size=(300, 6))
    assert model.score(X_new, X_new[:, 1] * X_new[:, 4] > 0) > 0.9


def test_twonorm_comes_near_the_published_error():
    """Table 3: 3.03 per cent with 400 points, twice as many; Bayes' error is 2.3."""
    data = make_twonorm(200, random_state=0)
    new = make_twonorm(3000, random_state=1)
    model = FirstLevelClassifier().fit(data.X, data.y)
    assert 1 - model.score(new.X, new.y) < 0.042
    # Every column matters alike.
    assert model.theta_.max() < 5 * np.median(model.theta_)


def test_three_classes_share_one_theta_for_the_sum_of_their_criteria():
    X, y = load_iris(return_X_y=True)
    model = FirstLevelClassifier(lam=0.1, mu=1.0).fit(X, np.array(["a", "b", "c"])[y])
    assert model.theta_.shape == (4,)
    assert model.dual_coef_.shape == (3, 150)
    assert model.score(X, np.array(["a", "b", "c"])[y]) > 0.95
    targets = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    together = FirstLevelRegressor(lam=0.1, mu=1.0).fit(X, targets)
    np.testing.assert_allclose(together.theta_, model.theta_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(together.objective_, model.objective_, rtol=1e-9)


def test_regression_by_columns_and_with_an_offset(problem):
    one = FirstLevelRegressor(**GIVEN).fit(problem.X, problem.target)
    assert one.predict(problem.X_new).shape == (15,)
    moved = FirstLevelRegressor(**GIVEN).fit(problem.X, problem.target + 1e6)
    np.testing.assert_allclose(moved.theta_, one.theta_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        moved.predict(problem.X_new) - 1e6, one.predict(problem.X_new), atol=1e-5
    )
    twice = FirstLevelRegressor(lam=0.3, mu=4.0).fit(problem.X, np.c_[problem.target] * [1, 1])
    np.testing.assert_allclose(twice.theta_, one.theta_, rtol=1e-4, atol=1e-6)
    assert twice.predict(problem.X_new).shape == (15, 2)


def test_weights_are_repeated_rows(problem):
    weight = np.random.default_rng(0).integers(0, 3, len(problem.X))
    weighted = FirstLevelRegressor(**GIVEN).fit(problem.X, problem.target, sample_weight=weight)
    rows = np.repeat(np.arange(len(problem.X)), weight)
    repeated = FirstLevelRegressor(**GIVEN).fit(problem.X[rows], problem.target[rows])
    np.testing.assert_allclose(weighted.theta_, repeated.theta_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        weighted.predict(problem.X_new), repeated.predict(problem.X_new), atol=1e-6
    )
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(weight))


def test_the_cross_validated_loss_is_that_of_refitting_and_least(problem):
    folds = KFold(3)
    X, y = problem.X, np.sin(3 * problem.X[:, 0]) + 0.2 * problem.target
    model = FirstLevelRegressor(cv=folds).fit(X, y)
    losses = []
    for train, test in folds.split(X):
        part = FirstLevelRegressor(lam=model.lam_, mu=model.mu_).fit(X[train], y[train])
        losses.extend(0.5 * (part.predict(X[test]) - y[test]) ** 2)
    np.testing.assert_allclose(model.cv_loss_, np.mean(losses), rtol=1e-4)
    for other in ({"lam": 0.2 * model.lam_}, {"mu": 5.0 * model.mu_}):
        worse = FirstLevelRegressor(cv=folds, **other).fit(X, y)
        assert worse.cv_loss_ > model.cv_loss_


def test_both_strategies_agree(problem):
    X, y = problem.X[:, :2], problem.y
    descent = FirstLevelClassifier(cv=2).fit(X, y)
    simplex = FirstLevelClassifier(
        cv=2, tol=1e-3, options=FirstLevelOptions(strategy="nelder-mead")
    ).fit(X, y)
    assert descent.cv_loss_ <= simplex.cv_loss_ * (1 + 1e-4)
    assert descent.n_machine_solves_ < simplex.n_machine_solves_


@pytest.mark.parametrize("kernel", ["rbf", "ard", "ard_polynomial", ARDPolynomialFamily(degree=3)])
def test_every_kernel_learns(kernel, problem):
    model = FirstLevelClassifier(kernel, **GIVEN).fit(problem.X, problem.y)
    assert model.score(problem.X, problem.y) > 0.8
    copied = clone(model).fit(problem.X, problem.y)
    np.testing.assert_array_equal(copied.theta_, model.theta_)


def test_a_family_of_ones_own(problem):
    class Laplacians(ParametricKernel):
        def start(self, X):
            return np.array([1.0 / np.abs(X).sum(axis=1).mean()])

        def kernel(self, theta):
            return Laplacian(gamma=float(theta[0]))

    model = FirstLevelClassifier(Laplacians(), cv=3).fit(problem.X, problem.y)
    assert isinstance(model.kernel_, Laplacian)
    assert model.score(problem.X_new, problem.y_new) > 0.7
    assert model.theta_.shape == (1,)


def test_names_follow_the_columns_of_a_data_frame(problem):
    frame = pd.DataFrame(problem.X, columns=["age", "height", "weight"])
    model = FirstLevelClassifier(**GIVEN).fit(frame, problem.y)
    assert model.feature_names_in_.tolist() == ["age", "height", "weight"]
    plain = FirstLevelClassifier(ARDGaussianFamily(), **GIVEN).fit(problem.X, problem.y)
    np.testing.assert_array_equal(plain.theta_, model.theta_)


def test_pipelines_and_grids(problem):
    pipeline = make_pipeline(StandardScaler(), FirstLevelClassifier(**GIVEN))
    grid = GridSearchCV(pipeline, {"firstlevelclassifier__mu": [0.1, 10.0]}, cv=2)
    grid.fit(problem.X, problem.y)
    assert grid.best_params_["firstlevelclassifier__mu"] in (0.1, 10.0)


def test_progress_is_printed_for_every_place(problem, capsys):
    model = FirstLevelClassifier(cv=2, tol=1e-2, verbose=1).fit(problem.X, problem.y)
    lines = capsys.readouterr().out.splitlines()
    places = lines[: model.n_evaluations_]
    assert lines[0].startswith("FirstLevelClassifier: common scale, lam ")
    assert "all scales" in places[-1]
    assert len(lines) == model.n_evaluations_ + model.n_iter_
    assert lines[-1].startswith(f"FirstLevelClassifier: machine {model.n_iter_}, criterion ")


def test_the_same_seed_gives_the_same_model_and_data_stay_as_they_were(problem):
    X, y = problem.X.copy(), problem.y.copy()
    models = [FirstLevelClassifier("rbf", cv=2, random_state=s).fit(X, y) for s in (1, 1, 2)]
    np.testing.assert_array_equal(models[0].theta_, models[1].theta_)
    assert models[0].lam_ != models[2].lam_
    np.testing.assert_array_equal(X, problem.X)
    np.testing.assert_array_equal(y, problem.y)
