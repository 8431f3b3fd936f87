"""Laws of Ong's programs: scale, units, the squared norm; what is infeasible and what refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.reference import (
    ong_before_eq8,
    ong_eq24,
    ong_eq27,
    ong_eq28,
    ong_eq29,
    ong_eq30,
    ong_eq31,
    ong_eq32,
)

X = np.random.default_rng(3).normal(size=(10, 2))
PAIRS = X[[[0, 0], [1, 5], [2, 7]]]
HYPERKERNEL = ARDHarmonic(gammas=[0.5, 0.5])
S, P = HYPERKERNEL.sections(X, PAIRS), HYPERKERNEL(PAIRS)
Y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
TARGETS = X[:, 0] + np.sin(2.0 * X[:, 1])


@pytest.mark.parametrize(("C", "c"), [(0.5, 2.0), (50.0, 0.3)])
def test_24_with_a_constant_is_27_with_the_square(C, c):
    corollary = ong_eq24(S, P, Y, C, 0.7, c=c)
    example = ong_eq27(S, P, Y, C, 0.7, c=c, squared=True)
    assert corollary.value == pytest.approx(example.value, rel=1e-7)
    assert corollary.weights == pytest.approx(example.weights, abs=1e-4 * c)
    assert corollary.alpha == pytest.approx(example.alpha, abs=1e-4 * C)


@pytest.mark.parametrize(
    "program",
    [
        lambda c: ong_eq24(S, P, Y, 30.0, 2.0, c=c),
        lambda c: ong_before_eq8(S, P, TARGETS, 0.1, 0.2, c=c),
    ],
)
def test_as_printed_the_squared_norm_alone_sets_the_scale(program):
    """Without 1ᵀβ = c the optimum is that of the best c."""
    free = program(None)
    # The value is convex in c: what is lowest around here is lowest of all.
    around = free.weights.sum() * np.array([0.7, 1.5])
    search = minimize_scalar(
        lambda c: program(c).value, bounds=around, method="bounded", options={"xatol": 1e-4}
    )
    assert free.value == pytest.approx(search.fun, rel=1e-6)
    assert free.weights.sum() == pytest.approx(search.x, rel=1e-3)


@pytest.mark.parametrize("program", [lambda **k: ong_eq28(S, P, Y, 0.4, **k), ong_eq30])
def test_machines_of_a_fixed_sum_need_a_scale(program):
    """(28) and (30) are homogeneous in β: without 1ᵀβ = c, zero or unbounded."""
    arguments = (S, P, 0.4) if program is ong_eq30 else ()
    one = program(*arguments, lambda_q=0.3, c=1.0)
    many = program(*arguments, lambda_q=0.3, c=250.0)
    assert many.value == pytest.approx(250.0 * one.value, rel=1e-6)
    assert many.weights == pytest.approx(250.0 * one.weights, abs=0.05)
    assert many.alpha == pytest.approx(one.alpha, abs=1e-4)


def test_31_is_in_the_units_of_the_targets():
    """With 1ᵀβ = stddev(y), the default, targets in other units change the value by the same."""
    metres = ong_eq31(S, P, TARGETS, 0.02, 0.3, lambda_q=0.1)
    millimetres = ong_eq31(S, P, 1e3 * TARGETS - 7e3, 0.02, 0.3, lambda_q=0.1)
    assert metres.weights.sum() == pytest.approx(np.std(TARGETS), rel=1e-8)
    assert millimetres.value == pytest.approx(1e3 * metres.value, rel=1e-6)
    assert millimetres.weights == pytest.approx(1e3 * metres.weights, abs=0.1)


@pytest.mark.parametrize(
    ("program", "unit"),
    [
        (lambda k: ong_eq24(k * S, P, Y, 9.0 / k, 0.3 / k, c=1.0), -1),
        (lambda k: ong_eq27(k * S, P, Y, 9.0 / k, 0.3 / k), -1),
        (lambda k: ong_eq28(k * S, P, Y, 0.4, 0.3 * k), 1),
        (lambda k: ong_eq30(k * S, P, 0.4, 0.3 * k), 1),
        (lambda k: ong_eq31(k * S, P, TARGETS, 0.1 * k, 0.4, 0.3), -1),
        (lambda k: ong_eq32(k * S, P, Y, 0.3 / k), -1),
        (lambda k: ong_before_eq8(k * S, P, TARGETS, 0.1 * k, 0.3, c=1.0), 0),
    ],
)
def test_kernels_of_any_size(program, unit):
    plain = program(1.0)
    for size in (1e-5, 1e5):
        other = program(size)
        assert other.value == pytest.approx(size**unit * plain.value, rel=1e-6)
        assert other.weights == pytest.approx(plain.weights, abs=1e-3)


def test_points_that_coincide():
    """A common null space leaves the LMI without an interior, and (32) with labels to agree."""
    order = [0, 0, *range(2, 10)]
    twice, labels = S[:, order][:, :, order], Y[order]
    once, few = S[:, order[1:]][:, :, order[1:]], Y[order[1:]]
    assert ong_eq32(twice, P, labels).value == pytest.approx(ong_eq32(once, P, few).value, rel=1e-6)
    # Where no bound is reached, a point that stands there twice shares its α with itself.
    apart, together = ong_eq27(twice, P, labels, 1e5), ong_eq27(once, P, few, 1e5)
    assert together.alpha.max() < 1e4 / 2
    assert apart.value == pytest.approx(together.value, rel=1e-6)
    torn = ong_eq32(twice, P, np.where(np.arange(10) == 0, -labels, labels))
    assert torn.status == "infeasible"
    assert torn.value == np.inf
    assert torn.weights is None


def test_a_nu_that_the_classes_do_not_allow():
    lonely = np.where(np.arange(10) == 0, 1.0, -1.0)
    solution = ong_eq28(S, P, lonely, nu=0.9)
    assert solution.status == "unbounded"
    assert solution.value == -np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ong_eq27(S[0], P, Y, 1.0), r"sections: expected a stack .* got shape \(10, 10\)"),
        (lambda: ong_eq27(-S, P, Y, 1.0), "sections: expected positive semidefinite, non-zero"),
        (lambda: ong_eq27(S, P[:2, :2], Y, 1.0), r"each of the 3 sections, got shape \(2, 2\)"),
        (lambda: ong_eq27(S, -P, Y, 1.0), "K_pivots: expected a positive semidefinite, non-zero"),
        (lambda: ong_eq27(S, np.triu(P), Y, 1.0), "K_pivots: expected symmetric matrices"),
        (lambda: ong_eq27(S, np.nan * P, Y, 1.0), "K_pivots: expected finite numbers"),
        (lambda: ong_eq27(S, P, Y[:9], 1.0), "each of the 10 points, got 9; leave unlabelled"),
        (lambda: ong_eq27(S, P, X[:, 0], 1.0), r"y: expected labels -1 and \+1, both present"),
        (lambda: ong_eq24(S, P, Y, -1.0), r"C: expected a positive finite number, got -1\.0"),
        (lambda: ong_eq27(S, P, Y, 1.0, lambda_q=0.0), "lambda_q: expected a positive finite"),
        (lambda: ong_eq27(S, P, Y, 1.0, c=0.0), "c: expected a positive finite number, got 0"),
        (lambda: ong_eq28(S, P, Y, 1.5), r"nu: expected a number in \(0, 1\], got 1\.5"),
        (lambda: ong_eq29(S, P, Y, 0.0), r"lam: expected a positive finite number, got 0\.0"),
        (lambda: ong_eq30(S, P, 0.0), r"nu: expected a positive finite number, got 0\.0"),
        (lambda: ong_eq31(S, P, np.ones(10), 1.0, 0.3), "c: expected a positive finite number"),
        (lambda: ong_before_eq8(S, P, TARGETS, 1.0, -1.0), "lambda_q: expected a positive"),
        (lambda: ong_eq32(S, P, Y, solver="NONE"), "solver: expected one of .* got 'NONE'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
