"""Thousands of rows judge candidates that few have found, by rows that trained none of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import FAMILIES
from kernlearn.estimators.mixture.candidates.representation import Representation
from kernlearn.estimators.mixture.candidates.rescreening import rescreen
from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import MixtureOptions, RescreeningOptions
from kernlearn.quality.logarithms import Limits
from kernlearn.quality.predictive import LoggedLoss, SquaredLoss
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl


def make_problem(n, frequency=2.0, stopping=None):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(n, 2))
    Y = np.sin(frequency * X[:, :1]) + 0.05 * rng.normal(size=(n, 1))
    folds = [np.arange(i, n, 5) for i in range(5)]
    return CandidateProblem(
        {"standard": X}, SquaredLoss(Y, np.ones(n)), folds, stopping or StoppingControl()
    )


def found_on(problem, name="Gaussian"):
    return FAMILIES[name].search(problem, Representation("standard"))


def rescreened(small, kept, problem, combines, options=MixtureOptions()):  # noqa: B008
    training = TrainingRows(problem.tables, problem.Y, problem.weight, problem, None)
    choice = chosen_families(["combination" if combines else "linear"])
    return rescreen(small, kept, training, choice, options, np.random.RandomState(0))


def test_a_fold_is_predicted_by_machines_of_the_others():
    problem = make_problem(60)
    one = found_on(make_problem(40), "linear")
    contest = rescreened(Screening(problem, [one]), [one], problem, False)
    out, inside = problem.folds[0], np.setdiff1d(np.arange(60), problem.folds[0])
    X, Y = problem.tables["standard"], problem.Y
    K, n, lam = X @ X.T, len(inside), one.judged.lam
    A = np.block([[K[np.ix_(inside, inside)] + lam * np.eye(n), np.ones((n, 1))], [np.ones(n), 0]])
    by_hand = np.linalg.solve(A, np.vstack([Y[inside], [[0.0]]]))
    expected = K[np.ix_(out, inside)] @ by_hand[:n] + by_hand[n]
    np.testing.assert_allclose(contest.fits[0].judged.held_out, expected, atol=1e-8)
    np.testing.assert_array_equal(contest.problem.Y, Y[out])
    assert contest.fits[0].loss == pytest.approx(np.mean((Y[out] - expected) ** 2), rel=1e-6)


def test_logarithms_are_learned_from_more_rows_too():
    """By least squares of the logarithms with the ridge that fewer rows had found."""
    problem = make_problem(60)
    raw = np.exp(3 * problem.Y)
    problem = replace(problem, loss=SquaredLoss(raw, np.ones(60), Limits.of(raw)))
    one = found_on(replace(problem, loss=LoggedLoss.of(problem.loss)), "linear")
    contest = rescreened(Screening(problem, [one]), [one], problem, False)
    (found,) = contest.fits
    out, inside = problem.folds[0], np.setdiff1d(np.arange(60), problem.folds[0])
    X, Y = problem.tables["standard"], one.judge.logarithms(raw)
    kernel, lam = one.judged.kernel, one.judged.lam
    machine = KernelMachine.trained("standard", kernel, lam, X[inside], Y[inside], np.ones(48))
    np.testing.assert_allclose(found.judged.held_out, machine.predict(X[out]), atol=1e-8)
    np.testing.assert_allclose(found.judge.of_linked.Y, raw[out])
    assert found.reported_loss == pytest.approx(np.mean((found.compared - raw[out]) ** 2))


def test_trees_are_grown_from_the_rows_that_train():
    problem = make_problem(400, 9.0)
    one = found_on(make_problem(60, 9.0), "trees")
    contest = rescreened(Screening(problem, [one]), [one], problem, False)
    (found,) = contest.fits
    train = problem.rows(np.setdiff1d(np.arange(400), problem.folds[0]))
    grown = one.with_more_rows(train).judged.kernel
    np.testing.assert_array_equal(found.judged.kernel.thresholds, grown.thresholds)
    assert found.judged.lam >= one.judged.lam
    smaller = KernelMachine.trained(
        "standard", grown, one.judged.lam, train.tables["standard"], train.Y, train.weight
    )
    held_out = smaller.predict(problem.tables["standard"][problem.folds[0]])
    assert found.loss <= contest.problem.loss.value(held_out) + 1e-12


def test_more_rows_ask_for_narrower_kernels():
    problem = make_problem(200, 12.0)
    best, X = found_on(problem), problem.tables["standard"]
    wide = replace(best.judged, kernel=best.family.at(best.place - 2)(X))
    one = replace(best, place=best.place - 2, judged=wide)
    contest = rescreened(Screening(problem, [one]), [one], problem, False)
    assert contest.fits[0].place >= best.place - 1
    assert contest.fits[0].judged.kernel.gamma > wide.kernel.gamma


def test_after_an_early_end_the_small_contest_stands():
    stopping = StoppingControl()
    stopping.stopped = Status.STOPPED
    problem = make_problem(40, stopping=stopping)
    small = Screening(problem, [found_on(make_problem(40))])
    assert rescreened(small, small.fits, problem, True) is small


def test_a_combination_joins_where_it_may():
    problem = make_problem(50)
    one = found_on(problem, "linear")
    small = Screening(problem, [one])
    contest = rescreened(small, [one], problem, True)
    assert [found.title for found in contest.fits] == ["linear", "combination with pairs"]
    out, inside = problem.folds[0], np.setdiff1d(np.arange(50), problem.folds[0])
    X, y = problem.tables["standard"], problem.Y[:, 0]
    model = kl.MKLRegressor(quality="least_squares", C="auto", random_state=0, rank=40)
    model.fit(X[inside], y[inside])
    judged = contest.fits[1].judged
    np.testing.assert_allclose(judged.held_out[:, 0], model.predict(X[out]))
    # The machine that a mixture trains with it is that of the model.
    Y, weight = problem.Y[inside], np.ones(40)
    machine = KernelMachine.trained("standard", judged.kernel, judged.lam, X[inside], Y, weight)
    np.testing.assert_allclose(machine.predict(X[out]), judged.held_out, atol=1e-6)
    assert len(rescreened(small, [one], problem, False).fits) == 1


@pytest.mark.parametrize(
    ("numbers", "indicators", "joins"), [(3, 3, True), (4, 0, False), (1, 6, False)]
)
def test_indicators_of_categories_have_no_pairs(numbers, indicators, joins):
    few = RescreeningOptions(max_numeric_columns=3, max_columns=6)
    problem = make_problem(50)
    rng = np.random.default_rng(0)
    table = np.hstack([rng.normal(size=(50, numbers)), rng.integers(0, 2, size=(50, indicators))])
    problem = replace(problem, tables={"standard": table})
    one = found_on(problem, "linear")
    contest = rescreened(
        Screening(problem, [one]), [one], problem, True, MixtureOptions(rescreening=few)
    )
    assert len(contest.fits) == 1 + joins


def test_a_mixture_of_many_rows_is_judged_by_more_of_them():
    problem = make_problem(100)
    model = kl.KernelRegressor(["Gaussian", "linear"], random_state=0)
    model._options = MixtureOptions(
        exact_rows=60, judged_rows=30, rescreening=RescreeningOptions(rows=80)
    )
    model.fit(problem.tables["standard"], problem.Y[:, 0])
    assert len(model._members.Y) == 16  # a fifth of the larger sample
    assert set(model.candidates_["candidate"]) == {"Gaussian", "linear"}
    assert model.score(problem.tables["standard"], problem.Y[:, 0]) > 0.95
