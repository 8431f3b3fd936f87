"""Groups and prior kernels as penalties: derivatives, and whole problems against CVXPY."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import kernlearn as kl
from kernlearn.families.matrices import GramStack
from kernlearn.families.prior_kernels import RIDGE
from kernlearn.penalties import GroupNorm, NearKernel, WishartPrior
from kernlearn.testing.certificate import Case, complaints

TOTAL = 14.0


def _problem():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(14, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=14) > 0, 1.0, -1.0)
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    grams = np.array([*(np.exp(-g * distances) for g in (0.1, 0.5, 2.0)), X @ X.T])
    K0 = np.exp(-0.3 * distances) + 0.2 * np.eye(14)
    return grams, y, K0


def _penalties(K0):
    return {
        "groups": GroupNorm(["a", "a", "b", "b"], 0.8),
        "near": NearKernel(3.0 * K0, 4.0),
        "product": WishartPrior(K0, 0.05),
        "inverse and determinant": WishartPrior(K0, 0.3, kappa=0.5, inverse=True),
    }


def _in_cvxpy(cp, name, K, w, K0):
    """The penalty, written down once more."""
    if name == "groups":
        return 0.8 * np.sqrt(2) * (cp.norm(w[:2]) + cp.norm(w[2:]))
    if name == "near":
        K0 = K0 * TOTAL / np.trace(K0)
        return 2.0 * cp.sum_squares(K - K0) / (K0**2).sum()
    if name == "product":
        return 0.025 * cp.trace(K @ K0)
    inverse = np.linalg.inv(K0 + RIDGE * np.trace(K0) / 14 * np.eye(14))
    barrier = cp.log_det(K + RIDGE * TOTAL / 14 * np.eye(14))
    return 0.3 * (0.5 * cp.trace(K @ inverse) - 0.5 * barrier)


@pytest.mark.parametrize("name", ["groups", "near", "product", "inverse and determinant"])
def test_the_optimum_is_that_of_a_general_solver(name):
    cp = pytest.importorskip("cvxpy")
    grams, y, K0 = _problem()
    penalty = _penalties(K0)[name]
    options = {"C": 2.0, "total": TOTAL, "penalty": penalty}
    found = kl.learn_weights(grams, y, **options)
    assert found.status.is_optimal
    # Lanckriet's (38), halved, as a semidefinite program in all weights.
    w, t, shift = cp.Variable(4, nonneg=True), cp.Variable((1, 1)), cp.Variable()
    above, below = cp.Variable((14, 1), nonneg=True), cp.Variable((14, 1), nonneg=True)
    K = sum(w[i] * grams[i] for i in range(4))
    column = 1.0 + below - above + shift * y[:, None]
    block = cp.bmat([[cp.multiply(np.outer(y, y), K), column], [column.T, t]])
    value = 0.5 * cp.sum(t) + 2.0 * cp.sum(above) + _in_cvxpy(cp, name, K, w, K0)
    held = w @ np.trace(grams, axis1=1, axis2=2) == TOTAL
    program = cp.Problem(cp.Minimize(value), [0.5 * (block + block.T) >> 0, held])
    program.solve(solver=cp.CLARABEL)
    assert found.objective == pytest.approx(program.value, rel=3e-6)
    assert found.lower_bound <= program.value + 1e-6 * abs(program.value)


@pytest.mark.parametrize("name", ["groups", "near", "product", "inverse and determinant"])
def test_derivatives_are_those_of_the_value(name):
    grams, _, K0 = _problem()
    penalty = _penalties(K0)[name]
    if name != "groups":
        penalty = penalty.of_family(GramStack(grams), 1.0)
    w = np.array([0.4, 0.3, 0.2, 0.1])
    np.testing.assert_allclose(
        penalty.gradient(w), approx_fprime(w, penalty.value, 1e-7), atol=2e-5
    )
    hessian = [approx_fprime(w, lambda v, i=i: penalty.gradient(v)[i], 1e-7) for i in range(4)]
    np.testing.assert_allclose(penalty.hessian(w), hessian, atol=2e-4)


def test_a_group_that_says_nothing_has_next_to_no_weight():
    grams, y, _ = _problem()
    flat = np.ones((14, 14))
    stack = np.array([*grams[:2], flat, flat + 0.1 * np.eye(14)])
    penalty = GroupNorm([0, 0, 1, 1], 3.0)
    found = kl.learn_weights(stack, y, penalty=penalty)
    assert found.status.is_optimal
    assert (found.weights[:2] > 0).all()
    assert (found.weights[2:] < 1e-5 * found.weights[:2].max()).all()
    assert complaints(Case(stack, y, penalty=penalty), found) == []


def test_the_norm_of_a_hyper_rkhs_is_that_of_the_difference():
    hyperkernel = kl.hyperkernels.Harmonic()
    pairs = np.random.default_rng(1).normal(size=(5, 2, 2))
    joint, prior = hyperkernel(pairs), np.array([0.5, 2.0])
    penalty = kl.penalties.HyperNorm(joint, 2.0, squared=True, prior_weights=prior)
    w = np.array([0.3, 0.0, 1.0])
    difference = np.append(w, -prior)
    assert penalty.value(w) == pytest.approx(difference @ joint @ difference)
    np.testing.assert_allclose(
        penalty.gradient(w), approx_fprime(w, penalty.value, 1e-7), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("penalty", "message"),
    [
        (NearKernel(np.eye(3), 1.0), r"prior kernel of shape \(14, 14\) .*, got shape \(3, 3\)"),
        (NearKernel(kl.kernels.Linear(), 1.0), "the matrix of the prior kernel .*, got a Linear"),
        (GroupNorm([0, 1], 1.0), "penalty on 4 weights, .*, got GroupNorm of another size"),
        (kl.penalties.LpNorm(1.5), "a given strength, got LpNorm.*: rows held out"),
    ],
)
def test_a_penalty_without_values_is_refused(penalty, message):
    grams, y, _ = _problem()
    with pytest.raises(ValueError, match=message):
        kl.learn_weights(grams, y, penalty=penalty)
