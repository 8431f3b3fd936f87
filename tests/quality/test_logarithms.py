"""Amounts as logarithms: there and back, and what their means are."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.quality.logarithms import Exponentials, Limits, Logarithms
from kernlearn.quality.predictive import LoggedLoss, LogLoss, SquaredLoss


def amounts(n=400, k=2, seed=0):
    return np.random.default_rng(seed).lognormal(1.0, 1.0, size=(n, k))


def standardised(raw, weight):
    centre, spread = np.average(raw, axis=0, weights=weight), raw.std(axis=0)
    limits = Limits.of(raw).standardised(centre, spread)
    return SquaredLoss((raw - centre) / spread, weight, limits), centre, spread


def test_there_and_back():
    raw = np.vstack([amounts(), np.zeros((5, 2))])
    loss, centre, spread = standardised(raw, np.ones(405))
    logged = LoggedLoss.of(loss)
    np.testing.assert_allclose(logged.of_linked.Y, loss.Y, atol=1e-12)
    np.testing.assert_allclose(logged.Y.std(axis=0), 1.0)
    exact = logged.link(logged.Y)
    np.testing.assert_allclose(exact.factor, 1.0)
    np.testing.assert_allclose(centre + spread * exact(logged.Y), raw, atol=1e-10)


def test_predictions_are_means_not_medians():
    """Of amounts without a cause: a machine that predicts the mean logarithm for all rows."""
    raw, weight = amounts(4000), np.ones(4000)
    loss, centre, spread = standardised(raw, weight)
    logged = LoggedLoss.of(loss)
    told = centre + spread * logged.linked(np.zeros_like(logged.Y))[0]
    np.testing.assert_allclose(told, raw.mean(axis=0), rtol=0.05)
    assert (np.median(raw, axis=0) < 0.7 * told).all()


def test_slopes_are_those_of_differences():
    logs = Logarithms.of(amounts(), np.ones(400), np.zeros(2))
    link = Exponentials(logs, np.array([1.1, 1.3]), Limits(np.full(2, -np.inf), np.full(2, np.inf)))
    values, h = np.random.default_rng(1).normal(size=(5, 2)), 1e-6
    expected = (link(values + h) - link(values - h)) / (2 * h)
    np.testing.assert_allclose(logs.slope(link(values)), expected, rtol=1e-6)


def test_a_row_of_weight_two_is_two_rows():
    raw, twice = amounts(50), np.repeat(np.arange(50), 2)
    one = Logarithms.of(raw, np.full(50, 2.0), np.zeros(2))
    two = Logarithms.of(raw[twice], np.ones(100), np.zeros(2))
    np.testing.assert_allclose(one.mean, two.mean, rtol=0.05)  # quartiles differ a little
    np.testing.assert_allclose(one.unit, two.unit, rtol=0.05)


@pytest.mark.parametrize("power", [1.0, 12.0])
def test_values_far_out_stay_within_the_limits(power):
    raw = amounts() ** power
    loss, centre, spread = standardised(raw, np.ones(400))
    link = LoggedLoss.of(loss).link(np.zeros_like(raw))
    told = centre + spread * link(np.array([[-100.0, 100.0], [np.inf, -np.inf]]))
    room = 0.2 * np.ptp(raw, axis=0)
    np.testing.assert_allclose(told[[1, 0], [0, 1]], raw.max(axis=0) + room)
    np.testing.assert_allclose(told[[0, 1], [0, 1]], 0.0, atol=1e-12 * raw.max())


@pytest.mark.parametrize(
    "raw",
    [
        amounts() - 1.0,  # below zero
        -amounts(),
        np.random.default_rng(0).uniform(1, 2, size=(400, 2)),  # not skewed
        np.column_stack([amounts()[:, 0], np.arange(400.0)]),  # one of two
        np.full((400, 1), 3.0),
    ],
)
def test_other_targets_are_learned_as_they_are(raw):
    assert LoggedLoss.of(SquaredLoss(raw, np.ones(400), Limits.of(raw))) is None


def test_constant_targets_are_not_skewed_whatever_the_order_of_summation():
    """Some of these means are not the targets themselves, with any BLAS."""
    weight = np.random.default_rng(0).uniform(0.0, 1.0, size=401)
    weight[0] = 0.0
    for constant in np.arange(1.0, 31.0) / 10.0:
        raw = np.full((401, 1), constant)
        raw[0] = 100.0  # a row without weight
        assert Logarithms.of(raw, weight, np.zeros(1)) is None


def test_without_limits_or_with_labels_there_are_no_logarithms():
    assert LoggedLoss.of(SquaredLoss(amounts(), np.ones(400))) is None
    assert LoggedLoss.of(LogLoss(np.sign(amounts() - 2.0), np.ones(400))) is None


@pytest.mark.parametrize(
    ("targets", "low", "high"), [([3, 13], 1, 15), ([0.5, 10.5], 0, 12.5), ([-20, 0], -24, 0)]
)
def test_limits_have_room_but_not_beyond_zero(targets, low, high):
    limits = Limits.of(np.array(targets, dtype=float)[:, None])
    assert limits(np.array([[-100.0], [100.0]])).ravel().tolist() == [low, high]
    assert (limits.zero is None) == (targets[0] < 0)
