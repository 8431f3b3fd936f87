"""The leave-one-out loss through landmarks against training again and again, and its slopes."""

import numpy as np
import pytest

from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, GaussianFamily
from kernlearn.runtime.status import Status
from kernlearn.solvers.nystroem import kernel_fit
from kernlearn.solvers.nystroem.kernel_fit import StageOptions, TrainingTable, fit_through_landmarks
from kernlearn.solvers.nystroem.selection import JITTER, LandmarkSelection
from kernlearn.solvers.selection.objective import DescentLimits

RNG = np.random.default_rng(0)
N = 60
X = RNG.standard_normal((N, 3))
Y = np.sin(2 * X[:, :2]) + 0.1 * RNG.standard_normal((N, 2))
WEIGHT = RNG.uniform(0.5, 2.0, N)
POINTS = X[:12]


@pytest.mark.parametrize(
    "family", [ARDGaussianFamily(), GaussianFamily(), ARDPolynomialFamily(2)], ids=repr
)
def test_value_and_slopes(family):
    objective = LandmarkSelection(family, X, Y, WEIGHT, POINTS)
    z = np.log(np.append(0.3, 1.3 * family.start(X)))
    value, gradient = objective.value_and_gradient(z)
    theta = np.exp(z[1:])
    corner = family.matrix(POINTS, None, theta)
    corner += JITTER * corner.diagonal().mean() * np.eye(12)
    Z = np.linalg.solve(np.linalg.cholesky(corner), family.matrix(X, POINTS, theta).T).T
    loss = 0.0
    for i in range(N):
        rest = np.delete(np.arange(N), i)
        B = np.column_stack([Z[rest], np.ones(N - 1)])
        M = B.T @ (WEIGHT[rest, None] * B)
        M[np.arange(12), np.arange(12)] += 0.3
        beta = np.linalg.solve(M, B.T @ (WEIGHT[rest, None] * Y[rest]))
        loss += WEIGHT[i] * ((Y[i] - np.append(Z[i], 1.0) @ beta) ** 2).sum()
    assert value == pytest.approx(np.log(loss), rel=1e-8)
    assert objective.value(z) == value
    step = 1e-5
    numeric = [
        (objective.value(z + step * e) - objective.value(z - step * e)) / (2 * step)
        for e in np.eye(len(z))
    ]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7)


def test_where_there_is_no_machine_the_loss_is_infinite():
    objective = LandmarkSelection(ARDPolynomialFamily(3), X, Y, WEIGHT, POINTS)
    value, gradient = objective.value_and_gradient(np.full(4, 300.0))
    assert value == np.inf
    assert not gradient.any()


def test_selection_finds_the_column_that_matters():
    many = RNG.standard_normal((600, 3))
    target = 100.0 + np.sin(3 * many[:, 1])[:, None] + 0.1 * RNG.standard_normal((600, 1))
    table = TrainingTable(
        many, target, np.ones(600), 0, StageOptions(first=(300, 60), last=(400, 70))
    )
    fit = fit_through_landmarks(
        table, ARDGaussianFamily(), 80, None, True, DescentLimits(1e-3, 100)
    )
    assert fit.theta[1] > 20 * max(fit.theta[0], fit.theta[2])
    assert fit.status is Status.CONVERGED
    assert fit.statistics.factors.n_columns == 80
    new = RNG.standard_normal((200, 3))
    values = fit.statistics.factors(new) @ fit.coef[:, 0] + fit.intercept[0]
    errors = values - 100.0 - np.sin(3 * new[:, 1])
    # Away from the data, at the ends of three standard deviations, nothing is known.
    assert np.sqrt(np.mean(errors[np.abs(new[:, 1]) < 2] ** 2)) < 0.05
    held_out = np.sqrt(np.mean((fit.left_out - target) ** 2))
    assert 0.09 < held_out < 0.13


def test_a_column_that_few_rows_switched_off_comes_back(monkeypatch):
    off = np.array([-3.0, -1.0, -1.0, -30.0])
    monkeypatch.setattr(kernel_fit, "search", lambda *arguments: (off, Status.CONVERGED, None))
    many = RNG.standard_normal((400, 3))
    target = np.sin(2 * many[:, 0]) + many[:, 2]
    errors = []
    for least in (1e-300, StageOptions().least_at_last):
        stages = StageOptions(first=(100, 30), last=(400, 60), least_at_last=least)
        table = TrainingTable(many, target[:, None], np.ones(400), 0, stages)
        fit = fit_through_landmarks(
            table, ARDGaussianFamily(), 60, None, True, DescentLimits(1e-3, 100)
        )
        errors.append(np.mean((fit.left_out[:, 0] - target) ** 2))
    assert errors[1] < 0.01 < 0.5 < errors[0]


@pytest.mark.parametrize(
    ("family", "sizes"),
    [(ARDGaussianFamily(), [(30, 8), (60, 12)]), (GaussianFamily(), [(40, 9)] * 2)],
)
def test_many_scales_end_on_more_rows_and_landmarks(family, sizes, monkeypatch):
    seen = []

    class Noted(LandmarkSelection):
        def __init__(self, kernel, X, Y, weight, points, *others):
            seen.append((len(X), len(points)))
            super().__init__(kernel, X, Y, weight, points, *others)

    monkeypatch.setattr(kernel_fit, "LandmarkSelection", Noted)
    stages = StageOptions(on_host=(40, 9), first=(30, 8), last=(60, 12))
    table = TrainingTable(X, Y, WEIGHT, 0, stages)
    fit_through_landmarks(table, family, 12, None, True, DescentLimits(1e-2, 5))
    assert seen == sizes


@pytest.mark.parametrize(("several", "least", "most"), [(False, 0.8, 1.1), (True, 0.0, 0.1)])
def test_two_columns_that_matter_together_are_found_among_twenty(several, least, most):
    """From equal scales a descent ends where nothing is learned."""
    rng = np.random.default_rng(1)
    many = rng.standard_normal((600, 20))
    target = (np.sin(3 * many[:, 5]) * many[:, 2] + 0.1 * rng.standard_normal(600))[:, None]
    table = TrainingTable(
        many, target, np.ones(600), 0, StageOptions(first=(600, 60), last=(600, 60))
    )
    fit = fit_through_landmarks(
        table, ARDGaussianFamily(), 60, None, True, DescentLimits(1e-2, 40), several
    )
    assert least <= np.mean((fit.left_out - target) ** 2) / target.var() <= most


def test_landmarks_follow_the_scales():
    many = RNG.standard_normal((300, 6))
    theta = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    low = many[np.argsort(many[:, 0])[:10]]
    objective = LandmarkSelection(ARDGaussianFamily(), many, many[:, :1], np.ones(300), low)
    objective.follow(theta)
    assert objective.points.shape == low.shape
    nearest = ARDGaussianFamily().matrix(many, objective.points, theta).max(axis=1)
    assert (
        np.mean(nearest > 0.5)
        > 0.95
        > 0.5
        > np.mean(ARDGaussianFamily().matrix(many, low, theta).max(1) > 0.5)
    )
