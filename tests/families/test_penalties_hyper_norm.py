"""The penalty of a kernel's norm: derivatives and limits."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import kernlearn as kl

ROOT = np.random.default_rng(1).normal(size=(4, 6))
K_PIVOTS = ROOT @ ROOT.T / 6


@pytest.mark.parametrize("squared", [False, True])
def test_derivatives_are_those_of_the_value(squared):
    penalty = kl.penalties.HyperNorm(K_PIVOTS, 0.7, squared)
    weights = np.array([0.1, 0.4, 0.0, 0.5])
    gradient = approx_fprime(weights, penalty.value, 1e-7)
    np.testing.assert_allclose(penalty.gradient(weights), gradient, atol=1e-6)
    hessian = [
        approx_fprime(weights, lambda w, i=i: penalty.gradient(w)[i], 1e-7) for i in range(4)
    ]
    np.testing.assert_allclose(penalty.hessian(weights), hessian, atol=1e-5)


def test_the_square_is_the_square():
    weights = np.array([0.2, 0.3, 0.1, 0.4])
    norm = kl.penalties.HyperNorm(K_PIVOTS, 2.0).value(weights)
    assert kl.penalties.HyperNorm(K_PIVOTS, 2.0, squared=True).value(weights) == pytest.approx(
        norm**2
    )


@pytest.mark.parametrize("squared", [False, True])
def test_at_zero_there_is_no_slope_and_no_nan(squared):
    penalty = kl.penalties.HyperNorm(K_PIVOTS, 1.0, squared)
    assert penalty.value(np.zeros(4)) == 0.0
    assert not penalty.gradient(np.zeros(4)).any()
    assert np.isfinite(penalty.hessian(np.zeros(4))).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1.0, 2.0], 1.0), "expected a square, finite matrix of the hyperkernel between pivots"),
        (([[np.nan]], 1.0), "expected a square, finite matrix"),
        (([[1.0]], 0.0), "expected lambda_q > 0, got 0.0; the paper uses 1.0"),
    ],
)
def test_bad_input(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        kl.penalties.HyperNorm(*arguments)


def test_another_strength_is_the_same_norm():
    made, weights = kl.penalties.HyperNorm(K_PIVOTS, 2.5), np.array([0.3, 0.0, 1.0, 0.2])
    found = kl.penalties.HyperNorm(K_PIVOTS, 1.0).at_strength(2.5)
    assert found.value(weights) == made.value(weights)
    with pytest.raises(ValueError, match="lambda_q > 0"):
        made.at_strength(0.0)
