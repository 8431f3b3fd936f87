"""First-level learning with other losses and penalties, against differences and refits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.families.parametric import parametric_kernel
from kernlearn.quality.held_out import leave_out
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.registry import Settings
from kernlearn.reference import fixed_kernel_program
from kernlearn.solvers.first_level.loss_point import MachineLoss
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.solvers.first_level.search import held_out_loss

N, LAM, MU, EPSILON, LEVEL = 40, 0.3, 0.2, 0.5, 0.7
THETA = np.array([0.5, 0.3, 0.1])
LOSSES = ["least_squares", "logistic", "huber", "quantile"]
FAMILY = parametric_kernel("ard")


def problem(loss, n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    f = np.sin(2 * X[:, 0]) + X[:, 1] + 0.4 * rng.standard_t(3, size=n)
    Y = (np.where(f > 0, 1.0, -1.0) if loss == "logistic" else f)[:, None]
    settings = Settings(1.0, 0.3, EPSILON, np.ones(n), LEVEL)
    weight, scale = rng.uniform(0.5, 2.0, n), np.full(3, 0.3)
    return FirstLevelProblem(FAMILY, X, Y, weight, scale, loss=MachineLoss(loss, settings))


def differences(function, at, step=1e-5):
    rows = np.eye(len(at)) * step
    return np.array([(function(at + d) - function(at - d)) / (2 * step) for d in rows])


@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_are_those_of_differences(loss):
    here, others = problem(loss), problem(loss, 15, seed=1)
    point = here.at(THETA, LAM, MU)
    outside = point.outside(others)

    def at(theta, lam=LAM):
        return here.at(theta, lam, MU)

    def close(found, expected):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

    close(point.gradient, differences(lambda t: at(t).objective, THETA))
    close(point.hessian, differences(lambda t: at(t).gradient, THETA))
    close(outside.by_theta, differences(lambda t: at(t).outside(others).loss, THETA))
    by_lam = differences(lambda x: at(THETA, x[0]).outside(others).loss, np.array([LAM]))
    close(outside.by_lam, by_lam[0])
    close(outside.mixed, differences(lambda x: at(THETA, x[0]).gradient, np.array([LAM]))[0])


@pytest.mark.parametrize("loss", LOSSES)
def test_the_criterion_is_the_optimum_of_a_convex_program(loss):
    here = replace(problem(loss), weight=np.ones(N))
    point = here.at(THETA, LAM, MU)
    options = {"C": 1.0 / LAM, "epsilon": EPSILON, "quantile": LEVEL}
    expected = fixed_kernel_program(point.K, here.Y[:, 0], loss, **options).value
    assert point.objective == pytest.approx(LAM * expected + 0.5 * MU * THETA @ THETA, rel=1e-7)


def test_squares_are_the_least_squares_machine_and_its_leave_one_out_is_exact():
    here = problem("least_squares")
    others = problem("least_squares", 15, seed=1)
    point, closed = here.at(THETA, LAM, MU), replace(here, loss=None).at(THETA, LAM, MU)
    assert point.objective == pytest.approx(closed.objective, rel=1e-12)
    np.testing.assert_allclose(point.hessian, closed.hessian, rtol=1e-9, atol=1e-11)
    ours, theirs = point.outside(others), closed.outside(replace(others, loss=None))
    np.testing.assert_allclose(ours.mixed, theirs.mixed, rtol=1e-8, atol=1e-11)
    assert ours.by_lam == pytest.approx(theirs.by_lam, rel=1e-8)
    for blocks in ([], [np.array([0, 1, 2]), np.array([3, 4])]):
        rule = leave_out(here.weight, blocks)
        fit = fit_ls_svm(point.K, here.Y, LAM / here.weight)
        np.testing.assert_allclose(
            point.left_out(rule), here.Y - rule.residuals(fit), rtol=0, atol=1e-10
        )


# Rows of the pinball loss change their roles when another one leaves, which no step foresees.
@pytest.mark.parametrize(("loss", "near"), [("logistic", 0.05), ("huber", 0.15), ("quantile", 0.7)])
def test_leave_one_out_is_near_to_machines_without_the_row(loss, near):
    here = problem(loss)
    point = here.at(THETA, LAM, MU)
    left = point.left_out(leave_out(here.weight, []))[:, 0]
    refits = []
    for i in range(N):
        without = here.rows(np.delete(np.arange(N), i)).at(THETA, LAM, MU)
        k = FAMILY.matrix(here.X[[i]], without.problem.X, THETA)
        refits.append(float(k[0] @ without.dual_coef[:, 0] + without.intercept[0]))
    trained = point.K @ point.dual_coef[:, 0] + point.intercept[0]
    missed = np.abs(left - refits).mean()
    assert missed < near * np.abs(trained - refits).mean()


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_the_slope_of_the_held_out_loss_follows_the_minimum(loss):
    """By log λ and log μ, while θ is learned anew."""
    here, others = problem(loss), problem(loss, 15, seed=1)

    def judged(x):
        lam, mu = np.exp(x)
        return held_out_loss(here.minimise(here.scale, lam, mu, 1e-13, 200), others)

    at = np.log([0.3, 2.0])
    expected = differences(lambda x: judged(x).loss, at, step=1e-4)
    np.testing.assert_allclose(judged(at).slope, expected, rtol=1e-3, atol=1e-5)


P = kl.penalties
PENALTIES = {
    "l1": P.L1Norm(),
    "groups": P.GroupNorm(["a", "b", "b"]),
    "prior": P.NearTheta([1.0, 0.0, 0.2]),
    "sum": P.L1Norm(0.5) + P.NearTheta([1.0, 0.0, 0.2]),
}


@pytest.mark.parametrize(
    ("loss", "name"), [(None, "l1"), (None, "prior"), (None, "sum"), ("logistic", "groups")]
)
def test_at_the_minimum_no_allowed_direction_leads_down(loss, name):
    here = replace(problem("logistic"), given_penalty=PENALTIES[name].with_strength(1.0))
    here = here if loss else replace(here, loss=None)
    found = here.minimise(here.scale, LAM, 5.0, 1e-12, 200)
    best = found.point
    assert found.converged
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(12, 3)):
        step = 1e-3 * np.where(best.theta > 0, direction, np.abs(direction))
        other = here.at(np.maximum(best.theta + step, 0.0), LAM, 5.0)
        assert other.objective >= best.objective * (1.0 - 1e-10)


def test_groups_and_sums_leave_out_columns_that_do_not_matter():
    here = problem("logistic", 60, seed=5)
    for penalty in (P.GroupNorm(["a", "a", "b"]), P.L1Norm()):
        given = replace(here, given_penalty=penalty.with_strength(1.0))
        theta = given.minimise(here.scale, LAM, 5.0, 1e-10, 200).point.theta
        assert theta[2] == 0.0
        assert theta[:2].min() > 0.0
