"""The picture of an embedding: coordinates first, points second."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import kernlearn as kl
from kernlearn.inspection import EmbeddingDisplay

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_every_class_is_drawn_where_the_estimator_puts_it():
    X, y = load_iris(return_X_y=True)
    model = kl.HyperkernelMetric(n_pairs=300, n_components=3, random_state=0).fit(X, y)
    new = X[::5] + 0.01
    display = EmbeddingDisplay.from_estimator(model, new, y[::5])
    np.testing.assert_array_equal(display.coordinates, model.transform(new))
    for label, points in zip([0, 1, 2], display.points_, strict=True):
        np.testing.assert_array_equal(
            points.get_offsets(), model.transform(new)[y[::5] == label][:, :2]
        )
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["0", "1", "2"]
    colours = {mpl.colors.to_hex(points.get_facecolor()[0]) for points in display.points_}
    assert len(colours) == 3


def test_many_classes_differ_in_colour_or_marker():
    display = EmbeddingDisplay(np.zeros((30, 2)), np.arange(30)).plot()
    looks = {
        (mpl.colors.to_hex(p.get_facecolor()[0]), p.get_paths()[0].vertices.tobytes())
        for p in display.points_
    }
    assert len(looks) == 30


def test_one_component_lies_on_a_line_and_no_labels_give_no_legend():
    display = EmbeddingDisplay([[1.0], [3.0]]).plot()
    np.testing.assert_array_equal(display.points_[0].get_offsets(), [[1.0, 0.0], [3.0, 0.0]])
    assert display.ax_.get_legend() is None


def test_it_draws_where_it_is_told_and_not_before():
    before = plt.get_fignums()
    display = EmbeddingDisplay([[0.0, 1.0]], ["a"])
    assert plt.get_fignums() == before
    figure, (left, right) = plt.subplots(1, 2)
    assert display.plot(ax=right).ax_ is right
    assert display.figure_ is figure
    assert len(left.collections) == 0


def test_bad_input():
    with pytest.raises(ValueError, match=r"got shapes \(2, 2\) and \(3,\); pass as many labels"):
        EmbeddingDisplay(np.zeros((2, 2)), [1, 2, 3])
    with pytest.raises(NotFittedError):
        EmbeddingDisplay.from_estimator(kl.HyperkernelMetric(), [[0.0]])
