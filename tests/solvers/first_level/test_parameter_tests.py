"""The test of θ = 0 against simulation, F distributions, and columns of noise beside others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f
from sklearn.datasets import make_friedman1

from kernlearn import FirstLevelRegressor
from kernlearn.families.parametric import ARDGaussianFamily
from kernlearn.solvers.first_level.parameter_tests import (
    chance_of_positive,
    parameter_p_values,
)
from kernlearn.solvers.first_level.problem import FirstLevelProblem


@pytest.mark.parametrize(("a", "b", "ratio"), [(5, 40, 3.0), (3, 96, 2.7), (40, 40, 1.0)])
def test_the_chance_is_that_of_ratios_of_sums_of_squares(a, b, ratio):
    s = np.append(np.ones(a) / a, -ratio * np.ones(b) / b)
    assert chance_of_positive(s) == pytest.approx(f.sf(ratio, a, b), rel=0.03)
    doubled = chance_of_positive(np.append(np.ones(a) / a, -ratio * np.ones(b) / b), 2)
    assert doubled == pytest.approx(f.sf(ratio, 2 * a, 2 * b), rel=0.03)
    assert chance_of_positive(np.ones(3)) == 1.0
    assert chance_of_positive(-np.ones(3)) == 0.0


def test_the_p_value_is_the_share_of_simulated_targets_with_a_larger_ratio():
    rng = np.random.default_rng(0)
    n, lam = 30, 0.5
    X, weight = rng.normal(size=(n, 2)), rng.uniform(0.5, 2.0, size=n)
    y = np.sin(X[:, :1]) + 0.25 * X[:, 1:] + 0.5 * rng.normal(size=(n, 1))
    problem = FirstLevelProblem(ARDGaussianFamily(), X, y - y.mean(), weight, np.full(2, 0.25))
    point = problem.at(np.array([0.3, 0.1]), lam, 0.1)
    p_values = parameter_p_values(point)

    def inverse(K):  # on contrasts
        centre = np.eye(n) - 1.0 / n
        M = centre @ (K + lam * np.diag(1.0 / weight)) @ centre
        return np.linalg.pinv(M, hermitian=True, rcond=1e-10)

    squares = (X[:, None, :] - X[None, :, :]) ** 2
    P = inverse(np.exp(-squares @ [0.3, 0.1]))
    for r, theta in enumerate(([0.0, 0.1], [0.3, 0.0])):
        K = np.exp(-squares @ theta)
        root = np.linalg.cholesky(K + lam * np.diag(1.0 / weight))
        P_null = inverse(K)

        def ratio(Y, P_null=P_null):
            return np.einsum("ij,ij->j", Y, P_null @ Y) / np.einsum("ij,ij->j", Y, P @ Y)

        drawn = ratio(root @ rng.normal(size=(n, 20_000)))
        assert p_values[r] == pytest.approx((drawn >= ratio(y)).mean(), abs=0.015)
    assert p_values[0] < p_values[1]


def test_a_parameter_of_zero_has_a_p_value_of_one():
    X, y = make_friedman1(30, n_features=5, random_state=0)
    problem = FirstLevelProblem(ARDGaussianFamily(), X, y[:, None], np.ones(30), np.ones(5))
    theta = np.append(problem.low[:1], np.ones(4))
    p_values = parameter_p_values(problem.at(theta, 0.1, 0.1))
    assert p_values[0] == 1.0
    assert (p_values[1:] < 1.0).all()


def test_noise_beside_strong_signals_is_told_from_them():
    """The normal posterior around the minimum has half of these below 0.05."""
    noise = []
    for seed in range(3):
        X, y = make_friedman1(150, n_features=8, noise=0.5, random_state=seed)
        p_values = FirstLevelRegressor(lam="evidence", mu="evidence").fit(X, y).theta_p_
        assert p_values[:5].max() < 0.01
        noise.extend(p_values[5:])
    assert np.median(noise) > 0.2
