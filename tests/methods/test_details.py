"""What colleagues ask, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix, roc_auc_score

from kernlearn.methods.description import parameters
from kernlearn.methods.details import class_details, metric_values, number_details
from kernlearn.methods.held_out import HeldOutPredictions


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
    values = {
        m["metric"]: m["value"] for m in metric_values(HeldOutPredictions(y, 0.5 * y, 0), 100)
    }
    assert values["neg_root_mean_squared_error"] == pytest.approx(np.sqrt(np.mean((y / 2) ** 2)))


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
