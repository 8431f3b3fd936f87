"""Forms of kernels through landmarks, against their factors."""

import numpy as np
import pytest

from kernlearn.families.column_products import BlockOptions
from kernlearn.families.kernel_pool import (
    LEAST,
    KernelPool,
    LandmarkPool,
    corner_of,
    eliminated,
    shared_landmarks,
)
from kernlearn.kernels import Gaussian, Grid, Laplacian, Linear

RNG = np.random.default_rng(1)
X = RNG.standard_normal((40, 5))
FAMILY = Grid([Gaussian(1e-3), Gaussian(1.0), Laplacian(0.5), Linear()], size=[1, 2, 3])


@pytest.fixture
def pool():
    blocks = BlockOptions(numbers=50, kernels=7)
    kernels = KernelPool(FAMILY.bind(X), X, len(X), "raise", options=blocks)
    return LandmarkPool(kernels, shared_landmarks(X, 12, 0))


def test_forms_are_those_of_the_factors(pool):
    F = RNG.standard_normal((2, 40))
    F[:, ::3] = 0.0
    forms = pool.forms(F, lambda: None)
    factors = [pool.map(i)(X) for i in range(pool.n_matrices)]
    expected = np.array([((F @ Z) ** 2).sum() for Z in factors])
    np.testing.assert_allclose(forms, expected, rtol=1e-9)
    assert (np.abs(forms - expected) <= pool.noise(forms, F) + 1e-13 * expected).all()
    assert (pool.noise(forms, F) < 1e-6 * forms.max()).all()
    assert not pool.forms(0.0 * F, lambda: None).any()


def test_a_factor_lies_below_its_kernel_and_has_no_needless_column(pool):
    for i in range(0, pool.n_matrices, 7):
        mapped = pool.map(i)
        Z, K = mapped(X), pool.pool.gram(i)
        assert np.linalg.eigvalsh(K - Z @ Z.T)[0] > -1e-9 * np.trace(K)
        np.testing.assert_array_equal(X[mapped.rows], mapped.points)
    ranks = [pool.map(i).rank for i in range(4)]
    assert ranks[0] < ranks[1]  # a wide kernel on one column is nearly a polynomial
    assert ranks[3] == 1  # and a linear one is a product


def test_landmarks_that_tell_nothing_new_are_left_out():
    x = np.array([0.0, 0.0, 1.0, 1.0 + 1e-9, 5.0])
    K = np.exp(-(np.subtract.outer(x, x) ** 2))
    places, L = corner_of(K)
    np.testing.assert_array_equal(places, [0, 2, 4])
    np.testing.assert_allclose(L @ L.T, K[np.ix_(places, places)], rtol=1e-12)
    forms, kept = eliminated(K[None].copy(), K[None, :, :1].copy())
    np.testing.assert_array_equal(kept[0], [True, False, True, False, True])
    assert forms[0] == pytest.approx(1.0)  # k(s, s) of a landmark is exact
    nothing, L = corner_of(np.zeros((3, 3)))
    assert len(nothing) == 0
    assert L.shape == (0, 0)
    assert LEAST < 1e-3


def test_landmarks_are_distinct_rows_and_no_more_than_there_are():
    assert len(set(shared_landmarks(X, 12, 0))) == 12
    np.testing.assert_array_equal(shared_landmarks(X, 100, 0), np.arange(40))
