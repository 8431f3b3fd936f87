"""Penalties on the parameters of a kernel: values, slopes, sums, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl

P = kl.penalties
THETA = np.array([0.5, 1.5, 0.0])


@pytest.mark.parametrize(
    ("penalty", "value"),
    [
        (P.L1Norm(2.0), 4.0),
        (P.NearTheta([1.0, 1.0, 0.0], 2.0), 0.5),
        (P.L1Norm(2.0) + P.NearTheta([1.0, 1.0, 0.0], 2.0), 4.5),
        ((P.L1Norm() + P.NearTheta([1.0, 1.0, 0.0])).with_strength(2.0), 4.5),
    ],
    ids=repr,
)
def test_values_and_slopes(penalty, value):
    assert penalty.value(THETA) == pytest.approx(value, rel=1e-15)
    ahead = [penalty.value(THETA + d) for d in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(penalty.gradient(THETA), (np.array(ahead) - value) / 1e-6, atol=1e-5)
    moved = [penalty.gradient(THETA + d) for d in 1e-6 * np.eye(3)]
    slopes = (np.array(moved) - penalty.gradient(THETA)) / 1e-6
    np.testing.assert_allclose(penalty.hessian(THETA), slopes, atol=1e-5)


def test_a_group_of_zeros_answers_to_a_pull_as_far_as_its_ball_reaches():
    penalty, theta = P.GroupNorm(["a", "b", "b"], 1.0), np.array([1.0, 0.0, 0.0])
    weak = penalty.subgradient(theta, np.array([0.3, -0.6, -0.8]))
    np.testing.assert_allclose(weak, [1.0, 0.6, 0.8])
    strong = penalty.subgradient(theta, np.array([0.3, -6.0, -8.0]))
    np.testing.assert_allclose(strong, [1.0, 0.6 * np.sqrt(2), 0.8 * np.sqrt(2)])
    total = (penalty + P.L1Norm(0.1)).subgradient(theta, np.array([0.3, -0.6, -0.8]))
    np.testing.assert_allclose(total, [1.1, 0.7, 0.9])


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: P.NearTheta([1.0, -1.0]), "theta0 to hold finite numbers that are not negative"),
        (lambda: P.NearTheta("wide"), "theta0 to hold finite numbers that are not negative"),
        (lambda: P.L1Norm(0.0), "strength > 0, got 0.0"),
        (lambda: P.NearTheta([1.0]).with_strength(1.0).value(THETA), "theta0 to hold 3 numbers"),
        (lambda: (P.L1Norm() + P.L1Norm(1.0)).value(THETA), "a penalty of a given strength"),
    ],
)
def test_refusals(make, text):
    with pytest.raises(ValueError, match=text):
        make()
