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
