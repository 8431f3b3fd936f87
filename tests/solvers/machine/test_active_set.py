"""Exact solutions, and how they move with the kernel, against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.quality import QUALITIES
from kernlearn.quality.machine import curvature_of
from kernlearn.solvers.machine import active_set
from kernlearn.solvers.machine.active_set import ExchangeOptions, polish, state_of
from kernlearn.solvers.machine.sensitivity import curvature, displaced, factorised
from kernlearn.solvers.machine.solve import solve_machine

NAMES = sorted(QUALITIES)
WEIGHTS = np.array([0.6, 1.1, 0.4])
STEP = 1e-5


@pytest.fixture(params=NAMES)
def case(request, make_stack, make_machine):
    problem = make_stack(seed=10, n=14)
    machine = make_machine(request.param, problem, C=1.5)

    def solve(weights):
        return solve_machine(np.tensordot(weights, problem.grams, 1), machine)

    return problem.grams, machine, solve


def _applied(grams, a):
    return np.array([K @ a for K in grams])


def test_polish_meets_the_optimality_conditions(case):
    """The residual lies in the subdifferential of φ, to rounding, at every point."""
    grams, machine, solve = case
    if machine.temperature:
        pytest.skip("an entropy has no active set")
    K = np.tensordot(WEIGHTS, grams, 1)
    guess = solve(np.array([0.5, 1.2, 0.5])).coef
    found = polish(K, machine, guess, max_iter=30)
    assert found is not None
    a, (b, epsilon) = found.coef, found.multipliers
    assert machine.infeasibility(a) <= 1e-12
    residual = machine.linear - K @ a - machine.ridge * a - machine.rows.T @ b
    n, k = machine.slopes.shape
    slopes = machine.slopes + (epsilon * np.array([-1.0, 1.0]) if k == 2 else 0.0)
    edges = np.hstack([np.full((n, 1), -np.inf), slopes, np.full((n, 1), np.inf)])
    state = state_of(machine, a)
    left = np.where(
        state % 2 == 0, edges[np.arange(n), state // 2], edges[np.arange(n), (state + 1) // 2]
    )
    right = edges[np.arange(n), state // 2 + 1]
    scale = max(np.abs(machine.linear).max(), np.abs(K @ a).max())
    assert (residual >= left - 1e-8 * scale).all()
    assert (residual <= right + 1e-8 * scale).all()
    assert found.relative_gap <= 1e-9


def test_a_factor_that_is_kept_ends_where_a_new_one_does(case):
    """Points that join and leave the free ones by borders, never by another factorisation."""
    grams, machine, solve = case
    if machine.temperature:
        pytest.skip("an entropy has no active set")
    K = np.tensordot(WEIGHTS, grams, 1)
    start = solve(np.array([3.0, 0.05, 0.05]))  # far enough for points to change places
    exact = polish(K, machine, start.coef, start.state, max_iter=30)
    always = ExchangeOptions(large=1, few=np.inf)
    kept = polish(K, machine, start.coef, start.state, max_iter=30, options=always)
    np.testing.assert_array_equal(kept.state, exact.state)
    np.testing.assert_allclose(kept.coef, exact.coef, atol=1e-9 * np.abs(exact.coef).max())
    moved = displaced(kept, machine, 1e-3 * grams[0] @ kept.coef, always)
    assert machine.infeasibility(moved) <= 1e-10
    held = kept.state % 2 == 0
    np.testing.assert_array_equal(moved[held], kept.coef[held])


def test_state_tells_breakpoints_from_segments(make_stack, make_machine):
    machine = make_machine("epsilon_svr", make_stack(n=12), C=2.0)
    a = np.zeros(12)
    a[:5] = -2.0, -1.0, 0.0, 1.5, 2.0
    np.testing.assert_array_equal(state_of(machine, a)[:5], [0, 1, 2, 3, 4])


def test_gradient_is_minus_half_the_quadratic_form(case):
    grams, _, solve = case
    a = solve(WEIGHTS).coef
    expected = -0.5 * _applied(grams, a) @ a
    for i, unit in enumerate(np.eye(3)):
        ahead, behind = solve(WEIGHTS + 1e-4 * unit), solve(WEIGHTS - 1e-4 * unit)
        slope = (ahead.upper - behind.upper) / 2e-4
        assert slope == pytest.approx(expected[i], rel=1e-4, abs=1e-6 * np.abs(expected).max())


def test_curvature_is_the_derivative_of_the_gradient(case):
    grams, machine, solve = case
    here = solve(WEIGHTS)
    K = np.tensordot(WEIGHTS, grams, 1)
    found = curvature(
        factorised(here, K, curvature_of(machine, here.coef)), _applied(grams, here.coef)
    )
    expected = np.zeros((3, 3))
    for i, unit in enumerate(np.eye(3)):
        ahead, behind = solve(WEIGHTS + STEP * unit), solve(WEIGHTS - STEP * unit)
        np.testing.assert_array_equal(ahead.state, behind.state)  # else V is not smooth here
        forms = [-0.5 * _applied(grams, s.coef) @ s.coef for s in (ahead, behind)]
        expected[i] = (forms[0] - forms[1]) / (2 * STEP)
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    assert np.abs(expected).max() > 0
    assert np.linalg.eigvalsh(found)[0] >= -1e-10 * np.abs(found).max()


def test_displaced_coefficients_are_right_to_first_order_and_feasible(case):
    grams, machine, solve = case
    here = solve(WEIGHTS)
    K = np.tensordot(WEIGHTS, grams, 1)
    prepared = factorised(here, K, curvature_of(machine, here.coef))
    direction = np.array([0.3, -0.5, 0.4])
    dK_coef = 1e-3 * direction @ _applied(grams, here.coef)
    moved = displaced(prepared, machine, dK_coef)
    assert machine.infeasibility(moved) <= 1e-10
    exact = solve(WEIGHTS + 1e-3 * direction).coef
    assert np.linalg.norm(moved - exact) <= 0.05 * np.linalg.norm(exact - here.coef)
    far = displaced(prepared, machine, 1e4 * direction @ _applied(grams, here.coef))
    assert machine.infeasibility(far) <= 1e-9


@pytest.mark.parametrize("n_used", [0, 1, 3, 9])
def test_products_with_few_and_with_many_rows(n_used):
    rng = np.random.default_rng(0)
    K, a = rng.normal(size=(9, 9)), np.zeros(9)
    K += K.T
    a[:n_used] = rng.normal(size=n_used)
    np.testing.assert_allclose(active_set.sparse_product(K, a), K @ a, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("base", [1, 300])
def test_a_point_at_its_bound_holds_no_other_back(make_stack, make_machine, base):
    problem = make_stack(seed=3, n=60)
    machine = make_machine("soft_margin", problem, C=0.7)
    K, change = problem.grams.sum(axis=0), 0.1 * problem.grams[0] - 0.05 * problem.grams[1]
    here, exact = solve_machine(K, machine), solve_machine(K + change, machine)
    assert (exact.state != here.state).sum() == 3  # a step meets one of these bounds at once
    prepared, options = factorised(here, K, machine.ridge), ExchangeOptions(large=base)
    moved = displaced(prepared, machine, change @ here.coef, options)
    assert machine.infeasibility(moved) <= 1e-10
    missed = [exact.upper - machine.lower_value(a, (K + change) @ a) for a in (moved, here.coef)]
    if base == 300:
        assert missed[0] <= 0.05 * missed[1]
