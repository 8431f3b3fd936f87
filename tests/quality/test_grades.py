"""Thresholds of grades, held against another optimiser and against simulated grades."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from kernlearn.quality.grades import (
    GradeThresholds,
    fit_thresholds,
    held_out_grades,
    middle_grades,
)
from kernlearn.quality.predictive import ClassLoss, GradeLoss, LogLoss


@pytest.fixture(scope="module")
def simulated():
    """Values, codes and smoothed targets of four grades, by proportional odds."""
    rng = np.random.default_rng(0)
    f = rng.normal(size=400)
    y = np.digitize(1.5 * f + rng.logistic(size=400), [-1.0, 0.3, 1.5])
    targets = np.full((400, 4), 0.25 / 401.0)
    targets[np.arange(400), y] += 400.0 / 401.0
    return f, y, targets


def _cross_entropy(point, f, targets, weight):
    """As the definition has it: differences of sigmoids."""
    ends = np.concatenate([[-np.inf], point[:-1], [np.inf]])
    below = expit(ends - point[-1] * f[:, None])
    return -float(weight @ (targets * np.log(np.diff(below, axis=1))).sum(axis=1)) / weight.sum()


def test_thresholds_have_the_least_cross_entropy(simulated):
    f, _, targets = simulated
    weight = np.linspace(0.5, 2.0, len(f))
    slope, thresholds = fit_thresholds(f, targets, weight)
    found = np.append(thresholds, slope)
    start = np.array([-1.0, 0.0, 1.0, 1.0])
    other = minimize(_cross_entropy, start, (f, targets, weight), "BFGS", options={"gtol": 1e-8})
    assert found == pytest.approx(other.x, abs=1e-4)
    assert _cross_entropy(found, f, targets, weight) <= other.fun + 1e-12
    assert slope == pytest.approx(1.5, abs=0.3)
    assert (np.diff(thresholds) > 0).all()


def test_thresholds_do_not_depend_on_the_unit(simulated):
    f, _, targets = simulated
    ones = np.ones(len(f))
    slope, thresholds = fit_thresholds(f, targets, ones)
    again, same = fit_thresholds(1e6 * f, targets, ones)
    assert 1e6 * again == pytest.approx(slope, rel=1e-6)
    assert same == pytest.approx(thresholds, rel=1e-6)


@pytest.mark.parametrize("values", [np.zeros(400), -1.0])
def test_values_that_say_nothing_or_the_contrary_have_no_slope(simulated, values):
    f, _, targets = simulated
    slope, thresholds = fit_thresholds(values * f, targets, np.ones(400))
    assert slope == 0.0
    assert expit(thresholds) == pytest.approx(np.cumsum(targets.mean(axis=0))[:-1], abs=1e-8)


def test_grades_that_are_told_apart_have_finite_numbers():
    y = np.repeat([0, 1, 2], 10)
    signs = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    link = GradeThresholds.of(signs, signs, np.ones(30), np.arange(3))
    assert np.isfinite([link.slope, *link.thresholds]).all()
    assert (np.exp(link(signs)).argmax(axis=1) == y).all()


def test_columns_may_have_another_order_than_grades(simulated):
    f, y, _ = simulated
    order = np.array([2, 0, 3, 1])  # grade 0 is column 2, and so on
    signs = np.where(np.argsort(order)[None] == y[:, None], 1.0, -1.0)
    values = signs * 0.1 + f[:, None] * np.array([0.0, 1.0, -1.0, 0.5])
    link = GradeThresholds.of(values, signs, np.ones(400), order)
    plain = GradeThresholds.of(values[:, order], signs[:, order], np.ones(400), np.arange(4))
    assert link(values)[:, order] == pytest.approx(plain(values[:, order]), abs=1e-9)
    assert np.exp(link(values)).sum(axis=1) == pytest.approx(1.0)


def test_a_grade_that_no_other_row_has_is_still_possible():
    y = np.array([0, 0, 0, 1, 1, 1, 2])
    signs = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    logs = held_out_grades(signs, signs, np.ones(7), np.arange(3))
    assert np.isfinite(logs).all()


def test_the_middle_grade_has_the_least_mean_distance():
    chances = np.random.default_rng(1).dirichlet(np.ones(5), 200)
    order = np.array([3, 1, 4, 0, 2])
    distance = np.abs(np.arange(5)[:, None] - np.arange(5))
    best = order[(chances[:, order] @ distance).argmin(axis=1)]
    assert (middle_grades(chances, order) == best).all()


def test_the_loss_of_scores_is_that_of_one_machine(simulated):
    f, y, _ = simulated
    signs = np.where(y[:, None] == np.arange(4), 1.0, -1.0)
    loss = LogLoss(signs, np.ones(400), np.arange(4)).other
    assert isinstance(loss, GradeLoss)
    assert loss.other is None
    values = signs * f[:, None]
    scores = 0.5 * (values - signs) @ (2.0 * loss.scores)
    assert loss.value(values) == pytest.approx(float(np.mean(scores**2)))
    changes = np.random.default_rng(2).normal(size=values.shape)
    slope = loss.value_and_slope(values, changes)[1]
    step = 1e-6
    ahead, behind = (loss.value(values + sign * step * changes) for sign in (1.0, -1.0))
    assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)


def test_grades_are_told_wrong_by_their_distance():
    signs = np.where(np.arange(60)[:, None] % 3 == np.arange(3), 1.0, -1.0)
    away = signs[:, [2, 0, 1]]
    assert ClassLoss(signs, np.ones(60)).wrong(signs).mean() == 0.0
    of_grades = ClassLoss(signs, np.ones(60), np.arange(3))
    assert of_grades.wrong(signs).max() == 0.0
    # Values that say nothing leave the middle grade.
    assert of_grades.wrong(away).tolist() == [1.0, 0.0, 1.0] * 20
