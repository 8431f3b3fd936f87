"""What is said of held-out rows, asked for as seldom as possible."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernlearn.methods.held_out import HeldOutPredictions


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_of_an_svm_are_those_it_predicts(n_classes, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.array(["b", "a", "c"])[rng.integers(n_classes, size=90)]
    model = make_pipeline(StandardScaler(), SVC()).fit(X[:60], y[:60])
    expected = model.predict(X[60:])
    calls = []
    monkeypatch.setattr(SVC, "predict", lambda self, X: calls.append(X) or expected)
    classes = np.unique(y)
    said = HeldOutPredictions.of(model, X[60:], y[60:], classes)
    np.testing.assert_array_equal(classes[said.predicted], expected)
    assert len(calls) == (n_classes > 2)


def test_chance_is_known_from_what_was_said_of_held_out_rows():
    y = np.tile([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    right = 0.9 * np.eye(3)[y] + 0.1 / 3
    for said, is_chance in ((np.roll(right, 1, axis=1), True), (right, False)):
        found = HeldOutPredictions(y, said.argmax(axis=1), 3, proba=said).chance()
        labels_alone = HeldOutPredictions(y, said.argmax(axis=1), 3).chance()
        assert (found is not None) == (labels_alone is not None) == is_chance
    numbers = rng.normal(size=60)
    assert HeldOutPredictions(numbers, -numbers, 0).chance() is not None
    assert HeldOutPredictions(numbers, 0.5 * numbers, 0).chance() is None
