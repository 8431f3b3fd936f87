"""The machines against scikit-learn and against algebra; over weights, against searches."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar, nnls
from sklearn.svm import SVR, NuSVC, NuSVR, OneClassSVM

from kernlearn.reference import (
    MACHINES,
    eq33,
    eq38,
    eq43,
    fixed_kernel_program,
    positive_weights_program,
)

REGRESSIONS = ("epsilon_svr", "nu_svr", "huber", "quantile", "least_squares")


def _coefficients(model, n):
    a = np.zeros(n)
    a[model.support_] = model.dual_coef_[0]
    return a


@pytest.fixture
def targets(make_problem):
    p = make_problem(seed=0, m=2)
    rng = np.random.default_rng(0)
    return p.grams, 3.0 * rng.normal(size=p.y.size)


def test_epsilon_svr_is_libsvm(targets):
    grams, y = targets
    a = _coefficients(SVR(kernel="precomputed", C=2.0, epsilon=0.3, tol=1e-11).fit(grams[0], y), 10)
    expected = y @ a - 0.3 * np.abs(a).sum() - 0.5 * a @ grams[0] @ a
    solution = fixed_kernel_program(grams[0], y, "epsilon_svr", C=2.0, epsilon=0.3)
    assert solution.value == pytest.approx(expected, rel=1e-7)


def test_nu_svr_is_libsvm(targets):
    grams, y = targets
    a = _coefficients(NuSVR(kernel="precomputed", C=2.0, nu=0.4, tol=1e-11).fit(grams[1], y), 10)
    expected = y @ a - 0.5 * a @ grams[1] @ a
    solution = fixed_kernel_program(grams[1], y, "nu_svr", C=2.0, nu=0.4)
    assert solution.value == pytest.approx(expected, rel=1e-7)
    assert np.abs(solution.alpha).sum() == pytest.approx(2.0 * 0.4 * 10, rel=1e-5)


def test_one_class_is_libsvm(targets):
    gram = targets[0][1]
    model = OneClassSVM(kernel="precomputed", nu=0.4, tol=1e-11).fit(gram)
    a = _coefficients(model, 10) / (0.4 * 10)  # libsvm's coefficients add up to νn
    solution = fixed_kernel_program(gram, None, "one_class", nu=0.4)
    assert solution.value == pytest.approx(-0.5 * a @ gram @ a, rel=1e-7)
    fewer = fixed_kernel_program(gram, np.ones(7), "one_class", nu=0.4)
    assert fewer.alpha.shape == (7,)


def test_nu_svm_is_libsvm(make_problem):
    p = make_problem(seed=1)
    model = NuSVC(kernel="precomputed", nu=0.4, tol=1e-11).fit(p.grams[0], p.y)
    a = _coefficients(model, 10)
    a *= 0.4 / np.abs(a).sum()  # libsvm divides by the margin afterwards; yᵀa = ν before
    solution = fixed_kernel_program(p.grams[0], p.y, "nu_svm", nu=0.4)
    assert solution.value == pytest.approx(-0.5 * a @ p.grams[0] @ a, rel=1e-7)


def test_least_squares_is_a_linear_system(targets):
    grams, y = targets
    n, one = y.size, np.ones((y.size, 1))
    ridge = grams[0] + np.eye(n) / 5.0
    system = np.block([[ridge, one], [one.T, np.zeros((1, 1))]])
    a = np.linalg.solve(system, np.append(y, 0.0))[:n]
    solution = fixed_kernel_program(grams[0], y, "least_squares", C=5.0)
    assert solution.value == pytest.approx(y @ a - 0.5 * a @ ridge @ a, rel=1e-8)
    assert solution.alpha == pytest.approx(a, abs=1e-5)


def test_lagrangian_is_non_negative_least_squares(make_problem):
    p = make_problem(seed=2)
    kernel = p.grams[0] + 1.0 + np.eye(10) / 5.0
    L = np.linalg.cholesky(np.outer(p.y, p.y) * kernel)
    a = p.y * nnls(L.T, np.linalg.solve(L, np.ones(10)))[0]
    solution = fixed_kernel_program(p.grams[0], p.y, "lagrangian", C=5.0)
    assert solution.value == pytest.approx(p.y @ a - 0.5 * a @ kernel @ a, rel=1e-8)
    assert solution.alpha == pytest.approx(a, abs=1e-5)


@pytest.mark.parametrize(
    ("machine", "program"),
    [
        ("hard_margin", eq33),
        ("soft_margin", lambda grams, y: eq38(grams, y, 3.0)),
        ("squared_soft_margin", lambda grams, y: eq43(grams, y, 3.0)),
    ],
)
def test_margins_are_half_the_numbered_programs(machine, program, make_problem):
    p = make_problem(seed=3, n_unlabelled=3)
    ours, theirs = positive_weights_program(p.grams, p.y, machine, C=3.0), program(p.grams, p.y)
    assert 2 * ours.value == pytest.approx(theirs.value, rel=1e-7)
    assert ours.weights == pytest.approx(theirs.weights, abs=1e-4)
    assert p.y * ours.alpha == pytest.approx(theirs.alpha, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_positive_weights_by_search(machine, two_views):
    """The minimum over the segment of weights, by a search that solves at fixed kernels only."""
    constraint = ["trace", "sum"][sorted(MACHINES).index(machine) % 2]  # in turn
    p = two_views(seed=4)
    grams = p.grams * np.array([0.8, 1.2])[:, None, None]
    y = 3 * p.X[:8].sum(axis=1) if machine in REGRESSIONS else p.y
    r = np.trace(grams, axis1=1, axis2=2) if constraint == "trace" else np.ones(2)
    total = 3.0 * r.mean()

    def value(share):
        kernel = total * (share * grams[0] / r[0] + (1 - share) * grams[1] / r[1])
        return fixed_kernel_program(kernel, y, machine, C=5.0).value

    solution = positive_weights_program(
        grams, y, machine, C=5.0, constraint=constraint, total=total
    )
    # The value is convex in the share: what is lowest around here is lowest of all.
    share = solution.weights[0] * r[0] / total
    around = np.clip([share - 0.03, share + 0.03], 0.0, 1.0)
    inside = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-4})
    best = min(inside.fun, *map(value, around))
    if machine != "logistic":  # an exponential cone: the last digits are not vouched for
        assert solution.status == "optimal"
    assert solution.value == pytest.approx(best, rel=1e-6)
    assert solution.weights @ r == pytest.approx(total, rel=1e-7)
    assert value(share) == pytest.approx(solution.value, rel=1e-6)
    if machine != "one_class":  # It prefers one view; the others mix them.
        assert solution.weights.min() > 0.1


# Not the Lagrangian machine: its 11ᵀ is not scaled with the kernel.
@pytest.mark.parametrize("machine", sorted(set(MACHINES) - {"lagrangian"}))
def test_value_is_homogeneous(machine, make_problem):
    """A change of units, far from one: kernels times k, targets times v, coefficients times s."""
    p = make_problem(seed=6)
    v = 1e-3 if machine in REGRESSIONS else 1.0
    y = v * np.linspace(-2.0, 3.0, 10) if machine in REGRESSIONS else p.y
    k = 1e4
    ridge = machine in ("squared_soft_margin", "lagrangian", "least_squares", "huber")
    plain = positive_weights_program(p.grams, y / v, machine, C=2.0, epsilon=0.1)
    # The box C scales as the coefficients, s = v/k; the ridge 1/C as the kernel.
    C = 2.0 / k if ridge else 2.0 * v / k
    other = positive_weights_program(k * p.grams, y, machine, C=C, epsilon=0.1 * v)
    unit = k if machine in ("nu_svm", "one_class") else v**2 / k
    assert other.value == pytest.approx(unit * plain.value, rel=1e-6)
    # At most the rounding of an interior-point method in the weights, too.
    assert other.weights == pytest.approx(plain.weights, abs=1e-4)


def test_default_totals(make_problem):
    p = make_problem(seed=5)
    trace = positive_weights_program(p.grams, p.y, "soft_margin")
    unit = positive_weights_program(p.grams, p.y, "soft_margin", constraint="sum")
    assert trace.weights.sum() == pytest.approx(3.0, rel=1e-7)
    assert unit.weights.sum() == pytest.approx(1.0, rel=1e-7)
