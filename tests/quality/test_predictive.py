"""Losses of held-out predictions: derivatives, and the scale against a general minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from kernlearn.quality.predictive import LogLoss, SquaredLoss


def problem(kind, n=30, k=2):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, k))
    noisy = values + rng.normal(size=(n, k))
    Y = np.sign(noisy) if kind is LogLoss else noisy
    return kind(Y, rng.uniform(0.5, 2.0, size=n)), values


@pytest.mark.parametrize("kind", [SquaredLoss, LogLoss])
def test_slopes_are_those_of_central_differences(kind):
    loss, values = problem(kind)
    h = 1e-4
    first, second = loss.slopes(values)
    ahead, here, behind = (loss.rows(values + step * np.eye(2)[0]) for step in (h, 0.0, -h))
    np.testing.assert_allclose(first[:, 0], (ahead - behind) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(second[:, 0], (ahead - 2 * here + behind) / h**2, atol=1e-5)


def test_the_scale_of_log_odds_is_the_best_one():
    loss, values = problem(LogLoss)
    best = minimize_scalar(lambda a: loss.share @ loss.rows(a * values), bounds=(0, 50))
    assert loss.scale(values) == pytest.approx(best.x, rel=1e-4)
    assert loss.value(values) == pytest.approx(best.fun, rel=1e-8)


@pytest.mark.parametrize("factor", [1e-9, 0.1, 1e6])
def test_log_odds_are_judged_whatever_their_size(factor):
    loss, values = problem(LogLoss)
    assert loss.value(factor * values) == pytest.approx(loss.value(values), rel=1e-9)


def test_rounding_has_no_log_odds():
    """Predictions have a size near one; where targets cancel, rounding of 1e-12 is left."""
    loss, values = problem(LogLoss)
    assert loss.scale(1e-8 * values) == pytest.approx(1e8 * loss.scale(values))
    assert loss.scale(1e-12 * values / np.abs(values).max()) == 0.0


def test_values_that_are_right_or_wrong_everywhere_have_a_finite_scale():
    loss, _ = problem(LogLoss)
    assert 0 < loss.scale(loss.Y) < 20
    t = loss.targets
    entropy = -(t * np.log(t) + (1 - t) * np.log(1 - t)).sum(axis=1)
    assert loss.value(loss.Y) == pytest.approx(loss.share @ entropy, abs=0.01)
    assert loss.scale(-loss.Y) == 0.0
    assert loss.scale(np.zeros_like(loss.Y)) == 0.0


def test_a_weight_of_two_is_a_row_twice():
    loss, values = problem(LogLoss)
    twice = np.repeat(np.arange(30), 2)
    doubled = LogLoss(loss.Y, np.full(30, 2.0))
    repeated = LogLoss(loss.Y[twice], np.ones(60))
    assert doubled.value(values) == pytest.approx(repeated.value(values[twice]), rel=1e-9)
