"""The picture of the weights: arrays first, bars of them second."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from kernlearn import HyperkernelClassifier, MKLClassifier
from kernlearn.inspection import KernelWeightsDisplay
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.kernels import Gaussian, Linear, Normalized

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def fitted():
    X = np.random.default_rng(0).normal(size=(30, 2))
    kernels = [Normalized(Linear()), Gaussian(gamma=0.5), Gaussian(gamma=5.0)]
    return MKLClassifier(kernels, weights="free").fit(X, X[:, 0] * X[:, 1] > 0)


def test_the_display_holds_the_estimators_weights_and_names(fitted):
    display = KernelWeightsDisplay.from_estimator(fitted)
    np.testing.assert_array_equal(display.weights, fitted.weights_)
    assert display.labels == ["linear", "Gaussian, γ = 0.5", "Gaussian, γ = 5"]


def test_nothing_is_drawn_before_plot():
    display = KernelWeightsDisplay([0.5, -2.0], ["a", "b"])
    assert not hasattr(display, "ax_")
    assert plt.get_fignums() == []
    assert display.weights.dtype == np.float64


def test_every_weight_is_a_bar_from_zero_in_order_with_its_name_and_number():
    display = KernelWeightsDisplay([0.5, -2.0, 0.0, 1.23456], ["a", "b", "c", "d"]).plot()
    bars = list(display.bars_)
    np.testing.assert_array_equal([bar.get_width() for bar in bars], display.weights)
    assert [bar.get_x() for bar in bars] == [0.0] * 4
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "b", "c", "d"]
    assert [text.get_text() for text in display.ax_.texts] == ["0.5", "-2", "0", "1.23"]
    # The first kernel stands at the top.
    low, high = display.ax_.get_ylim()
    assert low > high
    colours = [mpl.colors.to_hex(bar.get_facecolor()) for bar in bars]
    assert colours == [POSITIVE, NEGATIVE, POSITIVE, POSITIVE]
    assert "weight" in display.ax_.get_xlabel()


def test_it_draws_where_it_is_told(fitted):
    figure, (left, right) = plt.subplots(1, 2)
    display = KernelWeightsDisplay.from_estimator(fitted, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert len(right.patches) == 3
    assert len(left.patches) == 0
    assert plt.get_fignums() == [figure.number]


def test_without_axes_every_plot_is_a_figure_of_its_own():
    display = KernelWeightsDisplay([1.0], ["a"])
    first = display.plot().figure_
    assert display.plot().figure_ is not first


def test_it_can_be_saved(fitted, tmp_path):
    path = tmp_path / "weights.png"
    KernelWeightsDisplay.from_estimator(fitted).figure_.savefig(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_of_a_hyperkernel_the_sections_with_weight_are_drawn():
    X, y = load_iris(return_X_y=True)
    model = HyperkernelClassifier(max_pivots=20).fit(X, y)
    display = KernelWeightsDisplay.from_estimator(model)
    kept = np.flatnonzero(model.weights_)
    np.testing.assert_array_equal(display.weights, model.weights_[kept])
    assert display.labels == [f"section at pair {p + 1} of {len(model.weights_)}" for p in kept]


def test_an_unfitted_estimator_is_refused():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        KernelWeightsDisplay.from_estimator(MKLClassifier())


def test_without_matplotlib_a_sentence_names_the_extra(without):
    without("matplotlib")
    display = KernelWeightsDisplay([1.0], ["linear"])
    assert display.weights[0] == 1.0
    with pytest.raises(ImportError, match=r"^drawing needs the package matplotlib,") as caught:
        display.plot()
    assert 'pip install "kernlearn[plot]"' in str(caught.value)
