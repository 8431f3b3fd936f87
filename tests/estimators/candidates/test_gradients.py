"""Stretches from slopes: the slopes against differences, and what they find."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.estimators.candidates import contest
from kernlearn.estimators.candidates.choice import chosen_families
from kernlearn.estimators.candidates.gradients import gradient_view, slopes
from kernlearn.estimators.candidates.machine import Machine, Training
from kernlearn.estimators.candidates.problem import Problem
from kernlearn.kernels import Matern, Stretched
from kernlearn.quality.predictive import SquaredLoss


def make_problem(n=60, p=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1]]) + 0.1 * rng.normal(size=(n, 2))
    folds = [np.arange(i, n, 5) for i in range(5)]
    return Problem({"standard": X}, SquaredLoss(Y, np.ones(n)), folds)


def test_slopes_are_those_of_central_differences():
    problem = make_problem()
    X, scales, length = problem.tables["standard"], np.array([1.0, 0.5, 0.0, 2.0]), 2.5
    kernel = Stretched(Matern(length, 1.5), scales)
    training = Training(X, problem.Y, problem.weight)
    machine = Machine.trained("standard", kernel, 0.1, training, None)
    found = slopes(X, scales, length, machine.dual_coef)
    h = 1e-5
    for r in range(4):
        step = h * np.eye(4)[r]
        expected = (machine.predict(X + step) - machine.predict(X - step)) / (2 * h)
        np.testing.assert_allclose(found[:, :, r].T, expected, atol=1e-6)


def test_columns_that_matter_are_stretched_most_in_every_fold():
    view = gradient_view(make_problem(), "standard")
    for scales in (view.scales, *view.without):
        assert scales.max() == 1.0
        assert scales[2:].max() < 0.5 * scales[:2].min()
    assert len({tuple(scales) for scales in view.without}) == 5


def test_wide_tables_learn_by_slopes(monkeypatch):
    monkeypatch.setattr(contest, "_FIRST_LEVEL_COLUMNS", 3)
    found = contest.hold_contest(make_problem(), *chosen_families(["Gaussian", "ARD"]), np.random)
    plain, stretched = found.found
    assert stretched.title == "Gaussian, ARD"
    assert stretched.loss < plain.loss


def test_where_nothing_changes_there_is_nothing_to_learn():
    problem = make_problem()
    flat = Problem(problem.tables, SquaredLoss(0 * problem.Y, problem.weight), problem.folds)
    with pytest.raises(np.linalg.LinAlgError, match="no slope"):
        gradient_view(flat, "standard")
