"""The picture of a Gram matrix: the order first, the image second."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernlearn import MKLClassifier, MKLRegressor
from kernlearn.inspection import GramDisplay
from kernlearn.kernels import Gaussian

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.array(["b", "a", "c"] * 8)
    return 2.0 * rng.normal(size=(24, 2)) + 3.0, y


def test_the_matrix_is_that_of_the_learned_kernel_reordered(data):
    X, y = data
    model = make_pipeline(StandardScaler(), MKLClassifier([Gaussian(0.5)])).fit(X, y)
    display = GramDisplay.from_estimator(model, X, y)
    K = model[-1].kernel_(model[0].transform(X))
    for i, j in [(0, 0), (3, 11), (20, 7)]:
        assert display.gram[i, j] == K[display.order[i], display.order[j]]
    assert sorted(display.order) == list(range(24))
    assert display.classes == ["a", "b", "c"]
    assert display.counts == [8, 8, 8]
    assert y[display.order].tolist() == ["a"] * 8 + ["b"] * 8 + ["c"] * 8


def test_inside_a_class_groups_stay_together():
    """Two far groups, mixed up: every order that follows the tree parts them."""
    rng = np.random.default_rng(1)
    group = rng.permutation([0] * 6 + [1] * 6)
    X = 10.0 * group[:, None] + rng.normal(size=(12, 2))
    K = Gaussian(0.1)(X)
    for y in (None, np.zeros(12)):
        drawn = group[GramDisplay(K, y).order]
        assert np.count_nonzero(np.diff(drawn)) == 1


def test_the_targets_of_a_regression_order_the_rows(data):
    X, _ = data
    y = np.random.default_rng(2).permutation(24).astype(float)
    model = MKLRegressor([Gaussian(0.5)], C=1.0).fit(X, y)
    display = GramDisplay.from_estimator(model, X, y)
    np.testing.assert_array_equal(display.order, np.argsort(y))
    assert display.classes == []


def test_lines_stand_between_classes_and_names_in_their_middle():
    y = ["x", "x", "_y$1$", "x", "_y$1$"]
    display = GramDisplay(np.eye(5) + 0.5, y).plot()
    edges = {tuple(line.get_ydata()) for line in display.ax_.lines}
    assert (1.5, 1.5) in edges  # after the two of the class that is first in the alphabet
    assert len(display.ax_.lines) == 2
    np.testing.assert_allclose(display.ax_.get_yticks(), [0.5, 3.0])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["_y$1$", "x"]
    assert not display.ax_.get_yticklabels()[0].get_parse_math()
    np.testing.assert_array_equal(display.image_.get_array(), display.gram)


def test_a_large_diagonal_does_not_take_the_colours():
    off = np.random.default_rng(3).uniform(size=(30, 30))
    K = off + off.T + 100.0 * np.eye(30)
    display = GramDisplay(K).plot()
    assert 0.0 <= display.limits[0] < display.limits[1] <= 2.0
    assert display.colorbar_.extend in ("both", "max")
    assert display.image_.get_clim() == display.limits


def test_a_constant_matrix_can_be_drawn():
    assert GramDisplay(np.ones((3, 3))).plot().limits == (1.0, 1.0)
    assert GramDisplay([[2.0]]).plot().order.tolist() == [0]


def test_wrong_input_is_refused_in_a_sentence(data):
    X, y = data
    with pytest.raises(ValueError, match="expected one entry of y for each of the 2 points"):
        GramDisplay(np.eye(2), [1])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        GramDisplay.from_estimator(MKLClassifier(), X)
    with pytest.raises(ValueError, match="got SVC without kernel_"):
        GramDisplay.from_estimator(SVC().fit(X, y), X)
