"""The penalty of a kernel's norm: derivatives, limits, and Ong's program (27) as the judge."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import approx_fprime

import kernlearn as kl
from kernlearn.hyperkernels import ARDHarmonic

ROOT = np.random.default_rng(1).normal(size=(4, 6))
K_PIVOTS = ROOT @ ROOT.T / 6


@pytest.mark.parametrize("squared", [False, True])
def test_derivatives_are_those_of_the_value(squared):
    penalty = kl.HyperNorm(K_PIVOTS, 0.7, squared)
    weights = np.array([0.1, 0.4, 0.0, 0.5])
    gradient = approx_fprime(weights, penalty.value, 1e-7)
    np.testing.assert_allclose(penalty.gradient(weights), gradient, atol=1e-6)
    hessian = [
        approx_fprime(weights, lambda w, i=i: penalty.gradient(w)[i], 1e-7) for i in range(4)
    ]
    np.testing.assert_allclose(penalty.hessian(weights), hessian, atol=1e-5)


def test_the_square_is_the_square():
    weights = np.array([0.2, 0.3, 0.1, 0.4])
    norm = kl.HyperNorm(K_PIVOTS, 2.0).value(weights)
    assert kl.HyperNorm(K_PIVOTS, 2.0, squared=True).value(weights) == pytest.approx(norm**2)


@pytest.mark.parametrize("squared", [False, True])
def test_at_zero_there_is_no_slope_and_no_nan(squared):
    penalty = kl.HyperNorm(K_PIVOTS, 1.0, squared)
    assert penalty.value(np.zeros(4)) == 0.0
    assert not penalty.gradient(np.zeros(4)).any()
    assert np.isfinite(penalty.hessian(np.zeros(4))).all()


def _program_27(grams, y, box, K_pivots, lambda_q, squared):
    """Ong et al. (2005), (27), with the box itself where the paper writes C/m."""
    p, n = len(grams), len(y)
    beta, t = cp.Variable(p, nonneg=True), cp.Variable()
    gamma = cp.Variable()
    eta, xi = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    G = sum(beta[i] * (np.outer(y, y) * grams[i]) for i in range(p))
    z = cp.reshape(gamma * y + 1 + eta - xi, (n, 1), order="F")
    lmi = cp.bmat([[G, z], [z.T, cp.reshape(t, (1, 1), order="F")]])
    root = np.linalg.cholesky(K_pivots + 1e-12 * np.eye(p)).T @ beta
    norm = cp.sum_squares(root) if squared else cp.norm(root)
    objective = 0.5 * t + box * cp.sum(xi) + 0.5 * lambda_q * norm
    problem = cp.Problem(cp.Minimize(objective), [lmi >> 0, cp.sum(beta) == 1])
    problem.solve(solver="CLARABEL")
    return problem.value, beta.value


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("lambda_q", [0.1, 1.0, 20.0])
def test_the_same_optimum_as_the_printed_program(lambda_q, squared):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=12) > 0, 1.0, -1.0)
    hyperkernel = ARDHarmonic(gammas=[0.2, 0.2, 0.2])
    pairs = X[[[0, 0], [1, 5], [2, 7], [3, 4], [6, 11]]]
    grams, K_pivots = hyperkernel.sections(X, pairs), hyperkernel(pairs)
    found = kl.learn_weights(
        grams, y, C=10.0, constraint="sum", penalty=kl.HyperNorm(K_pivots, lambda_q, squared)
    )
    value, beta = _program_27(grams, y, 10.0, K_pivots, lambda_q, squared)
    assert found.status.is_optimal
    assert found.objective == pytest.approx(value, rel=2e-6)
    np.testing.assert_allclose(found.weights, beta, atol=5e-3)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1.0, 2.0], 1.0), "expected a square, finite matrix of the hyperkernel between pivots"),
        (([[np.nan]], 1.0), "expected a square, finite matrix"),
        (([[1.0]], 0.0), "expected lambda_q > 0, got 0.0; the paper uses 1.0"),
    ],
)
def test_bad_input(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        kl.HyperNorm(*arguments)
