"""The largest price over an interval of bandwidths, against grids and long double."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernlearn.kernels.bandwidth_bounds import PairSums, bound_between, largest_over_bandwidths


def problem(seed, n=20, vectors=1):
    rng = np.random.default_rng(seed)
    X, a = rng.normal(size=(n, 2)), rng.normal(size=(vectors, n))
    a -= a.mean(axis=1, keepdims=True)
    return cdist(X, X, "sqeuclidean"), a.T @ a


def exactly(D, A, gamma):
    return float((A.astype(np.longdouble) * np.exp(-np.longdouble(gamma) * D)).sum())


@pytest.mark.parametrize("seed", range(4))
def test_no_bandwidth_of_a_dense_grid_exceeds_the_bound(seed):
    D, A = problem(seed, vectors=1 + seed % 2)
    found = largest_over_bandwidths(PairSums(D, A), 1e-3, 1e3, 1e-6 * np.trace(A))
    grid = np.geomspace(1e-3, 1e3, 500)
    values = np.array([float((A * np.exp(-gamma * D)).sum()) for gamma in grid])
    assert values.max() <= found.upper * (1 + 1e-13)
    assert found.upper <= found.values[0] * (1 + 1.01e-6)
    assert found.values[0] == pytest.approx(exactly(D, A, found.gammas[0]), rel=1e-12)
    # To the accuracy of the grid it is the maximum, inside of the interval or at an end.
    assert found.values[0] >= values.max() * (1 - 1e-6)
    assert (np.diff(found.values) <= 0).all()


@pytest.mark.parametrize("ends", [(0.01, 100.0), (0.3, 0.4), (2.0, 2.1)])
def test_the_bound_of_an_interval_holds_within_it(ends):
    for seed in range(3):
        D, A = problem(seed)
        sums = PairSums(D, A)
        bound = bound_between(sums.at(ends[0]), sums.at(ends[1]))
        inside = [exactly(D, A, gamma) for gamma in np.linspace(*ends, 15)]
        assert max(inside) <= bound


def test_the_bound_is_exact_to_second_order():
    sums = PairSums(*problem(5))
    peak = largest_over_bandwidths(sums, 1e-3, 1e3, 1e-8)
    assert 1e-2 < peak.gammas[0] < 1e2
    excess = []
    for h in (0.1, 0.01):
        p, q = (sums.at(peak.gammas[0] * (1.0 + step)) for step in (-h, h))
        excess.append(bound_between(p, q) - peak.values[0])
    assert 0.0 < excess[1] < 0.03 * excess[0]


def test_points_that_are_all_alike_have_one_price():
    A = np.ones((4, 4))
    found = largest_over_bandwidths(PairSums(np.zeros((4, 4)), A), 0.1, 10.0, 1e-9)
    assert found.values[0] == pytest.approx(16.0)
    assert found.upper == pytest.approx(16.0)
