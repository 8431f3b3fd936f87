"""Systems solved with the factor of an earlier one, against systems with factors of their own."""

import numpy as np
import pytest

from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.engine.refits import machine_refits
from kernlearn.solvers.nystroem.machines import FactorObjective
from kernlearn.solvers.nystroem.nearby import NearbySystem, NearbySystems
from kernlearn.solvers.nystroem.proximal import Responses
from kernlearn.solvers.nystroem.systems import CurvedProducts, PrimalSystem, Root
from kernlearn.solvers.nystroem.weight_search import learn_machines

RNG = np.random.default_rng(0)
N = 900
X = RNG.standard_normal((N, 2))
F = np.sin(2 * X[:, 0]) + X[:, 1]
TARGETS = {
    "cox": np.where(RNG.random(N) < 0.7, 1.0, -1.0) * np.ceil(50 * np.exp(-F)),
    "logistic": np.sign(F + RNG.standard_normal(N)),
}
ROWS = FactorRows(
    X, Factors.through_landmarks([Gaussian(0.5), Gaussian(2.0)], X, 200, "random", 0), True
)
ROOT = Root(ROWS.factors.membership @ np.array([0.5, 0.2]))


def machine_of(quality, C=1.0, rows=slice(None)):
    target = TARGETS[quality][rows]
    return QUALITIES[quality].build(target, Settings(C, 0.2, 0.1, np.ones(len(target))))


def curvature_of(quality, f, C=1.0):
    return Responses(machine_of(quality, C), np.zeros(N), 0.0).at(f).curvature


@pytest.fixture
def factorised(monkeypatch):
    """The systems that get a factor of their own."""
    made, of = [], CurvedProducts.of
    monkeypatch.setattr(CurvedProducts, "of", lambda *args: made.append(args) or of(*args))
    return made


@pytest.mark.parametrize("quality", TARGETS)
def test_a_factor_of_another_function_solves_the_system(quality):
    earlier, later = curvature_of(quality, 0.8 * F), curvature_of(quality, F)
    factor = PrimalSystem(ROWS, ROOT, earlier).factor
    near, exact = (
        NearbySystem(ROWS, ROOT, later, factor, 1e-12, 50),
        PrimalSystem(ROWS, ROOT, later),
    )
    g, images = RNG.standard_normal(ROOT.rank), RNG.standard_normal((N, 3))
    step, expected = near.step(g, 0.3), exact.step(g, 0.3)
    np.testing.assert_allclose(step[0], expected[0], atol=1e-8)
    assert step[1] == pytest.approx(expected[1], abs=1e-8)
    np.testing.assert_allclose(near.project(images), exact.project(images), atol=1e-8)
    assert near.is_near
    rough = NearbySystem(ROWS, ROOT, later, factor, 1e-12, 2)
    assert float(rough.step(g, 0.3)[0] @ g) > 0.0  # too few products still lead downhill
    assert not rough.is_near


@pytest.mark.parametrize("quality", TARGETS)
def test_few_factors_do_for_a_search_and_one_for_all_folds(quality, factorised, monkeypatch):
    steps, step = [], NearbySystems.step
    monkeypatch.setattr(NearbySystems, "step", lambda *args: steps.append(1) or step(*args))
    machine = machine_of(quality)
    traces = np.array([[N, N], ROWS.factors.membership.T @ ROWS.squared_lengths()], dtype=float)
    found = learn_machines(
        ROWS, [machine], traces, WeightSet(traces[0], float(N), False), Control(tol=1e-8)
    )
    assert found.status is Status.OPTIMAL
    assert found.gap <= 1e-8 * abs(found.objective)
    assert len(factorised) < 0.5 * (len(steps) + found.n_machine_solves)
    factorised.clear()
    machine_refits(ROWS, np.arange(N) % 5, traces, found, [machine])
    assert len(factorised) == 1


@pytest.mark.parametrize("quality", TARGETS)
@pytest.mark.parametrize("C", [0.03, 3.0])
def test_folds_forget_the_function_of_all_rows(quality, C):
    fold, machine = np.arange(N) % 5, machine_of(quality, C)
    traces = np.array([[N, N], ROWS.factors.membership.T @ ROWS.squared_lengths()], dtype=float)
    found = learn_machines(
        ROWS, [machine], traces, WeightSet(traces[0], float(N), False), Control()
    )
    held_out = machine_refits(ROWS, fold, traces, found, [machine]).values[fold == 0, 0]
    rest = np.flatnonzero(fold != 0)
    alone = FactorObjective(ROWS.subset(rest), [machine_of(quality, C, rest)])
    exact = alone.evaluate(found.weights, None, 1e-10).solutions[0]
    expected = ROWS.times(exact.columns)[fold == 0] + exact.intercept
    from_all = (ROWS.times(found.coef) + found.intercept)[fold == 0, 0] - expected
    assert abs(from_all @ (held_out - expected)) < 0.03 * from_all @ from_all


def test_what_is_far_gets_a_factor_of_its_own(factorised):
    systems, g = NearbySystems(ROWS, 20), RNG.standard_normal(ROOT.rank)
    near = curvature_of("logistic", F)
    systems.step(ROOT, near, g, 0.0)
    systems.step(ROOT, near, g, 0.0)
    assert len(factorised) == 1
    systems.step(Root(ROWS.factors.membership @ np.array([0.5, 0.0])), near, g[:200], 0.0)
    assert len(factorised) == 1  # some of its columns
    far = curvature_of("logistic", F, C=1e4)
    systems.step(ROOT, far, g, 0.0)  # takes too many products
    assert len(factorised) == 1
    systems.step(ROOT, far, g, 0.0)
    systems.step(ROOT, far, g, 0.0)
    assert len(factorised) == 2
    images = RNG.standard_normal((N, 1))
    exact = PrimalSystem(ROWS, ROOT, near).project(images)
    np.testing.assert_allclose(systems.project(ROOT, near, images), exact, atol=1e-9)


def test_kinks_and_rows_made_again_keep_no_factor(factorised):
    g = RNG.standard_normal(ROOT.rank)
    again = FactorRows(X, ROWS.factors, keep=False)
    for systems in (NearbySystems(ROWS, 20), NearbySystems(again, 20)):
        smooth = systems.rows is again
        curvature = curvature_of("logistic", F)
        curvature.is_smooth = smooth
        factorised.clear()
        for _ in range(2):
            systems.step(ROOT, curvature, g, 0.0)
        assert len(factorised) == 2
