"""The picture of candidates: arrays first, drawings of them second."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from kernlearn import KernelClassifier
from kernlearn.inspection import CandidatesDisplay

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).normal(size=(50, 2))
    return KernelClassifier(["linear", "Gaussian", "polynomial"]).fit(X, X[:, 0] * X[:, 1] > 0)


def test_members_have_their_weights_beside_them(model):
    display = CandidatesDisplay.from_estimator(model)
    table = model.candidates_
    assert display.labels == table["candidate"].tolist()
    np.testing.assert_array_equal(display.losses, table["held_out_loss"])
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == display.labels
    written = [text.get_text() for text in display.ax_.texts]
    assert written == [f"{weight:.2f}" for weight in table["weight"] if weight > 0]
    low, high = display.ax_.get_ylim()
    assert low > high, "the best candidate stands at the top"


def test_axes_may_be_given_and_a_model_must_be_fitted(model):
    _, ax = plt.subplots()
    assert CandidatesDisplay.from_estimator(model, ax=ax).ax_ is ax
    with pytest.raises(NotFittedError):
        CandidatesDisplay.from_estimator(KernelClassifier())
