"""The slope is held against a general minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from kernlearn.quality.softmax import fit_softmax


def _data(seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(150, 4))
    codes = (values + rng.gumbel(size=values.shape) / 2.5).argmax(axis=1)
    return values, codes, rng.uniform(0.1, 3.0, 150)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_it_is_the_minimum_of_the_cross_entropy(scale):
    values, codes, weight = _data()
    targets = (weight.sum() * np.eye(4)[codes] + 0.25) / (weight.sum() + 1)

    def loss(slope):
        return -weight @ (targets * log_softmax(slope * values, axis=1)).sum(axis=1)

    best = minimize_scalar(loss, bounds=(0, 20), method="bounded", options={"xatol": 1e-10}).x
    slope = fit_softmax(scale * values, codes, weight) * scale
    assert slope == pytest.approx(best, rel=1e-5)
    assert slope == pytest.approx(2.5, rel=0.3)  # what the labels were drawn with


def test_a_weight_of_two_is_a_row_that_is_there_twice():
    values, codes, _ = _data()
    rows = np.r_[np.arange(150), np.arange(50)]
    weight = 1.0 + (np.arange(150) < 50)
    twice = fit_softmax(values[rows], codes[rows])
    assert fit_softmax(values, codes, weight) == pytest.approx(twice, rel=1e-9)


def test_values_that_tell_all_apart_give_a_finite_slope():
    slope = fit_softmax(np.eye(3)[[0, 1, 2, 0]], np.array([0, 1, 2, 0]))
    # One point in five is of unknown class.
    p = np.exp(log_softmax(slope * np.array([1.0, 0, 0])))
    assert p[0] == pytest.approx((4 + 1 / 3) / 5)


@pytest.mark.parametrize("values", [np.zeros((3, 3)), -np.eye(3), np.ones((3, 3))])
def test_values_that_say_nothing_or_the_contrary_give_no_slope(values):
    assert fit_softmax(values, np.arange(3)) == 0.0
