"""What more rows would bring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.learning_curve import curve_facts, gain_weights, learning_curve
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.metrics import Metric
from kernlearn.methods.task import Task, WorkflowOptions
from kernlearn.tables import Column

SIZES = [100, 200, 400]


def numbers(errors):
    """Predictions with these errors."""
    y = np.linspace(-1.0, 1.0, len(errors))
    return HeldOutPredictions(y, y + errors, 0)


def test_a_line_in_the_root_of_the_rows_is_continued():
    a, b = 0.4, 3.0
    scores = a + b * np.array(SIZES) ** -0.5
    assert gain_weights(SIZES, 800) @ scores == pytest.approx(b * (800**-0.5 - 400**-0.5))


@pytest.mark.parametrize("power", [-0.25, -1.0])
def test_a_curve_that_bends_is_continued_from_its_end(power):
    """Closer to the truth than the line of least squares, at a smaller error."""
    roots = np.array([*SIZES, 800]) ** -0.5
    scores = -(np.array([*SIZES, 800.0]) ** power)
    slope, constant = np.polyfit(roots[:3], scores[:3], 1)
    weights = gain_weights(SIZES, 800)
    truth, gain = scores[-1] - scores[-2], weights @ scores[:3]
    assert abs(gain - truth) < abs(slope * roots[-1] + constant - scores[-2] - truth)
    line = np.linalg.pinv(np.column_stack([roots[:3], np.ones(3)])).T @ [roots[-1], 1.0]
    assert np.linalg.norm(weights) < 0.75 * np.linalg.norm(line - [0.0, 0.0, 1.0])


def test_the_gain_and_its_interval():
    random = np.random.default_rng(0)
    noise = np.abs(random.normal(1.0, 0.05, size=300))
    falling = [numbers(noise * (1.0 + 10.0 * n**-0.5)) for n in SIZES]
    found = curve_facts(Metric("neg_mean_absolute_error"), falling, SIZES)
    expected = noise.mean() * 10.0 * (800**-0.5 - 400**-0.5)
    assert found["rows"] == 800
    assert found["gain"] == pytest.approx(expected)
    # Errors of one row are in proportion, so that the gain is known as well as the mean error.
    half = 1.96 * noise.std() / np.sqrt(300) * abs(expected) / noise.mean()
    assert found["gain_high"] - found["gain"] == pytest.approx(half, rel=0.01)
    assert [entry["rows"] for entry in found["sizes"]] == SIZES
    assert "which is an extrapolation: more rows would help." in found["sentence"]
    flat = curve_facts(Metric("r2"), [numbers(random.normal(size=300)) for _ in SIZES], SIZES)
    assert flat["gain_low"] < 0.0 < flat["gain_high"]
    assert "these rows do not tell whether more would help" in flat["sentence"]


def test_a_gain_stays_within_the_range_of_the_score():
    said = [numbers(error * np.cos(9.0 * np.arange(300.0))) for error in (0.9, 0.3, 0.02)]
    found = curve_facts(Metric("r2"), said, SIZES)
    best = 1.0 - found["sizes"][-1]["score"]
    assert 0.0 < found["gain_low"] <= found["gain"] == found["gain_high"] == pytest.approx(best)


def test_other_metrics_have_an_interval_by_a_jackknife():
    random = np.random.default_rng(0)
    y = random.integers(2, size=200)
    said = [
        HeldOutPredictions(y, y, 2, y + noise * random.normal(size=200))
        for noise in (3.0, 1.2, 0.9)
    ]
    found = curve_facts(Metric("roc_auc"), said, SIZES)
    assert 0.0 < found["gain_low"] < found["gain"] < found["gain_high"]


@pytest.fixture
def task():
    method = Method("near", "near", lambda s: Plan([("estimator", KNeighborsClassifier(1))]))
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.random(size=(240, 2)), columns=["a", "b"])
    y = np.where(np.sin(9 * X["a"]) > X["b"], "above", "below")
    columns = [Column(name, "number", "") for name in X]
    setting = Setting("classification", seed=0, classes=np.unique(y))
    options = WorkflowOptions(methods=(method,))
    return Task(X, y, columns, setting, "near", cv=3, options=options)


def test_the_method_is_fitted_to_shares_of_the_training_rows(task):
    learner = task.learner("near")
    found = learning_curve(task, learner, seconds=0.01)
    assert [entry["rows"] for entry in found["sizes"]] == [40, 80, 160]
    scores = [entry["score"] for entry in found["sizes"]]
    assert scores[0] < scores[-1]
    train, test = task.first_splits()[0]
    # Of many rows, the first split alone.
    once = replace(task, options=replace(task.options, rows_of_curve=300))
    alone = learning_curve(once, learner, seconds=0.01)
    right = learner.fit(*task.training_rows(train)).predict(task.test_rows(test)[0]) == task.y[test]
    assert alone["sizes"][-1]["score"] == right.mean()
    grouped = replace(task, groups=np.arange(240) // 4)
    assert learning_curve(grouped, learner, seconds=0.01)["sizes"][0]["rows"] == 40


def test_where_there_is_none(task):
    learner = task.learner("near")
    slow = replace(task, options=replace(task.options, seconds_of_curve=0.001))
    in_time = replace(task, times=np.arange(240.0))
    few = replace(task, X=task.X[:60], y=task.y[:60])
    assert [learning_curve(each, learner, 0.01) for each in (slow, in_time, few)] == [None] * 3
