"""The deviance of counts, held against SciPy's distributions and against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import nbinom, poisson

from kernlearn.estimators.held_out.count_distribution import CountDistribution
from kernlearn.quality.counts import CountLoss, deviance, fit_dispersion, log_likelihood
from kernlearn.quality.predictive import PredictiveLoss

COUNTS, MEANS = np.array([0.0, 1.0, 3.0, 12.0]), np.array([0.7, 2.0, 3.0, 5.0])


@pytest.mark.parametrize("alpha", [0.0, 0.3, 2.0])
def test_likelihood_and_deviance_are_those_of_scipy(alpha):
    def law(mean):
        return poisson(mean) if not alpha else nbinom(1 / alpha, 1 / (1 + alpha * mean))

    assert log_likelihood(COUNTS, MEANS, alpha) == pytest.approx(law(MEANS).logpmf(COUNTS))
    saturated = law(np.maximum(COUNTS, 1e-300)).logpmf(COUNTS)
    expected = 2 * (saturated - law(MEANS).logpmf(COUNTS))
    assert deviance(COUNTS, MEANS, alpha) == pytest.approx(expected)


def test_dispersion_has_the_largest_likelihood():
    rng = np.random.default_rng(0)
    mean, weight = rng.uniform(1, 5, 500), rng.uniform(0.5, 2.0, 500)
    y = rng.poisson(mean * rng.gamma(2.0, 0.5, 500)).astype(float)
    found = fit_dispersion(y, mean, weight)
    assert found == pytest.approx(0.5, abs=0.15)
    other = minimize_scalar(
        lambda a: -(weight @ nbinom(1 / a, 1 / (1 + a * mean)).logpmf(y)), bounds=(0.01, 5)
    )
    assert found == pytest.approx(other.x, rel=1e-3)
    assert fit_dispersion(np.round(mean), mean, weight) == 0.0


@pytest.mark.parametrize("alpha", [0.0, 0.4])
def test_working_responses_are_those_of_newtons_step(alpha):
    """Their weighted squared error has the derivatives of the deviance where they were made."""
    rng = np.random.default_rng(1)
    logs, exposure = rng.normal(size=40), rng.uniform(0.5, 2.0, 40)
    y, weight = rng.poisson(exposure * np.exp(logs)).astype(float), rng.uniform(0.5, 2.0, 40)
    loss = CountLoss.near(logs, y, exposure, weight, alpha)
    at = (logs - loss.centre)[:, None]
    first, second = loss.slopes(at)
    step = 1e-6
    numeric = (loss.rows(at + step) - loss.rows(at - step)) / (2 * step)
    assert first[:, 0] == pytest.approx(numeric, abs=1e-6)
    curved = (loss.slopes(at + step)[0] - loss.slopes(at - step)[0]) / (2 * step)
    assert second == pytest.approx(curved, abs=1e-5)
    slopes = loss.weight * (at - loss.Y)[:, 0]
    ratio = slopes / (weight * first[:, 0])
    assert ratio == pytest.approx(np.full(40, ratio[0]))
    mean = exposure * np.exp(logs)
    ratio = loss.weight**2 / (weight**2 * mean / (1.0 + alpha * mean) * second[:, 0])
    assert ratio == pytest.approx(np.full(40, ratio[0]))


@pytest.mark.parametrize("start", [2.0, 200.0])
def test_one_step_from_rates_ten_times_off_comes_nearer(start):
    rng = np.random.default_rng(3)
    y = rng.poisson(20.0 * rng.gamma(0.5, 2.0, 2000)).astype(float)
    ones = np.ones(len(y))
    loss = CountLoss.near(np.log(start) * ones, y, ones, ones, 2.0)
    assert abs(loss.centre - np.log(20.0)) < 0.8 * np.log(10.0)


def test_some_rows_keep_their_counts():
    y, ones = np.array([1.0, 0.0, 4.0]), np.ones(3)
    loss = CountLoss.near(np.zeros(3), y, np.array([1.0, 2.0, 3.0]), ones, 0.0)
    some = loss.subset(np.array([2, 0]))
    assert some.counts.tolist() == [4.0, 1.0]
    assert some.exposure.tolist() == [3.0, 1.0]
    assert some.rows(some.Y * 0.0).tolist() == loss.rows(loss.Y * 0.0)[[2, 0]].tolist()
    assert isinstance(some, PredictiveLoss)


def test_quantiles_of_counts_hold_what_they_say():
    rng = np.random.default_rng(2)
    mean = rng.uniform(1, 30, 2000)
    y = rng.poisson(mean * rng.gamma(3.0, 1 / 3, 2000)).astype(float)
    law = CountDistribution.of(y[:1000], mean[:1000], np.ones(1000))
    for q in (0.05, 0.5, 0.95):
        told = law.quantile(mean[1000:], q)
        below, upto = np.mean(y[1000:] < told), np.mean(y[1000:] <= told)
        assert below - 0.03 <= q <= upto + 0.03
    levels = [law.quantile(mean, q) for q in np.linspace(0.01, 0.99, 25)]
    assert (np.diff(levels, axis=0) >= 0).all()
    assert np.isinf(law.quantile(mean, 1 - 1e-6)).all()
    assert law.std(np.array([4.0]))[0] ** 2 == pytest.approx(4 + 16 * law.dispersion)
