"""The check suite for parametric kernels finds every kind of mistake."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.parametric import ARDGaussianFamily
from kernlearn.testing import check_parametric_kernel

X = np.random.default_rng(0).normal(size=(8, 2))


class WrongGradient(ARDGaussianFamily):
    def gradient(self, X, theta, K, W):
        return 1.001 * super().gradient(X, theta, K, W)


class WrongProducts(ARDGaussianFamily):
    def jacobian_products(self, X, theta, K, v, Y=None):
        return super().jacobian_products(X, theta, K, np.abs(v), Y)


class IgnoresY(ARDGaussianFamily):
    def jacobian_products(self, X, theta, K, v, Y=None):
        n = len(X)
        return super().jacobian_products(X, theta, K[:, :n], v[:n])


class WrongSecond(ARDGaussianFamily):
    def second(self, X, theta, K, W):
        return np.diag(np.diag(super().second(X, theta, K, W)))


class WrongMatrix(ARDGaussianFamily):
    def matrix(self, X, Y, theta):
        return super().matrix(X, Y, 2.0 * theta)


class WrongLine(ARDGaussianFamily):
    def along(self, direction):
        return super().along(2.0 * direction)


class FirstOfAll(ARDGaussianFamily):
    def matrix(self, X, Y, theta):
        return super().matrix(X, Y, np.broadcast_to(theta[:1], theta.shape))


class WrongStack(ARDGaussianFamily):
    @classmethod
    def stack(cls, families):
        return FirstOfAll()


class FirstSlopes(ARDGaussianFamily):
    def gradient(self, X, theta, K, W):
        slopes = super().gradient(X, theta, K, W)
        return np.broadcast_to(slopes[:1], slopes.shape)


class WrongSlopesOfStack(ARDGaussianFamily):
    @classmethod
    def stack(cls, families):
        return FirstSlopes()


class NegativeStart(ARDGaussianFamily):
    def start(self, X):
        return -super().start(X)


class Changes(ARDGaussianFamily):
    def second(self, X, theta, K, W):
        result = super().second(X, theta, K, W)
        X *= 2.0
        return result


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (WrongGradient(), "gradient = Σ W ∂K/∂θ"),
        (WrongProducts(), "jacobian = "),
        (IgnoresY(), "jacobian with Y"),
        (WrongSecond(), "second = Σ W"),
        (WrongMatrix(), r"matrix\(X, None, θ\) = kernel"),
        (WrongLine(), "along"),
        (WrongStack(), "matrix of a stack"),
        (WrongSlopesOfStack(), "gradient of a stack"),
        (NegativeStart(), "must be a vector of positive numbers"),
        (Changes(), "left as they were"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ARDGaussianFamily) else "",
)
def test_a_mistake_is_named(family, message):
    with pytest.raises(AssertionError, match=message):
        check_parametric_kernel(family, X)


def test_a_place_can_be_given():
    check_parametric_kernel(ARDGaussianFamily(), X, theta=[3.0, 0.01])
