"""Breiman's twonorm against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kernlearn.datasets import make_twonorm


def test_moments_are_those_of_the_definition() -> None:
    data = make_twonorm(40_000, random_state=3)
    mean = 2 / np.sqrt(20)
    for sign in (-1, 1):
        X = data.X[data.y == sign]
        # Five standard errors of a mean, and of a covariance, over some 20000 rows.
        np.testing.assert_allclose(X.mean(axis=0), sign * mean, atol=5 / np.sqrt(len(X)))
        np.testing.assert_allclose(np.cov(X.T), np.eye(20), atol=7 / np.sqrt(len(X)))
    assert abs(data.y.mean()) < 5 / np.sqrt(len(data.y))


def test_bayes_error_is_known() -> None:
    data = make_twonorm(40_000, random_state=4)
    error = np.mean(np.sign(data.X.sum(axis=1)) != data.y)
    assert error == pytest.approx(norm.cdf(-2), abs=0.004)


def test_seed_decides() -> None:
    first, same, other = (make_twonorm(50, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, same.X)
    assert not np.array_equal(first.X, other.X)


def test_no_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="n_samples must be at least 1, got 0: ask"):
        make_twonorm(0)
