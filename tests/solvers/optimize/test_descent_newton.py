"""Newton's method with lower bounds, on functions whose minima are known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernlearn.solvers.optimize.coroutines import drive
from kernlearn.solvers.optimize.descent import QuadraticModel, bounded_newton


def run(value, gradient, hessian, start, low, scale=None, max_iter=100, fails=lambda x: False):
    def evaluate(x):
        if fails(x):
            return None
        model = QuadraticModel.of(x, value(x), gradient(x), hessian(x), scale)
        return SimpleNamespace(theta=x, objective=value(x), gradient=gradient(x), model=model)

    def ask(x):
        (point,) = yield [x]
        return point

    start = np.array(start, dtype=float)
    scale = np.ones_like(start) if scale is None else np.array(scale, dtype=float)
    search = bounded_newton(ask, evaluate(start), np.array(low, dtype=float), 1e-14, max_iter)
    return drive(search, lambda points: [evaluate(x) for x in points])


def quadratic(center, B):
    return (
        lambda x: 1.0 + 0.5 * (x - center) @ B @ (x - center),
        lambda x: B @ (x - center),
        lambda x: B,
    )


def test_a_quadratic_takes_one_step():
    center = np.array([0.5, 1.5])
    descent = run(*quadratic(center, np.array([[2.0, 1.0], [1.0, 3.0]])), [1.0, 1.0], [0.0, 0.0])
    np.testing.assert_allclose(descent.point.theta, center, rtol=1e-12)
    assert descent.converged
    assert descent.n_points == 2


def test_bounds_are_met_exactly_and_the_others_adapt():
    """Minimum at x₁ = 0; then 2x₂ = 4 - x₁ - … from the second equation alone."""
    B = np.array([[2.0, 1.0], [1.0, 2.0]])
    descent = run(*quadratic(np.array([-1.0, 1.0]), B), [1.0, 1.0], [0.0, 0.0])
    assert descent.point.theta[0] == 0.0
    np.testing.assert_allclose(descent.point.theta[1], 0.5, rtol=1e-9)


def test_a_far_minimum_and_a_bad_scale():
    descent = run(*quadratic(np.array([1e4, 1e-4]), np.diag([1.0, 1e8])), [1.0, 1.0], [0, 0])
    np.testing.assert_allclose(descent.point.theta, [1e4, 1e-4], rtol=1e-5)


def test_it_leaves_a_saddle():
    """f = 2 + x²/2 - y²/2 + y⁴/4 has a saddle at y = 0 and minima at y = 1."""
    descent = run(
        lambda v: 2.0 + 0.5 * v[0] ** 2 - 0.5 * v[1] ** 2 + 0.25 * v[1] ** 4,
        lambda v: np.array([v[0], v[1] ** 3 - v[1]]),
        lambda v: np.diag([1.0, 3.0 * v[1] ** 2 - 1.0]),
        [1.0, 1e-3],
        [-5.0, -5.0],
    )
    np.testing.assert_allclose(descent.point.theta, [0.0, 1.0], atol=1e-6)


def test_steps_to_where_there_is_no_value_are_shortened():
    center = np.array([3.0])
    descent = run(
        *quadratic(center, np.eye(1)), [1.0], [0.0], fails=lambda x: abs(x[0] - 1.9) < 0.5
    )
    assert descent.point.objective < 1.0 + 0.5 * 2.0**2
    assert np.isfinite(descent.point.objective)


def test_the_limit_is_a_limit():
    descent = run(*quadratic(np.array([1e9]), np.eye(1)), [1.0], [0.0], max_iter=3)
    assert not descent.converged
    assert descent.n_points <= 4


@pytest.mark.parametrize("seed", range(5))
def test_random_convex_problems_meet_the_optimality_conditions(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    descent = run(
        *quadratic(rng.normal(size=6), root @ root.T + np.eye(6)), np.ones(6), np.zeros(6)
    )
    at_bound = descent.point.theta == 0.0
    g = descent.point.gradient
    assert (descent.point.theta >= 0).all()
    assert (g[at_bound] > 0).all()
    assert np.abs(g[~at_bound]).max(initial=0.0) < 1e-5
