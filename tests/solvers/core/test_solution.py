"""Certificates and status: honest whatever happened."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import kernlearn as kl
from kernlearn.families.matrices import GramStack
from kernlearn.quality import QUALITIES, quality_names
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import relative_gap
from kernlearn.solvers.weights.search import learn_with_machines

SIGNS = ["positive", "free"]
# Both signs, in turn; the other of the two has its turn in test_invariances.py.
CASES = [(quality, SIGNS[turn % 2]) for turn, quality in enumerate(quality_names())]
MACHINES = [case for case in CASES if case[0] in QUALITIES]


@pytest.fixture(scope="module")
def wide(make_stack):
    """Five kernels, so that one step is not enough."""
    problem = make_stack(seed=30, n=10)
    X = problem.X
    views = [np.exp(-((X[:, [j]] - X[:, j]) ** 2)) for j in range(2)]
    return np.concatenate([problem.grams, views]), problem


@pytest.fixture(scope="module")
def solved(wide, target_of):
    """The solution at a tolerance, found once for all tests."""
    grams, problem = wide

    @cache
    def learn(quality, weights, tol=1e-6):
        y = target_of(quality, problem)
        return kl.learn_weights(grams, y, quality=quality, weights=weights, tol=tol)

    return learn


@pytest.mark.parametrize(("quality", "weights"), CASES)
def test_the_bound_holds_and_the_gap_is_what_it_says(quality, weights, solved):
    best = solved(quality, weights, 1e-9)
    for tol in (1e-1, 1e-6):
        found = solved(quality, weights, tol)
        assert found.status.is_optimal
        assert found.gap <= tol
        assert found.gap == relative_gap(found.objective, found.lower_bound)
        size = abs(best.objective)
        assert found.lower_bound <= best.objective + 1e-9 * size
        assert found.objective >= best.lower_bound - 1e-9 * size


@pytest.mark.parametrize(("quality", "weights"), MACHINES)
def test_stopped_early_is_not_called_optimal(quality, weights, wide, target_of, solved):
    grams, problem = wide
    y = target_of(quality, problem)
    stopped = kl.learn_weights(grams, y, quality=quality, weights=weights, max_iter=1)
    best = solved(quality, weights, 1e-9)
    assert stopped.status is kl.results.Status.ITERATION_LIMIT
    assert not stopped.status.is_optimal
    assert stopped.gap > 1e-6
    assert stopped.lower_bound <= best.objective <= stopped.objective
    assert "iteration limit" in str(stopped.status)


@pytest.mark.parametrize(("quality", "weights"), MACHINES)
def test_the_objective_is_the_value_of_the_machine_at_the_learned_kernel(
    quality, weights, wide, make_machine, solved
):
    """Recomputed from weights and coefficients alone, by the definition of both bounds."""
    grams, problem = wide
    found = solved(quality, weights)
    machine = make_machine(quality, problem)
    K = np.tensordot(found.weights, grams, 1)
    a = found.dual_coef
    assert machine.infeasibility(a) <= 1e-9
    trained = K + machine.offset
    assert machine.lower_value(a, trained @ a) == pytest.approx(found.objective, rel=1e-5)
    smallest = found.weights.min()
    assert smallest >= 0 or weights == "free"
    assert np.linalg.eigvalsh(K)[0] >= -1e-8


@pytest.mark.parametrize(
    ("quality", "n", "unlabelled"),
    [("squared_soft_margin", 60, 20), ("alignment", 60, 20)],
)
def test_free_kernels_are_positive_semidefinite_on_all_points(quality, n, unlabelled, make_stack):
    """Larger than what the first cuts span, so that the whole matrix has to be looked at."""
    problem = make_stack(seed=33, n=n, n_unlabelled=unlabelled)
    X = problem.X
    views = [np.exp(-0.5 * (X[:, [j]] - X[:, j]) ** 2) for j in range(4)]
    grams = np.concatenate([problem.grams, views])
    free = kl.learn_weights(grams, problem.y, quality=quality, weights="free")
    positive = kl.learn_weights(grams, problem.y, quality=quality)
    K = np.tensordot(free.weights, grams, 1)
    assert free.status.is_optimal
    assert np.linalg.eigvalsh(K)[0] >= -1e-8 * np.trace(K) / len(K)
    assert free.objective <= positive.objective + 1e-6 * abs(positive.objective)
    if quality != "alignment":  # whose best weights are positive here
        assert free.weights.min() < -0.1
        assert free.objective < 0.999 * positive.objective


@pytest.mark.parametrize("weights", SIGNS)
def test_the_history_closes_in_on_the_solution(weights, solved):
    found = solved("soft_margin", weights)
    objectives = [step.objective for step in found.history]
    bounds = [step.lower_bound for step in found.history]
    assert (np.diff(objectives) <= 0).all()
    assert bounds == sorted(bounds)
    # What is returned is evaluated once more, and its rounding taken off the bound.
    assert objectives[-1] == pytest.approx(found.objective, rel=1e-9)
    assert bounds[-1] * (1.0 - 1e-9) <= found.lower_bound <= found.objective
    # With free signs, by one more solve where they had to be moved into the cone.
    more = found.n_machine_solves - found.history[-1].n_machine_solves
    assert more in ((0, 1) if weights == "free" else (0,))


@pytest.mark.parametrize("limit", [1, 2])
def test_the_limit_counts_the_steps_with_positive_weights_too(limit, wide):
    grams, problem = wide
    found = kl.learn_weights(grams, problem.y, weights="free", max_iter=limit)
    assert found.status is kl.results.Status.ITERATION_LIMIT
    assert len(found.history) == found.n_machine_solves == limit
    assert np.isfinite(found.lower_bound)
    assert found.gap > 1e-6


def test_the_callback_hears_every_step(wide, make_machine):
    grams, problem = wide
    heard = []
    family = GramStack(grams)
    found = learn_with_machines(
        family,
        [make_machine("soft_margin", problem)],
        WeightSet(family.traces, 5.0, False),
        Control(stopping=StoppingControl(heard.append)),
    )
    told = [(progress.objective, progress.lower_bound) for progress in heard]
    assert told == [(step.objective, step.lower_bound) for step in found.history]
    assert len(heard) > 1


@pytest.mark.parametrize("weights", SIGNS)
def test_inseparable_data_have_a_status_and_no_number(weights, make_stack):
    problem = make_stack(seed=31)
    line = np.outer(problem.X[:, 3], problem.X[:, 3])
    found = kl.learn_weights(
        [line, np.ones((12, 12))], problem.y, quality="hard_margin", weights=weights
    )
    assert found.status is kl.results.Status.NO_SOLUTION
    assert not found.status.is_optimal
    assert "cannot be separated" in str(found.status)
    assert np.isnan(found.weights).all()
    assert found.weights.shape == (2,)
    assert np.isnan([found.objective, found.lower_bound, found.gap]).all()
    assert found.dual_coef is None
    assert found.intercept is None


def test_relative_gap():
    assert relative_gap(2.0, 1.0) == 0.5
    assert relative_gap(-2.0, -3.0) == 0.5
    assert relative_gap(0.0, 0.0) == 0.0
    assert relative_gap(0.0, 0.0) == 0.0
    assert relative_gap(0.0, -1.0) == np.inf


class _Ridge:
    """½λ‖w‖²."""

    def __init__(self, strength):
        self.strength = strength

    def value(self, weights):
        return 0.5 * self.strength * float(weights @ weights)

    def gradient(self, weights):
        return self.strength * weights

    def hessian(self, weights):
        return self.strength * np.eye(len(weights))


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_a_penalty_is_added_to_the_value(scale, make_stack):
    """Two kernels leave one number to search over."""
    problem = make_stack(seed=32, n=14)
    grams = scale * problem.grams[:2]
    strength = 0.8 / scale
    found = kl.learn_weights(
        grams, problem.y, C=1 / scale, penalty=_Ridge(strength), constraint="sum"
    )

    def value(first):
        K = first * grams[0] + (1 - first) * grams[1]
        machine = kl.learn_weights([K], problem.y, C=1 / scale, tol=1e-9).objective
        return machine + 0.5 * strength * (first**2 + (1 - first) ** 2)

    best = minimize_scalar(value, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9})
    assert found.objective == pytest.approx(best.fun, rel=1e-6)
    assert found.weights[0] == pytest.approx(best.x, abs=1e-3)
    plain = kl.learn_weights(grams, problem.y, C=1 / scale, constraint="sum")
    assert np.abs(found.weights - plain.weights).max() > 0.01


def test_what_takes_long_says_why(solved):
    found = solved("soft_margin", "positive")
    assert found.remark == ""
    longer = replace(found, history=found.history[:1] * 40)
    assert longer.remark.startswith("took 40 evaluations of the objective, where 3 to 10 are usual")
