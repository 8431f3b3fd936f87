"""Methods on tables above the exact limit learn from all rows, through landmarks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.estimators import _low_rank
from kernlearn.methods import mkl as mkl_module
from kernlearn.methods.landmarks import landmark_facts
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import find_method
from kernlearn.tables import describe_columns


@pytest.fixture
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(_low_rank, "EXACT_ROWS", 60)
    monkeypatch.setattr(mkl_module, "EXACT_ROWS", 60)


def table(n=150):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return frame, (np.sin(2 * frame["a"]) + frame["b"] ** 2 + 0.1 * rng.normal(size=n)).to_numpy()


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("name", ["mkl", "first-level", "lssvm"])
def test_all_rows_are_learned_from_through_landmarks(name, task):
    X, y = table()
    y = (y > y.mean()).astype(int) if task == "classification" else y
    columns = describe_columns(X, list(X.columns))
    learner = Learner(find_method(name), Setting(task, seed=0), lambda: preparation(columns))
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
def test_views_learn_through_landmarks_too():
    X, y = table()
    columns = describe_columns(X, list(X.columns))
    views = {"one": ["a"], "two": ["b", "c"]}
    setting = Setting("regression", seed=0, views=("one", "two"))
    learner = Learner(find_method("mkl"), setting, lambda: preparation(columns, views))
    model = learner.fit(X, y)
    assert model[-1].rank_ is not None
    assert set(model[-1].kernel_views_) == {"one", "two"}
    assert model.score(X, y) > 0.8


def test_fewer_rows_have_the_machines_of_the_papers():
    X, y = table(50)
    columns = describe_columns(X, list(X.columns))
    learner = Learner(
        find_method("mkl"), Setting("regression", seed=0), lambda: preparation(columns)
    )
    assert learner.fit(X, y)[-1].quality == "epsilon_svr"
