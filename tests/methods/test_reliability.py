"""Whether probabilities are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.reliability import reliability


def classes(k, n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    logits = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]
    proba = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return HeldOutPredictions(y, proba.argmax(axis=1), k, None, proba)


def two(p, y, unit=None):
    return HeldOutPredictions(y, (p > 0.5) * 1, 2, None, np.column_stack([1 - p, p]), unit=unit)


def test_reliability_by_scikit_learn():
    said = classes(2, 300)
    found = reliability(said)
    share, mean = calibration_curve(
        said.y, said.proba[:, 1], n_bins=10, strategy="quantile", pos_label=1
    )
    np.testing.assert_allclose([b["mean"] for b in found["bins"]], mean, atol=1e-2)
    np.testing.assert_allclose([b["share"] for b in found["bins"]], share, atol=0.04)
    gaps = [b["rows"] * abs(b["mean"] - b["share"]) for b in found["bins"]]
    assert found["error"] == pytest.approx(sum(gaps) / 300)


def test_probabilities_that_lie_are_found_out():
    honest = classes(3, 1000)
    bold = HeldOutPredictions(honest.y, honest.predicted, 3, None, honest.proba**6)
    bold = HeldOutPredictions(
        bold.y, bold.predicted, 3, None, bold.proba / bold.proba.sum(axis=1, keepdims=True)
    )
    assert reliability(bold)["error"] > 2 * reliability(honest)["error"]
    assert reliability(honest)["of"] == "predicted class"
    assert reliability(HeldOutPredictions(honest.y, honest.predicted, 3)) is None
    assert reliability(honest.rows(np.arange(10))) is None


def test_slope_and_intercept_are_those_of_logistic_regression():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=400)
    y = (rng.random(400) < expit(0.4 + 0.6 * logit(p))) * 1
    found = reliability(two(p, y))
    fit = LogisticRegression(C=np.inf, tol=1e-10).fit(logit(p)[:, None], y)
    assert found["slope"]["value"] == pytest.approx(float(fit.coef_[0, 0]), rel=1e-4)
    assert found["intercept"]["value"] == pytest.approx(float(fit.intercept_[0]), rel=1e-4)
    assert found["slope"]["low"] < 0.6 < found["slope"]["high"] < 1.0
    assert "too close to 0 and 1 and too low for the second class" in found["sentence"]


def test_of_right_probabilities_the_gap_is_that_of_chance():
    """116 rows: about a tenth, which says nothing."""
    rng = np.random.default_rng(1)
    gaps, chance, covered, told = [], [], [], []
    for _ in range(40):
        p = rng.beta(2, 2, size=116)
        found = reliability(two(p, (rng.random(116) < p) * 1))
        gaps.append(found["error"])
        chance.append(found["error_by_chance"])
        covered.append(found["slope"]["low"] <= 1.0 <= found["slope"]["high"])
        told.append("show no fault" in found["sentence"])
    assert np.mean(gaps) == pytest.approx(np.mean(chance), rel=0.1)
    assert np.mean(gaps) > 0.08
    assert np.mean(covered) > 0.85
    assert np.mean(told) > 0.75


def test_rows_of_one_unit_count_once():
    rng = np.random.default_rng(2)
    p = rng.uniform(0.1, 0.9, size=40)
    y = (rng.random(40) < p) * 1
    alone = reliability(two(p, y))
    again = np.repeat(np.arange(40), 6)
    found = reliability(two(p[again], y[again], again))
    assert found["slope"]["high"] == pytest.approx(alone["slope"]["high"], rel=1e-6)
    assert found["error_by_chance"] > 0.8 * alone["error_by_chance"]


def test_classes_that_are_apart_have_no_slope():
    p = np.tile([0.2, 0.9], 30)
    found = reliability(two(p, (p > 0.5) * 1))
    assert found["slope"] is None
    assert "slope" not in found["sentence"]
    assert reliability(two(np.full(60, 0.5), np.tile([0, 1], 30)))["slope"] is None
    # Here it grows so slowly that it is never seen to be large.
    p = np.concatenate([np.linspace(0.001, 0.02, 30), np.linspace(0.98, 0.999, 30)])
    assert reliability(two(p, (p > 0.5) * 1))["slope"] is None
