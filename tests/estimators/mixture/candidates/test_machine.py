"""The members of a mixture: the whole matrix, and through landmarks."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.estimators.mixture.candidates import machine as module
from kernlearn.estimators.mixture.candidates.machine import Machine, Training
from kernlearn.kernels import Gaussian, Linear, TreePaths

# Values are found through its features, not through training rows.
NODES = [[1, 2], [1, 1], [2, 2], [4, 5], [4, 4], [5, 5]]
STUMPS = TreePaths([0, 3], [0, 0, 0, 1, 0, 0], [0.4, 0, 0, -0.1, 0, 0], NODES)


@pytest.fixture
def training():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] > 0]) + 0.1 * rng.normal(size=(80, 2))
    return Training(X, Y, rng.uniform(0.5, 2.0, size=80))


def trained(training, kernel, lam=0.1):
    return Machine.trained("standard", kernel, lam, training, np.random.RandomState(0))


@pytest.mark.parametrize("kernel", [Gaussian(0.7), STUMPS])
def test_the_gradient_of_what_is_minimised_is_zero(training, kernel):
    """Equation (3): the coefficients are the weighted residuals over λ, and sum to zero."""
    found = trained(training, kernel)
    residuals = training.weight[:, None] * (training.Y - found.predict(training.X))
    np.testing.assert_allclose(0.1 * found.dual_coef, residuals, atol=1e-10)
    np.testing.assert_allclose(found.dual_coef.sum(axis=0), 0.0, atol=1e-10)


@pytest.mark.parametrize("kernel", [Gaussian(0.7), Linear()])
def test_landmarks_everywhere_give_the_exact_machine(training, kernel, monkeypatch):
    exact = trained(training, kernel)
    monkeypatch.setattr(module, "EXACT_ROWS", 10)
    monkeypatch.setattr(module, "_LANDMARKS", 80)
    monkeypatch.setattr(module, "_ROWS_TOGETHER", 17)
    seen = trained(training, kernel)
    assert exact.is_exact
    assert not seen.is_exact
    new = np.random.default_rng(1).normal(size=(40, 2))
    np.testing.assert_allclose(seen.predict(new), exact.predict(new), atol=1e-5)


def test_few_landmarks_come_near(training, monkeypatch):
    exact = trained(training, Gaussian(0.2))
    monkeypatch.setattr(module, "EXACT_ROWS", 10)
    monkeypatch.setattr(module, "_LANDMARKS", 30)
    seen = trained(training, Gaussian(0.2))
    assert len(seen.rows) == 30
    np.testing.assert_allclose(seen.predict(training.X), exact.predict(training.X), atol=0.05)


def test_rows_that_are_repeated_can_be_solved():
    X = np.zeros((30, 2))
    found = trained(Training(X, np.arange(30.0)[:, None], np.ones(30)), Gaussian(1.0), lam=1e-20)
    np.testing.assert_allclose(found.predict(X), 14.5, atol=1e-6)
