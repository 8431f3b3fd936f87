"""The regularised risk against primal programs, libsvm's dual, and scaling laws."""

from __future__ import annotations

import dataclasses

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.functionals import RegularizedRisk, regularized_risk
from kernlearn.kernels import Gaussian, Linear, Precomputed
from kernlearn.quality import QUALITIES
from kernlearn.runtime.status import Status

C, NU, EPSILON = 0.7, 0.4, 0.15


def rows(K):
    return np.arange(len(K))[:, None]


def _hinge(margins):
    return cp.sum(cp.pos(1 - margins))


def _tube(residuals, width):
    return cp.sum(cp.pos(cp.abs(residuals) - width))


def primal_value(quality, K, y):
    """The machine's primal program in feature space, f = Φv + b with K = ΦΦᵀ."""
    n = len(K)
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    v, b, rho, width = cp.Variable(n), cp.Variable(), cp.Variable(), cp.Variable(nonneg=True)
    f = features @ v + b
    norm, constraints = 0.5 * cp.sum_squares(v), []
    if quality == "hard_margin":
        objective, constraints = norm, [cp.multiply(y, f) >= 1]
    else:
        m = cp.multiply(y, f)
        objective = {
            "soft_margin": lambda: norm + C * _hinge(m),
            "squared_soft_margin": lambda: norm + C / 2 * cp.sum_squares(cp.pos(1 - m)),
            "lagrangian": lambda: norm + b**2 / 2 + C / 2 * cp.sum_squares(cp.pos(1 - m)),
            "nu_svm": lambda: norm - NU * rho + cp.sum(cp.pos(rho - m)) / n,
            "one_class": lambda: norm - rho + cp.sum(cp.pos(rho - features @ v)) / (NU * n),
            "ranking": lambda: norm + C * _hinge(features @ v),
            "epsilon_svr": lambda: norm + C * _tube(y - f, EPSILON),
            "nu_svr": lambda: norm + C * (NU * n * width + cp.sum(cp.pos(cp.abs(y - f) - width))),
            "logistic": lambda: norm + C * cp.sum(cp.logistic(-m)),
            "huber": lambda: norm + C / 2 * cp.sum(cp.huber(y - f, EPSILON)),
            "quantile": lambda: norm + C / 2 * cp.sum(cp.abs(y - f)),
            "least_squares": lambda: norm + C / 2 * cp.sum_squares(y - f),
        }[quality]()
    return cp.Problem(cp.Minimize(objective), constraints).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("kernel", [0, 1], ids=["polynomial", "Gaussian"])
@pytest.mark.parametrize("quality", sorted(set(QUALITIES) - {"cox"}))
def test_it_is_the_optimum_of_the_primal_program(quality, kernel, make_stack, target_of):
    problem = make_stack(seed=3, n=14)
    K, y = problem.grams[kernel], target_of(quality, problem)
    found = RegularizedRisk(quality, C=C, nu=NU, epsilon=EPSILON)(Precomputed(K), rows(K), y)
    assert found == pytest.approx(primal_value(quality, K, y), rel=1e-6)


def test_it_is_the_dual_objective_of_libsvm(make_stack):
    problem = make_stack(seed=4, n=60)
    kernel = Gaussian(gamma=0.3)
    machine = SVC(C=C, kernel="precomputed", tol=1e-10).fit(kernel(problem.X), problem.y)
    a = np.zeros(60)
    a[machine.support_] = machine.dual_coef_[0]
    dual = np.abs(a).sum() - 0.5 * a @ kernel(problem.X) @ a
    assert RegularizedRisk(C=C)(kernel, problem.X, problem.y) == pytest.approx(dual, rel=1e-8)


def test_it_is_what_learning_a_single_weight_reports(make_stack):
    problem = make_stack(seed=5)
    for quality in ("soft_margin", "lagrangian", "nu_svm"):
        learned = kl.learn_weights(
            problem.grams[:1], problem.y, quality=quality, constraint="sum", total=1.0
        )
        found = RegularizedRisk(quality)(
            Precomputed(problem.grams[0]), rows(problem.grams[0]), problem.y
        )
        assert found == pytest.approx(learned.objective, rel=1e-9)


