"""The training criterion (5): value, derivatives, and its minimum over θ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, GaussianFamily
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.solvers.machine.least_squares import Bordered

LAM, MU = 0.3, 0.2


def make_problem(family=None, n=40, n_targets=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = np.sign(X[:, :n_targets] + X[:, 1:2] ** 2 - 1.0 + 0.1 * rng.normal(size=(n, 1)))
    family = family or ARDGaussianFamily()
    return FirstLevelProblem(family, X, Y, rng.uniform(0.5, 2.0, n), family.start(X))


def differences(function, theta, step=1e-5):
    steps = step * np.eye(len(theta))
    return np.array([(function(theta + e) - function(theta - e)) / (2 * step) for e in steps])


@pytest.mark.parametrize(
    "family", [ARDGaussianFamily(), GaussianFamily(), ARDPolynomialFamily(degree=3)], ids=repr
)
class TestDerivatives:
    def test_the_value_is_equation_5_and_no_machine_is_better(self, family):
        problem = make_problem(family)
        theta = 1.3 * problem.scale
        point = problem.at(theta, LAM, MU)

        def criterion(alpha, b):
            residual = problem.Y - point.K @ alpha - b
            norm = np.einsum("ik,ij,jk->", alpha, point.K, alpha)
            fit = 0.5 * np.sum(problem.weight[:, None] * residual**2)
            return fit + 0.5 * LAM * norm + 0.5 * MU * theta @ theta

        best = criterion(point.dual_coef, point.intercept)
        np.testing.assert_allclose(point.objective, best, rtol=1e-12)
        rng = np.random.default_rng(1)
        for size in (1e-1, 1e-3):
            alpha = point.dual_coef + size * rng.normal(size=point.dual_coef.shape)
            b = point.intercept + size * rng.normal(size=2)
            assert criterion(alpha, b) > best

    def test_gradient_by_differences(self, family):
        problem = make_problem(family)
        theta = problem.scale * np.linspace(0.5, 1.5, len(problem.scale))
        expected = differences(lambda t: problem.at(t, LAM, MU).objective, theta)
        found = problem.at(theta, LAM, MU).gradient
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)

    def test_hessian_by_differences(self, family):
        problem = make_problem(family)
        theta = problem.scale * np.linspace(0.5, 1.5, len(problem.scale))
        expected = differences(lambda t: problem.at(t, LAM, MU).gradient, theta)
        found = problem.at(theta, LAM, MU).hessian
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_the_system_is_equation_3():
    problem = make_problem()
    point = problem.at(problem.scale, LAM, MU)
    n = len(problem.X)
    M = np.ones((n + 1, n + 1))
    M[:n, :n] = point.K + np.diag(LAM / problem.weight)
    M[n, n] = 0.0
    right = np.vstack([problem.Y, np.zeros((1, 2))])
    solution = np.linalg.solve(M, right)
    np.testing.assert_allclose(point.dual_coef, solution[:n], rtol=1e-9)
    np.testing.assert_allclose(point.intercept, solution[n], rtol=1e-9)


def test_the_bordered_inverse_and_its_root():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(8, 8))
    K, ridge, V = root @ root.T, rng.uniform(0.5, 1.0, 8), rng.normal(size=(8, 3))
    M = np.ones((9, 9))
    M[:8, :8] = K + np.diag(ridge)
    M[8, 8] = 0.0
    inverse = np.linalg.inv(M)
    factor = Bordered.of(K, ridge)
    half = factor.half(V)
    np.testing.assert_allclose(half.T @ half, V.T @ inverse[:8, :8] @ V, rtol=1e-10)
    total = np.array([1.0, -2.0, 0.5])
    a, b = factor.solve(V, total)
    np.testing.assert_allclose(np.vstack([a, b]), inverse @ np.vstack([V, total]), rtol=1e-9)
    assert Bordered.of(-K, ridge) is None


def test_the_minimum_is_that_of_descent_on_log_theta():
    problem = make_problem(n_targets=1)

    def on_logarithms(phi):
        point = problem.at(np.exp(phi), LAM, MU)
        return point.objective, point.gradient * np.exp(phi)

    reference = minimize(
        on_logarithms, np.log(problem.scale), jac=True, options={"gtol": 1e-9, "maxiter": 500}
    )
    descent = problem.minimise(problem.scale, LAM, MU, 1e-13, 100)
    assert descent.converged
    np.testing.assert_allclose(descent.point.objective, reference.fun, rtol=1e-9)
    np.testing.assert_allclose(descent.point.theta, np.exp(reference.x), rtol=1e-3, atol=1e-6)
    assert descent.n_points < 20


def test_a_column_that_only_costs_ends_at_zero_and_returns_when_it_should():
    """Logarithms never get there, and never back."""
    problem = make_problem(n=80, n_targets=1)
    start = problem.scale.copy()
    start[3] = 0.0
    back = problem.minimise(start, 0.1, 0.01, 1e-12, 100)
    free = problem.minimise(problem.scale, 0.1, 0.01, 1e-12, 100)
    np.testing.assert_allclose(back.point.objective, free.point.objective, rtol=1e-9)
    for descent in (back, free):
        at_zero = descent.point.theta == 0.0
        assert (descent.point.gradient[at_zero] > 0).all()
        slope = descent.point.gradient[~at_zero] * problem.scale[~at_zero]
        assert np.abs(slope).max() < 1e-4 * descent.point.objective


def test_a_constant_column_ends_at_exactly_zero():
    problem = make_problem()
    X = np.column_stack([problem.X, np.full(40, 5.0)])
    wider = FirstLevelProblem(
        ARDGaussianFamily(), X, problem.Y, problem.weight, ARDGaussianFamily().start(X)
    )
    descent = wider.minimise(wider.scale, LAM, MU, 1e-12, 100)
    assert descent.point.theta[4] == 0.0
    alone = problem.minimise(problem.scale, LAM, MU, 1e-12, 100)
    np.testing.assert_allclose(descent.point.objective, alone.point.objective, rtol=1e-9)


def test_the_units_of_the_columns_do_not_matter_when_the_penalty_is_negligible():
    problem = make_problem()
    units = np.array([1e6, 1.0, 1e-6, 10.0])
    X = problem.X * units
    scaled = FirstLevelProblem(
        ARDGaussianFamily(), X, problem.Y, problem.weight, ARDGaussianFamily().start(X)
    )
    one = problem.minimise(problem.scale, LAM, 1e-30, 1e-12, 100).point
    other = scaled.minimise(scaled.scale, LAM, 1e-60, 1e-12, 100).point
    np.testing.assert_allclose(other.objective, one.objective, rtol=1e-8)
    np.testing.assert_allclose(other.theta * units**2, one.theta, rtol=1e-3, atol=1e-6)


def test_a_singular_kernel_gets_a_ridge_that_can_be_factorised():
    problem = make_problem()
    twice = problem.rows(np.tile(np.arange(40), 2))
    point = twice.at(problem.scale, 1e-300, MU)
    assert 0 < point.lam <= 1e-5
    assert np.isfinite(point.dual_coef).all()


def test_where_the_kernel_overflows_there_is_no_machine():
    problem = make_problem(ARDPolynomialFamily(degree=3))
    assert problem.at(np.full(4, 1e200), LAM, MU) is None
    # A start from there goes back to the usual size.
    descent = problem.minimise(np.full(4, 1e200), LAM, MU, 1e-10, 100)
    assert descent.converged
