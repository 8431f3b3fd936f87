"""Laws that bind the margin programs to each other."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.reference import (
    eq26,
    eq27,
    eq31,
    eq32,
    eq33,
    eq36,
    eq37,
    eq38,
    eq41,
    eq42,
    eq43,
    eq45,
    eq46,
    eq47,
)

FREE = {
    "31": eq31,
    "36": lambda grams, y, c=None: eq36(grams, y, 2.0, c),
    "41": lambda grams, y, c=None: eq41(grams, y, 2.0, c),
    "45": eq45,
}
POSITIVE = {
    "33": eq33,
    "38": lambda grams, y, c=None: eq38(grams, y, 2.0, c),
    "43": lambda grams, y, c=None: eq43(grams, y, 2.0, c),
    "47": eq47,
}
RANK_ONE = {
    "32": eq32,
    "37": lambda vectors, y, c=None: eq37(vectors, y, 2.0, c),
    "42": lambda vectors, y, c=None: eq42(vectors, y, 2.0, c),
    "46": eq46,
}
PAIRS = list(zip(FREE, POSITIVE, strict=True))


def test_hard_margin_is_the_limit_of_the_soft_ones(make_problem):
    p = make_problem(seed=1)
    free, positive = eq31(p.grams, p.y).value, eq33(p.grams, p.y).value
    assert eq36(p.grams, p.y, C=1e4).value == pytest.approx(free, rel=1e-6)
    assert eq38(p.grams, p.y, C=1e4).value == pytest.approx(positive, rel=1e-6)
    assert eq41(p.grams, p.y, C=1e9).value == pytest.approx(free, rel=1e-5)
    # The soft margins allow more, so they cost less.
    assert eq36(p.grams, p.y, C=0.1).value < 0.99 * free
    assert eq41(p.grams, p.y, C=0.1).value < 0.99 * free


def test_general_semidefinite_program_specialises(make_problem):
    p = make_problem(seed=2, n_unlabelled=2)
    for special, C, tau in [
        (eq31(p.grams, p.y), np.inf, 0.0),
        (eq36(p.grams, p.y, 3.0), 3.0, 0.0),
        (eq41(p.grams, p.y, 4.0), np.inf, 0.25),
    ]:
        general = eq26(p.grams, p.y, C, tau)
        assert general.value == pytest.approx(special.value, rel=1e-7)
        assert general.alpha == pytest.approx(special.alpha, rel=1e-3, abs=1e-3)


def test_general_quadratic_program_specialises(make_problem):
    p = make_problem(seed=3, n_unlabelled=2)
    for special, C, tau in [
        (eq33(p.grams, p.y), np.inf, 0.0),
        (eq38(p.grams, p.y, 3.0), 3.0, 0.0),
        (eq43(p.grams, p.y, 4.0), np.inf, 0.25),
    ]:
        general = eq27(p.grams, p.y, C, tau)
        assert general.value == pytest.approx(special.value, rel=1e-7)
        assert general.weights == pytest.approx(special.weights, abs=1e-4)


@pytest.mark.parametrize(
    ("free", "positive", "seed"), [(*pair, (0, 4)[i % 2]) for i, pair in enumerate(PAIRS)]
)
def test_free_signs_never_cost_more_than_positive_weights(free, positive, seed, make_problem):
    p = make_problem(seed, n_labelled=9, n_unlabelled=3)
    below, above = FREE[free](p.grams, p.y, c=40.0), POSITIVE[positive](p.grams, p.y, c=40.0)
    singles = [POSITIVE[positive](gram[None], p.y, c=40.0).value for gram in p.grams]
    assert below.value <= above.value * (1 + 1e-7)
    assert above.value <= min(singles) * (1 + 1e-7)


@pytest.mark.parametrize(
    ("free", "rank_one", "seed", "n_labelled"),
    [(*pair, *((0, 10), (3, 7))[i % 2]) for i, pair in enumerate(zip(FREE, RANK_ONE, strict=True))],
)
def test_rank_one_program_is_the_semidefinite_one_on_outer_products(
    free, rank_one, seed, n_labelled, make_problem, orthonormal
):
    # A hard margin needs vectors that separate: all of them.
    vectors = orthonormal(seed, 10, m=10 if rank_one == "32" else 6)
    y = make_problem(seed, 10).y[:n_labelled]
    outer = np.einsum("pi,qi->ipq", vectors, vectors)
    quadratic, semidefinite = RANK_ONE[rank_one](vectors, y), FREE[free](outer, y)
    assert quadratic.status == semidefinite.status == "optimal"
    assert quadratic.value == pytest.approx(semidefinite.value, rel=1e-6)
    assert quadratic.weights == pytest.approx(semidefinite.weights, abs=2e-3)
    assert (semidefinite.weights > -1e-6).all()


@pytest.mark.parametrize("program", [eq45, eq47])
def test_learned_parameter_agrees_with_the_program_at_that_parameter(program, make_problem):
    p = make_problem(seed=8, n_unlabelled=2)
    grams, n_points = p.grams[[0, 2]], 12
    learned = program(grams, p.y, c=50.0)
    at_tau = {eq45: eq41, eq47: eq43}[program]
    given = at_tau(grams, p.y, C=1 / learned.tau, c=50.0 - n_points * learned.tau)
    assert given.value == pytest.approx(learned.value, rel=1e-6)
    for factor in (0.8, 1.25):
        tau = factor * learned.tau
        other = at_tau(grams, p.y, C=1 / tau, c=50.0 - n_points * tau)
        assert other.value > learned.value * (1 + 1e-3)


def test_one_kernel_needs_no_semidefinite_program_to_learn_tau(make_problem):
    p = make_problem(seed=9, m=1)
    free, positive = eq45(p.grams, p.y), eq47(p.grams, p.y)
    assert free.value == pytest.approx(positive.value, rel=1e-7)
    assert free.tau == pytest.approx(positive.tau, rel=1e-4)


def test_learned_parameter_is_a_hard_margin_with_the_identity_in_the_stack(make_problem):
    p = make_problem(seed=10, n_unlabelled=3)
    augmented = np.concatenate([p.grams, np.eye(p.grams.shape[1])[None]])
    plain, learned = eq33(augmented, p.y), eq47(p.grams, p.y)
    assert learned.value == pytest.approx(plain.value, rel=1e-8)
    assert np.append(learned.weights, learned.tau) == pytest.approx(plain.weights, abs=1e-5)


@pytest.mark.parametrize("name", [*FREE, *POSITIVE])
def test_saddle_point_and_scales_of_single_kernels(name, make_problem, combine):
    """Weights and α of one solution bear out its value: both sides of the min-max agree.

    And scales of single kernels go into the weights.
    """
    p = make_problem(seed=11, n_unlabelled=2)
    solution = (FREE | POSITIVE)[name](p.grams, p.y, c=20.0)
    scales = np.array([1e3, 1.0, 1e-3])
    scaled = (FREE | POSITIVE)[name](scales[:, None, None] * p.grams, p.y, c=20.0)
    assert scaled.value == pytest.approx(solution.value, rel=1e-6)
    assert scales * scaled.weights == pytest.approx(solution.weights, abs=1e-3)
    tau = {"41": 0.5, "43": 0.5}.get(name, solution.tau or 0.0)
    n = p.y.size
    alpha, weights = solution.alpha, solution.weights
    G = np.outer(p.y, p.y) * combine(weights, p.grams)[:n, :n] + tau * np.eye(n)
    assert alpha.min() >= -1e-6
    assert alpha @ p.y == pytest.approx(0.0, abs=1e-6)
    assert 2 * alpha.sum() - alpha @ G @ alpha == pytest.approx(solution.value, rel=1e-6)
    spent = np.trace(p.grams, axis1=1, axis2=2) @ weights + p.grams.shape[1] * (solution.tau or 0.0)
    assert spent == pytest.approx(20.0, rel=1e-7)
    if name in POSITIVE:
        assert weights.min() >= -1e-9
    else:
        assert np.linalg.eigvalsh(combine(weights, p.grams))[0] >= -1e-6


@pytest.mark.parametrize("program", [eq31, eq33])
def test_hard_margin_is_inverse_to_the_trace(program, make_problem):
    p = make_problem(seed=12)
    ratio = program(p.grams, p.y, c=6.0).value / program(p.grams, p.y, c=24.0).value
    assert ratio == pytest.approx(4.0, rel=1e-6)


def test_unlabelled_points_cost_nothing_with_positive_weights_and_unit_diagonals(make_problem):
    p = make_problem(seed=13, n_unlabelled=5)
    labelled = p.grams[:, :10, :10]
    assert eq38(p.grams, p.y, 2.0).value == pytest.approx(eq38(labelled, p.y, 2.0).value, rel=1e-7)


def test_unlabelled_points_bind_free_signs(make_problem, combine):
    """K ⪰ 0 is asked on all points: what the labelled block allows, the whole may forbid."""
    p = make_problem(seed=13, n_unlabelled=5)
    everywhere, block = eq36(p.grams, p.y, 2.0), eq36(p.grams[:, :10, :10], p.y, 2.0)
    assert np.linalg.eigvalsh(combine(block.weights, p.grams))[0] < -1e-3
    assert everywhere.value > block.value * (1 + 1e-4)


def test_indefinite_matrices_may_enter_a_semidefinite_program(make_problem):
    p = make_problem(seed=14)
    mixed = np.stack([p.grams[0] - 0.9 * p.grams[1], p.grams[1], p.grams[2]])
    assert np.linalg.eigvalsh(mixed[0])[0] < -1e-3
    plain = eq36(p.grams, p.y, 2.0, c=20.0)
    assert eq36(mixed, p.y, 2.0, c=20.0).value == pytest.approx(plain.value, rel=1e-6)
