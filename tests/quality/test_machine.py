"""Both sides of a machine's certificate against the reference program and against searches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import entr

from kernlearn.quality import QUALITIES
from kernlearn.quality.machine import Multipliers
from kernlearn.reference import fixed_kernel_program

NAMES = sorted(set(QUALITIES) - {"cox"})  # is no sum over rows: see test_cox.py
WIDE = 5.0  # stands in for an infinite box where points are drawn


def feasible_points(machine, rng, count=6):
    """Random mixtures of random vertices of the machine's polytope, by linear programs.

    In a = u − v the budget on ‖a‖₁ is linear, and the box holds if u and v keep to its sides.
    """
    n = machine.n_points
    low = np.clip(machine.breakpoints[:, 0], -WIDE, 0.0)
    high = np.clip(machine.breakpoints[:, -1], 0.0, WIDE)
    budget = min(machine.budget, 1e6)
    vertices = []
    for direction in rng.normal(size=(8, n)):
        found = linprog(
            np.concatenate([direction, -direction]) + 1e-3,
            A_ub=np.ones((1, 2 * n)),
            b_ub=[budget],
            A_eq=np.hstack([machine.rows, -machine.rows]),
            b_eq=machine.rhs,
            bounds=[*zip(np.zeros(n), high, strict=True), *zip(np.zeros(n), -low, strict=True)],
        )
        vertices.append(found.x[:n] - found.x[n:])
    return rng.dirichlet(np.ones(len(vertices)), size=count) @ np.array(vertices)


def random_multipliers(machine, rng):
    return Multipliers(rng.normal(size=len(machine.rhs)), float(rng.uniform(0.0, 1.0)))


@pytest.fixture(params=NAMES)
def case(request, make_stack, make_machine, target_of):
    problem = make_stack(seed=1)
    K = problem.grams[1]
    machine = make_machine(request.param, problem, C=0.7, nu=0.4, epsilon=0.2)
    optimum = fixed_kernel_program(
        K, target_of(request.param, problem), request.param, C=0.7, nu=0.4, epsilon=0.2
    )
    return machine, K + machine.offset, optimum


def test_every_feasible_point_is_below_the_optimum_and_every_function_above(case):
    machine, K, optimum = case
    rng = np.random.default_rng(0)
    slack = 1e-7 * abs(optimum.value)
    for a in feasible_points(machine, rng):
        assert machine.infeasibility(a) <= 1e-9
        assert machine.lower_value(a, K @ a) <= optimum.value + slack
        upper = machine.upper_value(a, K @ a, random_multipliers(machine, rng))
        assert upper >= optimum.value - slack
    for a in rng.normal(size=(5, machine.n_points)):  # an upper bound asks nothing of a
        upper = machine.upper_value(a, K @ a, random_multipliers(machine, rng))
        assert upper >= optimum.value - slack


def test_both_bounds_meet_at_the_optimum(case):
    machine, K, optimum = case
    a, value = optimum.alpha, optimum.value
    assert machine.infeasibility(a) <= 1e-6
    assert machine.lower_value(a, K @ a) == pytest.approx(value, rel=1e-5)

    def upper(x):
        multipliers = Multipliers(x[:-1], abs(x[-1]))
        return min(machine.upper_value(a, K @ a, multipliers), 1e3)

    r = len(machine.rhs)
    starts = [np.append(np.full(r, b), 0.1) for b in (-0.5, 0.0, 0.5)]
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000}
    best = min(minimize(upper, x, method="Nelder-Mead", options=options).fun for x in starts)
    assert best == pytest.approx(value, rel=1e-4)


def test_rescaled_machine_is_the_same_problem(case):
    machine, K, _ = case
    rng = np.random.default_rng(1)
    # The hard margin stretches to margins of one, so its labels keep their size.
    kappa, sigma = 37.0, 1.0 if machine.homogeneous else 0.021
    scaled = machine.rescaled(kappa, sigma)
    a = feasible_points(machine, rng, count=1)[0]
    multipliers = random_multipliers(machine, rng)
    small = a * kappa / sigma
    K_small = (K / kappa) @ small
    in_units = Multipliers(multipliers.rows / sigma, multipliers.budget / sigma)
    unit = sigma**2 / kappa
    assert unit * scaled.lower_value(small, K_small) == pytest.approx(
        machine.lower_value(a, K @ a), rel=1e-12
    )
    assert unit * scaled.upper_value(small, K_small, in_units) == pytest.approx(
        machine.upper_value(a, K @ a, multipliers), rel=1e-12
    )
    assert scaled.infeasibility(small) <= 1e-9
    assert scaled.infeasibility(small + 0.1 * np.abs(small).sum()) == pytest.approx(
        machine.infeasibility(a + 0.1 * np.abs(a).sum()), rel=1e-9
    )


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"hard_margin"}))
def test_loss_is_the_conjugate_found_on_a_grid(name, make_stack, make_machine):
    """At the function zero the upper bound is Σφ*(p) plus the budget's share."""
    machine = make_machine(name, make_stack(), C=0.7, nu=0.4, epsilon=0.2)
    n, epsilon = machine.n_points, 0.3
    rng = np.random.default_rng(2)
    g = rng.normal(size=n)
    machine = replace(machine, linear=g)
    found = machine.upper_value(
        np.zeros(n), np.zeros(n), Multipliers(np.zeros(len(machine.rhs)), epsilon)
    )
    low, high = np.clip(machine.breakpoints[:, [0, -1]], -WIDE, WIDE).T
    t = np.linspace(low, high, 20001)
    tube = epsilon if np.isfinite(machine.budget) else (0.2 if name == "epsilon_svr" else 0.0)
    phi = tube * np.abs(t) + 0.5 * machine.ridge * t**2
    if name == "logistic":
        share = np.abs(t) / 0.7
        phi = -0.7 * (entr(share) + entr(1.0 - share))
    expected = (g * t - phi).max(axis=0).sum()
    if np.isfinite(machine.budget):
        expected += epsilon * machine.budget
    assert found == pytest.approx(expected, rel=1e-6)


def test_infeasibility_is_the_largest_violation_in_units_of_the_coefficients(
    make_stack, make_machine
):
    problem = make_stack()
    n, y = problem.n, problem.y
    soft = make_machine("soft_margin", problem, C=1.0)
    assert soft.infeasibility(0.5 * y) == 0.0  # half of the labels are +1
    assert soft.infeasibility(1.5 * y) == pytest.approx(0.5 / (1.5 * n))  # the box
    assert soft.infeasibility(-0.5 * y) == pytest.approx(0.5 / (0.5 * n))  # the sign
    assert soft.infeasibility(0.5 * np.maximum(y, 0)) == pytest.approx(1.0)  # 1ᵀa = 0
    tube = make_machine("nu_svr", problem, C=1.0, nu=0.5)
    assert tube.infeasibility(0.5 * y) == 0.0
    assert tube.infeasibility(0.75 * y) == pytest.approx((0.75 - 0.5) / 0.75)  # ‖a‖₁ ≤ νCn
    novelty = make_machine("one_class", problem, nu=0.5)
    assert novelty.infeasibility(np.zeros(n)) == pytest.approx(1.0)  # 1ᵀa = 1
