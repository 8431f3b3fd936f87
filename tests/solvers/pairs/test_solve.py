"""The optimum against CVXPY and libsvm, and what has to hold at it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from sklearn.svm import SVC

from kernlearn.reference import kondor_section5
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.pairs import DensePairKernel, FactorPairKernel, PairProgram, solve_pairs
from kernlearn.solvers.pairs.solve import interior_points


@pytest.mark.parametrize(
    ("seed", "d", "sigma", "C"), [(0, 3, 1.5, 10.0), (1, 2, 0.5, 1.0), (2, 8, 4.0, 100.0)]
)
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("method", ["only_working_sets", "only_interior"])
def test_conic_equals_the_program_as_printed(
    make_problem, make_program, request, seed, d, sigma, C, dense, method
):
    solve = request.getfixturevalue(method)
    problem = make_problem(d=d, sigma=sigma, seed=seed)
    solution = solve(make_program(problem, dense=dense, C=C), tol=1e-8)
    expected = kondor_section5(problem.K, problem.labels, C)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(expected.value, rel=1e-6)
    assert solution.coef.min() >= 0


@pytest.mark.parametrize("seed", range(3))
def test_linear_equals_the_program_as_printed_and_libsvm(make_problem, make_program, seed):
    problem = make_problem(seed=seed)
    solution = solve_pairs(make_program(problem, conic=False), tol=1e-8)
    expected = kondor_section5(problem.K, problem.labels, 10.0, conic=False)
    assert solution.objective == pytest.approx(expected.value, rel=1e-6)
    # Without a cone the program is a support vector machine on pairs.
    svc = SVC(kernel="precomputed", C=10.0, tol=1e-9).fit(problem.K, problem.labels)
    a = np.zeros(len(problem.labels))
    a[svc.support_] = svc.dual_coef_[0]
    value = np.abs(a).sum() - 0.5 * a @ problem.K @ a
    assert solution.objective == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize(("conic", "dense"), [(True, True), (True, False), (False, False)])
def test_the_objective_is_that_of_the_coefficients(make_problem, make_program, conic, dense):
    """Evaluated with the matrix itself, by the definition of the program."""
    problem = make_problem()
    solution = solve_pairs(make_program(problem, conic=conic, dense=dense))
    f = problem.K @ solution.coef + solution.intercept
    loss = 10.0 * np.maximum(1 - problem.labels * f, 0).sum()
    value = 0.5 * solution.coef @ problem.K @ solution.coef + loss
    assert solution.objective == pytest.approx(value, rel=1e-6)
    assert solution.lower_bound <= solution.objective <= value * (1 + 1e-6)
    assert 0 <= solution.gap <= 1e-6


def test_the_conditions_of_optimality(make_problem, make_program):
    problem = make_problem()
    solution = solve_pairs(make_program(problem), tol=1e-9)
    a, t = solution.dual_coef, problem.labels
    assert a.min() >= 0
    assert a.max() <= 10.0
    assert t @ a == pytest.approx(0.0, abs=1e-9)
    # The function less the support vectors' is nowhere negative, and zero at coefficients.
    u = problem.K @ (solution.coef - t * a)
    scale = np.abs(problem.K @ (t * a)).max()
    assert u.min() > -1e-5 * scale
    assert abs(u @ solution.coef) < 1e-5 * scale * solution.coef.sum()
    margins = t * (problem.K @ solution.coef + solution.intercept)
    assert np.all(a[margins > 1 + 1e-3] < 1e-3)
    assert np.all(a[margins < 1 - 1e-3] > 10.0 - 1e-3)


def test_a_factor_needs_few_pairs_and_gives_the_same_kernel(make_problem, make_program):
    problem = make_problem(n=24, d=2, sigma=3.0)
    whole = solve_pairs(make_program(problem), tol=1e-8)
    program = make_program(problem, dense=False, tol=1e-10)
    low = solve_pairs(program, tol=1e-8)
    assert program.kernel.factor.shape[1] < 100 < len(problem.labels)
    assert np.count_nonzero(low.coef) <= program.kernel.factor.shape[1]
    assert low.objective == pytest.approx(whole.objective, rel=1e-5)
    np.testing.assert_allclose(problem.K @ low.coef, problem.K @ whole.coef, atol=5e-3)


def test_pairs_that_vanish_get_no_coefficient(make_problem, make_program):
    """Points so far away that their sections are zero in floating point, in both coordinates."""
    problem = make_problem()
    K = problem.K.copy()
    K[4], K[:, 4] = 0.0, 0.0
    expected = kondor_section5(K, problem.labels, 10.0).value
    values, vectors = np.linalg.eigh(K)
    factor = vectors[:, values > 1e-12] * np.sqrt(values[values > 1e-12])
    factor[4] = 0.0
    for kernel in (DensePairKernel(K), FactorPairKernel(factor, np.arange(0))):
        solution = solve_pairs(PairProgram(kernel, problem.labels, 10.0, True), tol=1e-8)
        assert solution.objective == pytest.approx(expected, rel=1e-6)
        assert solution.coef[4] == 0.0


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_scale_of_the_hyperkernel_is_that_of_C(make_problem, scale):
    problem = make_problem()
    one = solve_pairs(PairProgram(DensePairKernel(problem.K), problem.labels, 10.0, True))
    other = solve_pairs(
        PairProgram(DensePairKernel(scale * problem.K), problem.labels, 10.0 / scale, True)
    )
    assert other.status is Status.OPTIMAL
    assert other.objective * scale == pytest.approx(one.objective, rel=2e-6)
    assert other.intercept == pytest.approx(one.intercept, rel=1e-3)


@pytest.mark.parametrize(("method", "steps"), [("only_working_sets", 2), ("only_interior", 4)])
def test_the_iteration_limit_is_told_and_its_bound_still_holds(
    make_problem, make_program, request, method, steps
):
    problem = make_problem()
    best = solve_pairs(make_program(problem), tol=1e-9)
    solve = request.getfixturevalue(method)
    seen = []
    early = solve(
        make_program(problem),
        max_iter=steps,
        stopping=StoppingControl(seen.append),
    )
    assert early.status is Status.ITERATION_LIMIT
    assert early.lower_bound <= best.objective <= early.objective
    assert early.gap > 1e-6
    assert [told.step for told in seen] == list(range(1, steps + 1))
    # The last word may be said with more digits.
    assert seen[-1].objective == pytest.approx(early.objective, rel=1e-9)
    assert all(told.lower_bound <= best.objective <= told.objective for told in seen)


@pytest.mark.parametrize("conic", [True, False])
def test_without_any_step_nothing_is_claimed(make_problem, make_program, conic):
    program = make_program(make_problem(), dense=False, conic=conic)
    best = solve_pairs(program).objective
    nothing = solve_pairs(program, methods=())
    assert nothing.status is Status.INACCURATE
    assert nothing.lower_bound <= best <= nothing.objective
    np.testing.assert_array_equal(nothing.coef, 0.0)


def test_a_method_that_ends_early_is_judged_by_its_last_iterate(
    make_problem, make_program, only_interior
):
    """As when rounding ends the Newton steps before they promise anything."""
    program = make_program(make_problem())
    nothing = only_interior(program, max_iter=1).gap
    solution = solve_pairs(program, methods=(lambda *args: islice(interior_points(*args), 5),))
    assert solution.status is Status.INACCURATE
    assert solution.n_iter == 5
    assert 1e-6 < solution.gap < 0.1 * nothing


def test_programs_without_loss_end_without_a_word():
    """Newton steps ran on until they overflowed: the estimate of the objective was zero."""
    K = np.diag([6e4, 0.0, 0.0])
    solution = solve_pairs(PairProgram(DensePairKernel(K), np.array([1.0, -1.0, -1.0]), 1.0, False))
    assert solution.status is Status.OPTIMAL
    assert solution.n_iter < 30
    # b = −1, and the one section two above it: ½ 2²/K.
    assert solution.objective == pytest.approx(2.0 / 6e4, rel=1e-6)
