"""The quasi-Newton method for few, expensive evaluations."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernlearn.solvers.optimize.coroutines import drive
from kernlearn.solvers.optimize.descent import capped_bfgs

FREE = np.array([True, True])
LOW, HIGH = np.full(2, -20.0), np.full(2, 20.0)


def bowl(x):
    """A loss like that of cross-validation: shallow, skew, and far from a quadratic."""
    u, v = x[0] - 3.0, x[1] + 2.0 + 0.3 * (x[0] - 3.0)
    loss = 1.0 + 0.05 * (np.sqrt(1 + u**2) - 1) + 0.02 * (np.sqrt(1 + v**2) - 1)
    du, dv = 0.05 * u / np.sqrt(1 + u**2), 0.02 * v / np.sqrt(1 + v**2)
    return SimpleNamespace(x=x, loss=loss, slope=np.array([du + 0.3 * dv, dv]))


def run(function, start, free=FREE, low=LOW, high=HIGH, tol=1e-6, max_iter=100):
    steps = []

    def near(x, known):
        steps.append((x, known))
        (place,) = yield [x]
        return place

    search = capped_bfgs(near, function(np.array(start)), free, low, high, tol, max_iter)
    return drive(search, lambda places: [function(x) for x in places]), steps


def test_it_finds_the_minimum_in_capped_steps_from_the_best_place():
    result, steps = run(bowl, [-15.0, 9.0])
    assert result.converged
    np.testing.assert_allclose(result.best.x, [3.0, -2.0], atol=1e-3)
    assert result.n_evaluations == len(steps) + 1 < 30
    lengths = [np.linalg.norm(x - known.x) for x, known in steps]
    np.testing.assert_allclose(max(lengths), 4.0, rtol=1e-9)
    losses = [known.loss for _, known in steps]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("fixed", [0, 1])
def test_a_fixed_variable_stays(fixed):
    free = np.arange(2) != fixed
    result, steps = run(bowl, [0.5, 0.5], free=free)
    assert all(x[fixed] == 0.5 for x, _ in steps)
    assert abs(bowl(result.best.x).slope[1 - fixed]) < 1e-6 * result.best.loss


def test_bounds_hold():
    result, steps = run(bowl, [0.0, 0.0], low=np.array([-1.0, -1.0]), high=np.array([1.0, 1.0]))
    assert result.converged
    assert all((np.abs(x) <= 1.0).all() for x, _ in steps)
    assert result.best.x[0] == 1.0


def test_a_minimum_at_a_kink_is_found():
    def kinked(x):
        place = bowl(x)
        place.loss += 0.1 * abs(x[0] - 1.0)
        place.slope = place.slope + [0.1 * np.sign(x[0] - 1.0), 0.0]
        return place

    result, _ = run(kinked, [0.0, 0.0], tol=3e-4)
    assert result.converged
    np.testing.assert_allclose(result.best.x[0], 1.0, atol=0.01)


def test_where_there_is_no_loss_steps_are_shortened():
    def broken(x):
        place = bowl(x)
        if x[0] > 2.0:
            place.loss, place.slope = np.inf, np.zeros(2)
        return place

    result, _ = run(broken, [0.0, 0.0])
    assert np.isfinite(result.best.loss)
    assert result.best.loss < bowl(np.zeros(2)).loss


def test_the_limit_is_a_limit():
    result, _ = run(bowl, [0.0, 0.0], max_iter=3)
    assert not result.converged
    assert result.n_evaluations == 3


def test_a_loss_of_zero_is_the_end():
    flat = SimpleNamespace(x=np.zeros(2), loss=0.0, slope=np.zeros(2))
    result, _ = run(lambda x: flat, [0.0, 0.0], max_iter=10)
    assert result.converged
    assert result.n_evaluations == 1
