"""A kernel over outcomes against the convex program, and its certificate."""

import numpy as np
import pytest

from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.machine.least_squares import solve_separable
from kernlearn.solvers.weights.output_kernel import learn_output_kernel, output_certificate

LAM, SHARE = 0.4, 0.8


@pytest.fixture(scope="module")
def problem():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(12, 2))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    Y = np.sin(X[:, :1]) @ [[1.0, -2.0, 0.5]] + 0.3 * generator.normal(size=(12, 3))
    return K, Y, generator.uniform(0.5, 2.0, 12)


def certified(K, Y, weight, B):
    coef, intercept = solve_separable(K, Y, LAM, weight, B)
    dual = coef @ np.linalg.inv(B)
    return output_certificate(K, Y, LAM / weight, SHARE, B, dual, intercept)


def test_the_value_is_that_of_the_convex_program(problem):
    cp = pytest.importorskip("cvxpy")
    K, Y, weight = problem
    n, m = Y.shape
    S = cp.Variable((m, m), PSD=True)
    B = (1 - SHARE) * np.eye(m) + SHARE * S
    # Coefficients of sum zero: an orthonormal basis of these takes the place of the intercept.
    basis = np.linalg.svd(np.eye(n) - 1.0 / n)[0][:, : n - 1]
    matrix = cp.kron(basis.T @ K @ basis, B) + np.kron(
        basis.T @ np.diag(LAM / weight) @ basis, np.eye(m)
    )
    value = 0.5 * cp.matrix_frac((basis.T @ Y).ravel(), matrix)
    program = cp.Problem(cp.Minimize(value), [cp.trace(S) == m])
    program.solve(solver="CLARABEL")
    learned = learn_output_kernel(RidgePath.of(K, Y, weight), LAM, SHARE, tol=1e-8)
    found = certified(K, Y, weight, learned)
    assert found.objective == pytest.approx(program.value, rel=1e-6)
    np.testing.assert_allclose(learned, B.value, atol=1e-3)


def test_the_gap_is_small_at_the_solution_and_large_elsewhere(problem):
    K, Y, weight = problem
    learned = learn_output_kernel(RidgePath.of(K, Y, weight), LAM, SHARE, tol=1e-8)
    assert certified(K, Y, weight, learned).gap < 1e-7
    assert certified(K, Y, weight, np.eye(3)).gap > 0.01
    assert np.trace(learned) == pytest.approx(3.0)
    assert np.linalg.eigvalsh(learned)[0] >= 1 - SHARE - 1e-9


@pytest.mark.parametrize("m", [3, 9])
def test_a_separable_machine_solves_its_large_system(m):
    generator = np.random.default_rng(1)
    X, Y = generator.normal(size=(14, 2)), generator.normal(size=(14, m))
    K, weight = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)), generator.uniform(0.5, 2.0, 14)
    root = generator.normal(size=(m, m))
    B = root @ root.T / m + 0.1 * np.eye(m)
    coef, intercept = solve_separable(K, Y, LAM, weight, B)
    A = coef @ np.linalg.inv(B)
    np.testing.assert_allclose(A.sum(axis=0), 0.0, atol=1e-8)
    equations = K @ A @ B + (LAM / weight)[:, None] * A + intercept
    np.testing.assert_allclose(equations, Y, atol=1e-8)


def test_units_of_the_targets_change_nothing(problem):
    K, Y, weight = problem
    one = learn_output_kernel(RidgePath.of(K, Y, weight), LAM, SHARE)
    other = learn_output_kernel(RidgePath.of(K, 1e6 * Y, weight), LAM, SHARE)
    np.testing.assert_allclose(one, other, atol=1e-8)


def test_many_outcomes_are_learned_on_a_subspace_that_grows():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    Y = np.sin(X) @ generator.normal(size=(2, 24)) + generator.normal(size=(30, 24))
    weight = generator.uniform(0.5, 2.0, 30)
    path = RidgePath.of(K, Y, weight)
    grown = certified(K, Y, weight, learn_output_kernel(path, LAM, SHARE, tol=1e-6))
    assert grown.gap < 2e-6
    few = certified(K, Y, weight, learn_output_kernel(path, LAM, SHARE, tol=1e-6, grows=False))
    assert few.objective >= grown.objective * (1 - 1e-9)
