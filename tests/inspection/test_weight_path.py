"""The picture of a path of weights: weights first, curves second."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import HyperkernelClassifier, MKLClassifier, MKLOptions
from kernlearn.inspection import WeightPathDisplay
from kernlearn.kernels import Gaussian, Linear

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(30, 2))
    return X, X[:, 0] * X[:, 1] > 0


def test_every_row_is_a_fit_at_that_value(data):
    model = MKLClassifier([Linear(), Gaussian(0.5), Gaussian(5.0)])
    display = WeightPathDisplay.from_estimator(model, *data, values=[10.0, 0.1])
    np.testing.assert_array_equal(display.values, [0.1, 10.0])
    for value, weights in zip(display.values, display.weights, strict=True):
        alone = MKLClassifier(model.kernels, C=value).fit(*data)
        np.testing.assert_array_equal(weights, alone.weights_)
    assert display.labels == ["linear", "Gaussian, γ = 0.5", "Gaussian, γ = 5"]
    assert model.C == 1.0
    assert not hasattr(model, "weights_")
    assert [line.get_label() for line in display.lines_] == [
        display.labels[i] for i in display.named
    ]


def test_sections_of_a_hyperkernel_along_lambda(data):
    model = HyperkernelClassifier(max_pivots=8, random_state=0)
    display = WeightPathDisplay.from_estimator(model, *data, "lambda_q", [0.1, 10.0])
    alone = HyperkernelClassifier(max_pivots=8, random_state=0, lambda_q=10.0).fit(*data)
    np.testing.assert_array_equal(display.weights[1], alone.weights_)
    assert display.labels[0] == f"section at pair 1 of {len(alone.weights_)}"
    assert display.ax_.get_xlabel() == "lambda_q"


def test_the_largest_are_named_and_the_others_grey():
    weights = np.vstack([np.zeros(12), np.r_[np.arange(11.0), -20.0]])
    display = WeightPathDisplay([1.0, 2.0], weights, [f"_k{i}" for i in range(12)]).plot()
    assert display.named.tolist() == [11, 10, 9, 8, 7, 6, 5]
    assert len(display.lines_) == 11  # the kernel without weight has no curve
    texts = [text.get_text().strip() for text in display.ax_.get_legend().get_texts()]
    assert texts == [f"_k{i}" for i in display.named]
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), [0.0, -20.0])


def test_wrong_input_is_refused_in_a_sentence(data):
    with pytest.raises(ValueError, match="expected positive values of the parameter"):
        WeightPathDisplay.from_estimator(MKLClassifier(), *data, values=[0.0, 1.0])
    with pytest.raises(ValueError, match=r"expected weights of shape \(1, 2\)"):
        WeightPathDisplay([1.0], [[1.0]], ["a", "b"])
    sizes = HyperkernelClassifier()
    with pytest.raises(ValueError, match="expected as many kernels at every value"):
        WeightPathDisplay.from_estimator(sizes, *data, "options__pivot_tol", [1e-6, 0.5])


def test_an_interrupt_ends_the_path(data):
    def interrupt(progress):
        raise KeyboardInterrupt

    model = MKLClassifier(options=MKLOptions(callback=interrupt))
    with pytest.raises(KeyboardInterrupt):
        WeightPathDisplay.from_estimator(model, *data)
