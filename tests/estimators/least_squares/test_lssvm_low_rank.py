"""Machines of one kernel through landmarks: the exact ones at full rank."""

import numpy as np
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn.estimators.least_squares.kernel_choice import FixedKernel
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions
from kernlearn.kernels import Laplacian
from kernlearn.solvers.nystroem.kernel_fit import TrainingTable, fit_through_landmarks
from kernlearn.solvers.nystroem.rank import RankOptions
from kernlearn.solvers.selection.objective import DescentLimits

RNG = np.random.default_rng(0)
N = 150
X = RNG.standard_normal((N, 3))
VALUES = 20.0 + np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * RNG.standard_normal(N)
LABELS = np.array(["a", "b", "c"])[np.digitize(VALUES, [19.5, 20.5])]
NEW = RNG.standard_normal((30, 3))
GIVEN = {"selection": None, "kernel": Laplacian(0.3), "lam": 0.2}


def weights():
    weight = RNG.uniform(0.5, 2.0, N)
    weight[::10] = 0.0
    return weight


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (kl.LSSVMRegressor(**GIVEN), VALUES),
        (kl.LSSVMRegressor(**GIVEN), np.column_stack([VALUES, X[:, 2]])),
        (kl.LSSVMClassifier(**GIVEN), LABELS),
    ],
    ids=["one target", "two targets", "classes"],
)
def test_at_full_rank_it_is_the_exact_machine(model, y):
    weight = weights()
    exact = clone(model).set_params(rank=None).fit(X, y, sample_weight=weight)
    found = clone(model).set_params(rank=N).fit(X, y, sample_weight=weight)
    assert exact.rank_ is None
    assert found.rank_ == 135
    method = "decision_function" if hasattr(model, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(found, method)(NEW), getattr(exact, method)(NEW), atol=1e-7)
    np.testing.assert_allclose(found.loo_predictions_, exact.loo_predictions_, atol=1e-7)
    assert found.loo_loss_ == pytest.approx(exact.loo_loss_)
    assert found.objective_ == pytest.approx(exact.objective_)
    assert found.residual_trace_[0] < 1e-12
    np.testing.assert_array_equal(found.support_vectors_, X[found.support_])
    if hasattr(exact, "calibration_"):
        np.testing.assert_allclose(found.calibration_, exact.calibration_, rtol=1e-4)


def test_landmarks_fill_the_memory_that_there_is_while_the_loss_falls():
    def rank(y, most, lam=0.01):
        options = RankOptions(first=8, moment_numbers=5 * most**2)
        table = TrainingTable(X, y[:, None], np.ones(N), 0)
        family = FixedKernel(GIVEN["kernel"])
        limits = DescentLimits(1e-4, 10)
        fit = fit_through_landmarks(table, family, "auto", lam, False, limits, rank_options=options)
        return fit.statistics.factors.n_columns

    assert rank(VALUES, 27) == 27
    # For a few more it is not worth another look, nor where the loss does not fall.
    assert rank(VALUES, 18) == 16
    assert rank(np.random.default_rng(0).standard_normal(N), 12, lam=10.0) == 8


def test_selection_through_landmarks_comes_near_the_exact_one():
    rows, values = X[:110], VALUES[:110]
    exact = kl.LSSVMRegressor("ard", rank=None).fit(rows, values)
    found = kl.LSSVMRegressor("ard", rank=100).fit(rows, values)
    # A hundred landmarks determine so smooth a kernel on these rows.
    assert found.loo_loss_ == pytest.approx(exact.loo_loss_, rel=1e-3)
    np.testing.assert_allclose(found.theta_, exact.theta_, rtol=0.05, atol=1e-3)
    assert found.theta_[0] > found.theta_[2]
    interval = found.predict_interval(NEW)
    assert (interval[:, 0] < found.predict(NEW)).all()
    assert (found.predict(NEW) < interval[:, 1]).all()


def test_first_level_learns_scales_through_landmarks():
    model = kl.FirstLevelRegressor(tol=1e-2, options=kl.FirstLevelOptions(refit="landmarks"))
    model._options = LeastSquaresOptions(exact_rows=100)
    model.fit(X, VALUES)
    assert model.rank_ is not None
    assert model.refit_ == "landmarks"
    assert model.mu_ == 0.0
    assert model.theta_[0] > 10 * model.theta_[2]
    assert model.score(X, VALUES) > 0.95
    assert 0 < model.cv_loss_ < 0.1
    classifier = kl.FirstLevelClassifier(rank=20, tol=1e-1).fit(X, LABELS)
    assert classifier.refit_ == "landmarks"
    assert classifier.predict_proba(NEW).shape == (30, 3)
    assert classifier.score(X, LABELS) > 0.8


def test_what_landmarks_cannot_do_is_exact_or_refused():
    small = X[:60], VALUES[:60]
    model = kl.LSSVMRegressor(selection="cv", tol=0.1)
    model._options = LeastSquaresOptions(exact_rows=50)
    assert model.fit(*small).rank_ is None
    with pytest.raises(ValueError, match="expected rank=None with selection='bayes', got 10"):
        kl.LSSVMRegressor(selection="bayes", rank=10).fit(*small)
    with pytest.raises(ValueError, match=r"expected rank=None with mu=0.1, got 10"):
        kl.FirstLevelRegressor(mu=0.1, rank=10).fit(*small)
    with pytest.raises(ValueError, match="expected rank=None with strategy='nelder-mead'"):
        kl.FirstLevelRegressor(rank=10, options=kl.FirstLevelOptions(strategy="nelder-mead")).fit(
            *small
        )
    with pytest.raises(ValueError, match="expected lam and theta with selection=None, got lam"):
        kl.LSSVMRegressor(Laplacian(), selection=None, rank=10).fit(*small)
    with pytest.raises(ValueError, match="expected rank=None for return_std=True"):
        kl.LSSVMRegressor(**GIVEN, rank=10).fit(*small).predict(NEW, return_std=True)


def test_a_fitted_machine_is_saved_and_read_again(tmp_path):
    model = kl.LSSVMRegressor(**GIVEN, rank=20).fit(X, VALUES)
    kl.save(model, tmp_path / "model.skops")
    again = kl.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_interval(NEW), model.predict_interval(NEW))
