"""The objective over the weights: planes below it, slopes and curvature by differences."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.matrices import GramStack, WithIdentity
from kernlearn.quality import QUALITIES
from kernlearn.quality.margins import hard_margin
from kernlearn.quality.registry import Settings
from kernlearn.runtime.stopping import stopping_control
from kernlearn.solvers.core.oracle import MachineObjective
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.weights.search import CoarseSample, SearchOptions, learn_with_machines

WEIGHTS = np.array([0.6, 1.1, 0.4])


class SquaredLength:
    """½λ‖w‖², a penalty with everything known."""

    def value(self, weights):
        return 0.35 * float(weights @ weights)

    def gradient(self, weights):
        return 0.7 * weights

    def hessian(self, weights):
        return 0.7 * np.eye(len(weights))


@pytest.fixture(params=["one machine", "three machines", "penalty", "transduction", "learned C"])
def case(request, make_stack, make_machine):
    unlabelled = 4 if request.param == "transduction" else 0
    problem = make_stack(seed=11, n=14, n_unlabelled=unlabelled)
    family = GramStack(problem.grams, problem.n)
    machines = [make_machine("soft_margin", problem, C=1.5)]
    weights, penalty = WEIGHTS, None
    if request.param == "three machines":
        machines += [make_machine("squared_soft_margin", problem), make_machine("nu_svr", problem)]
    if request.param == "penalty":
        penalty = SquaredLength()
    if request.param == "learned C":
        family, machines = WithIdentity(family), [hard_margin(problem.y)]
        weights = np.append(WEIGHTS, 0.5)
    return MachineObjective(family, machines, penalty), weights


def test_the_plane_touches_here_and_lies_below_everywhere(case):
    objective, weights = case
    here = objective.evaluate(weights, None, 1e-9)
    plane = here.plane
    assert plane.constant + plane.gradient @ weights == pytest.approx(here.upper, rel=1e-8)
    for other in np.random.default_rng(0).uniform(0.05, 2.0, size=(12, len(weights))):
        there = objective.evaluate(other, None, 1e-9).upper
        assert plane.constant + plane.gradient @ other <= there * (1 + 1e-9)


def test_gradient_and_curvature_are_differences_of_the_value(case):
    objective, weights = case
    here = objective.evaluate(weights, None, 1e-9)
    H = here.hessian
    for i, unit in enumerate(np.eye(len(weights))):
        step = 1e-4 * unit
        ahead, behind = (objective.evaluate(weights + s, here, 1e-9) for s in (step, -step))
        slope = (ahead.upper - behind.upper) / 2e-4
        assert slope == pytest.approx(here.plane.gradient[i], rel=1e-3, abs=1e-6)
        bend = (ahead.plane.gradient - behind.plane.gradient) / 2e-4
        np.testing.assert_allclose(H[i], bend, atol=2e-3 * np.abs(H).max())


def test_a_predicted_plane_is_valid_and_nearly_touches(case):
    objective, weights = case
    here = objective.evaluate(weights, None, 1e-9)
    step = 0.02 * np.random.default_rng(1).normal(size=len(weights))
    plane = here.predicted_plane(step)
    there = objective.evaluate(weights + step, None, 1e-9)
    predicted = plane.constant + plane.gradient @ (weights + step)
    tangent = here.plane.constant + here.plane.gradient @ (weights + step)
    assert predicted <= there.upper * (1 + 1e-9)
    assert there.upper - predicted <= 0.2 * (there.upper - tangent)
    for other in np.random.default_rng(2).uniform(0.05, 2.0, size=(8, len(weights))):
        value = objective.evaluate(other, None, 1e-9).upper
        assert plane.constant + plane.gradient @ other <= value * (1 + 1e-9)


def test_solves_are_counted_and_an_infinite_value_is_none(case):
    objective, weights = case
    objective.evaluate(weights, None, 1e-9)
    assert objective.n_solves == len(objective.machines)
    line = np.outer([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    crossed = MachineObjective(GramStack(line[None]), [hard_margin(np.array([1.0, -1.0, 1.0]))])
    assert crossed.evaluate(np.ones(1), None, 1e-9) is None


SAMPLES = SearchOptions(large=20, samples=(CoarseSample(10, 1e-2, 20), CoarseSample(30, 1e-3, 1)))


def learned(grams, y, options, control=None):
    family = grams if isinstance(grams, GramStack) else GramStack(grams)
    machine = QUALITIES["soft_margin"].build(y, Settings(1.0, 0.5, 0.1, np.ones(len(y))))
    weight_set = WeightSet(family.traces, float(family.traces.sum()), False)
    return learn_with_machines(family, [machine], weight_set, control or Control(), options=options)


class SeenStack(GramStack):
    """A stack that keeps which rows and matrices were sampled."""

    def subset(self, rows, matrices):
        self.taken = [*getattr(self, "taken", []), (rows, matrices)]
        return super().subset(rows, matrices)


def test_samples_have_all_classes_and_the_kernels_of_use(make_stack):
    problem = make_stack(n=60)
    useless = np.stack([*problem.grams, np.ones((60, 60))])  # what a constant adds, b has already
    family = SeenStack(useless)
    found, taken = learned(family, problem.y, SAMPLES), family.taken
    assert [len(rows) for rows, _ in taken] == [10, 30]
    assert [len(useless) - 1 in matrices for _, matrices in taken] == [True, False]
    share = np.mean(problem.y == problem.y[0])
    for rows, _ in taken:
        assert abs(np.mean(problem.y[rows] == problem.y[0]) - share) <= 1.5 / len(rows)
    alone = learned(useless, problem.y, SearchOptions())
    assert found.objective == pytest.approx(alone.objective, rel=2e-6)
    assert found.status.is_optimal


def test_who_listens_to_samples_changes_nothing(make_stack):
    problem, heard = make_stack(n=30), []
    control = Control(stopping=stopping_control(heard.append, 1e6))
    told = learned(problem.grams, problem.y, SAMPLES, control)
    alone = learned(problem.grams, problem.y, SAMPLES)
    assert heard
    np.testing.assert_array_equal(told.weights, alone.weights)
    assert told.history == alone.history


def test_a_kernel_that_a_sample_leaves_out_counts_among_all_points(make_stack):
    problem = make_stack(n=60)
    order = np.lexsort([problem.y])
    sampled = order[np.linspace(0, 59, 10).astype(int)]
    label = np.where(np.isin(np.arange(60), sampled), 0.0, problem.y)  # the sample sees none of it
    grams = np.stack([problem.grams[0], 60.0 * np.outer(label, label) / 50.0])
    found = learned(grams, problem.y, SAMPLES)
    assert found.status.is_optimal
    assert found.weights[1] > 0.0


def test_a_kernel_is_kept_until_another_is_made(case):
    objective, weights = case
    here = objective.evaluate(weights, None, 1e-9)
    made = objective.family.combine(weights)
    np.testing.assert_array_equal(here.kernel, made)
    _ = here.hessian
    np.testing.assert_array_equal(here.kernel, made)
    step = np.full(len(weights), 0.01)
    there = objective.evaluate(weights + step, here, 1e-9)
    assert here.kernel is None
    assert here.predicted_plane(step) is not None  # the factor stays
    objective.evaluate(weights, there, 1e-9)
    assert there.kernel is not None  # it has yet to serve for the curvature
