"""Norms of the weights as penalties: derivatives, and whole problems against CVXPY."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import kernlearn as kl

PENALTIES = {
    "p = 2": kl.penalties.LpNorm(2.0, 0.3),
    "p = 1.5": kl.penalties.LpNorm(1.5, 0.3),
    "p = 1.1": kl.penalties.LpNorm(1.1, 5.0),
    "p = 1.02": kl.penalties.LpNorm(1.02, 5.0),
    "elastic net": kl.penalties.ElasticNet(0.4),
    "mostly a sum": kl.penalties.ElasticNet(3.0, l1_ratio=0.9),
    "squares": kl.penalties.ElasticNet(0.5, l1_ratio=0.0),
}


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("weights", [[0.1, 0.4, 0.7, 0.5], [0.3, -0.2, 1.4, -3.0]])
def test_derivatives_are_those_of_the_value(penalty, weights):
    weights = np.array(weights)
    gradient = approx_fprime(weights, penalty.value, 1e-7)
    np.testing.assert_allclose(penalty.gradient(weights), gradient, atol=3e-6)
    hessian = [
        approx_fprime(weights, lambda w, i=i: penalty.gradient(w)[i], 1e-7) for i in range(4)
    ]
    np.testing.assert_allclose(penalty.hessian(weights), hessian, atol=3e-5)


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_tangents_lie_below_and_sublevels_hold(penalty):
    rng = np.random.default_rng(0)
    for _ in range(50):
        at, other = rng.standard_normal((2, 5)) * (rng.random((2, 5)) < 0.7)
        tangent = penalty.value(at) + penalty.gradient(at) @ (other - at)
        assert penalty.value(other) >= tangent - 1e-12
        matrix, radius = penalty.sublevel(penalty.value(at), 5)
        assert np.linalg.norm(matrix @ at) <= radius * (1 + 1e-12)
        assert np.linalg.eigvalsh(penalty.hessian(at))[0] >= -1e-12


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_at_zero_everything_is_finite(penalty):
    zero = np.zeros(3)
    assert penalty.value(zero) == 0.0
    assert np.isfinite(penalty.gradient(zero)).all()
    assert np.isfinite(penalty.hessian(zero)).all()
    assert np.isfinite(penalty.hessian(np.array([0.0, 1e-300, 1.0]))).all()


def in_cvxpy(cp, penalty, w):
    """The penalty, written down once more."""
    half = 0.5 * penalty.strength
    if isinstance(penalty, kl.penalties.LpNorm) and penalty.p == 2.0:
        return half * cp.sum_squares(w)
    if isinstance(penalty, kl.penalties.LpNorm):
        return half * cp.square(cp.pnorm(w, penalty.p))
    rho = penalty.l1_ratio
    return half * (2.0 * rho * cp.norm1(w) + (1.0 - rho) * cp.sum_squares(w))


def soft_margin_program(cp, grams, y, penalty, C, total, free):
    """Lanckriet's (36) or (38), halved, with a penalty: a semidefinite program in all weights."""
    m, n = grams.shape[:2]
    w, t, shift = cp.Variable(m), cp.Variable((1, 1)), cp.Variable()
    above, below = cp.Variable((n, 1), nonneg=True), cp.Variable((n, 1), nonneg=True)
    K = sum(w[i] * grams[i] for i in range(m))
    column = 1.0 + below - above + shift * y[:, None]
    block = cp.bmat([[cp.multiply(np.outer(y, y), K), column], [column.T, t]])
    held = w @ np.trace(grams, axis1=1, axis2=2) == total
    # With free signs, the block says that K is positive semidefinite.
    signs = [] if free else [w >= 0]
    value = 0.5 * cp.sum(t) + C * cp.sum(above) + in_cvxpy(cp, penalty, w)
    program = cp.Problem(cp.Minimize(value), [0.5 * (block + block.T) >> 0, held, *signs])
    program.solve(solver=cp.CLARABEL)
    return program.value, w.value


@pytest.mark.filterwarnings("ignore:pnorm with p:UserWarning")
@pytest.mark.parametrize("weights", ["positive", "free"])
@pytest.mark.parametrize("name", ["p = 2", "p = 1.5", "p = 1.1", "p = 1.02", "elastic net"])
def test_the_optimum_is_that_of_a_general_solver(name, weights, make_stack):
    cp = pytest.importorskip("cvxpy")
    problem, penalty = make_stack(n=14, seed=1), PENALTIES[name]
    expected, w = soft_margin_program(
        cp, problem.grams, problem.y, penalty, 2.0, 14.0, weights == "free"
    )
    found = kl.learn_weights(
        problem.grams, problem.y, C=2.0, total=14.0, penalty=penalty, weights=weights
    )
    assert found.status.is_optimal
    assert found.objective == pytest.approx(expected, rel=2e-6)
    assert found.lower_bound <= expected * (1 + 1e-7)
    np.testing.assert_allclose(found.weights, w, atol=2e-3)


@pytest.mark.parametrize("p", [1.0001, 1.001, 1.01, 1.03, 1.1])
@pytest.mark.parametrize("seed", range(4))
def test_near_a_sum_the_certificate_holds_for_kernels_without_weight(p, seed):
    """Their weights are below all numbers, or next to zero, where slopes rise from nothing."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 3))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(60) > 0, 1, -1)
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    sizes = np.exp(2.0 * rng.standard_normal(8))[:, None, None]
    grams = sizes * np.exp(-np.logspace(-2, 2, 8)[:, None, None] * distances)
    penalty = kl.penalties.LpNorm(p, 10.0 ** rng.uniform(-2, 2))
    found = kl.learn_weights(grams, y, penalty=penalty, tol=1e-6)
    assert found.status.is_optimal
    assert found.weights.min() >= 0


def test_a_penalty_spreads_the_weights(make_stack):
    problem = make_stack("alike", n=20)
    plain = kl.learn_weights(problem.grams, problem.y)
    for penalty in (
        kl.penalties.LpNorm(2.0, 100.0),
        kl.penalties.LpNorm(1.3, 100.0),
        kl.penalties.ElasticNet(100.0),
    ):
        spread = kl.learn_weights(problem.grams, problem.y, penalty=penalty)
        assert spread.status.is_optimal
        assert spread.weights.max() < plain.weights.max()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: kl.penalties.LpNorm(1.0), "1 < p <= 2, got 1.0"),
        (lambda: kl.penalties.LpNorm("1.5"), "1 < p <= 2, got .1.5."),
        (lambda: kl.penalties.ElasticNet("one"), "strength > 0, got .one."),
        (lambda: kl.penalties.LpNorm(2.5), "1 < p <= 2, got 2.5"),
        (lambda: kl.penalties.LpNorm(2.0, 0.0), "strength > 0, got 0.0"),
        (lambda: kl.penalties.ElasticNet(-1.0), "strength > 0, got -1.0"),
        (lambda: kl.penalties.ElasticNet(1.0, 1.0), "0 <= l1_ratio < 1, got 1.0"),
    ],
)
def test_what_is_no_penalty_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
