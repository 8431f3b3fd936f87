"""Methods on tables above the exact limit learn from all rows, through landmarks."""

from __future__ import annotations

import operator
from functools import cache

import numpy as np
import pandas as pd
import pytest

from kernlearn.estimators import MKLRegressor
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions, LeastSquaresSVM
from kernlearn.estimators.mkl import approximation
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.methods.description import landmark_facts
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import MethodOptions, Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import find_method
from kernlearn.solvers.nystroem.rank import RankSearch
from kernlearn.tables import describe_columns

FEW = MethodOptions(exact_rows=60)


def small_limit(patch):
    patch.setattr(CombinationParameters, "_engine", EngineOptions(exact_rows=60))
    patch.setattr(LeastSquaresSVM, "_options", LeastSquaresOptions(exact_rows=60))


@pytest.fixture
def few_rows_are_many(monkeypatch):
    small_limit(monkeypatch)


@pytest.fixture(scope="module")
def fit_to_some():
    """A learner and its fit to 150 of 200 rows, made once for each task."""

    @cache
    def fit(task):
        X, y = table(200)
        y = (y > y.mean()).astype(int) if task == "classification" else y
        columns = describe_columns(X, list(X.columns))
        learner = Learner(
            find_method("mkl"), Setting(task, seed=0, options=FEW), lambda: preparation(columns)
        )
        with pytest.MonkeyPatch.context() as patch:
            small_limit(patch)
            return learner, learner.fit(X[:150], y[:150]), X, y

    return fit


def table(n=120):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return frame, (np.sin(2 * frame["a"]) + frame["b"] ** 2 + 0.1 * rng.normal(size=n)).to_numpy()


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("mkl", "classification"),
        ("mkl", "regression"),
        ("first-level", "regression"),
        ("lssvm", "classification"),
    ],
)
def test_all_rows_are_learned_from_through_landmarks(name, task):
    X, y = table()
    y = (y > y.mean()).astype(int) if task == "classification" else y
    columns = describe_columns(X, list(X.columns))
    learner = Learner(
        find_method(name), Setting(task, seed=0, options=FEW), lambda: preparation(columns)
    )
    assert len(learner.rows(y)) == len(y)
    model = learner.fit(X, y)
    estimator = model[-1]
    exact = getattr(estimator, "refit_", None) == "exact"
    assert exact or estimator.rank_ is not None
    assert model.score(X, y) > 0.8
    told = landmark_facts(estimator)
    if exact:
        assert told is None
    else:
        assert told["rank"] == estimator.rank_ == told["losses"][-1][0]
        assert f"through {told['rank']} landmarks. From" in told["sentence"]
    if name == "mkl":
        assert estimator.quality == "least_squares"
        assert 3 <= len(estimator.loss_by_C_) <= 6


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_refit_learns_weights_and_machine_alone(task, fit_to_some, monkeypatch):
    learner, first, X, y = fit_to_some(task)

    def never(*args):
        raise AssertionError("it was chosen before")

    monkeypatch.setattr(RankSearch, "grow_rank", never)
    again, took_over = learner.refit(first, X, y)
    assert took_over
    one, other = first[-1], again[-1]
    assert again[0] is first[0]
    assert all(map(operator.is_, other.kernels_, one.kernels_))
    assert (other.C_, other.bank_notes_) == (one.C_, one.bank_notes_)
    np.testing.assert_array_equal(other.loss_by_C_, one.loss_by_C_)
    sizes = [len(points) for points in other.landmarks_]
    had = [len(points) for points in one.landmarks_]
    few = approximation.FEW_LANDMARKS
    assert sizes == [n if w else min(n, few) for n, w in zip(had, one.weights_, strict=True)]
    # Its parameters are those of any other, and nothing of the first fit is left in it.
    assert "_taken_over" not in vars(other)
    assert other.get_params()["C"] == "auto"
    assert max(np.abs(points).max() for points in other.landmarks_) > 0
    assert np.mean((again.predict(X) - y) ** 2) < 1.1 * np.mean((first.predict(X) - y) ** 2)
    assert other.duality_gap_ <= other.tol


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_refit_to_more_rows_is_a_fit_to_them_at_the_same_choices(fit_to_some):
    learner, first, X, y = fit_to_some("regression")
    again, _ = learner.refit(first, X, y)
    one, other = first[-1], again[-1]
    sizes = {len(points) for points in other.landmarks_}
    direct = MKLRegressor(
        other.kernels_, quality="least_squares", C=one.C_, rank=max(sizes), random_state=0
    ).fit(first[:-1].transform(X), y)
    if len(sizes) == 1:
        np.testing.assert_allclose(other.weights_, direct.weights_, rtol=1e-3)
    np.testing.assert_allclose(
        again.predict(X), direct.predict(first[:-1].transform(X)), atol=0.05 * np.std(y)
    )


def test_exact_fits_choose_anew():
    X, y = table(60)
    columns = describe_columns(X, list(X.columns))
    learner = Learner(
        find_method("mkl"), Setting("regression", seed=0, options=FEW), lambda: preparation(columns)
    )
    again, took_over = learner.refit(learner.fit(X[:40], y[:40]), X, y)
    assert not took_over
    np.testing.assert_array_equal(again.predict(X), learner.fit(X, y).predict(X))


@pytest.mark.usefixtures("few_rows_are_many")
def test_views_learn_through_landmarks_too():
    X, y = table()
    columns = describe_columns(X, list(X.columns))
    views = {"one": ["a"], "two": ["b", "c"]}
    setting = Setting("regression", seed=0, options=FEW, views=("one", "two"))
    learner = Learner(find_method("mkl"), setting, lambda: preparation(columns, views))
    model = learner.fit(X, y)
    assert model[-1].rank_ is not None
    assert set(model[-1].kernel_views_) == {"one", "two"}
    assert model.score(X, y) > 0.8


def test_fewer_rows_have_the_machines_of_the_papers():
    X, y = table(50)
    columns = describe_columns(X, list(X.columns))
    learner = Learner(
        find_method("mkl"), Setting("regression", seed=0, options=FEW), lambda: preparation(columns)
    )
    assert learner.fit(X, y)[-1].quality == "epsilon_svr"
