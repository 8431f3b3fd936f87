"""Discriminants of several classes against scikit-learn's, and on values that say little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from kernlearn.quality.discriminants import (
    Discriminants,
    fit_softmax,
    held_out_discriminants,
    held_out_values,
)


@pytest.fixture
def case():
    generator = np.random.default_rng(0)
    classes = generator.choice(3, size=120, p=[0.5, 0.3, 0.2])
    means = np.array([[1.0, 0.0, -1.0], [0.0, 0.2, 0.0], [-1.0, 0.1, 1.0]])
    values = means[classes] + 0.5 * generator.normal(size=(120, 3))
    return values, np.where(classes[:, None] == np.arange(3), 1.0, -1.0), classes


def test_they_are_those_of_linear_discriminant_analysis(case):
    values, signs, classes = case
    ours = Discriminants.of(values, signs, np.ones(120), shrinkage=0.0)(values)
    share = (np.bincount(classes) + 1 / 3) / 121
    # Its covariance is that of the priors' shares; ours is of the rows'.
    theirs = LinearDiscriminantAnalysis(solver="lsqr", priors=np.bincount(classes) / 120)
    theirs.fit(values, classes)
    expected = theirs.decision_function(values) + np.log(share / theirs.priors_)
    np.testing.assert_allclose(ours, expected - expected.mean(axis=1, keepdims=True), atol=1e-10)


def test_a_weight_is_so_many_rows(case):
    values, signs, _ = case
    weight = np.random.default_rng(1).integers(1, 4, size=len(values))
    weighted = Discriminants.of(values, signs, weight.astype(float))
    repeated = Discriminants.of(
        np.repeat(values, weight, axis=0),
        np.repeat(signs, weight, axis=0),
        np.ones(weight.sum()),
    )
    np.testing.assert_allclose(weighted.matrix, repeated.matrix, atol=1e-10)
    np.testing.assert_allclose(weighted.offset, repeated.offset, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-150, 1e-3, 1e3, 1e150])
def test_units_do_not_matter(case, unit):
    values, signs, _ = case
    expected = Discriminants.of(values, signs, np.ones(120))(values)
    found = Discriminants.of(unit * values, signs, np.ones(120))(unit * values)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_row_has_no_say_in_its_own(case):
    values, signs, _ = case
    before = held_out_discriminants(values, signs, np.ones(120))
    heavy = np.where(np.arange(120) == 7, 50.0, 1.0)
    after = held_out_discriminants(values, signs, heavy)
    np.testing.assert_array_equal(after[7], before[7])
    assert not np.allclose(after, before)


@pytest.mark.parametrize("lone", [False, True])
def test_parts_side_by_side_are_those_one_by_one(case, lone):
    values, signs, classes = case
    if lone:  # a class of one row, of which nothing is known without its part
        kept = np.r_[np.flatnonzero(classes != 1), np.flatnonzero(classes == 1)[:1]]
        values, signs = values[kept], signs[kept]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(values))
    expected = held_out_values(values, signs, weight, Discriminants.of)
    found = held_out_discriminants(values, signs, weight)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_classes", [3, 5, 10])
def test_classes_may_come_in_turn(n_classes):
    classes = np.arange(200) % n_classes
    values = np.eye(n_classes)[classes] + 0.2 * np.random.default_rng(0).normal(
        size=(200, n_classes)
    )
    signs = np.where(classes[:, None] == np.arange(n_classes), 1.0, -1.0)
    told = held_out_discriminants(values, signs, np.ones(200))
    assert np.mean(told.argmax(axis=1) == classes) > 0.95


def test_a_class_of_which_no_row_is_there_is_not_named(case):
    values, signs, classes = case
    seen = classes < 2
    told = Discriminants.of(values[seen], signs[seen], np.ones(seen.sum()))(values[seen])
    assert np.isfinite(told).all()
    assert set(told.argmax(axis=1)) == {0, 1}


def test_means_without_a_row_teach_nothing(case):
    _, signs, _ = case
    without = (signs.sum(axis=0) - signs) / 119
    np.testing.assert_array_equal(Discriminants.of(without, signs, np.ones(120)).matrix, np.eye(3))


@pytest.mark.parametrize("value", [0.0, 1.0, np.inf])
def test_values_that_say_nothing_stay_what_they_are(case, value):
    values, signs, _ = case
    same = np.full_like(values, value)
    told = Discriminants.of(same, signs, np.ones(120))
    np.testing.assert_array_equal(told.matrix, np.eye(3))
    np.testing.assert_array_equal(told.offset, np.zeros(3))


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


def test_the_slope_is_a_root_that_bisection_finds_too():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n, k = rng.integers(3, 40), rng.integers(2, 6)
        codes = rng.integers(0, k, n)
        values = np.round(rng.normal(size=(n, k)) + rng.choice([0.3, 30.0]) * np.eye(k)[codes], 1)
        targets = (n * np.eye(k)[codes] + 1 / k) / (n + 1)

        def derivative(slope, values=values, targets=targets):
            return ((softmax(slope * values, axis=1) - targets) * values).sum()

        slope = fit_softmax(values, codes)
        best = brentq(derivative, 0.0, 1e4, xtol=1e-14) if derivative(0.0) < 0.0 else 0.0
        assert slope == pytest.approx(best, rel=1e-8)


def test_values_that_tell_all_apart_give_a_finite_slope():
    slope = fit_softmax(np.eye(3)[[0, 1, 2, 0]], np.array([0, 1, 2, 0]))
    # One point in five is of unknown class.
    p = np.exp(log_softmax(slope * np.array([1.0, 0, 0])))
    assert p[0] == pytest.approx((4 + 1 / 3) / 5)


@pytest.mark.parametrize("values", [np.zeros((3, 3)), -np.eye(3), np.ones((3, 3))])
def test_values_that_say_nothing_or_the_contrary_give_no_slope(values):
    assert fit_softmax(values, np.arange(3)) == 0.0
