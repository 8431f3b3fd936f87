"""The certificate judges any coefficients, and its parts against brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlearn.reference import kondor_section5
from kernlearn.runtime.status import Status
from kernlearn.solvers.pairs import DensePairKernel, PairProgram
from kernlearn.solvers.pairs.certificate import Candidate, balanced, best_intercept, certify
from kernlearn.solvers.pairs.pair_kernel import weighted_gram
from kernlearn.solvers.pairs.solve import solve_pairs, sparse_generators


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), b=st.floats(-5, 5))
def test_no_intercept_is_better(seed, n, b):
    rng = np.random.default_rng(seed)
    f = rng.normal(size=n).round(1)
    t = np.where(np.arange(n) < rng.integers(1, n), 1.0, -1.0)

    def loss(intercept):
        return np.maximum(1 - t * (f + intercept), 0).sum()

    found = best_intercept(f, t, b)
    # The loss is piecewise linear: one of its corners is a minimum.
    assert loss(found) <= min(loss(corner) for corner in t - f) + 1e-12
    if loss(b) <= loss(found) + 1e-12:
        assert found == pytest.approx(b)


@pytest.mark.parametrize(("dense", "conic"), [(d, c) for d in (True, False) for c in (True, False)])
def test_bounds_from_anything_enclose_the_optimum(make_problem, make_program, dense, conic):
    program = make_program(make_problem(), dense=dense, conic=conic)
    best = solve_pairs(program, tol=1e-9).objective
    rng = np.random.default_rng(0)
    # Small coefficients and large multipliers too: these alone would promise too much.
    for size in np.repeat([0.0, 1e-3, 1.0], 10):
        a = 10.0 * rng.uniform(-0.2, rng.choice([1.0, 20.0]), size=len(program.labels))
        candidate = Candidate(size * rng.normal(size=len(a)), rng.normal(), a)
        found = certify(program, candidate, precise=bool(rng.integers(2)))
        assert found.lower_bound <= best <= found.objective


@pytest.mark.parametrize("conic", [True, False])
@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-4])
def test_the_bound_of_the_whole_carries_what_a_factor_leaves_out(
    make_problem, make_program, conic, tol
):
    problem = make_problem()
    best = solve_pairs(make_program(problem, conic=conic), tol=1e-9).objective
    low = solve_pairs(make_program(problem, conic=conic, dense=False, tol=tol))
    assert low.status is Status.OPTIMAL
    assert 0 <= low.whole_lower_bound <= best
    assert low.whole_lower_bound < low.lower_bound
    # Without it the bound of the linear program would be false: it has fewer functions.
    if not conic:
        assert best < low.lower_bound
    if tol <= 1e-4:
        assert low.whole_lower_bound > 0.9 * best


def test_whole_and_factored_matrix_have_one_bound(make_problem, make_program):
    solution = solve_pairs(make_program(make_problem()))
    assert solution.whole_lower_bound == solution.lower_bound


@pytest.mark.parametrize("conic", [True, False])
@pytest.mark.parametrize("precise", [True, False])
def test_rounding_is_on_the_wrong_side(make_problem, make_program, conic, precise):
    """Against rational arithmetic: huge multipliers, which cancel."""
    problem = make_problem(n=5, sigma=1.0)
    program = make_program(problem, conic=conic, C=1e12)
    rng = np.random.default_rng(0)
    n = len(problem.labels)
    for _ in range(5):
        candidate = Candidate(rng.uniform(size=n), rng.normal(), 1e12 * rng.uniform(size=n))
        found = certify(program, candidate, precise)
        K = [[Fraction(value) for value in row] for row in problem.K.tolist()]
        value = _exact_objective(K, problem.labels, 10**12, found.coef, found.intercept)
        assert value <= Fraction(found.objective) <= value * (1 + Fraction(1, 10**9))
        if not conic and found.lower_bound > 0:
            assert Fraction(found.lower_bound) <= _exact_dual(K, problem.labels, found.dual_coef)


def _exact_objective(K, labels, C, coef, b):
    alpha, t = [Fraction(x) for x in coef.tolist()], [int(x) for x in labels]
    f = [sum(k * x for k, x in zip(row, alpha, strict=True)) for row in K]
    loss = sum(max(1 - s * (value + Fraction(b)), 0) for s, value in zip(t, f, strict=True))
    return sum(x * y for x, y in zip(alpha, f, strict=True)) / 2 + C * loss


def _exact_dual(K, labels, a):
    signed = [Fraction(x) * int(t) for x, t in zip(a.tolist(), labels, strict=True)]
    image = [sum(k * x for k, x in zip(row, signed, strict=True)) for row in K]
    return sum(abs(x) for x in signed) - sum(x * y for x, y in zip(signed, image, strict=True)) / 2


def test_no_solver_can_say_optimal(make_problem, make_program):
    program = make_program(make_problem())
    n = len(program.labels)
    for numbers in (np.full(n, np.nan), np.full(n, 1e300), np.zeros(n)):
        found = certify(program, Candidate(numbers, 0.0, numbers))
        assert found.solution(1e-6, Status.INACCURATE, 1).status is Status.INACCURATE


@pytest.mark.parametrize("label", [1.0, -1.0])
@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("conic", [True, False])
def test_pairs_of_one_label_need_no_function(label, n, conic):
    program = PairProgram(DensePairKernel(np.eye(n)), np.full(n, label), 1e8, conic)
    solution = solve_pairs(program)
    assert (solution.objective, solution.lower_bound, solution.gap) == (0.0, 0.0, 0.0)
    assert solution.status is Status.OPTIMAL
    assert label * solution.intercept >= 1


@pytest.mark.parametrize("conic", [True, False])
def test_negative_entries_are_no_excuse_for_a_false_bound(conic):
    """Opposite sections: no function is positive on both, so none can lift a short dual one."""
    G = np.array([[1.0, 0.2], [-1.0, 0.1], [0.3, 1.0], [0.2, -1.0]])
    K, labels = G @ G.T, np.array([1.0, -1.0, 1.0, -1.0])
    solution = solve_pairs(PairProgram(DensePairKernel(K), labels, 10.0, conic))
    expected = kondor_section5(K, labels, 10.0, conic).value
    assert solution.lower_bound <= expected * (1 + 1e-7)
    assert solution.objective >= expected * (1 - 1e-7)


def test_balanced_multipliers_stay_in_the_box():
    t = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    a = balanced(np.array([4.0, 0.5, -1.0, 0.3, 0.2]), t, 1.0)
    np.testing.assert_allclose(a, [1 / 3, 0.5 / 3, 0.0, 0.3, 0.2])
    np.testing.assert_array_equal(balanced(np.array([1.0, 1.0, 0.0, 0.0, -1.0]), t, 1.0), 0.0)


def test_sparse_generators_keep_the_point():
    rng = np.random.default_rng(0)
    factor = rng.uniform(size=(300, 6)) * 10.0 ** rng.uniform(-3, 3, size=(300, 1))
    coef = rng.uniform(size=300)
    sparse = sparse_generators(factor, coef, factor.T @ coef)
    assert sparse.min() >= 0
    assert np.count_nonzero(sparse) <= 6
    np.testing.assert_allclose(factor.T @ sparse, factor.T @ coef, rtol=1e-8)
    np.testing.assert_array_equal(sparse_generators(factor, 0 * coef, np.zeros(6)), 0.0)


@pytest.mark.parametrize("n", [3, 4096, 9001])
def test_weighted_products_do_not_show_their_blocks(n):
    rng = np.random.default_rng(0)
    factor, weights, centre = rng.normal(size=(n, 4)), rng.uniform(size=n), rng.normal(size=4)
    expected = np.einsum("pi,p,pj->ij", factor - centre, weights, factor - centre)
    np.testing.assert_allclose(weighted_gram(factor, weights, centre), expected, rtol=1e-10)
    np.testing.assert_allclose(
        weighted_gram(factor, weights), np.einsum("pi,p,pj->ij", factor, weights, factor)
    )
