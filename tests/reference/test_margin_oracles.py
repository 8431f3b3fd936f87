"""The margin programs against libsvm and against searches by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from kernlearn.reference import (
    eq26,
    eq27,
    eq31,
    eq33,
    eq36,
    eq38,
    eq41,
    eq43,
    eq45,
    eq47,
)

C_VALUES = [1e-3, 0.3, 10.0, 1e4]


@pytest.mark.parametrize("C", C_VALUES)
@pytest.mark.parametrize("program", [eq36, eq38])
def test_one_kernel_is_twice_the_libsvm_dual(program, C, make_problem, omega):
    p = make_problem(seed=1, m=1)
    solution = program(p.grams, p.y, C)
    assert solution.status == "optimal"
    assert solution.value == pytest.approx(omega(p.grams[0], p.y, C), rel=1e-6)
    assert solution.weights == pytest.approx([1.0], rel=1e-6)


@pytest.mark.parametrize("C", C_VALUES)
@pytest.mark.parametrize("program", [eq41, eq43])
def test_one_kernel_squared_margin_adds_a_ridge(program, C, make_problem, omega):
    p = make_problem(seed=2, m=1)
    expected = omega(p.grams[0], p.y, tau=1 / C)
    assert program(p.grams, p.y, C).value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("program", [eq31, eq33])
def test_one_kernel_hard_margin(program, make_problem, omega):
    p = make_problem(seed=3)
    gaussian = p.grams[1:2]
    assert program(gaussian, p.y).value == pytest.approx(omega(gaussian[0], p.y), rel=1e-6)


@pytest.mark.parametrize("program", [eq26, eq27])
def test_general_program_at_one_kernel_has_both_box_and_ridge(program, make_problem, omega):
    p = make_problem(seed=4, m=1)
    expected = omega(p.grams[0], p.y, C=0.7, tau=0.2)
    assert program(p.grams, p.y, C=0.7, tau=0.2).value == pytest.approx(expected, rel=1e-6)


def _weights_on_the_trace_line(first, grams, c):
    r = np.trace(grams, axis1=1, axis2=2)
    return np.array([first, (c - first * r[0]) / r[1]])


def _search(value, low, high):
    return minimize_scalar(value, bounds=(low, high), method="bounded", options={"xatol": 1e-9}).fun


@pytest.mark.parametrize(("seed", "n_unlabelled"), [(4, 0), (11, 4)])
def test_two_kernels_positive_weights_by_search(seed, n_unlabelled, two_views, omega, combine):
    p = two_views(seed, n_unlabelled=n_unlabelled)
    r = np.trace(p.grams, axis1=1, axis2=2)
    c = 1.3 * r.sum()

    def value(first):
        return omega(combine(_weights_on_the_trace_line(first, p.grams, c), p.grams), p.y, C=1.0)

    best = _search(value, 0.0, c / r[0])
    solution = eq38(p.grams, p.y, 1.0, c=c)
    assert solution.value == pytest.approx(best, rel=1e-6)
    assert solution.weights.min() > 0.1


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_two_kernels_free_weights_by_search_over_the_psd_interval(C, make_problem, omega, combine):
    p = make_problem(seed=6, n_labelled=8, n_unlabelled=3, m=2)
    r = np.trace(p.grams, axis1=1, axis2=2)
    c = r.sum()

    def kernel(first):
        return combine(_weights_on_the_trace_line(first, p.grams, c), p.grams)

    def smallest(first):
        return np.linalg.eigvalsh(kernel(first))[0]

    # K(μ) is positive definite in between, so the smallest eigenvalue crosses zero on each side.
    low, high = brentq(smallest, -20.0, 0.5), brentq(smallest, 0.5, 20.0)
    best = _search(lambda first: omega(kernel(first), p.y, C), low, high)
    assert eq36(p.grams, p.y, C, c=c).value == pytest.approx(best, rel=1e-5)
    assert low < 0.0


@pytest.mark.parametrize("program", [eq45, eq47])
@pytest.mark.parametrize("n_unlabelled", [0, 5])
def test_learned_tau_by_search(program, n_unlabelled, make_problem, omega):
    p = make_problem(seed=8, n_unlabelled=n_unlabelled, m=1)
    n_points = p.grams.shape[1]
    c = 2.0 * n_points

    def value(tau):
        # trace(μK + τI) = c over all points, where K has trace n_points.
        return omega((c / n_points - tau) * p.grams[0], p.y, tau=tau)

    search = minimize_scalar(value, bounds=(1e-9, 2.0 - 1e-9), method="bounded")
    solution = program(p.grams, p.y, c=c)
    assert solution.value == pytest.approx(search.fun, rel=1e-6)
    assert solution.tau == pytest.approx(search.x, rel=1e-3)
    assert 0.05 < solution.tau < 1.95
