"""Least squares through factors against the exact solver, and its parts against plain formulas."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian, Laplacian, Linear, Polynomial
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.nystroem.least_squares import LeastSquaresObjective
from kernlearn.solvers.nystroem.moments import moments_by_fold, total_of
from kernlearn.solvers.nystroem.weight_search import learn_least_squares

RNG = np.random.default_rng(0)
N = 120
X = RNG.standard_normal((N, 3))
Y = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], X[:, 2] ** 2]) + 0.1 * RNG.standard_normal(
    (N, 2)
)
THETA = RNG.uniform(0.2, 3.0, N)
KERNELS = [Gaussian(0.3), Laplacian(0.4), Linear()]


def factors_of(kernels=KERNELS, rank=N):
    return Factors.through_landmarks(kernels, X, rank, "random", 0)


def moments_of(factors, Y=Y, theta=None, n_folds=1):
    theta = np.ones(N) if theta is None else theta
    return moments_by_fold(X, factors, Y, theta, np.arange(N) % n_folds)


def weight_set(moments, free=False):
    traces = moments.traces[1 if free else 0]
    return WeightSet(traces, float(moments.traces[0].sum()), free)


@pytest.mark.parametrize("theta", [None, THETA], ids=["equal", "weighted"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_at_full_rank_it_is_the_exact_solver(C, theta):
    factors = factors_of()
    moments = total_of(moments_of(factors, Y[:, :1], theta))
    found = learn_least_squares(moments, factors, 1 / C, weight_set(moments), Control(tol=1e-10))
    exact = kl.learn_weights(
        [k(X) for k in KERNELS],
        Y[:, 0],
        quality="least_squares",
        C=C,
        sample_weight=theta,
        tol=1e-13,
    )
    np.testing.assert_allclose(found.weights, exact.weights, atol=1e-6 * exact.weights.max())
    assert found.objective == pytest.approx(exact.objective, rel=1e-8)
    assert found.lower_bound <= exact.objective * (1 + 1e-9)
    assert found.gap <= 1e-10
    assert found.status.is_optimal
    new = RNG.standard_normal((50, 3))
    K = np.tensordot(exact.weights, [k(new, X) for k in KERNELS], 1)
    values = factors(new) @ found.coef[:, 0] + found.intercept[0]
    np.testing.assert_allclose(values, K @ exact.dual_coef + exact.intercept, atol=1e-6)
    parts = factors.expansion(found.coef)
    pairs = zip(factors.maps, parts, strict=True)
    expanded = sum(each.kernel(new, each.points) @ part for each, part in pairs)
    np.testing.assert_allclose(expanded[:, 0] + found.intercept[0], values, atol=1e-8)


def test_free_signs_are_those_of_the_exact_solver():
    kernels = [Gaussian(0.3), Gaussian(0.6), Linear(), Polynomial(2)]
    factors = factors_of(kernels)
    moments = total_of(moments_of(factors, Y[:, :1]))
    rows = FactorRows(X, factors, keep=True)
    triangles = rows.triangle(), rows.triangle(np.ones(N))
    free = weight_set(moments, free=True)
    found = learn_least_squares(moments, factors, 0.1, free, Control(tol=1e-7), triangles)
    exact = kl.learn_weights(
        [k(X) for k in kernels],
        Y[:, 0],
        quality="least_squares",
        C=10.0,
        weights="free",
        tol=1e-7,
    )
    assert exact.weights.min() < 0
    assert found.objective == pytest.approx(exact.objective, rel=1e-6)
    assert found.lower_bound <= exact.objective * (1 + 1e-8)
    np.testing.assert_allclose(found.weights, exact.weights, atol=2e-3 * exact.weights.max())


def objective_of(Y=Y, rank=20):
    factors = factors_of(rank=rank)
    G, B, s = total_of(moments_of(factors, Y, THETA)).centred()
    return LeastSquaresObjective(G, B, s, factors.membership, 0.3), factors


@pytest.mark.parametrize("weights", [[0.5, 0.2, 0.3], [0.5, 0.0, 0.3]], ids=["all", "one is zero"])
def test_value_gradient_and_curvature_are_those_of_the_dense_problem(weights):
    objective, factors = objective_of()
    weights = np.array(weights)
    Z = factors(X)

    def value(w):
        K = (Z * (factors.membership @ w)) @ Z.T + 0.3 * np.diag(1 / THETA)
        system = np.block([[K, np.ones((N, 1))], [np.ones((1, N)), np.zeros((1, 1))]])
        a = np.linalg.solve(system, np.vstack([Y, np.zeros((1, 2))]))[:N]
        return 0.5 * float((Y * a).sum())

    found = objective.evaluate(weights, None, 1e-6)
    assert found.upper == pytest.approx(value(weights), rel=1e-10)
    plane = found.plane.constant + found.plane.gradient @ weights
    assert plane == pytest.approx(value(weights), rel=1e-10)
    step = 1e-4
    up = [objective.evaluate(weights + step * e, None, 1e-6) for e in np.eye(3)]
    numeric = [(value(weights + step * e) - value(weights)) / step for e in np.eye(3)]
    np.testing.assert_allclose(found.plane.gradient, numeric, rtol=2e-3)
    slopes = np.array([(u.plane.gradient - found.plane.gradient) / step for u in up])
    np.testing.assert_allclose(found.hessian, slopes, rtol=2e-3, atol=1e-3 * found.hessian.max())
    moved = found.predicted_plane(np.array([0.01, 0.0, -0.01]))
    there = value(weights + [0.01, 0.0, -0.01])
    below = moved.constant + moved.gradient @ (weights + [0.01, 0.0, -0.01])
    assert there * (1 - 1e-3) < below <= there * (1 + 1e-12)


def test_any_plane_is_below_the_objective_everywhere():
    objective, factors = objective_of()
    U = RNG.standard_normal((factors.n_columns, 2))
    plane = objective.plane(U, objective.G @ U)
    for w in RNG.dirichlet(np.ones(3), 20):
        assert plane.constant + plane.gradient @ w <= objective.evaluate(w, None, 1e-6).upper


def test_signed_systems_equal_positive_ones_where_both_apply():
    objective, _ = objective_of()
    from kernlearn.solvers.nystroem.least_squares import Positive, Signed

    diagonal = objective.membership @ np.array([0.5, 0.2, 0.3])
    positive = Positive(objective, diagonal).solve(objective.B)
    signed = Signed(objective, diagonal).solve(objective.B)
    np.testing.assert_allclose(positive, signed, atol=1e-8 * np.abs(signed).max())


def test_folds_are_a_subtraction_and_ranks_a_corner():
    factors = factors_of(rank=15)
    folds = moments_of(factors, theta=THETA, n_folds=4)
    outside = total_of(folds) - folds[1]
    rows = np.arange(N) % 4 != 1
    Z = factors(X[rows]) - factors.shift
    np.testing.assert_allclose(outside.products, (Z.T * THETA[rows]) @ Z, atol=1e-9)
    np.testing.assert_allclose(outside.with_targets, (Z.T * THETA[rows]) @ Y[rows], atol=1e-9)
    exact = [k.diag(X[rows]).sum() for k in KERNELS]
    np.testing.assert_allclose(outside.traces[0], exact)
    kept = factors.membership.T @ (factors(X[rows]) ** 2).sum(axis=0)
    np.testing.assert_allclose(outside.traces[1], kept)
    corner = outside.corner(factors.place < 4)
    smaller = Z[:, factors.place < 4]
    np.testing.assert_allclose(corner.products, (smaller.T * THETA[rows]) @ smaller, atol=1e-9)
    coef, intercept = RNG.standard_normal((factors.n_columns, 2)), np.array([0.3, -1.0])
    inside = ~rows
    residual = Y[inside] - (factors(X[inside]) - factors.shift) @ coef - intercept
    expected = (THETA[inside, None] * residual**2).sum(axis=0)
    np.testing.assert_allclose(folds[1].squared_loss(coef, intercept), expected)
