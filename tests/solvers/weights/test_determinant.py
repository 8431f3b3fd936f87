"""The largest determinant: held against CVXPY, closed forms, and long double."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn import reference
from kernlearn.families.matrices import GramStack
from kernlearn.solvers.weights.inverse_factor import inverse_factor

SIGNS = ["positive", "free"]


def learn(grams, **options):
    return kl.learn_weights(grams, quality="max_determinant", **options)


def equal_traces(grams):
    return grams / np.trace(grams, axis1=1, axis2=2)[:, None, None]


@pytest.mark.parametrize("weights", SIGNS)
@pytest.mark.parametrize(
    ("kind", "n", "constraint", "total"),
    [
        ("standard", 9, "trace", None),
        ("duplicate", 8, "trace", 3.0),
        ("rank one", 8, "sum", None),
        ("useless", 7, "sum", 0.2),
        ("alike", 6, "trace", None),
    ],
)
def test_it_is_the_minimum_that_cvxpy_finds(kind, n, constraint, total, weights, make_stack):
    pytest.importorskip("cvxpy")
    grams = equal_traces(make_stack(kind, n, 0, seed=3).grams)
    options = {"weights": weights, "constraint": constraint, "total": total}
    found, expected = learn(grams, **options), reference.max_determinant(grams, **options)
    assert found.status.is_optimal
    assert found.objective == pytest.approx(expected.value, rel=1e-6)
    assert found.lower_bound <= expected.value + 1e-6 * abs(expected.value)
    K, K_expected = (np.tensordot(s.weights, grams, 1) for s in (found, expected))
    np.testing.assert_allclose(K, K_expected, atol=2e-3 * np.abs(K).max())
    assert found.objective == pytest.approx(-np.linalg.slogdet(K)[1], rel=1e-9)
    assert found.dual_coef is None


def test_sizes_that_differ_under_the_sum(make_stack):
    pytest.importorskip("cvxpy")
    grams = (
        make_stack("useless", 9, 0, seed=5).grams * np.array([20.0, 1.0, 0.1, 3.0])[:, None, None]
    )
    found = learn(grams, constraint="sum")
    expected = reference.max_determinant(grams, constraint="sum")
    assert found.objective == pytest.approx(expected.value, rel=1e-6)


@pytest.mark.parametrize("weights", SIGNS)
def test_shares_of_projections_are_their_ranks(weights):
    """For projections on orthogonal spaces, −Σ kᵢ log wᵢ is smallest where wᵢ ∝ kᵢ/rᵢ."""
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(10, 10)))[0]
    parts = [Q[:, :1], Q[:, 1:4], Q[:, 4:]]
    grams = np.array([5.0 * V @ V.T for V in parts])
    shares = np.array([0.1, 0.3, 0.6])
    found = learn(grams, weights=weights, total=2.0)
    np.testing.assert_allclose(found.weights * [5.0, 15.0, 30.0], 2.0 * shares, rtol=1e-6)
    assert found.status.is_optimal


@pytest.mark.parametrize("weights", SIGNS)
def test_rank_one_kernels_get_equal_weights(weights):
    """V diag(w) Vᵀ has the determinant (det V)² Π wᵢ, whatever V is."""
    vectors = np.random.default_rng(1).normal(size=(6, 6))
    found = learn(kl.families.RankOneStack(vectors), weights=weights, constraint="trace", total=6.0)
    lengths = (vectors**2).sum(axis=0)
    np.testing.assert_allclose(found.weights * lengths, np.ones(6), rtol=1e-5)


@pytest.mark.parametrize("weights", SIGNS)
def test_at_the_optimum_shares_are_shares_in_the_rank(weights, make_stack):
    grams = make_stack("standard", 14, 4, seed=2).grams
    found = learn(grams, weights=weights, tol=1e-9)
    inverse = np.linalg.inv(np.tensordot(found.weights, grams, 1))
    in_rank = found.weights * np.tensordot(grams, inverse, 2) / 18
    shares = found.weights * np.trace(grams, axis1=1, axis2=2) / np.trace(grams, 0, 1, 2).sum()
    np.testing.assert_allclose(shares, in_rank, atol=1e-5)


@pytest.mark.parametrize("weights", SIGNS)
@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_the_bound_holds_however_early_it_ends(max_iter, weights, make_stack):
    grams = make_stack("rank one", 12, 0, seed=6).grams
    short = learn(grams, weights=weights, max_iter=max_iter, tol=1e-12)
    best = learn(grams, weights=weights, tol=1e-9)
    assert short.status is kl.results.Status.ITERATION_LIMIT
    assert short.gap > 1e-12
    assert short.lower_bound <= best.objective <= short.objective + 1e-12 * abs(best.objective)
    assert len(short.history) == max_iter


def test_neither_labels_nor_their_number_matter(make_stack):
    problem = make_stack("standard", 10, 3, seed=7)
    without, some = learn(problem.grams), learn(problem.grams, y=problem.y)
    np.testing.assert_array_equal(without.weights, some.weights)


def test_free_signs_are_no_worse(make_stack):
    grams = make_stack("alike", 9, 0, seed=8).grams
    positive, free = (learn(grams, weights=sign) for sign in SIGNS)
    assert free.objective < positive.objective
    assert (free.weights < 0).any()


@pytest.mark.parametrize("weights", SIGNS)
def test_what_is_singular_is_refused(weights, make_stack):
    low_rank = make_stack("low rank", 12).grams
    X = np.random.default_rng(0).normal(size=(6, 2))[[0, 1, 2, 3, 4, 5, 5]]
    repeated = [kl.kernels.Gaussian(1.0)(X), kl.kernels.Linear()(X)]
    for grams in (low_rank, repeated):
        with pytest.raises(ValueError, match="positive definite by more than rounding, got a K"):
            learn(grams, weights=weights)
    ridge = [*repeated, np.eye(7)]
    assert learn(ridge, weights=weights).status.is_optimal


def test_a_penalty_that_is_not_linear_is_refused():
    with pytest.raises(ValueError, match=r"LinearPenalty or none with quality='max_determinant'"):
        learn([np.eye(3)], penalty=kl.penalties.HyperNorm([[1.0]], 1.0))


@pytest.mark.parametrize("weights", SIGNS)
@pytest.mark.parametrize("strength", [0.1, 3.0])
def test_a_linear_term_moves_the_minimum_to_where_cvxpy_finds_it(weights, strength, make_stack):
    """The cost tr SK + log det K⁻¹ of section 7, with S made of the labels."""
    pytest.importorskip("cvxpy")
    problem = make_stack("standard", 8, 0, seed=3)
    slopes = strength * np.array([problem.y @ K @ problem.y for K in problem.grams])
    found = learn(problem.grams, weights=weights, penalty=kl.penalties.LinearPenalty(slopes))
    expected = reference.max_determinant(problem.grams, weights, linear=slopes)
    assert found.status.is_optimal
    assert found.objective == pytest.approx(expected.value, rel=1e-6)
    assert found.lower_bound <= expected.value + 1e-6 * abs(expected.value)
    K = np.tensordot(found.weights, problem.grams, 1)
    by_hand = slopes @ found.weights - np.linalg.slogdet(K)[1]
    assert found.objective == pytest.approx(by_hand, rel=1e-9)


def test_a_linear_term_on_repeated_matrices_of_free_signs_is_refused(make_stack):
    K = make_stack("standard", 6, 0).grams[0]
    term = kl.penalties.LinearPenalty([1.0, 0.0])
    with pytest.raises(ValueError, match="matrices that do not depend on one another"):
        learn([K, K], weights="free", penalty=term)
    assert learn([K, K], penalty=term).weights[0] == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ValueError, match="one finite number for every matrix"):
        kl.penalties.LinearPenalty([np.nan])


@pytest.mark.parametrize("weights", SIGNS)
def test_entries_whose_squares_are_no_numbers(weights):
    """The inverse of K has an entry whose square is infinite."""
    sizes = np.array([1.0, 1e-200, 1e100])
    units = np.outer(np.sqrt(sizes), np.sqrt(sizes))
    grams = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]])
    grams = np.array([grams, np.diag([1.0, 2.0, 0.5])]) * units
    found = learn(grams, weights=weights)
    K = np.tensordot(found.weights, grams, 1) / units
    expected = -np.linalg.slogdet(K)[1] - np.log(sizes).sum()
    assert found.objective == pytest.approx(expected, rel=1e-12)
    assert found.lower_bound <= found.objective


def test_a_zero_matrix_gets_no_weight():
    found = learn([np.diag([1.0, 2.0]), np.zeros((2, 2))], constraint="sum")
    assert found.weights.tolist() == [1.0, 0.0]


def hilbert(n):
    return 1.0 / (1.0 + np.add.outer(np.arange(n), np.arange(n)))


@pytest.mark.parametrize("n", [3, 6, 9])
def test_rounding_is_within_what_is_said_of_it(n):
    """Hilbert matrices are as ill-conditioned as can be; long double knows them better."""
    K = hilbert(n)
    double, long = inverse_factor(K.copy()), inverse_factor(K.astype(np.longdouble))
    family = GramStack(K[None])
    off = abs(double.log_det - long.log_det)
    assert 0 < off <= double.noise(family, np.ones(1))
    (product,), (noise,) = double.products(family)
    W = double.W.astype(np.longdouble)
    exact = float(((W.T @ W) * K).sum())
    assert abs(product - exact) <= noise
    assert long.noise(family, np.ones(1)) < 1e-2 * double.noise(family, np.ones(1))


@pytest.mark.parametrize("dtype", [float, np.longdouble])
def test_factors(dtype):
    A = np.random.default_rng(3).normal(size=(7, 9))
    K = (A @ A.T).astype(dtype)
    factor = inverse_factor(K.copy())
    np.testing.assert_allclose((factor.L @ factor.L.T).astype(float), K.astype(float), rtol=1e-12)
    np.testing.assert_allclose((factor.W @ factor.L).astype(float), np.eye(7), atol=1e-12)
    assert factor.log_det == pytest.approx(np.linalg.slogdet(K.astype(float))[1], rel=1e-12)
    assert inverse_factor(np.diag([1.0, -1.0]).astype(dtype)) is None
