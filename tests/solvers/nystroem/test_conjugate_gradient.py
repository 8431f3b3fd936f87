"""Conjugate gradients in the space of rows, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernlearn.families.factor_rows import DenseRows, ExplicitRows
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.solvers.nystroem.conjugate_gradient import RowObjective, RowSystems

N, RIDGE = 30, 0.3
WEIGHTS = np.array([0.7, 0.0, 1.2])


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    sparse = [np.where(rng.random((N, p)) < 0.2, rng.normal(size=(N, p)), 0.0) for p in (50, 8)]
    mean = rng.normal(size=50)
    dense = rng.normal(size=(N, 4))
    parts = [
        SparseRows(csr_array(sparse[0]), (np.ones(N), mean)),
        SparseRows(csr_array(sparse[1])),
        DenseRows(dense),
    ]
    Zs = [sparse[0] - mean, sparse[1], dense]
    traces = np.array([[float((Z**2).sum()) for Z in Zs]] * 2)
    theta = rng.uniform(0.5, 2.0, N)
    Y = rng.normal(size=(N, 2)) + 5.0
    return ExplicitRows(parts, traces, dense), [Z @ Z.T for Z in Zs], theta, Y


def dense_machine(K, theta, Y):
    """Coefficients and values of the machines, from the system with its intercept."""
    n = len(theta)
    A = np.block(
        [[K + np.diag(RIDGE / theta), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]]
    )
    a = np.linalg.solve(A, np.vstack([Y, np.zeros((1, Y.shape[1]))]))[:-1]
    quadratic = np.einsum("ik,ij,jk->", a, K, a) + RIDGE * (a**2 / theta[:, None]).sum()
    return a, float((Y * a).sum() - 0.5 * quadratic)


def value_at(grams, weights, theta, Y):
    return dense_machine(np.tensordot(weights, grams, 1), theta, Y)[1]


def test_value_plane_and_curvature(problem):
    rows, grams, theta, Y = problem
    objective = RowObjective(rows, Y, np.sqrt(theta)[:, None], RIDGE)
    found = objective.evaluate(WEIGHTS, None, 1e-12)
    a, value = dense_machine(np.tensordot(WEIGHTS, grams, 1), theta, Y)
    np.testing.assert_allclose(objective.half * found.V, a, atol=1e-5)
    assert value <= found.upper <= value * (1 + 1e-11)
    assert found.plane.constant + found.plane.gradient @ WEIGHTS == pytest.approx(value, rel=1e-11)
    step = 1e-4 * np.array([1.0, 2.0, -1.0])
    ahead, back = (value_at(grams, WEIGHTS + s * step, theta, Y) for s in (1.0, -1.0))
    assert found.plane.gradient @ step == pytest.approx(0.5 * (ahead - back), rel=1e-6)
    assert step @ found.hessian @ step == pytest.approx(ahead - 2 * value + back, rel=1e-3)


@pytest.mark.parametrize("tol", [0.5, 1e-2, 1e-6])
def test_planes_lie_below_whatever_is_left_of_a_system(problem, tol):
    rows, grams, theta, Y = problem
    objective = RowObjective(rows, Y, np.sqrt(theta)[:, None], RIDGE)
    found = objective.evaluate(WEIGHTS, None, tol)
    others = np.random.default_rng(1).uniform(0.0, 2.0, (20, 3))
    planes = [found.plane, found.predicted_plane(np.array([0.1, 0.2, -0.1]))]
    for plane in planes:
        for weights in others:
            height = plane.constant + plane.gradient @ weights
            assert height <= value_at(grams, weights, theta, Y) * (1 + 1e-12)
    value = value_at(grams, WEIGHTS, theta, Y)
    assert value <= found.upper * (1 + 1e-12)
    assert found.upper - (found.plane.constant + found.plane.gradient @ WEIGHTS) <= tol * value
    moved = WEIGHTS + [0.1, 0.2, -0.1]
    ahead = value_at(grams, moved, theta, Y)
    gained = planes[1].constant + planes[1].gradient @ moved
    assert gained >= found.plane.constant + found.plane.gradient @ moved or tol == 0.5
    assert gained == pytest.approx(ahead, rel=0.05) or tol == 0.5


def test_rows_of_no_weight_are_left_out(problem):
    rows, grams, theta, Y = problem
    out = np.arange(N) % 5 == 0
    half = np.sqrt(theta)[:, None] * ~out[:, None]
    systems = RowSystems(rows, half, RIDGE)
    V, _ = systems.solve(WEIGHTS, systems.right(Y), None, 1e-10, of_value=False)
    K = np.tensordot(WEIGHTS, grams, 1)[np.ix_(~out, ~out)]
    a, _ = dense_machine(K, theta[~out], Y[~out])
    np.testing.assert_allclose((half * V)[~out], a, atol=1e-8)
    assert not V[out].any()


def test_a_constant_target_has_no_machine(problem):
    rows, _, theta, _ = problem
    objective = RowObjective(rows, np.zeros((N, 1)), np.sqrt(theta)[:, None], RIDGE)
    found = objective.evaluate(WEIGHTS, None, 1e-9)
    assert found.upper == 0.0
    assert not found.V.any()
