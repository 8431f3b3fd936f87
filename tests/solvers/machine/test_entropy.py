"""Newton's method for losses that are entropies, at the ends of double precision."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.quality.logistic import logistic
from kernlearn.quality.machine import Machine
from kernlearn.solvers.machine.entropy import solve_entropy


@pytest.mark.parametrize("size", [1.0, 1e4, 1e8])
def test_a_kernel_indefinite_by_its_rounding_does_no_worse_than_none(size):
    rng = np.random.default_rng(0)
    X = size * rng.normal(size=(20, 4))
    y = np.where(rng.random(20) < 0.5, 1.0, -1.0)
    found = solve_entropy((1.0 + X @ X.T) ** 2, logistic(y, np.ones(20)))
    assert found is not None
    share = np.mean(y > 0)
    alone = -20.0 * (share * np.log(share) + (1.0 - share) * np.log(1.0 - share))
    assert found.upper <= alone * (1.0 + 1e-9)


class Counted(Machine):
    """A machine that counts how often its primal value is computed."""

    n_values = 0

    def upper_value(self, *args, **options):
        Counted.n_values += 1
        return super().upper_value(*args, **options)


def test_no_steps_are_tried_that_the_value_cannot_tell_from_none():
    """Where all entries of K are nearly equal, coefficients are large and values are rough."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 4))
    y = np.where(np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)
    K = np.exp(-1e-5 * ((X[:, None] - X) ** 2).sum(axis=2))
    machine = logistic(y, np.full(60, 1e6))
    object.__setattr__(machine, "__class__", Counted)
    Counted.n_values = 0
    found = solve_entropy(K, machine)
    assert found is not None
    assert found.relative_gap < 1e-6
    assert Counted.n_values < 150
