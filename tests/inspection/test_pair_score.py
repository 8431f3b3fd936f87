"""The picture of pair scores: numbers first, histograms second."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import kernlearn as kl
from kernlearn.inspection import PairScoreDisplay

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    X = rng.normal(size=(24, 2)) + 3 * np.eye(3)[y][:, :2]
    return X, y, kl.HyperkernelMetric(C=1.0).fit(X[:12], y[:12])


def test_it_holds_the_score_of_every_pair_of_different_points(problem):
    class InBlocks(PairScoreDisplay):
        numbers_at_once = 100

    X, y, model = problem
    display = InBlocks.from_estimator(model, X[12:], y[12:])
    pairs = [(i, j) for i in range(12, 24) for j in range(i + 1, 24)]
    expected = model.pair_score(np.array([[X[i], X[j]] for i, j in pairs]))
    np.testing.assert_allclose(display.scores, expected, rtol=1e-12)
    np.testing.assert_array_equal(display.same, [y[i] == y[j] for i, j in pairs])
    assert display.auc == pytest.approx(roc_auc_score(display.same, expected))
    wrong = [(s > 0) != (y[i] == y[j]) for s, (i, j) in zip(expected, pairs, strict=True)]
    assert display.error == pytest.approx(np.mean(wrong))


def test_every_pair_is_in_a_bar_of_its_kind():
    rng = np.random.default_rng(0)
    scores, same = rng.normal(size=200), np.arange(200) % 4 == 0
    display = PairScoreDisplay(scores + 2 * same, same).plot()
    assert display.counts_.sum(axis=1).tolist() == [150, 50]
    different, together = display.ax_.patches[:2]
    for patch, counts, total in zip((different, together), display.counts_, (150, 50), strict=True):
        np.testing.assert_allclose(patch.get_data().values, counts / total)
    named = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert named == ["different classes: 150 pairs", "same class: 50 pairs"]
    assert display.edges_[0] <= 0 <= display.edges_[-1], "the threshold is in the picture"
    assert f"{display.auc:.3f}" in display.ax_.get_title()


def test_pairs_of_one_kind_have_no_area_but_a_picture():
    display = PairScoreDisplay([1.0, 2.0], [True, True]).plot()
    assert np.isnan(display.auc)
    assert display.counts_.sum(axis=1).tolist() == [0, 2]


def test_nothing_is_drawn_before_plot_and_then_where_it_is_told():
    display = PairScoreDisplay([1.0, -2.0], [True, False])
    assert plt.get_fignums() == []
    _, (left, right) = plt.subplots(1, 2)
    assert display.plot(ax=right).ax_ is right
    assert len(left.patches) == 0


def test_bad_input(problem):
    with pytest.raises(ValueError, match=r"got shapes \(2,\) and \(1,\); pass two lists"):
        PairScoreDisplay([1.0, 2.0], [True])
    with pytest.raises(ValueError, match=r"got shapes \(24, 2\) and \(3,\); pass as many classes"):
        PairScoreDisplay.from_estimator(problem[2], problem[0], [1, 2, 3])
