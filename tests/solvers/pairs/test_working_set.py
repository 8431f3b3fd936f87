"""Sifting against CVXPY and the interior-point method, and its parts against brute force."""

from __future__ import annotations

from itertools import islice

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from kernlearn.reference import kondor_section5
from kernlearn.runtime.status import Status
from kernlearn.solvers.pairs import (
    DensePairKernel,
    FactorPairKernel,
    PairProgram,
    solve_pairs,
    working_set,
)
from kernlearn.solvers.pairs.solve import interior_points
from kernlearn.solvers.pairs.working_set import (
    PairPoint,
    best_step,
    lowest_between,
    restricted_minimum,
    working_set_rounds,
)


def _random_kernel(n, rank, seed):
    """A matrix without negative entries, of a given rank, with sections of unlike lengths."""
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(n, rank)) * 10.0 ** rng.uniform(-1, 1, size=(n, 1))


def _random_labels(n, seed):
    labels = np.where(np.random.default_rng(seed).uniform(size=n) < 0.3, 1.0, -1.0)
    labels[:2] = 1.0, -1.0
    return labels


def _objective(K, labels, C, coef, b):
    return 0.5 * coef @ K @ coef + C * np.maximum(1 - labels * (K @ coef + b), 0).sum()


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("case", ["duplicates", "contradictions", "rank one", "one positive pair"])
def test_degenerate_programs_equal_the_program_as_printed(make_problem, only_working_sets, case, C):
    problem = make_problem(n=7)
    K, labels = problem.K, problem.labels
    if case in ("duplicates", "contradictions"):
        twice = np.tile(np.arange(len(K)), 2)
        K = K[np.ix_(twice, twice)]
        labels = np.append(labels, labels if case == "duplicates" else -labels)
    if case == "rank one":
        root = np.sqrt(K.diagonal())
        K = np.outer(root, root)
    if case == "one positive pair":
        labels = np.where(np.arange(len(K)) == 3, 1.0, -1.0)
    solution = only_working_sets(PairProgram(DensePairKernel(K), labels, C, True))
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(kondor_section5(K, labels, C).value, rel=2e-6)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 90),
    rank=st.integers(1, 12),
    log_C=st.floats(-3, 4),
    dense=st.booleans(),
)
def test_both_methods_find_the_same_optimum(seed, n, rank, log_C, dense):
    G, labels = _random_kernel(n, rank, seed), _random_labels(n, seed)
    kernel = DensePairKernel(G @ G.T) if dense else FactorPairKernel(G, np.arange(0))
    program = PairProgram(kernel, labels, 10.0**log_C, True)
    solution = solve_pairs(program)
    other = solve_pairs(program, methods=(interior_points,))
    assert solution.status is Status.OPTIMAL
    # Each is within its own gap of the optimum, on either side of the other.
    assert solution.lower_bound <= other.objective * (1 + 1e-12)
    assert other.lower_bound <= solution.objective * (1 + 1e-12)
    value = _objective(G @ G.T, labels, program.C, solution.coef, solution.intercept)
    assert solution.objective == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("d", "sigma", "C"), [(8, 1.5, 1e4), (3, 0.7, 100.0), (2, 0.5, 1.0)])
def test_a_few_rounds_suffice(make_problem, only_working_sets, d, sigma, C):
    """Without the line search the losses that a part leaves out would throw it far off."""
    problem = make_problem(n=20, d=d, sigma=sigma)
    solution = only_working_sets(
        PairProgram(DensePairKernel(problem.K), problem.labels, C, True), tol=1e-8
    )
    assert solution.status is Status.OPTIMAL
    assert solution.n_iter <= 15


def test_many_pairs_start_from_a_sample(make_problem, make_program, only_working_sets):
    problem, C = make_problem(n=65, d=8, sigma=2.0), 10.0
    program = make_program(problem, dense=False, C=C, max_rank=60)
    solution = only_working_sets(program, tol=1e-8)
    assert solution.status is Status.OPTIMAL
    K = program.kernel.factor @ program.kernel.factor.T
    value = _objective(K, problem.labels, C, solution.coef, solution.intercept)
    assert solution.objective == pytest.approx(value, rel=1e-9)
    start = working_set.start_point(program, working_set.coefficient_units(program))
    # One pair in eight, each counted eight times, is a fair picture of all.
    assert _objective(K, problem.labels, C, start.coef, start.b) < 1.2 * value


def test_what_is_no_generator_gets_no_coefficient_from_the_sample(make_problem, make_program):
    """An incomplete factor may leave a section with a mean below zero on all pairs."""
    problem = make_problem(n=65, d=8, sigma=2.0)
    factor = make_program(problem, dense=False, max_rank=20).kernel.factor.copy()
    factor[::2] -= 1.1 * factor[::2].mean(axis=0)
    program = PairProgram(FactorPairKernel(factor, np.arange(0)), problem.labels, 10.0, True)
    assert 100 < program.generators.sum() < len(factor) - 100
    start = working_set.start_point(program, working_set.coefficient_units(program))
    for point in (start, *(found.point for found in islice(working_set_rounds(program), 5))):
        assert point.coef.any()
        assert not point.coef[~program.generators].any()


