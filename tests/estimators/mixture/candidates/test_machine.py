"""The members of a mixture: on the whole matrix, and through landmarks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.kernels import Gaussian, Linear, TreePaths

# Values are found through its features, not through training rows.
NODES = [[1, 2], [1, 1], [2, 2], [4, 5], [4, 4], [5, 5]]
STUMPS = TreePaths([0, 3], [0, 0, 0, 1, 0, 0], [0.4, 0, 0, -0.1, 0, 0], NODES)

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] > 0]) + 0.1 * rng.normal(size=(80, 2))
WEIGHT = rng.uniform(0.5, 2.0, size=80)


def trained(kernel, lam=0.1):
    return KernelMachine.trained("standard", kernel, lam, X, Y, WEIGHT)


def seen(kernel, n_landmarks, table=X):
    random_state = np.random.RandomState(0)
    return KernelMachine.through_landmarks(
        "standard", kernel, 0.1, table, Y, WEIGHT, table, n_landmarks, random_state
    )


@pytest.mark.parametrize("kernel", [Gaussian(0.7), STUMPS])
def test_the_gradient_of_what_is_minimised_is_zero(kernel):
    """Equation (3): the coefficients are the weighted residuals over λ, and sum to zero."""
    found = trained(kernel)
    expected = WEIGHT[:, None] * (Y - found.predict(X)) / 0.1
    np.testing.assert_allclose(expected.sum(axis=0), 0.0, atol=1e-9)
    if found.points is None:
        expected = kernel.sparse_rows(X).transposed_times(expected)
    np.testing.assert_allclose(found.coef, expected, atol=1e-9)


@pytest.mark.parametrize("kernel", [Gaussian(0.7), Linear(), STUMPS])
def test_landmarks_everywhere_give_the_exact_machine(kernel):
    new = np.random.default_rng(1).normal(size=(40, 2))
    expected = trained(kernel).predict(new)
    np.testing.assert_allclose(seen(kernel, 80).predict(new), expected, atol=1e-5)


@pytest.mark.parametrize("kernel", [Gaussian(0.7), Linear()])
def test_sparse_rows_give_the_same_machine(kernel):
    dense, sparse = seen(kernel, 40), seen(kernel, 40, csr_array(X))
    np.testing.assert_allclose(sparse.predict(csr_array(X)), dense.predict(X), atol=1e-8)


def test_few_landmarks_come_near():
    found = seen(Gaussian(0.2), 30)
    assert len(found.points) <= 30
    np.testing.assert_allclose(found.predict(X), trained(Gaussian(0.2)).predict(X), atol=0.05)


def test_rows_that_are_repeated_can_be_solved():
    same = np.zeros((30, 2))
    Y = np.arange(30.0)[:, None]
    found = KernelMachine.trained("standard", Gaussian(1.0), 1e-20, same, Y, np.ones(30))
    np.testing.assert_allclose(found.predict(same), 14.5, atol=1e-6)
