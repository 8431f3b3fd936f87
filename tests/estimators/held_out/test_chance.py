"""Fits that would collapse, and fits that are no better than guessing: both are told, or mended."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import kernlearn as kl
from kernlearn.estimators.held_out.chance import chance_of_labels, chance_of_numbers
from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.kernels import Linear
from kernlearn.methods.chance import chance
from kernlearn.methods.held_out import HeldOutPredictions

KINDS = {
    "Kernel": {"candidates": ["linear"]},
    "LSSVM": {},
    "FirstLevel": {"lam": 1.0, "mu": 1.0},
    "MKL": {"kernels": [Linear()]},
    "Hyperkernel": {"gamma_factor": 1.0, "max_pivots": 10},
}
ESTIMATORS = [
    getattr(kl, f"{kind}{task}")(**options)
    for kind, options in KINDS.items()
    for task in ("Classifier", "Regressor")
]


def noise(n=30):
    """Every row is there twice, with opposite targets, so that held out it is told wrong."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), 1.0 + rng.random(n)
    return np.vstack([X, X]), np.append(y, -y)


def targets_for(model, y):
    return (y > np.median(y)).astype(int) if hasattr(model, "decision_function") else y


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)
def test_noise_is_told_once_by_a_warning_and_by_the_status(model):
    X, y = noise()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, targets_for(model, y))
    (said,) = caught
    assert said.category is kl.exceptions.AtChanceWarning
    assert said.filename == __file__
    expected = f"{type(model).__name__} is no better than guessing: .* held-out rows .*; .*columns"
    assert re.match(expected, str(said.message))
    assert model.status_.is_at_chance
    assert model.status_.has_converged
    assert model.status_.is_optimal == hasattr(model, "duality_gap_")
    assert "no better than by guessing" in str(model.status_)


@pytest.mark.parametrize(
    "model",  # one kernel alone is optimal before anything is told
    [m for m in ESTIMATORS if not isinstance(m, kl.MKLClassifier)],
    ids=lambda m: type(m).__name__,
)
def test_a_fit_that_ended_early_says_so_in_its_status(model):
    X, y = noise()
    stopped = clone(model)
    set_callback(stopped, lambda progress: True)
    with pytest.warns(ConvergenceWarning) as caught:
        stopped.fit(X, targets_for(model, y))
    assert len(caught) == 1
    assert stopped.status_ is kl.results.Status.STOPPED_AT_CHANCE
    assert not stopped.status_.has_converged


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)
def test_a_weak_relation_is_no_chance(model):
    X, y = noise()
    model.fit(X, targets_for(model, 2.0 * X[:, 0] + y))
    assert not model.status_.is_at_chance
    assert model.status_.has_converged


def test_a_rare_class_that_is_ranked_well_is_no_chance():
    rng = np.random.default_rng(0)
    signs = np.where(np.arange(400) < 12, 1.0, -1.0)[:, None]
    values = 0.2 * signs + 0.1 * rng.normal(size=(400, 1)) - 1.0
    assert chance_of_labels(values, signs, np.ones(400)) is None
    assert "97 %" in chance_of_labels(values[::-1], signs, np.ones(400))


@pytest.mark.parametrize(("slope", "is_chance"), [(0.1, True), (0.7, False)])
def test_the_level_is_that_of_the_reports(slope, is_chance):
    """Gains of more than a standard error that come by chance once in twenty fits are chance."""
    rng = np.random.default_rng(1)
    f = rng.normal(size=(100, 1))
    y = slope * f + rng.normal(size=(100, 1))
    found = chance_of_numbers(slope * f, y, np.ones(100))
    whole = HeldOutPredictions(y[:, 0], slope * f[:, 0], 0)
    guess = HeldOutPredictions(y[:, 0], np.full(100, y.mean()), 0)
    reported = chance([whole], [guess], 400).sentence
    assert (found is not None, reported is not None) == (is_chance, is_chance)
    if is_chance:
        ps = [float(one.split("p = ")[1].rstrip(")")) for one in (found, reported)]
        assert ps[0] == pytest.approx(ps[1], rel=0.2)


def test_outlying_rows_do_not_decide():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(200, 1))
    found = y + 0.3 * rng.normal(size=(200, 1))
    found[0] = 20.0
    assert chance_of_numbers(found, y, np.ones(200)) is None
    assert "that of the mean 0" in chance_of_numbers(found[::-1], y, np.ones(200))


