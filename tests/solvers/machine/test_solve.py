"""One machine at one kernel, against the reference program and against libsvm."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from kernlearn.quality import QUALITIES, Settings
from kernlearn.quality.margins import hard_margin
from kernlearn.reference import fixed_kernel_program
from kernlearn.solvers.machine.solve import solve_machine

NAMES = sorted(set(QUALITIES) - {"cox"})  # see tests/quality/test_cox.py
WITH_C = [name for name in NAMES if "C" in QUALITIES[name].uses]


def _copies(y):
    """Row numbers in which every point stands twice, with the same label both times."""
    order = np.argsort(y, kind="stable")
    source = np.empty(len(y), dtype=int)
    source[order] = np.repeat(order[::2], 2)
    return source


def _kernels(problem):
    X, full = problem.X, problem.grams[1]
    same, across = _copies(problem.y), np.repeat(np.arange(problem.n // 2), 2)
    return {
        "full rank": full,
        "ill conditioned": gaussian_of_width(X, 30.0),
        "low rank": X @ X.T,
        "rank one": np.outer(X[:, 2], X[:, 2]),
        "duplicated points": full[np.ix_(same, same)],
        "contradicting points": full[np.ix_(across, across)],
    }


def gaussian_of_width(X, width):
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / (2 * width**2))


KERNELS = ["full rank", "ill conditioned", "low rank", "rank one", "duplicated points"]
CS = (1e-3, 1.0, 1e4)
# Every machine with every second kernel, which take the values of C in turn.
CASES = [
    (name, CS[(turn + i // 2) % len(CS)] if name in WITH_C else 1.0, kernel)
    for turn, name in enumerate(NAMES)
    for i, kernel in enumerate([*KERNELS, "contradicting points"])
    # The ν-SVM's value is zero there, so that "relative" has no meaning.
    if (turn + i) % 2 == 0 and (name, kernel) != ("nu_svm", "contradicting points")
]


@pytest.mark.parametrize(("name", "C", "kernel"), CASES)
def test_bounds_bracket_the_reference_and_meet(
    name, C, kernel, make_stack, make_machine, target_of
):
    problem = make_stack(seed=4)
    K = _kernels(problem)[kernel]
    machine = make_machine(name, problem, C=C)
    expected = fixed_kernel_program(K, target_of(name, problem), name, C=C, nu=0.3)
    found = solve_machine(K + machine.offset, machine)
    if not np.isfinite(expected.value):
        assert name == "hard_margin"
        assert found is None
        return
    size = max(abs(expected.value), 1e-6 * K.diagonal().mean())
    assert found.lower <= found.upper + 1e-12 * size
    assert found.upper - found.lower <= 1e-6 * size
    assert found.upper == pytest.approx(expected.value, rel=1e-6, abs=1e-6 * size)
    assert machine.infeasibility(found.coef) <= 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_reported_bounds_are_those_of_the_reported_coefficients(name, make_stack, make_machine):
    problem = make_stack(seed=5)
    K, machine = problem.grams[1], make_machine(name, problem)
    found = solve_machine(K, machine)
    Ka = K @ found.coef
    np.testing.assert_allclose(found.K_coef, Ka, atol=1e-12)
    assert found.lower == pytest.approx(machine.lower_value(found.coef, Ka), rel=1e-12)
    assert found.upper == pytest.approx(
        machine.upper_value(found.coef, Ka, found.multipliers), rel=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_warm_start_ends_where_a_cold_one_does(name, make_stack, make_machine):
    problem = make_stack(seed=6)
    machine = make_machine(name, problem, C=2.0)
    before = problem.grams[1] + 0.5 * problem.grams[0]
    after = problem.grams[1] + 0.6 * problem.grams[0] + 0.2 * problem.grams[2]
    warm = solve_machine(after, machine, solve_machine(before, machine))
    cold = solve_machine(after, machine)
    assert warm.upper == pytest.approx(cold.upper, rel=1e-8)
    np.testing.assert_allclose(warm.coef, cold.coef, atol=1e-6 * np.abs(cold.coef).max())


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"hard_margin"}))
def test_a_sample_weight_is_a_number_of_copies(name, make_stack, target_of):
    problem = make_stack(seed=3)
    target, K, n = target_of(name, problem), problem.grams[1], problem.n
    nu = 0.7 if name == "one_class" else 0.3  # so that the box binds
    rows = np.concatenate([np.arange(n), np.arange(0, n, 2)])
    weight = np.where(np.arange(n) % 2 == 0, 2.0, 1.0)

    def value(rows, weight):
        machine = QUALITIES[name].build(target[rows], Settings(0.3, nu, 0.1, weight))
        return solve_machine(K[np.ix_(rows, rows)], machine).upper

    weighted = value(np.arange(n), weight)
    assert weighted == pytest.approx(value(rows, np.ones(len(rows))), rel=1e-7)
    assert weighted != pytest.approx(value(np.arange(n), np.ones(n)), rel=1e-3)


TIGHT = {"kernel": "precomputed", "tol": 1e-10}
LIBSVM = {
    "soft_margin": (lambda: SVC(C=0.8, **TIGHT), 1.0),
    "epsilon_svr": (lambda: SVR(C=0.8, epsilon=0.1, **TIGHT), 1.0),
    "nu_svr": (lambda: NuSVR(C=0.8, nu=0.3, **TIGHT), 1.0),
    "one_class": (lambda: OneClassSVM(nu=0.3, **TIGHT), 0.3),  # ours has 1ᵀa = 1, libsvm's is νn
    "nu_svm": (lambda: NuSVC(nu=0.3, **TIGHT), None),  # libsvm divides by the margin
}


@pytest.mark.parametrize("name", sorted(LIBSVM))
def test_decision_values_are_those_of_libsvm(name, make_stack, make_machine, target_of):
    problem = make_stack(seed=7, n=30)
    K = problem.grams[1]
    found = solve_machine(K, make_machine(name, problem, C=0.8))
    ours = found.K_coef + found.multipliers.rows[0]
    build, unit = LIBSVM[name]
    model = build().fit(K, target_of(name, problem))
    decide = model.predict if name.endswith("svr") else model.decision_function
    theirs = decide(K)
    if unit is None:
        unit = np.linalg.norm(theirs) / np.linalg.norm(ours)
    elif name == "one_class":
        unit *= problem.n
    np.testing.assert_allclose(unit * ours, theirs, atol=1e-7 * np.abs(theirs).max())


def test_least_squares_is_one_linear_system(make_stack, make_machine):
    problem = make_stack(seed=8)
    n, K = problem.n, problem.grams[1]
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + np.eye(n) / 3.0
    system[:n, n] = system[n, :n] = 1.0
    expected = np.linalg.solve(system, np.append(problem.target, 0.0))
    found = solve_machine(K, make_machine("least_squares", problem, C=3.0))
    np.testing.assert_allclose(found.coef, expected[:n], atol=1e-8)
    assert found.multipliers.rows[0] == pytest.approx(expected[n], abs=1e-8)


def test_a_hard_margin_without_separation_has_no_solution():
    line = np.array([0.0, 1.0, 2.0, 3.0])
    machine = hard_margin(np.array([1.0, -1.0, 1.0, -1.0]))
    assert solve_machine(np.outer(line, line), machine) is None
    assert solve_machine(np.zeros((4, 4)), machine) is None
    same_point = np.ones((4, 4)) + np.diag([0.0, 0.0, 1.0, 1.0])  # points 0 and 1 coincide
    assert solve_machine(same_point, machine) is None


def test_a_hard_margin_is_half_the_inverse_squared_margin():
    """On a line the margin is half the distance between the nearest points, here 0.25."""
    line = np.array([-1.0, 0.0, 0.5, 2.0])
    found = solve_machine(np.outer(line, line), hard_margin(np.array([-1.0, -1.0, 1.0, 1.0])))
    assert found.upper == pytest.approx(0.5 / 0.25**2, rel=1e-9)
    decision = found.K_coef + found.multipliers.rows[0]
    np.testing.assert_allclose(decision, (line - 0.25) / 0.25, atol=1e-8)
