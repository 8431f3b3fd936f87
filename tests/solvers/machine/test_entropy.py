"""Newton's method for losses that are entropies, at the ends of double precision."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.quality.logistic import logistic
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
