"""Several labels of one row."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

import kernlearn as kl


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    F = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1]])
    Y = (F @ rng.normal(size=(2, 4)) + 0.3 * rng.normal(size=(240, 4)) > 0).astype(int)
    model = kl.KernelClassifier(["linear", "Gaussian"]).fit(X[:120], Y[:120])
    return model, X[120:], Y[120:]


def test_labels_are_predicted_with_shared_kernels(labelled, tmp_path):
    model, X, Y = labelled
    said, chances = model.predict(X), model.predict_proba(X)
    assert said.shape == chances.shape == model.decision_function(X).shape == Y.shape
    np.testing.assert_array_equal(said, chances > 0.5)
    assert (said == Y).mean() > 0.8
    assert model.score(X, Y) == accuracy_score(Y, said)
    assert abs(model.held_out_score_ - model.score(X, Y)) < 0.2
    np.testing.assert_array_equal(model.classes_, np.arange(4))
    relevance = model.relevance_["relevance"]
    assert relevance[2] < min(relevance[:2])
    kl.save(model, tmp_path / "model.kl")
    np.testing.assert_allclose(kl.load(tmp_path / "model.kl").predict_proba(X), chances)


def test_probabilities_are_those_of_calibrated_log_odds(labelled):
    model, X, Y = labelled
    values = model.decision_function(X)
    slopes, offsets = model.calibration_.T
    odds = 1.0 / (1.0 + np.exp(-(slopes * values + offsets)))
    usual = (odds > 0.5) == (values > 0)
    np.testing.assert_allclose(model.predict_proba(X)[usual], odds[usual])
    for j in range(4):
        assert abs(model.predict_proba(X)[:, j].mean() - Y[:, j].mean()) < 0.1


def test_an_export_is_refused(labelled, tmp_path):
    with pytest.raises(ValueError, match="of 4 labels; fit one model to each label"):
        kl.export.to_numpy_code(labelled[0], tmp_path / "model.py")


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        (lambda Y: Y * [1, 1, 1, 0], {}, "got only 0 in column 3 of y; leave that label out"),
        (lambda Y: Y, {"class_weight": "balanced"}, "expected no class_weight"),
        (lambda Y: Y, {"compress": True}, "expected no compress"),
        (lambda Y: Y, {"ordinal": True}, "expected no ordinal"),
        (lambda Y: Y + 1, {}, "expected one target for each row"),
    ],
)
def test_what_labels_cannot_have_is_refused(labelled, change, options, sentence):
    _, X, Y = labelled
    with pytest.raises(ValueError, match=sentence):
        kl.KernelClassifier(["linear"], **options).fit(X, change(Y))
