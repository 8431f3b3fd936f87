"""What columns add: shuffled alone, and with those they are correlated with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

from kernlearn.estimators.held_out.correlated_columns import correlated_columns
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import (
    ImportanceOptions,
    ShuffledPredictions,
    importances,
    shuffled_predictions,
)
from kernlearn.methods.metrics import Metric

CLASSES = np.array(["down", "up"])


def make_line(seed=0, n=100):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n + 100, 3)), columns=["much", "little", "nothing"])
    y = np.where(3 * X["much"] + X["little"] + 0.3 * rng.normal(size=n + 100) > 0, "up", "down")
    return make_pipeline(LogisticRegression()).fit(X[:100], y[:100]), X[100:], y[100:]


@pytest.fixture
def line():
    return make_line()


def importance(model, X, y, groups, metric="accuracy", repeats=5, unit=None, classes=CLASSES):
    found = shuffled_predictions(model, X, y, list(groups.values()), classes, 0, repeats, unit)
    return importances(groups, [found], Metric(metric))


def alone(X):
    return {name: [name] for name in X.columns}


def test_columns_are_ranked_as_scikit_learn_ranks_them(line):
    model, X, y = line
    found = importance(model, X, y, alone(X))
    theirs = permutation_importance(model, X, y, n_repeats=20, random_state=0).importances_mean
    assert [entry.name for entry in found] == list(X.columns)
    np.testing.assert_allclose([entry.value for entry in found], theirs, atol=0.05)


def test_a_view_is_shuffled_as_one(line):
    groups = {"both": ["much", "little"], "rest": ["nothing"]}
    both, rest = importance(*line, groups)
    assert both.value > 0.3
    assert both.columns == ("much", "little")
    assert rest.columns == ()
    assert abs(rest.value) < 0.05


def test_falls_and_rises_that_cancel_are_no_importance():
    y = np.tile([0, 1], 50)
    before = HeldOutPredictions(y, np.where(np.arange(100) < 50, y, 1 - y), 2)
    after = [HeldOutPredictions(y, np.where(np.arange(100) < n, y, 1 - y), 2) for n in (46, 54)]
    (found,) = importances(
        {"nothing": ["nothing"]}, [ShuffledPredictions(before, [after])], Metric("accuracy")
    )
    assert found.value == 0.0
    assert found.standard_error > 0.0


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_the_error_covers_rows_and_shuffles(metric):
    """A column that helps by chance alone is below zero half of the time."""
    found = [
        importance(*make_line(seed), {"nothing": ["nothing"]}, metric)[0] for seed in range(14)
    ]
    z = np.array([entry.value / max(entry.standard_error, 1e-12) for entry in found])
    assert (z < 0).any()
    assert np.mean(np.abs(z) < 2.0) > 0.85
    much = importance(*make_line(0), {"much": ["much"]}, metric)[0]
    spread = np.std(
        [importance(*make_line(s), {"much": ["much"]}, metric)[0].value for s in range(6)]
    )
    assert 0.3 * spread < much.standard_error < 3 * spread


def test_rows_of_one_unit_count_once(line):
    model, X, y = line
    again = np.repeat(np.arange(len(y)), 4)
    rows = X.iloc[again].reset_index(drop=True)
    once = importance(model, X, y, alone(X))[0]
    wrong = importance(model, rows, y[again], alone(X))[0]
    right = importance(model, rows, y[again], alone(X), unit=again)[0]
    assert wrong.standard_error < 0.7 * right.standard_error
    assert right.standard_error < 1.5 * once.standard_error


def test_numbers_lose_their_r2():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    y = 2 * X["a"].to_numpy() + 0.1 * rng.normal(size=200)
    model = make_pipeline(LinearRegression()).fit(X, y)
    a, b = importance(model, X, y, alone(X), "r2", classes=None)
    assert a.value == pytest.approx(2.0, abs=0.3)  # twice its share: it misleads, too
    assert abs(b.value) < 0.01


def test_there_is_a_limit_to_the_cost():
    assert ImportanceOptions(all_rows=25).sizes(100, 3) is None
    assert ImportanceOptions().sizes(10, 3) is None
    assert ImportanceOptions().sizes(800, 30) == (222, 3)
    assert ImportanceOptions().sizes(5000, 2) == (1000, 5)


def test_correlated_columns_of_every_kind():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 300))
    X = pd.DataFrame({"a": x, "b": np.exp(x) + 0.01 * z, "gap": np.where(z > 1, np.nan, x)})
    X["city"] = np.array(["A", "B", "C"])[rng.integers(3, size=300)]
    X["zip"] = X["city"] + "1"
    X["height"] = X["city"].map({"A": 0.0, "B": 5.0, "C": 9.0}) + 0.1 * z
    X["noise"] = z
    X["many"] = [f"v{i}" for i in rng.integers(15, size=300)]
    X["constant"] = "same"
    found = correlated_columns([X[name].to_numpy() for name in X])
    assert [[X.columns[j] for j in each] for each in found] == [
        ["a", "b", "gap"],
        ["city", "zip", "height"],
    ]
    assert correlated_columns([X["a"].to_numpy()]) == []


def test_what_stands_in_for_each_other_matters_together():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    X = pd.DataFrame({"a": x, "b": x + 0.01 * rng.normal(size=300), "c": rng.normal(size=300)})
    y = np.where(x > 0, "up", "down")
    model = make_pipeline(LogisticRegression()).fit(X, y)
    a, both = importance(model, X, y, {"a": ["a"], "a + b": ["a", "b"]})
    assert both.value > a.value + 0.1
