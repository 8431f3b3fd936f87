"""Intervals against other people's formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import t as student
from sklearn.metrics import r2_score

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.methods.outcomes import PAIRS
from kernlearn.methods.scores import (
    ScoreOptions,
    resampled_score,
    score_with_interval,
    usual_score,
    wilson_interval,
)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 20), (20, 20), (7, 20), (431, 1000)])
def test_wilson(k, n):
    expected = binomtest(k, n).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson_interval(k, n), expected, rtol=1e-12, atol=1e-15)


def test_accuracy():
    said = HeldOutPredictions(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), 2)
    score = score_with_interval(Metric("accuracy"), said, 100, 0)
    assert score.value == 0.75
    assert (score.low, score.high) == wilson_interval(3, 4)


def test_r2_and_its_bootstrap_by_a_loop():
    few = ScoreOptions(n_bootstrap=200)
    rng = np.random.default_rng(3)
    y = rng.normal(size=30)
    predicted = y + 0.4 * rng.normal(size=30)
    score = score_with_interval(Metric("r2"), HeldOutPredictions(y, predicted, 0), 100, 5, few)
    assert score.value == pytest.approx(r2_score(y, predicted), rel=1e-14)
    draws = np.random.default_rng(5).integers(30, size=(200, 30))
    values = [r2_score(y[rows], predicted[rows]) for rows in draws]
    np.testing.assert_allclose(
        (score.low, score.high), np.quantile(values, [0.025, 0.975]), rtol=1e-10
    )


def test_few_rows_have_no_interval():
    said = HeldOutPredictions(np.arange(5.0), np.arange(5.0), 0)
    assert score_with_interval(Metric("r2"), said, 100, 0).low is None


def test_a_draw_without_a_class_is_no_draw_of_a_mean_over_classes():
    y = np.array([0] * 10 + [1] * 10 + [2])
    right = np.where(y == 2, 0, y)  # the rare class is always wrong
    score = score_with_interval(Metric("recall_macro"), HeldOutPredictions(y, right, 3), 100, 0)
    assert score.value == pytest.approx(2 / 3)
    assert score.high == pytest.approx(2 / 3)


def folds_of(y, proba, n_folds=5, n_repeats=1):
    """Predictions of folds that are dealt out anew, each row one unit."""
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(n_repeats):
        for rows in np.array_split(rng.permutation(len(y)), n_folds):
            said = HeldOutPredictions(y[rows], proba[rows].argmax(axis=1), 2, None, proba[rows])
            parts.append(replace(said, unit=rows))
    return HeldOutPredictions.joined(parts)


def test_the_interval_of_folds_is_that_of_nadeau_and_bengio():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=100)
    p = np.clip(0.5 + 0.2 * (2 * y - 1) + 0.4 * rng.normal(size=100), 0.01, 0.99)
    said = folds_of(y, np.column_stack([1 - p, p]), 5, 2)
    metric = Metric("roc_auc")
    score = resampled_score(metric, said, 80)
    values = [metric.value(fold) for fold in said.by_fold()]
    half = student.ppf(0.975, 9) * np.sqrt((0.1 + 20 / 80) * np.var(values, ddof=1))
    assert score.value == pytest.approx(np.mean(values))
    assert score.high == pytest.approx(min(1.0, score.value + half))
    assert score.low == pytest.approx(score.value - half)
    assert score_with_interval(metric, said, 80, 0) == usual_score(metric, said, 80) == score


def test_folds_of_equal_shares_are_not_taken_for_certain():
    """Always the most frequent class: all folds have its share, but the rows are 100."""
    y = np.tile([0, 0, 1, 0], 25)
    parts = [y[rows] for rows in np.array_split(np.arange(100), 5)]
    zeros = [HeldOutPredictions(part, 0 * part, 2) for part in parts]
    score = resampled_score(Metric("accuracy"), HeldOutPredictions.joined(zeros), 80)
    assert score.value == 0.75
    assert score.low is None or score.high - score.low > 0.1


def test_perfect_scores_have_an_interval_too():
    y = np.tile([0, 0, 0, 1], 25)
    said = folds_of(y, 0.9 * np.eye(2)[y] + 0.05, 5, 3)
    for name, n in (("accuracy", 100), ("roc_auc", 25), ("balanced_accuracy", 25)):
        score = usual_score(Metric(name), said, 80)
        assert (score.low, score.high) == pytest.approx(wilson_interval(n, n))


def test_a_perfect_order_has_an_interval_too():
    y = np.zeros(20, dtype=[("grade", float), ("group", np.intp)])
    y["grade"], y["group"] = np.tile([-1.0, 1.0], 10), np.arange(20) // 4
    parts = [HeldOutPredictions(y[i : i + 4], y["grade"][i : i + 4], 0) for i in range(0, 20, 4)]
    score = usual_score(Metric(PAIRS), HeldOutPredictions.joined(parts), 16)
    assert score.value == 1.0
    assert (score.low, score.high) == pytest.approx(wilson_interval(20, 20))


@pytest.mark.parametrize("name", ["r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"])
@pytest.mark.parametrize("in_folds", [True, False])
def test_intervals_of_numbers_cover(name, in_folds):
    """Whatever the metric; errors are known, and predictions are of nothing that was learned."""
    metric, covered = Metric(name), []
    large = np.random.default_rng(0).normal(size=(2, 100_000))
    truth = metric.value(HeldOutPredictions(large.sum(axis=0), large[0], 0))
    for seed in range(30):
        a, b = np.random.default_rng(seed + 1).normal(size=(2, 150))
        parts = [HeldOutPredictions((a + b)[i::5], a[i::5], 0) for i in range(5)]
        said = HeldOutPredictions.joined(parts) if in_folds else HeldOutPredictions(a + b, a, 0)
        score = usual_score(metric, said, 120)
        covered.append(score.low <= truth <= score.high)
        assert score.low < score.value < score.high
    assert np.mean(covered) > 0.85
