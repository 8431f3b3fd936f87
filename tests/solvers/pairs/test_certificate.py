"""The certificate judges any coefficients, and its parts against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlearn.solvers.pairs.certificate import balanced, best_intercept, certify, certify_free
from kernlearn.solvers.pairs.few import few_generators
from kernlearn.solvers.pairs.products import weighted_gram
from kernlearn.solvers.pairs.solve import solve_pairs


@settings(max_examples=40, deadline=None)
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


@pytest.mark.parametrize(("dense", "conic"), [(True, True), (False, True), (False, False)])
def test_bounds_from_anything_enclose_the_optimum(make_problem, make_program, dense, conic):
    program = make_program(make_problem(), dense=dense, conic=conic)
    best = solve_pairs(program, tol=1e-9).objective
    rng = np.random.default_rng(0)
    # Small coefficients and large multipliers too: these alone would promise too much.
    for size in np.repeat([0.0, 1e-3, 1.0], 10):
        a = 10.0 * rng.uniform(-0.2, rng.choice([1.0, 20.0]), size=len(program.labels))
        if conic:
            found = certify(program, size * rng.normal(size=len(a)), rng.normal(), a)
        else:
            found = certify_free(program, size * rng.normal(size=len(program.interior)), 0.0, a)
        assert found.lower_bound <= best <= found.objective


def test_balanced_multipliers_stay_in_the_box():
    t = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    a = balanced(np.array([4.0, 0.5, -1.0, 0.3, 0.2]), t, 1.0)
    np.testing.assert_allclose(a, [1 / 3, 0.5 / 3, 0.0, 0.3, 0.2])
    np.testing.assert_array_equal(balanced(np.array([1.0, 1.0, 0.0, 0.0, -1.0]), t, 1.0), 0.0)


def test_few_generators_keep_the_point():
    rng = np.random.default_rng(0)
    factor = rng.uniform(size=(300, 6)) * 10.0 ** rng.uniform(-3, 3, size=(300, 1))
    coef = rng.uniform(size=300)
    sparse = few_generators(factor, coef, factor.T @ coef)
    assert sparse.min() >= 0
    assert np.count_nonzero(sparse) <= 6
    np.testing.assert_allclose(factor.T @ sparse, factor.T @ coef, rtol=1e-8)
    np.testing.assert_array_equal(few_generators(factor, 0 * coef, np.zeros(6)), 0.0)


@pytest.mark.parametrize("n", [3, 4096, 9001])
def test_weighted_products_do_not_show_their_blocks(n):
    rng = np.random.default_rng(0)
    factor, weights, centre = rng.normal(size=(n, 4)), rng.uniform(size=n), rng.normal(size=4)
    expected = np.einsum("pi,p,pj->ij", factor - centre, weights, factor - centre)
    np.testing.assert_allclose(weighted_gram(factor, weights, centre), expected, rtol=1e-10)
    np.testing.assert_allclose(
        weighted_gram(factor, weights), np.einsum("pi,p,pj->ij", factor, weights, factor)
    )
