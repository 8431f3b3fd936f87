"""Both coordinates are of one space."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.solvers.pairs import DensePairKernel, FactorPairKernel


@pytest.mark.parametrize("n_used", [2, 40])
def test_a_factor_and_its_matrix_agree(n_used):
    rng = np.random.default_rng(0)
    G = rng.normal(size=(5, 40)).T
    K = G @ G.T
    spaces = (DensePairKernel(K), FactorPairKernel(G, np.arange(0)))
    coef = np.zeros(40)
    coef[rng.choice(40, n_used, replace=False)] = rng.normal(size=n_used)
    rows, columns = np.array([3, 1, 7]), np.array([2, 30])
    for space in (*spaces, *(space.restricted(np.arange(40)) for space in spaces)):
        w = space.lift(coef)
        np.testing.assert_allclose(space.values(w), K @ coef, atol=1e-12)
        np.testing.assert_allclose(space.values(w, rows), K[rows] @ coef, atol=1e-12)
        np.testing.assert_allclose(space.diagonal(), K.diagonal())
        np.testing.assert_allclose(space.block(rows, columns), K[np.ix_(rows, columns)])
        assert space.squared_norm(w) == pytest.approx(coef @ K @ coef)
    for space in spaces:
        part = space.restricted(rows)
        assert part.n_pairs == 3
        np.testing.assert_allclose(part.block(np.arange(3), np.arange(3)), K[np.ix_(rows, rows)])
