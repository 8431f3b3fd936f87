"""The critical-difference diagram: arrays first, lines second."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from kernlearn.comparison import compare
from kernlearn.inspection import CriticalDifferenceDisplay
from kernlearn.papers.cawley2014.published import mean_errors

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def _table(k=7):
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, k)) + 0.3 * rng.permutation(k)


def test_it_holds_what_the_comparison_says():
    c = compare(_table())
    for alpha in (0.01, 0.1):
        display = CriticalDifferenceDisplay.from_comparison(c, alpha=alpha)
        np.testing.assert_array_equal(display.mean_ranks, c.ranks)
        assert display.labels == list(c.ranks.index)
        assert display.critical_difference == c.critical_difference(alpha)
        assert display.groups == c.groups(alpha)
        expected = [[c.ranks[g[0]], c.ranks[g[-1]]] for g in c.groups(alpha)]
        np.testing.assert_array_equal(display.bars, expected)


def test_from_a_table_is_from_its_comparison():
    first = CriticalDifferenceDisplay.from_table(_table(), lower_is_better=False, alpha=0.05)
    c = compare(_table(), lower_is_better=False)
    second = CriticalDifferenceDisplay.from_comparison(c, alpha=0.05)
    np.testing.assert_array_equal(first.mean_ranks, second.mean_ranks)
    assert first.groups == second.groups
    assert first.critical_difference == second.critical_difference


def test_figure_3_of_the_paper():
    display = CriticalDifferenceDisplay.from_table(mean_errors(3))
    (bar,) = display.bars_
    np.testing.assert_allclose(bar.get_xdata(), [2.1429, 2.6429], atol=5e-5)
    texts = [text.get_text() for text in display.labels_]
    assert texts == ["2.64  ARD-LOO-LSSVM", "ARD-XVAL-LSSVM  2.14", "ARD-FLKL-LSSVM  1.21"]


def test_figure_2_of_the_paper():
    display = CriticalDifferenceDisplay.from_table(mean_errors(2))
    (bar,) = display.bars_
    np.testing.assert_allclose(bar.get_xdata(), [1.8571, 2.2857], atol=5e-5)


def test_every_method_has_a_stem_from_its_rank_to_its_name():
    display = CriticalDifferenceDisplay.from_table(_table())
    drawn = [*display.bars_, display.ruler_]
    stems = [line for line in display.ax_.lines if line not in drawn]
    found = {}
    for line in stems:
        (x, _), (x_again, y), (edge, y_again) = line.get_xydata()
        assert x == x_again
        assert y == y_again
        found[x] = (edge, y)
    k = len(display.labels)
    assert sorted(found) == sorted(display.mean_ranks)
    for rank, text in zip(display.mean_ranks, display.labels_, strict=True):
        assert text.xy == found[rank]
        assert text.get_ha() == ("right" if found[rank][0] == 1 else "left")
    # The better half to the left, best on top; no stem crosses another's line to its name.
    ordered = sorted(display.mean_ranks)
    assert [found[rank][0] for rank in ordered] == [1] * ((k + 1) // 2) + [k] * (k // 2)
    left = [found[rank][1] for rank in ordered[: (k + 1) // 2]]
    right = [found[rank][1] for rank in ordered[(k + 1) // 2 :]]
    assert left == sorted(left)
    assert right == sorted(right, reverse=True)
    # Bars lie between the axis and the first name, each on a line of its own.
    heights = [line.get_ydata()[0] for line in display.bars_]
    assert len(set(heights)) == len(heights) > 1
    assert 0 < min(heights) < max(heights) < min(left)


def test_the_ruler_is_as_long_as_the_critical_difference():
    display = CriticalDifferenceDisplay.from_table(_table())
    low, high = display.ruler_.get_xdata()
    assert high - low == pytest.approx(display.critical_difference)
    assert f"critical difference {display.critical_difference:.2f}" in [
        text.get_text() for text in display.ax_.texts
    ]


def test_equal_methods_and_no_groups_can_be_drawn_too():
    equal = CriticalDifferenceDisplay.from_table(np.ones((3, 4)))
    np.testing.assert_array_equal(equal.bars, [[2.5, 2.5]])
    apart = CriticalDifferenceDisplay([1.0, 2.0], ["a", "b"], 0.3, []).plot()
    assert apart.bars.shape == (0, 2)
    assert apart.bars_ == []


def test_it_draws_where_it_is_told_and_can_be_saved(tmp_path):
    figure, (left, right) = plt.subplots(1, 2)
    display = CriticalDifferenceDisplay.from_table(_table(), ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert len(left.lines) == 0
    path = tmp_path / "diagram.png"
    figure.savefig(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_nothing_is_drawn_before_plot():
    display = CriticalDifferenceDisplay([1.2, 1.8], ["a", "b"], 0.3, [("a", "b")])
    assert not hasattr(display, "ax_")
    assert plt.get_fignums() == []
