"""The minimum found against grids, against the RBF kernel, and where kernels refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernlearn.families.parametric import ARDGaussianFamily, GaussianFamily
from kernlearn.quality.held_out import KFoldLoss, LeaveOneOut, SelectionCriterion
from kernlearn.runtime.status import Status
from kernlearn.solvers.selection.objective import (
    DescentLimits,
    SelectionObjective,
    SelectionOptions,
    descend,
)
from kernlearn.solvers.selection.select import grid_starts, select

LIMITS = DescentLimits(1e-4, 1000)


def _problem(n=60, seed=0, noise=0.3):
    """The target depends on the first two columns of four."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n)
    return X, y[:, None]


def _loo(n):
    return SelectionCriterion(LeaveOneOut(np.ones(n)))


@pytest.mark.parametrize(("seed", "name"), [(0, "loo"), (1, "cv")])
def test_no_point_of_a_fine_grid_is_better(seed, name):
    X, y = _problem(40, seed)
    criterion = _loo(40)
    if name == "cv":
        criterion = SelectionCriterion(
            KFoldLoss(np.ones(40), [np.arange(i, 40, 5) for i in range(5)])
        )
    found = select(GaussianFamily(), X, y, criterion, LIMITS)
    objective = SelectionObjective(GaussianFamily(), X, y, criterion)
    grid = [
        objective.value(np.log([lam, theta]))
        for theta in GaussianFamily().start(X)[0] * 2.0 ** np.arange(-8, 7)
        for lam in 4.0 ** np.arange(-10, 4)
    ]
    assert np.log(found.objective) <= min(grid) + 1e-9
    assert np.log(found.objective) > min(grid) - 0.1
    assert found.status is Status.CONVERGED


def test_a_sample_first_leads_to_the_same_minimum(monkeypatch):
    X, y = _problem(160)
    expected = select(GaussianFamily(), X, y, _loo(160), LIMITS)
    sizes = []
    note = SelectionObjective._note

    def counted(self, z, value):
        sizes.append(len(self.Y))
        note(self, z, value)

    monkeypatch.setattr(SelectionObjective, "_note", counted)
    options = SelectionOptions(sample_rows=80)
    found = select(GaussianFamily(), X, y, _loo(160), LIMITS, options=options)
    assert found.objective <= expected.objective * (1 + 1e-6)
    assert found.status is Status.CONVERGED
    # All rows are looked at to find a start, as there are fewer than that takes.
    assert sizes.count(80) >= 8
    assert found.n_evaluations == len(sizes) + 1


@pytest.mark.parametrize("regularised", [False, True])
def test_the_slope_at_the_end_is_within_the_tolerance(regularised):
    X, y = _problem()
    criterion = replace(_loo(60), regularised=regularised)
    found = select(ARDGaussianFamily(), X, y, criterion, LIMITS)
    objective = SelectionObjective(ARDGaussianFamily(), X, y, criterion)
    _, gradient = objective.value_and_gradient(np.log(np.append(found.lam, found.theta)))
    if found.lam < 1.1e-8:  # the least λ for a diagonal of one: only a slope towards more counts
        gradient[0] = min(gradient[0], 0.0)
    # ε is small beside this θ, but the slope is smaller still.
    assert np.abs(gradient).max() <= (1e-4 if not regularised else 1e-3)
    np.testing.assert_allclose(
        found.fit.dual_coef,
        objective.machine(np.log(np.append(found.lam, found.theta))).dual_coef,
        rtol=1e-6,
        atol=1e-8,
    )


def test_ard_is_never_worse_than_rbf_and_finds_the_columns():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(100, 4))
    y = (np.sin(2 * X[:, 0]) * np.cos(X[:, 1]) + 0.2 * rng.normal(size=100))[:, None]
    rbf, ard = (
        select(family, X, y, _loo(100), LIMITS)
        for family in (GaussianFamily(), ARDGaussianFamily())
    )
    assert ard.objective < 0.8 * rbf.objective
    assert ard.theta[:2].min() > 3 * ard.theta[2:].max()