def test_sections_that_see_only_themselves_are_left_to_the_other_method():
    """A hundred and fifty rows at one kink are no small part of the program."""
    K, labels = np.eye(150), np.where(np.arange(150) < 60, 1.0, -1.0)
    program = PairProgram(DensePairKernel(K), labels, 10.0, True)
    assert list(working_set_rounds(program)) == []
    solution = solve_pairs(program)
    assert solution.status is Status.OPTIMAL
    # b = −1 has no loss on the others, and α = 2 on the sixty: sixty times ½ 2².
    assert solution.objective == pytest.approx(120.0, rel=1e-6)


def test_the_program_without_sections_ends_at_once():
    program = PairProgram(DensePairKernel(np.zeros((4, 4))), _random_labels(4, 0), 1.0, True)
    assert list(working_set_rounds(program)) == []


def test_tiny_sections_do_not_spoil_the_bound(make_problem, only_working_sets):
    """Their coefficients are beyond the tolerance of a quadratic program in common units."""
    problem = make_problem()
    small = np.where(np.arange(len(problem.K)) % 3 == 0, 1e-17, 1.0)
    K = problem.K * small * small[:, None]
    solution = only_working_sets(PairProgram(DensePairKernel(K), problem.labels, 10.0, True))
    assert solution.status is Status.OPTIMAL
    rest = small == 1.0
    floor = kondor_section5(K, problem.labels, 10.0).value
    assert solution.objective == pytest.approx(floor, rel=2e-6)
    assert np.count_nonzero(solution.coef[~rest]) == 0


@pytest.mark.parametrize("factor", [True, False])
def test_a_part_is_the_program_that_it_says(factor):
    G, labels = _random_kernel(20, 5, 3), _random_labels(20, 3)
    K, C = G @ G.T, 0.7
    kernel = FactorPairKernel(G, np.arange(0)) if factor else DensePairKernel(K)
    columns, rows = np.array([0, 4, 5, 11]), np.array([0, 1, 2, 3, 7, 8, 9])
    lost = np.zeros(20, dtype=bool)
    lost[[5, 6, 12]] = True
    units = 1.0 / np.sqrt(K.diagonal() * K.diagonal().max())
    coef, b, a = restricted_minimum(
        PairProgram(kernel, labels, C, True), units, columns, rows, lost
    )

    x, intercept = cp.Variable(4, nonneg=True), cp.Variable()
    margins = cp.multiply(labels, K[:, columns] @ x + intercept)
    norm = cp.sum_squares(G[columns].T @ x)
    value = 0.5 * norm + C * (cp.sum(cp.pos(1 - margins[rows])) + cp.sum(1 - margins[lost]))
    expected = cp.Problem(cp.Minimize(value)).solve(solver="CLARABEL")

    loss = 1 - labels * (K @ coef + b)
    found = 0.5 * coef @ K @ coef + C * (np.maximum(loss[rows], 0).sum() + loss[lost].sum())
    assert found == pytest.approx(expected, rel=1e-6)
    assert set(np.flatnonzero(coef)) <= set(columns)
    np.testing.assert_array_equal(a[lost], C)
    assert a[~lost & ~np.isin(np.arange(20), rows)].max() == 0
    assert labels @ a == pytest.approx(0.0, abs=1e-9)
    against = K @ (coef - labels * a)
    assert against[columns].min() > -1e-7
    assert abs(against @ coef) < 1e-7


def test_what_the_small_programs_cannot_solve_is_left_to_the_other_method(
    make_problem, make_program
):
    program = make_program(make_problem())

    def unsolved(program, tol):
        rounds = list(working_set_rounds(program, solve=lambda *args: None))
        assert rounds == []
        return iter(())

    best = solve_pairs(program).objective
    other = solve_pairs(program, methods=(unsolved, interior_points))
    assert other.objective == pytest.approx(best, rel=2e-6)


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 8),
    slope=st.floats(-20, 5),
    curvature=st.sampled_from([0.0, 0.1, 3.0, 100.0]),
)
def test_no_step_is_better(seed, n, slope, curvature):
    rng = np.random.default_rng(seed)
    loss, rate = rng.normal(size=n).round(1), 3 * rng.normal(size=n).round(1)

    def value(s):
        return slope * s + 0.5 * curvature * s**2 + 2.0 * np.maximum(loss + s * rate, 0).sum()

    found = best_step(slope, curvature, loss, rate, 2.0)
    assert 0 <= found <= 1
    by_search = minimize_scalar(value, bounds=(0, 1), method="bounded").x
    assert value(found) <= min(value(s) for s in [0.0, 1.0, by_search]) + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_lowest_point_between_two_is_not_above_either(seed):
    G, labels = _random_kernel(15, 4, seed), _random_labels(15, seed)
    K, rng = G @ G.T, np.random.default_rng(seed)
    program = PairProgram(DensePairKernel(K), labels, 0.5, True)
    coefs = rng.uniform(size=(2, 15)) / np.sqrt(K.diagonal()) / 10
    one, other = (PairPoint(coef, b, K @ coef) for coef, b in zip(coefs, [-1.0, 0.3], strict=True))
    between = lowest_between(one, other, program)

    def value(point):
        return _objective(K, labels, 0.5, point.coef, point.b)

    np.testing.assert_allclose(between.values, K @ between.coef)
    steps = np.linspace(0, 1, 101)
    mixed = [
        _objective(K, labels, 0.5, (1 - s) * one.coef + s * other.coef, (1 - s) * -1.0 + s * 0.3)
        for s in steps
    ]
    assert value(between) <= min(mixed) + 1e-9
