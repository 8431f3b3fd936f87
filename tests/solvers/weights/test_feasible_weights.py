"""How indefinite a kernel is that is returned."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.solvers.weights.feasible_weights import lowest_eigenpair

N = 120


def _with_lowest(value, scale=1.0):
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(N, N)))[0]
    spectrum = np.linspace(0.5, 2.0, N)
    spectrum[0] = value
    K = (Q * (scale * spectrum)) @ Q.T
    return 0.5 * (K + K.T)


# Far above the rounding of single precision, within it on either side of zero, and below it.
@pytest.mark.parametrize("value", [0.3, 1e-7, 0.0, -1e-9, -1e-7, -0.3])
def test_the_lowest_eigenvalue_is_known_to_double_precision(value):
    K = _with_lowest(value)
    before = K.copy()
    found, vector = lowest_eigenpair(K)
    np.testing.assert_array_equal(K, before)
    assert found == pytest.approx(min(value, 0.0), rel=1e-4, abs=1e-20)
    if value < 0:
        assert vector @ K @ vector == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("value", [0.3, -0.3])
@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_numbers_beyond_single_precision_are_told_by_double(value, scale):
    found = lowest_eigenpair(_with_lowest(value, scale))[0]
    assert found == pytest.approx(scale * min(value, 0.0), rel=1e-4, abs=0.0)
