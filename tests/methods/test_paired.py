"""Paired tests against other people's formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, ttest_rel

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.method import Method
from kernlearn.methods.metrics import Metric
from kernlearn.methods.paired import bootstrap, corrected_t, mcnemar, paired_test, squared_errors
from kernlearn.methods.scores import Score, ScoreOptions
from kernlearn.methods.significance import comparison_facts
from kernlearn.methods.task import EvaluatedModel


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (3, 3), (9, 2), (0, 5), (40, 70)])
def test_mcnemar_is_a_sum_of_binomial_probabilities(wins, losses):
    first = np.array([True] * wins + [False] * losses + [True] * 20)
    second = np.array([False] * wins + [True] * losses + [True] * 20)
    found = mcnemar(first, second)
    assert (found.wins, found.losses) == (wins, losses)
    n, k = wins + losses, min(wins, losses)
    probabilities = [math.comb(n, i) / 2**n for i in range(n + 1)]
    expected = 2 * sum(probabilities[:k]) + probabilities[k] if wins != losses else 1.0
    assert found.p_value == pytest.approx(expected)


def test_mcnemar_keeps_its_level():
    """Of equally good models, about one in twenty looks different at the level of 0.05."""
    b = np.arange(31)
    p = np.array([mcnemar(np.arange(30) < k, np.arange(30) >= k).p_value for k in b])
    assert 0.02 < binom.pmf(b, 30, 0.5)[p < 0.05].sum() < 0.06


def test_squared_errors_by_scipy():
    rng = np.random.default_rng(0)
    y = rng.normal(size=40)
    a, b = y + 0.3 * rng.normal(size=40), y + 0.5 * rng.normal(size=40)
    found = squared_errors(HeldOutPredictions(y, a, 0), HeldOutPredictions(y, b, 0))
    assert found.p_value == pytest.approx(ttest_rel((y - a) ** 2, (y - b) ** 2).pvalue)
    assert squared_errors(HeldOutPredictions(y, a, 0), HeldOutPredictions(y, a, 0)).p_value == 1.0


def test_the_corrected_t_is_the_usual_one_at_a_ratio_of_zero():
    d = np.array([0.02, 0.05, -0.01, 0.04, 0.03])
    assert corrected_t(d, 0.0) == pytest.approx(ttest_rel(d, np.zeros(5)).pvalue)
    assert corrected_t(d, 0.25) > corrected_t(d, 0.0)
    assert corrected_t(np.zeros(5), 0.25) == 1.0
    assert corrected_t(np.full(5, 0.1), 0.25) is None


def labels(predicted, y=None):
    y = np.arange(len(predicted)) % 2 if y is None else y
    return HeldOutPredictions(y, np.asarray(predicted), 2)


def test_a_bootstrap_tells_what_is_different_from_what_is_not():
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    good = labels(np.where(rng.random(200) < 0.9, y, 1 - y), y)
    bad = labels(np.where(rng.random(200) < 0.7, y, 1 - y), y)
    metric = Metric("balanced_accuracy")
    exact = mcnemar(good.predicted == y, bad.predicted == y).p_value
    found = bootstrap(metric, good, bad, 0).p_value
    assert exact < 1e-4
    assert found < 1e-3
    assert bootstrap(metric, good, good, 0).p_value == 1.0


def test_the_test_fits_the_metric_and_the_splits():
    few = ScoreOptions(n_draws=40)
    y = np.arange(20) % 2
    pair = (labels(y, y), labels(np.zeros(20, dtype=int), y))
    numbers = (
        HeldOutPredictions(y + 0.0, y + 0.1, 0),
        HeldOutPredictions(y + 0.0, np.zeros(20), 0),
    )
    assert paired_test(Metric("accuracy"), [pair], 60, 0).test.startswith("McNemar")
    assert paired_test(Metric("f1"), [pair], 60, 0, few).test == "paired bootstrap"
    assert paired_test(Metric("r2"), [numbers], 60, 0).test == "paired t of squared errors"
    assert paired_test(Metric("accuracy"), [pair] * 5, 80, 0).test == "corrected resampled t"
    # A model without probabilities has no log loss to be compared.
    assert paired_test(Metric("neg_log_loss"), [pair] * 5, 80, 0).p_value is None


def judged(name, said, value, paired=None):
    method = Method(name, name, lambda setting: None)
    return EvaluatedModel(name, "baseline", method, Score(value), 0.0, said, 60, 60, None, paired)


def test_what_is_said_follows_from_the_p_value():
    y = np.arange(100) % 2
    model = labels(np.where(np.arange(100) < 5, 1 - y, y), y)
    weak = labels(np.where(np.arange(100) < 30, 1 - y, y), y)
    close = labels(np.where(np.arange(100) < 6, 1 - y, y), y)
    metric = Metric("accuracy")
    first = judged("model", model, 0.95)

    def said(other, value):
        paired = paired_test(metric, [(model, other)], 300, 0)
        return comparison_facts(first, judged("B", other, value, paired), metric)

    better = said(weak, 0.7)
    assert better["better"] is True
    assert better["sentence"].startswith("it alone is right on 25 and B alone on 0 of the 100 rows")
    assert better["sentence"].endswith("so the model is better")
    assert said(close, 0.94)["better"] is None
    assert said(close, 0.94)["sentence"].endswith("so these rows do not tell the two apart")
    worse = comparison_facts(
        judged("model", weak, 0.7),
        judged("B", model, 0.95, paired_test(metric, [(weak, model)], 300, 0)),
        metric,
    )
    assert worse["better"] is False
    assert worse["sentence"].endswith("so the model is worse")
    assert comparison_facts(first, first, metric) is None


def test_r2_of_small_folds_does_not_hide_what_squared_errors_tell():
    generator = np.random.default_rng(0)
    y = generator.normal(size=60)
    good, poor = y + 0.3 * generator.normal(size=60), np.zeros(60)
    folds = np.array_split(np.arange(60), 20)
    splits = [
        (HeldOutPredictions(y[i], good[i], 0), HeldOutPredictions(y[i], poor[i], 0)) for i in folds
    ]
    r2 = paired_test(Metric("r2"), splits, 57, 0)
    assert r2.p_value < 0.01
    assert r2.p_value == paired_test(Metric("neg_mean_squared_error"), splits, 57, 0).p_value
