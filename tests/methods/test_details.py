"""What colleagues ask, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix, roc_auc_score
from sklearn.pipeline import make_pipeline

from kernlearn.methods.description import parameters
from kernlearn.methods.details import class_details, metric_values, number_details
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import ImportanceOptions, importances, shuffled_scores
from kernlearn.methods.metrics import Metric


def classes(k, n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    logits = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]
    proba = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return HeldOutPredictions(y, proba.argmax(axis=1), k, None, proba)


@pytest.mark.parametrize("k", [2, 4])
def test_confusion_recall_precision_and_area(k):
    said = classes(k)
    found = class_details(said, list("abcd")[:k])
    expected = confusion_matrix(said.y, said.predicted)
    np.testing.assert_array_equal(found["confusion"], expected)
    report = classification_report(said.y, said.predicted, output_dict=True)
    for j, entry in enumerate(found["classes"]):
        assert entry["recall"] == pytest.approx(report[str(j)]["recall"])
        assert entry["precision"] == pytest.approx(report[str(j)]["precision"])
        assert entry["rows"] == report[str(j)]["support"]
        assert entry["auc"] == pytest.approx(roc_auc_score(said.y == j, said.proba[:, j]))
    assert [curve["class"] for curve in found["curves"]] == (["b"] if k == 2 else list("abcd"))
    for curve in found["curves"]:
        roc = np.array(curve["roc"])
        assert np.trapezoid(roc[:, 1], roc[:, 0]) == pytest.approx(curve["auc"], abs=0.02)
        assert roc[0].tolist() == [0.0, 0.0]
        assert roc[-1].tolist() == [1.0, 1.0]


def test_a_class_that_was_not_held_out():
    said = classes(3)
    kept = said.rows(np.flatnonzero(said.y < 2))
    found = class_details(kept, list("abc"))
    assert found["classes"][2]["recall"] is None
    assert found["classes"][2]["auc"] is None
    assert len(found["curves"]) == 2


def test_numbers_and_their_intervals():
    rng = np.random.default_rng(0)
    y = rng.normal(size=1000)
    ends = np.column_stack([np.full(1000, -1.0), np.full(1000, 1.0)])
    found = number_details(HeldOutPredictions(y, 0.5 * y, 0, interval=ends))
    assert found["interval"]["covered"] == pytest.approx(np.mean(np.abs(y) <= 1.0))
    assert found["interval"]["mean_width"] == 2.0
    assert len(found["points"]) == len(found["interval"]["ends"]) == 300
    assert number_details(HeldOutPredictions(y, y, 0))["interval"] is None
    values = {m["metric"]: m["value"] for m in metric_values(HeldOutPredictions(y, 0.5 * y, 0))}
    assert values["neg_root_mean_squared_error"] == pytest.approx(np.sqrt(np.mean((y / 2) ** 2)))


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["much", "little", "nothing"])
    y = np.where(3 * X["much"] + X["little"] + 0.3 * rng.normal(size=200) > 0, "up", "down")
    return make_pipeline(LogisticRegression()).fit(X[:100], y[:100]), X[100:], y[100:]


def test_columns_are_ranked_as_scikit_learn_ranks_them(line):
    model, X, y = line
    groups = {name: [name] for name in X.columns}
    found = shuffled_scores(model, X, y, groups, Metric("accuracy"), np.array(["down", "up"]), 0)
    theirs = permutation_importance(model, X, y, n_repeats=20, random_state=0).importances_mean
    assert [entry.name for entry in found] == list(X.columns)
    np.testing.assert_allclose([entry.value for entry in found], theirs, atol=0.05)


def test_a_view_is_shuffled_as_one(line):
    model, X, y = line
    groups = {"both": ["much", "little"], "rest": ["nothing"]}
    both, rest = shuffled_scores(
        model, X, y, groups, Metric("accuracy"), np.array(["down", "up"]), 0
    )
    assert both.value > 0.3
    assert abs(rest.value) < 0.05


def test_falls_and_rises_that_cancel_are_no_importance():
    scores = np.array([[0.46, 0.54], [0.5, 0.4]])
    found = importances(["nothing", "much"], 0.5, scores)
    assert [entry.value for entry in found] == [0.0, pytest.approx(0.05)]


def test_there_is_a_limit_to_the_cost(line):
    model, X, y = line
    groups = {name: [name] for name in X.columns}
    options = ImportanceOptions(all_rows=25)
    arguments = (Metric("accuracy"), np.array(["down", "up"]), 0, options)
    assert shuffled_scores(model, X, y, groups, *arguments) is None
    assert shuffled_scores(model, X[:10], y[:10], groups, *arguments) is None


def test_parameters_have_names():
    model = LogisticRegression(C=0.25).fit([[0.0], [1.0]], [0, 1])
    assert parameters(model) == [{"name": "C", "value": 0.25}]


def test_curves_of_several_folds_rank_rows_within_them():
    """The values of the second fold are all below those of the first, which says nothing."""
    y, values = np.tile([0, 1, 0, 1], 2), np.array([0.6, 0.9, 0.7, 0.8, 0.1, 0.4, 0.2, 0.3])
    parts = [
        HeldOutPredictions(y[rows], y[rows], 2, values[rows]) for rows in (slice(4), slice(4, 8))
    ]
    found = class_details(HeldOutPredictions.joined(parts), ["no", "yes"])
    (curve,) = found["curves"]
    assert curve["auc"] == found["classes"][1]["auc"] == 1.0
    assert curve["average_precision"] == 1.0
    assert [0.0, 1.0] in curve["roc"]
