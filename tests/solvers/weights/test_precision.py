"""The labelled largest determinant over precisions: held against CVXPY and a closed form."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import reference
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.weights.inverse_factor import inverse_factor
from kernlearn.solvers.weights.precision import PrecisionProblem, learn_precision


def laplacians(n, m, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((m, n, n)) < 0.4, 1).astype(float)
    A = upper + upper.transpose(0, 2, 1)
    return np.array([np.diag(a.sum(axis=1)) - a for a in A])


def learned(R, Y, epsilon=0.1, linear=0.0, **control):
    linear = np.broadcast_to(np.asarray(linear, dtype=float), (len(R),))
    return learn_precision(PrecisionProblem.of(R, Y, epsilon, linear), Control(**control))


@pytest.mark.parametrize(
    ("seed", "k", "epsilon", "linear"), [(0, 1, 0.01, 0.0), (1, 1, 1.0, 0.3), (2, 3, 0.1, 0.0)]
)
def test_it_is_the_minimum_that_cvxpy_finds(seed, k, epsilon, linear):
    R = laplacians(10, 3, seed)
    Y = np.random.default_rng(seed).normal(size=(10, k))
    found = learned(R, Y, epsilon, linear)
    expected = reference.labelled_determinant(R, Y, epsilon, linear)
    assert found.status.is_optimal
    assert found.objective == pytest.approx(expected.value, rel=1e-7)
    assert found.lower_bound <= expected.value + 1e-7 * abs(expected.value)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-4)
    matrix = np.tensordot(found.weights, R, 1) + epsilon * np.eye(10)
    by_hand = 0.5 * np.sum(Y * (matrix @ Y)) / k - 0.5 * np.linalg.slogdet(matrix)[1]
    assert found.objective == pytest.approx(by_hand + linear * found.weights.sum(), rel=1e-9)


def test_projections_have_a_closed_form():
    """Precisions on orthogonal coordinates: rᵢ + ε is one over the mean square, or rᵢ is zero."""
    R = np.array([np.diag([1.0, 1.0, 0.0]), np.diag([0.0, 0.0, 1.0])])
    found = learned(R, np.array([[2.0], [1.0], [5.0]]), epsilon=0.1)
    np.testing.assert_allclose(found.weights, [2.0 / 5.0 - 0.1, 0.0], atol=1e-7)
    assert found.gap <= 1e-6


@pytest.mark.parametrize("r", [[0.2, 0.1, 0.4], [5.0, 0.0, 0.0], [1e-3, 1e-3, 1e-3]])
def test_the_bound_of_any_point_is_below_the_minimum(r):
    """And in long double the value there is what the point says, up to its rounding."""
    R, Y = laplacians(10, 3), np.random.default_rng(0).normal(size=(10, 1))
    problem = PrecisionProblem.of(R, Y, 0.1, np.zeros(3))
    least = 2.0 * (learn_precision(problem, Control(tol=1e-10)).objective - problem.constant)
    point = problem.at(np.array(r))
    assert point.bound(*point.factor.products(problem.family)) <= least
    exact = problem.family.combine_exactly(np.append(r, 0.1))
    forms = np.array([float(Y[:, 0] @ matrix @ Y[:, 0]) for matrix in R])
    value = -inverse_factor(exact).log_det + float(forms @ r)
    assert abs(point.value - value) <= point.rounding < 1e-10


def test_matrices_in_which_labels_cost_nothing_are_named():
    problem = PrecisionProblem.of(laplacians(6, 2), np.ones((6, 1)), 0.1, np.array([0.0, 0.1]))
    assert problem.unbounded == [0]
