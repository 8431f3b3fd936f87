"""Intervals against other people's formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import r2_score

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.methods.scores import ScoreOptions, held_out_score, wilson_interval


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 20), (20, 20), (7, 20), (431, 1000)])
def test_wilson(k, n):
    expected = binomtest(k, n).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson_interval(k, n), expected, rtol=1e-12, atol=1e-15)


def test_accuracy():
    said = HeldOutPredictions(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), 2)
    score = held_out_score(Metric("accuracy"), said, 0)
    assert score.value == 0.75
    assert (score.low, score.high) == wilson_interval(3, 4)


def test_r2_and_its_bootstrap_by_a_loop():
    few = ScoreOptions(n_bootstrap=200)
    rng = np.random.default_rng(3)
    y = rng.normal(size=30)
    predicted = y + 0.4 * rng.normal(size=30)
    score = held_out_score(Metric("r2"), HeldOutPredictions(y, predicted, 0), 5, few)
    assert score.value == pytest.approx(r2_score(y, predicted), rel=1e-14)
    draws = np.random.default_rng(5).integers(30, size=(200, 30))
    values = [r2_score(y[rows], predicted[rows]) for rows in draws]
    np.testing.assert_allclose(
        (score.low, score.high), np.quantile(values, [0.025, 0.975]), rtol=1e-10
    )


def test_few_rows_have_no_interval():
    said = HeldOutPredictions(np.arange(5.0), np.arange(5.0), 0)
    assert held_out_score(Metric("r2"), said, 0).low is None


def test_a_draw_without_a_class_is_no_draw_of_a_mean_over_classes():
    y = np.array([0] * 10 + [1] * 10 + [2])
    right = np.where(y == 2, 0, y)  # the rare class is always wrong
    score = held_out_score(Metric("recall_macro"), HeldOutPredictions(y, right, 3), 0)
    assert score.value == pytest.approx(2 / 3)
    assert score.high == pytest.approx(2 / 3)
