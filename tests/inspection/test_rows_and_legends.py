"""Many bars, many classes, little room."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from kernlearn.inspection import (
    EmbeddingDisplay,
    GramDisplay,
    KernelWeightsDisplay,
    ThetaDisplay,
    ThetaPathDisplay,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

pytestmark = pytest.mark.usefixtures("closed_figures")


def _overlap(texts):
    """Whether any two texts cover each other, as drawn."""
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return any(
        first.y0 < second.y1 - 0.5 and second.y0 < first.y1 - 0.5
        for i, first in enumerate(boxes)
        for second in boxes[i + 1 :]
    )


def test_of_fifty_kernels_the_thirty_largest_are_drawn_in_order():
    weights = np.random.default_rng(0).normal(size=50)
    display = KernelWeightsDisplay(weights, [f"k{i}" for i in range(50)]).plot()
    kept = np.sort(np.argsort(-np.abs(weights))[:30])
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], weights[kept])
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [f"k{i}" for i in kept]
    assert display.ax_.get_xlabel() == "learned weight, and 20 more kernels with less"
    assert display.weights.shape == (50,)


def test_of_forty_columns_the_thirty_with_the_largest_median_are_drawn():
    theta = np.random.default_rng(1).uniform(size=(3, 40))
    display = ThetaDisplay(theta, [f"x{i}" for i in range(40)]).plot()
    kept = np.sort(np.argsort(-np.median(theta, axis=0))[:30])
    medians = [line.get_xdata()[0] for line in display.boxes_["medians"]]
    np.testing.assert_allclose(medians, np.median(theta, axis=0)[kept])
    assert display.ax_.get_xlabel() == "learned scale θ, and 10 more columns with less"


@pytest.mark.parametrize("weights", [[3.0], [-123456.0, 345678.0], np.linspace(-1e6, 1e5, 60)])
@pytest.mark.parametrize("room", [None, (2.6, 2.0)])
def test_names_and_numbers_of_bars_do_not_cover_each_other(weights, room):
    ax = None if room is None else plt.figure(figsize=room).add_subplot()
    display = KernelWeightsDisplay(weights, [f"kernel {i}" for i in range(len(weights))])
    display.plot(ax=ax)
    display.figure_.draw_without_rendering()
    assert not _overlap(display.ax_.get_yticklabels())
    numbers = [text for text in display.ax_.texts if text.get_text()]
    assert not _overlap(numbers)
    left = display.ax_.get_window_extent().x0
    assert min(text.get_window_extent().x0 for text in numbers) >= left


def test_a_legend_stands_beside_the_axes_where_the_figure_makes_room():
    display = EmbeddingDisplay(np.zeros((4, 2)), ["a", "b", "a", "b"]).plot()
    display.figure_.draw_without_rendering()
    legend = display.ax_.get_legend()
    assert legend.get_window_extent().x0 >= display.ax_.get_window_extent().x1
    assert not legend.get_frame_on()


@pytest.mark.parametrize(("style", "ink"), [("default", "#000000"), ("dark_background", "#ffffff")])
def test_the_black_of_the_seventh_class_is_the_ink_of_the_style(style, ink):
    with mpl.style.context(style):
        display = EmbeddingDisplay(np.zeros((7, 2)), np.arange(7)).plot()
    assert mpl.colors.to_hex(display.points_[6].get_facecolor()[0]) == ink


def test_elsewhere_a_legend_has_an_opaque_ground():
    figure, ax = plt.subplots()
    legend = EmbeddingDisplay(np.zeros((4, 2)), ["a", "b", "a", "b"]).plot(ax=ax).ax_.get_legend()
    assert legend.get_frame_on()
    assert legend.get_frame().get_alpha() >= 0.9
    figure.draw_without_rendering()
    assert ax.get_window_extent().containsx(legend.get_window_extent().x1)


def test_of_very_many_classes_some_are_named_and_the_rest_is_counted():
    display = EmbeddingDisplay(np.zeros((100, 2)), np.arange(100)).plot()
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [str(i) for i in range(32)]
    assert legend.get_title().get_text() == "and 68 more classes"
    display.figure_.draw_without_rendering()
    assert legend.get_window_extent().y0 >= 0.0


def test_names_of_blocks_do_not_cover_each_other_and_the_large_ones_stay():
    y = np.repeat([f"class {i:02d}" for i in range(40)], [30] + [1] * 38 + [20])
    x = np.random.default_rng(0).normal(size=(len(y), 2))
    display = GramDisplay(x @ x.T, y).plot()
    display.figure_.draw_without_rendering()
    labels = display.ax_.get_yticklabels()
    assert not _overlap(labels)
    shown = [text.get_text() for text in labels]
    assert {"class 00", "class 39"} < set(shown)
    assert len(shown) < 40


def test_seven_lines_of_a_path_are_named_and_the_others_grey():
    thetas = np.outer([0.5, 1.0], np.arange(12.0))
    display = ThetaPathDisplay([1.0, 0.1], thetas, [f"x{i}" for i in range(12)]).plot()
    assert display.named.tolist() == [11, 10, 9, 8, 7, 6, 5]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [f"x{i}" for i in display.named]
    for j, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_ydata(), thetas[:, j])
        assert (line.get_color() == "#999999") == (j < 5)
    assert ThetaPathDisplay([1.0], [[0.0]], ["x"]).plot().ax_.get_legend() is None