@pytest.mark.parametrize("beta", [1e-3, 1.0, 1e6])
def test_the_labels_as_a_kernel_overfit_as_the_paper_says(beta):
    """K = β yyᵀ fits y with no loss and norm 1/β (section 2.2, below eq. (2))."""
    y = np.tile([1.0, -1.0], 6)
    K = beta * np.outer(y, y)
    found = RegularizedRisk("hard_margin")(Precomputed(K), rows(K), y)
    assert found == pytest.approx(0.5 / beta, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-9, 40.0, 1e9])
@pytest.mark.parametrize("quality", ["soft_margin", "squared_soft_margin", "least_squares"])
def test_a_scaled_kernel_is_a_scaled_C(quality, scale, make_stack):
    """C Σ l + ½‖f‖² with cK is (cC Σ l + ½‖f‖²)/c with K."""
    problem = make_stack(seed=6)
    scaled = RegularizedRisk(quality, C=C)(scale * Gaussian(0.3), problem.X, problem.y)
    plain = RegularizedRisk(quality, C=scale * C)(Gaussian(0.3), problem.X, problem.y)
    assert scaled == pytest.approx(plain / scale, rel=1e-6)


@pytest.mark.parametrize("quality", ["soft_margin", "least_squares"])
def test_more_classes_are_the_sum_of_one_against_the_rest(quality):
    X, numbers = load_iris(return_X_y=True)
    X, names = X[::5], np.array(["c", "a", "b"])[numbers[::5]]
    risk = RegularizedRisk(quality, C=C)
    each = [risk(Gaussian(0.3), X, np.where(names == name, 1.0, -1.0)) for name in "abc"]
    assert risk(Gaussian(0.3), X, names) == pytest.approx(sum(each), rel=1e-9)


def test_numbers_are_values_for_least_squares_and_words_are_labels(make_stack):
    problem = make_stack(seed=7)
    risk = RegularizedRisk("least_squares")
    by_sign = risk(Gaussian(0.3), problem.X, problem.y)
    by_name = risk(Gaussian(0.3), problem.X, np.where(problem.y > 0, "yes", "no"))
    assert by_name == pytest.approx(by_sign, rel=1e-12)
    assert risk(Gaussian(0.3), problem.X, 3 * problem.y) == pytest.approx(9 * by_sign, rel=1e-9)


def test_no_hard_margin_is_infinitely_bad():
    X, y = [[0.0], [0.0], [1.0], [2.0]], [0, 1, 0, 1]
    assert RegularizedRisk("hard_margin")(Gaussian(), X, y) == np.inf
    assert np.isfinite(RegularizedRisk("squared_soft_margin")(Gaussian(), X, y))


def test_a_value_short_of_the_tolerance_comes_with_a_warning(monkeypatch, make_stack):
    solve = regularized_risk.learn_with_machines

    def stopped(*arguments):
        found = solve(*arguments)
        bound = (1.0 - 2.5e-3) * found.objective
        return dataclasses.replace(found, status=Status.INACCURATE, lower_bound=bound)

    problem = make_stack(seed=8)
    monkeypatch.setattr(regularized_risk, "learn_with_machines", stopped)
    with pytest.warns(ConvergenceWarning, match=r"C=1.0\) is an upper bound here, 2.5e-03") as told:
        RegularizedRisk()(Linear(), problem.X, problem.y)
    assert told[0].filename == __file__


def test_a_soft_machine_without_solution_is_an_error(monkeypatch, make_stack):
    solve = regularized_risk.learn_with_machines

    def failed(*arguments):
        return dataclasses.replace(solve(*arguments), status=Status.NO_SOLUTION)

    problem = make_stack(seed=8)
    monkeypatch.setattr(regularized_risk, "learn_with_machines", failed)
    with pytest.raises(ValueError, match="expected a machine that can be solved, got none for"):
        RegularizedRisk()(Linear(), problem.X, problem.y)
