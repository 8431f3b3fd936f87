"""The cross-validated loss: by refitting, and its slope by differences."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, GaussianFamily
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.first_level.fit import learn_first_level
from kernlearn.solvers.first_level.problem import FirstLevelProblem, alone
from kernlearn.solvers.first_level.search import CrossValidation, FirstLevelControl

PLACE = np.log([0.4, 3.0])
TIGHT = 1e-14


def make_problem(family=None, n=60, n_targets=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    signal = np.column_stack([np.sin(2 * X[:, 0]) + np.abs(X[:, 1]), np.tanh(3 * X[:, 1])])
    Y = signal[:, :n_targets] + 0.3 * rng.normal(size=(n, n_targets))
    family = family or ARDGaussianFamily()
    return FirstLevelProblem(family, X, Y, rng.uniform(0.5, 2.0, n), family.start(X))


def folds_of(problem, k=3):
    return [np.arange(i, len(problem.X), k) for i in range(k)]


def cross_validation(problem, tol=TIGHT):
    return CrossValidation(problem, folds_of(problem), tol, 200)


CASES = [
    make_problem(n_targets=2),
    make_problem(GaussianFamily()),
    make_problem(ARDPolynomialFamily(degree=2), n_targets=2),
]


@pytest.mark.parametrize("problem", CASES, ids=lambda p: repr(p.family))
def test_the_loss_is_that_of_refitting_without_each_fold(problem):
    lam, mu = np.exp(PLACE)
    place = alone(cross_validation(problem).at(PLACE, problem.scale))
    total = 0.0
    for rows, fold in zip(folds_of(problem), place.folds, strict=True):
        part = problem.rows(np.setdiff1d(np.arange(len(problem.X)), rows))
        # A start of one's own leads to the same θ.
        own = part.minimise(problem.scale, lam, mu, TIGHT, 200).point
        np.testing.assert_allclose(fold.theta, own.theta, rtol=1e-5, atol=1e-7)
        point = part.at(fold.theta, lam, mu)
        K = problem.family.kernel(point.theta)(problem.X[rows], part.X)
        error = problem.Y[rows] - K @ point.dual_coef - point.intercept
        total += 0.5 * np.sum(problem.weight[rows, None] * error**2)
    np.testing.assert_allclose(place.loss, total / problem.weight.sum(), rtol=1e-9)


@pytest.mark.parametrize("problem", CASES, ids=lambda p: repr(p.family))
def test_the_slope_is_that_of_the_loss(problem):
    cv = cross_validation(problem)
    place = alone(cv.at(PLACE, problem.scale))
    for i, step in enumerate(1e-4 * np.eye(2)):
        above, below = alone(cv.near(PLACE + step, place)), alone(cv.near(PLACE - step, place))
        np.testing.assert_allclose(place.slope[i], (above.loss - below.loss) / 2e-4, rtol=1e-5)
        for fold, up, down in zip(place.folds, above.folds, below.folds, strict=True):
            drift = (up.theta - down.theta) / 2e-4
            np.testing.assert_allclose(
                fold.drift[:, i], drift, rtol=1e-4, atol=1e-6 * problem.scale.max()
            )


def test_the_slope_holds_where_a_parameter_is_at_its_bound():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    Y = np.sin(2 * X[:, :1]) + 0.1 * rng.normal(size=(60, 1))
    X = np.column_stack([X, np.zeros(60)])
    problem = FirstLevelProblem(
        ARDGaussianFamily(), X, Y, np.ones(60), ARDGaussianFamily().start(X)
    )
    cv = cross_validation(problem)
    place = alone(cv.at(PLACE, problem.scale))
    assert all(fold.theta[3] == 0.0 for fold in place.folds)
    for i, step in enumerate(1e-4 * np.eye(2)):
        above, below = alone(cv.near(PLACE + step, place)), alone(cv.near(PLACE - step, place))
        np.testing.assert_allclose(place.slope[i], (above.loss - below.loss) / 2e-4, rtol=1e-4)


def test_folds_that_stop_early_are_corrected_for_it():
    """The error of the loss is quadratic in what is left to go, not linear."""
    problem = make_problem()
    exact = alone(cross_validation(problem).at(PLACE, problem.scale))
    loose = alone(cross_validation(problem, tol=1e-3).at(PLACE, problem.scale))
    assert loose.n_points < exact.n_points
    np.testing.assert_allclose(loose.loss, exact.loss, rtol=1e-3)
    tighter = alone(cross_validation(problem, tol=1e-5).at(PLACE, problem.scale))
    np.testing.assert_allclose(tighter.loss, exact.loss, rtol=1e-5)


def test_a_neighbour_is_a_good_start():
    problem = make_problem()
    cv = cross_validation(problem, tol=1e-6)
    place = alone(cv.at(PLACE, problem.scale))
    moved = PLACE + [0.3, -0.4]
    assert alone(cv.near(moved, place)).n_points < alone(cv.at(moved, problem.scale)).n_points
    np.testing.assert_allclose(
        alone(cv.near(moved, place)).loss, alone(cv.at(moved, problem.scale)).loss, rtol=1e-4
    )


def test_both_strategies_end_at_the_same_loss():
    problem = make_problem(n=40, seed=1)
    folds = folds_of(problem, 2)
    descent, simplex = (
        alone(learn_first_level(problem, folds, None, None, FirstLevelControl(strategy, 1e-4, 400)))
        for strategy in ("gradient", "nelder-mead")
    )
    assert descent.status is Status.CONVERGED
    assert descent.cv_loss <= simplex.cv_loss * (1 + 1e-4)
    assert descent.n_evaluations < simplex.n_evaluations


def test_all_scales_do_not_lose_to_the_common_scale_in_training():
    """Equation (5) from the common scale can only fall."""
    problem = make_problem()
    control = FirstLevelControl("gradient", 1e-3, 100)
    solution = alone(learn_first_level(problem, [], 0.3, 2.0, control))
    direction = problem.scale / np.linalg.norm(problem.scale)
    line = problem.along(direction)
    common = line.minimise(line.scale, 0.3, 2.0, 1e-12, 100).point
    assert solution.point.objective < common.objective
    assert solution.cv_loss is None
    assert (solution.lam, solution.mu) == (0.3, 2.0)


@pytest.mark.parametrize(("lam", "mu"), [(0.3, None), (None, 2.0)])
def test_one_of_the_two_can_be_given(lam, mu):
    problem = make_problem()
    folds = folds_of(problem)
    control = FirstLevelControl("gradient", 1e-4, 200)
    solution = alone(learn_first_level(problem, folds, lam, mu, control))
    assert lam in (None, solution.lam)
    assert mu in (None, solution.mu)
    cv = cross_validation(problem)
    place = alone(cv.at(np.log([solution.lam, solution.mu]), solution.point.theta))
    chosen = 0 if lam is None else 1
    assert abs(place.slope[chosen]) < 1e-3 * place.loss


def test_every_evaluation_is_reported():
    heard = []
    problem = make_problem()
    control = FirstLevelControl("gradient", 1e-2, 50, StoppingControl(heard.append))
    solution = alone(learn_first_level(problem, folds_of(problem), None, None, control))
    places = [told for told in heard if "cross-validated" in told.message]
    assert len(places) == solution.n_evaluations
    assert solution.cv_loss in [place.objective for place in places]
    # Then every machine on all data.
    assert len(heard) == solution.n_evaluations + solution.n_iter
    assert heard[-1].objective == solution.point.objective
