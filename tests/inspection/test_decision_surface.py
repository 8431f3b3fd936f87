"""The picture of a decision: values on a grid first, colours second."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.inspection import DecisionSurfaceDisplay
from kernlearn.kernels import Gaussian

pytestmark = pytest.mark.usefixtures("closed_figures")
KERNEL = [Gaussian(0.5)]


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 2)) * [1.0, 5.0]


def _at(display, i, j):
    return np.array([[display.xx0[i, j], display.xx1[i, j]]])


def test_two_classes_show_their_decision_values(X):
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = make_pipeline(StandardScaler(), MKLClassifier(KERNEL)).fit(X, y)
    display = DecisionSurfaceDisplay.from_estimator(model, X, y, grid_resolution=7)
    assert display.kind == "decision"
    for i, j in [(0, 0), (2, 5), (6, 1)]:
        assert display.response[i, j] == pytest.approx(
            model.decision_function(_at(display, i, j))[0]
        )
    assert display.xx0.min() < X[:, 0].min()
    assert display.xx1.max() > X[:, 1].max()
    drawn = [points.get_offsets() for points in display.ax_.collections[-2:]]
    np.testing.assert_array_equal(drawn[0], X[y == "no"])
    np.testing.assert_array_equal(drawn[1], X[y == "yes"])


def test_more_classes_show_the_one_predicted(X):
    y = np.array(["a", "b", "c"] * 10)
    model = MKLClassifier(KERNEL).fit(X, y)
    display = DecisionSurfaceDisplay.from_estimator(model, X, y, grid_resolution=5)
    assert display.kind == "classes"
    for i, j in [(0, 0), (2, 3)]:
        assert model.classes_[int(display.response[i, j])] == model.predict(_at(display, i, j))[0]


def test_no_other_class_stands_between_two_regions():
    """Contours of class numbers would draw class 1 between classes 0 and 2."""
    xx0, xx1 = np.meshgrid(np.arange(6.0), np.arange(6.0))
    numbers = np.where(xx0 < 2.5, 0.0, 2.0)
    display = DecisionSurfaceDisplay(xx0, xx1, numbers, "classes", ["a", "b", "c"]).plot()
    extents = [region.get_paths()[0].get_extents() for region in display.surface_]
    assert (extents[0].x0, extents[0].x1) == (0.0, 2.5)
    assert (extents[2].x0, extents[2].x1) == (2.5, 5.0)
    assert display.surface_[1].get_paths()[0].vertices.size == 0


def _points(display):
    return display.ax_.collections[-1]


def test_points_can_be_seen_on_any_surface(X):
    """Each has an edge that differs from its face, and one of the two from the surface."""
    regressor = MKLRegressor(KERNEL, C=1.0).fit(X, X[:, 0])
    display = DecisionSurfaceDisplay.from_estimator(regressor, X, X[:, 0], grid_resolution=5)
    points = _points(display)
    np.testing.assert_array_equal(points.get_array(), X[:, 0])
    assert points.norm.vmin == display.surface_[0].norm.vmin
    assert points.norm.vmax == display.surface_[0].norm.vmax
    unlabelled = DecisionSurfaceDisplay.from_estimator(regressor, X, grid_resolution=5)
    face, edge = _points(unlabelled).get_facecolor()[0], _points(unlabelled).get_edgecolor()[0]
    assert face[0] - edge[0] > 0.8


def test_classes_of_a_novelty_detector_are_not_its_own(X):
    detector = MKLNoveltyDetector(KERNEL).fit(X)
    display = DecisionSurfaceDisplay.from_estimator(detector, X, ["x"] * len(X), grid_resolution=4)
    np.testing.assert_array_equal(_points(display).get_offsets(), X)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_legend_lies_on_no_region(X, n_classes):
    y = np.arange(len(X)) % n_classes
    model = MKLClassifier(KERNEL).fit(X, y)
    display = DecisionSurfaceDisplay.from_estimator(model, X, y, grid_resolution=4)
    display.figure_.draw_without_rendering()
    legend = display.ax_.get_legend().get_window_extent()
    axes = display.ax_.get_window_extent()
    assert legend.x0 >= axes.x1 or legend.y0 >= axes.y1
    bars = [ax for ax in display.figure_.axes if ax is not display.ax_]
    assert not any(legend.overlaps(bar.get_tightbbox()) for bar in bars)


def test_numbers_and_novelties(X):
    regressor = MKLRegressor(KERNEL, C=1.0).fit(X, X[:, 0])
    display = DecisionSurfaceDisplay.from_estimator(regressor, X, X[:, 0], grid_resolution=5)
    assert display.kind == "prediction"
    assert display.response[1, 4] == pytest.approx(regressor.predict(_at(display, 1, 4))[0])
    detector = MKLNoveltyDetector(KERNEL).fit(X)
    display = DecisionSurfaceDisplay.from_estimator(detector, X, grid_resolution=5)
    assert display.kind == "decision"
    assert display.response[0, 2] == pytest.approx(
        detector.decision_function(_at(display, 0, 2))[0]
    )


def test_a_data_frame_keeps_its_names(X):
    frame = pd.DataFrame(X, columns=["$a$", "b"])
    model = MKLClassifier(KERNEL).fit(frame, X[:, 0] > 0)
    display = DecisionSurfaceDisplay.from_estimator(model, frame, grid_resolution=4)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("$a$", "b")
    assert not display.ax_.xaxis.label.get_parse_math()


def test_three_columns_are_refused():
    model = MKLClassifier(KERNEL).fit(np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match="expected points with two columns, got shape"):
        DecisionSurfaceDisplay.from_estimator(model, np.eye(3))