def test_the_tied_descent_is_selection_for_the_rbf_kernel():
    X, y = _problem()
    rbf = select(GaussianFamily(), X, y, _loo(60), DescentLimits(1e-7, 1000))
    objective = SelectionObjective(ARDGaussianFamily(), X, y, _loo(60))
    start = grid_starts(objective, np.full(4, GaussianFamily().start(X)[0]), None)[0]
    directions = np.array([[1.0, 0.0], *[[0.0, 1.0]] * 4])
    stage = descend(objective, start, directions, DescentLimits(1e-7, 1000))
    assert stage.value == pytest.approx(np.log(rbf.objective), abs=1e-10)
    np.testing.assert_allclose(np.exp(stage.z), [rbf.lam, *[rbf.theta[0]] * 4], rtol=1e-4)


def test_columns_in_any_units_give_the_same():
    X, y = _problem()
    plain = select(ARDGaussianFamily(), X, y, _loo(60), DescentLimits(1e-6, 1000))
    units = np.array([1e9, 1.0, 1e-9, 100.0])
    scaled = select(ARDGaussianFamily(), X * units, y, _loo(60), DescentLimits(1e-6, 1000))
    assert scaled.objective == pytest.approx(plain.objective, rel=1e-5)
    np.testing.assert_allclose((scaled.theta * units**2)[:2], plain.theta[:2], rtol=1e-2)


def test_targets_in_any_units_give_the_same():
    X, y = _problem()
    plain = select(GaussianFamily(), X, y, _loo(60), LIMITS)
    scaled = select(GaussianFamily(), X, 1e6 * y + 1e8, _loo(60), LIMITS)
    np.testing.assert_allclose(scaled.theta, plain.theta, rtol=1e-5)
    assert scaled.objective == pytest.approx(1e12 * plain.objective, rel=1e-6)


def test_regularisation_shrinks_the_parameters():
    X, y = _problem()
    free = select(ARDGaussianFamily(), X, y, _loo(60), LIMITS)
    shrunk = select(ARDGaussianFamily(), X, y, replace(_loo(60), regularised=True), LIMITS)
    assert np.linalg.norm(shrunk.theta) < 0.95 * np.linalg.norm(free.theta)
    assert np.linalg.norm(shrunk.theta) > 0.05 * np.linalg.norm(free.theta)


def test_a_given_ridge_is_kept():
    X, y = _problem()
    found = select(GaussianFamily(), X, y, _loo(60), LIMITS, lam=0.7)
    assert found.lam == 0.7
    objective = SelectionObjective(GaussianFamily(), X, y, _loo(60))
    around = [objective.value(np.log([0.7, c * found.theta[0]])) for c in (0.9, 1.0, 1.1)]
    assert around[1] < min(around[0], around[2])


def test_many_rows_start_from_a_part_of_them():
    X, y = _problem(90)
    whole = select(GaussianFamily(), X, y, _loo(90), DescentLimits(1e-6, 1000))
    options = SelectionOptions(grid_rows=25)
    part = select(GaussianFamily(), X, y, _loo(90), DescentLimits(1e-6, 1000), options=options)
    assert part.objective == pytest.approx(whole.objective, rel=1e-8)
    # A class that the sample misses is looked for among all rows.
    rare = np.where(np.arange(90) == 7, 1.0, -1.0)[:, None]
    assert np.isfinite(
        select(GaussianFamily(), X, rare, _loo(90), LIMITS, options=options).objective
    )


class Picky(GaussianFamily):
    """Refuses just beyond where the descent wants to go."""

    def matrix(self, X, Y, theta):
        if theta[0] > 0.05:
            raise OverflowError("too narrow for my taste")
        return super().matrix(X, Y, theta)


def test_a_descent_steps_back_from_what_a_kernel_refuses():
    X, y = _problem()
    assert select(GaussianFamily(), X, y, _loo(60), LIMITS).theta[0] > 0.05
    found = select(Picky(), X, y, _loo(60), LIMITS)
    assert found.theta[0] <= 0.05
    assert np.isfinite(found.objective)


def test_a_kernel_that_refuses_everything_says_why():
    X, y = _problem()
    with pytest.raises(OverflowError, match="too narrow for my taste"):
        select(Picky(), X / 1e6, y, _loo(60), LIMITS)


def test_an_iteration_limit_is_told():
    X, y = _problem()
    assert (
        select(ARDGaussianFamily(), X, y, _loo(60), DescentLimits(1e-9, 2)).status
        is Status.ITERATION_LIMIT
    )
