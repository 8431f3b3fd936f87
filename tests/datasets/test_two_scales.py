"""The 1000 : 1 sample against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kernlearn.datasets import make_two_scales


@pytest.mark.parametrize("separation", [4.0, 1.0])
def test_moments_are_those_of_the_definition(separation: float) -> None:
    data = make_two_scales(40_000, separation, random_state=3)
    for sign in (-1, 1):
        X = data.X[data.y == sign] / [1000, 1]
        # Five standard errors of a mean, and of a covariance, over some 20000 rows.
        expected = [0, sign * separation / 2]
        np.testing.assert_allclose(X.mean(axis=0), expected, atol=5 / np.sqrt(len(X)))
        np.testing.assert_allclose(np.cov(X.T), np.eye(2), atol=7 / np.sqrt(len(X)))
    assert abs(data.y.mean()) < 5 / np.sqrt(len(data.y))


def test_bayes_error_is_known() -> None:
    data = make_two_scales(40_000, random_state=4)
    error = np.mean(np.sign(data.X[:, 1]) != data.y)
    assert error == pytest.approx(norm.cdf(-2), abs=0.004)


def test_seed_decides() -> None:
    first, same, other = (make_two_scales(50, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, same.X)
    assert not np.array_equal(first.X, other.X)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="n_samples must be at least 1, got 0: ask"):
        make_two_scales(0)
    for separation in (-1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match=f"positive and finite, got {separation}: give"):
            make_two_scales(10, separation)
