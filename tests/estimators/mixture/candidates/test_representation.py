"""Held-out predictions of candidates against machines that are trained again without the rows."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import (
    LearnedRepresentation,
    Representation,
    ScaledColumns,
)
from kernlearn.kernels import Gaussian, Stretched
from kernlearn.quality.predictive import LogLoss, SquaredLoss

ALIKE = ScaledColumns("standard", np.ones(3), (np.ones(3),) * 4)


@pytest.fixture(params=[SquaredLoss, LogLoss])
def problem(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 3))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1]]) + 0.3 * rng.normal(size=(24, 2))
    Y = np.sign(Y) if request.param is LogLoss else Y
    folds = [np.arange(i, 24, 4) for i in range(4)]
    return CandidateProblem({"standard": X}, request.param(Y, rng.uniform(0.5, 2.0, 24)), folds)


def trained_without(problem, kernel, lam, rows):
    others = np.setdiff1d(np.arange(len(problem)), rows)
    X = problem.tables["standard"]
    Y, weight = problem.Y[others], problem.weight[others]
    return KernelMachine.trained("standard", kernel, lam, X[others], Y, weight).predict(X[rows])


def test_folds_are_predicted_by_machines_trained_again(problem):
    judged = Representation("standard").judge(lambda X: Gaussian(0.4), problem, None)
    for rows in problem.folds:
        naive = trained_without(problem, judged.kernel, judged.lam, rows)
        np.testing.assert_allclose(judged.held_out[rows], naive, atol=1e-9)


@pytest.mark.parametrize("representation", [Representation("standard"), ALIKE])
def test_near_a_known_ridge_folds_are_predicted_likewise_by_few_factorisations(
    problem, representation, monkeypatch
):
    told = []
    value_and_slope = type(problem.loss).value_and_slope

    def telling(loss, predictions, changes):
        told.append(value_and_slope(loss, predictions, changes))
        return told[-1]

    monkeypatch.setattr(type(problem.loss), "value_and_slope", telling)
    representation.judge_near(lambda X: Gaussian(0.4), problem, 0.3 * np.exp(1e-5))
    after, told[:] = told[0], []
    judged = representation.judge_near(lambda X: Gaussian(0.4), problem, 0.3)
    assert len(told) <= 4
    assert (after[0] - told[0][0]) / 1e-5 == pytest.approx(told[0][1], rel=1e-3)
    for rows in problem.folds:
        naive = trained_without(problem, Gaussian(0.4), judged.lam, rows)
        np.testing.assert_allclose(judged.held_out[rows], naive, atol=1e-9)


def test_folds_are_predicted_by_kernels_that_have_not_seen_them(problem):
    scales = np.array([1.0, 0.5, 0.1])
    without = tuple(scales + 0.1 * i for i in range(4))
    representation = ScaledColumns("standard", scales, without)
    judged = representation.judge(lambda X: Gaussian(0.4), problem, None)
    for rows, own in zip(problem.folds, without, strict=True):
        naive = trained_without(problem, Stretched(Gaussian(0.4), own), judged.lam, rows)
        np.testing.assert_allclose(judged.held_out[rows], naive, atol=1e-9)
    np.testing.assert_array_equal(judged.kernel.scales, scales)


@pytest.mark.parametrize(
    "representation", [Representation("standard"), ALIKE], ids=["loo", "folds"]
)
def test_no_other_ridge_of_a_fine_grid_is_much_better(problem, representation):
    """By leave-one-out where it has a closed form, else by folds."""
    is_learned = isinstance(representation, LearnedRepresentation)
    folds = problem.folds if is_learned else [[i] for i in range(24)]

    def value(lam):
        predictions = np.zeros_like(problem.Y)
        for rows in folds:
            predictions[rows] = trained_without(problem, Gaussian(0.4), lam, rows)
        return problem.loss.value(predictions)

    judged = representation.judge(lambda X: Gaussian(0.4), problem, None)
    assert value(judged.lam) <= 1.02 * min(map(value, np.logspace(-3, 1, 9)))


def test_the_kernel_is_made_for_the_rows_that_it_is_trained_with(problem):
    seen = []

    def kernel_of(X):
        seen.append(len(X))
        return Gaussian(0.4)

    Representation("standard").judge(kernel_of, problem, None)
    assert seen == [24]
    seen.clear()
    ALIKE.judge(kernel_of, problem, None)
    assert seen == [18, 18, 18, 18, 24]