@pytest.mark.parametrize("y", [np.zeros(60), np.full(60, 1e-3), np.full(60, -1e17)])
def test_a_constant_target_is_rightly_predicted_by_a_constant(y):
    X, _ = noise()
    for model in (kl.LSSVMRegressor(), kl.KernelRegressor(["linear"])):
        assert not model.fit(X, y).status_.is_at_chance


def test_one_sentence_where_the_tube_holds_all_targets():
    X, y = noise()
    with pytest.warns(UserWarning, match="lower epsilon") as caught:
        model = kl.MKLRegressor([Linear()], epsilon=10.0).fit(X, y)
    assert len(caught) == 1
    assert model.status_ is kl.results.Status.OPTIMAL_AT_CHANCE


def fast_sine(rng):
    X = rng.random((100, 1))
    return X, np.sin(60 * X[:, 0])


def checkerboard(rng):
    X = rng.random((150, 2))
    return X, np.floor(4 * X).sum(axis=1) % 2


def two_of_twenty(rng):
    """Each of the two says nothing alone."""
    X = rng.normal(size=(150, 20))
    return X, np.sin(2 * X[:, 3]) * np.sign(X[:, 7])


def two_of_twenty_labels(rng):
    X, y = two_of_twenty(rng)
    return X, y > 0


def fast_sine_of_one(rng):
    """All columns together say nothing."""
    X = rng.random((150, 4))
    return X, np.sin(40 * X[:, 2])


ROUGH = {"tol": 3e-2}


@pytest.mark.parametrize(
    ("problem", "model", "least"),
    [
        (fast_sine, kl.FirstLevelRegressor(cv=2, tol=1e-2), 0.95),
        (checkerboard, kl.FirstLevelClassifier(cv=2, tol=1e-2), 0.8),
        (two_of_twenty, kl.FirstLevelRegressor(cv=2, tol=1e-2), 0.6),
        (two_of_twenty, kl.LSSVMRegressor("ard", **ROUGH), 0.6),
        (two_of_twenty, kl.LSSVMRegressor("ard", rank=60, **ROUGH), 0.5),
        (two_of_twenty_labels, kl.LSSVMClassifier("ard", **ROUGH), 0.75),
        (fast_sine_of_one, kl.LSSVMRegressor("ard", **ROUGH), 0.9),
    ],
)
def test_learning_scales_does_not_collapse(problem, model, least):
    """From equal scales alone, all of these end where λ explains everything."""
    model.fit(*problem(np.random.default_rng(0)))
    assert model.score(*problem(np.random.default_rng(1))) > least
    assert model.status_.has_converged


def test_one_start_is_that_of_the_paper_and_its_collapse_is_told():
    X, y = fast_sine(np.random.default_rng(0))
    one = kl.FirstLevelRegressor(cv=2, tol=1e-2, options=kl.FirstLevelOptions(starts="one"))
    with pytest.warns(kl.exceptions.AtChanceWarning, match="R² on held-out rows"):
        one.fit(X, y)
    assert one.status_ is kl.results.Status.CONVERGED_AT_CHANCE


def test_one_bandwidth_is_kept_where_nothing_learned_predicts_folds_better():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4))
    y = np.sin(X.sum(axis=1)) + 0.1 * rng.normal(size=60)
    folds = [(np.delete(np.arange(60), rows), rows) for rows in np.arange(60).reshape(3, 20)]
    model = kl.FirstLevelRegressor(cv=folds).fit(X, y)
    machine = kl.LSSVMRegressor().fit(X, y)
    squares = 0.0
    for kept, out in folds:
        part = kl.LSSVMRegressor(selection=None, lam=machine.lam_, theta=machine.theta_)
        squares += ((part.fit(X[kept], y[kept]).predict(X[out]) - y[out]) ** 2).sum()
    assert model.cv_loss_ <= 0.5 * squares / 60 * (1 + 1e-2)


def test_starts_are_checked():
    X, y = load_iris(return_X_y=True)
    for model in (
        kl.LSSVMClassifier(starts="two"),
        kl.FirstLevelClassifier(options=kl.FirstLevelOptions(starts=2)),
    ):
        with pytest.raises(ValueError, match="starts"):
            model.fit(X, y)
