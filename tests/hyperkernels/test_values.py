"""Values against the formulas as printed, written out with loops or as series."""

import math
from itertools import product

import numpy as np
import pytest

from kernlearn.hyperkernels import (
    TABLE_2,
    ARDHarmonic,
    Explicit,
    Harmonic,
    PowerSeries,
    Series,
    TranslationInvariant,
)
from kernlearn.kernels import Gaussian, Polynomial


def pairs_of(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 2, d))


def entrywise(formula, pairs, other):
    values = [formula(*p, *q) for p, q in product(pairs, other)]
    return np.array(values).reshape(len(pairs), len(other))


def test_harmonic_is_equation_13():
    lam, gamma = 0.7, 0.3

    def formula(x, z, s, t):
        distances = ((x - z) ** 2).sum() + ((s - t) ** 2).sum()
        return (1 - lam) / (1 - lam * math.exp(-gamma * distances))

    P, Q = pairs_of(6, 3), pairs_of(4, 3, seed=1)
    np.testing.assert_allclose(Harmonic(lam, gamma)(P, Q), entrywise(formula, P, Q), rtol=1e-13)


def test_harmonic_is_the_series_of_equation_12():
    lam = 0.6
    geometric = Series("geometric", lambda xi: (1 - lam) / (1 - lam * xi), 1 / lam)
    P = pairs_of(6, 3)
    by_series = PowerSeries(geometric, Gaussian(0.4))
    np.testing.assert_allclose(Harmonic(lam, 0.4)(P), by_series(P), rtol=1e-13)
    k = np.array([Gaussian(0.4)(p[:1], p[1:])[0, 0] for p in P])
    sum_of_powers = sum((1 - lam) * (lam * np.outer(k, k)) ** i for i in range(80))
    np.testing.assert_allclose(Harmonic(lam, 0.4)(P), sum_of_powers, rtol=1e-13)


def test_harmonic_with_ratio_near_one_is_nearly_the_identity():
    P = pairs_of(6, 3)
    K = Harmonic(1 - 1e-9, 0.4)(P)
    # (13) tends to one for pairs without difference, and to zero for all others.
    same = np.zeros((1, 2, 3))
    assert np.abs(K).max() < 1e-7
    assert Harmonic(1 - 1e-9, 0.4)(same)[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 17])
def test_ard_is_the_product_of_equation_14(d):
    lam, gammas = 0.6, np.linspace(0.0, 2.0, d)

    def formula(x, z, s, t):
        exponent = -gammas * ((x - z) ** 2 + (s - t) ** 2)
        return np.prod((1 - lam) / (1 - lam * np.exp(exponent)))

    P, Q = pairs_of(6, d), pairs_of(19, d, seed=1)
    hk = ARDHarmonic(lam, gammas)
    np.testing.assert_allclose(hk(P, Q), entrywise(formula, P, Q), rtol=1e-12)
    np.testing.assert_allclose(hk(Q, P), entrywise(formula, Q, P), rtol=1e-12)


@pytest.mark.parametrize(
    ("d", "lam"), [(60, 0.6), (60, 0.98), (60, 1e-9), (150, 0.99), (2000, 0.1)]
)
@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e3])
def test_ard_in_many_dimensions_neither_underflows_nor_loses_digits(d, lam, spread):
    P = spread * pairs_of(5, d)
    # From points that nearly coincide to distances whose exponential vanishes.
    P[0, 1] = P[0, 0]
    hk = ARDHarmonic(lam, np.ones(d))
    u = (P[:, 0] - P[:, 1]) ** 2
    ratio = lam / (1 - lam)
    logarithm = -np.log1p(-ratio * np.expm1(-(u[:, None] + u[None]))).sum(axis=2)
    assert logarithm.min() > -700
    np.testing.assert_allclose(np.log(hk(P)), logarithm, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(np.log(hk.diag(P)), np.diagonal(logarithm), rtol=1e-11, atol=1e-12)


def test_ard_below_the_smallest_float_is_zero_and_not_nan():
    P = np.zeros((2, 2, 400))
    P[1, 1] = 100.0
    K = ARDHarmonic(0.99, np.ones(400))(P)
    np.testing.assert_allclose(K, [[1.0, 0.0], [0.0, 0.0]], atol=1e-300)


def test_ard_on_columns_of_very_different_size():
    X = np.random.default_rng(0).standard_normal((8, 2))
    scales = np.array([1e9, 1e-9])
    P = X.reshape(4, 2, 2)
    plain, scaled = ARDHarmonic(0.6, [1.0, 1.0]), ARDHarmonic(0.6, 1 / scales**2)
    np.testing.assert_allclose(scaled(P * scales), plain(P), rtol=1e-12)


def test_blocks_do_not_show():
    # More rows and columns than one block of the computation holds.
    P, Q = pairs_of(37, 2), pairs_of(4099, 2, seed=1)
    hk = ARDHarmonic(0.6, [1.0, 0.5])
    K = hk(P, Q)
    for p, q in [(0, 0), (15, 4095), (16, 4096), (36, 4098)]:
        assert K[p, q] == pytest.approx(hk(P[[p]], Q[[q]])[0, 0], rel=1e-13)


COEFFICIENTS = {
    "exp": lambda n: 1 / math.factorial(n),
    "sinh": lambda n: n % 2 / math.factorial(n),
    "cosh": lambda n: (n + 1) % 2 / math.factorial(n),
    "arctanh": lambda n: n % 2 / max(n, 1),
    "log": lambda n: (n > 0) / max(n, 1),
}


@pytest.mark.parametrize("name", TABLE_2)
def test_table_2_is_the_sum_of_its_series(name):
    P = pairs_of(6, 3)
    base = 0.8 * Gaussian(0.1)
    k = np.array([base(p[:1], p[1:])[0, 0] for p in P])
    expected = sum(COEFFICIENTS[name](n) * np.outer(k, k) ** n for n in range(120))
    np.testing.assert_allclose(PowerSeries(name, base)(P), expected, rtol=1e-12)
    assert TABLE_2[name].radius == (1.0 if name in ("arctanh", "log") else math.inf)


def test_explicit_is_equation_16():
    b, p, gamma, c1, c2 = 0.7, 2, 0.3, 0.4, 1.9

    def formula(x, z, s, t):
        polynomial = (x @ z + b) ** (2 * p) * (s @ t + b) ** (2 * p)
        gaussian = math.exp(-gamma * ((x - z) ** 2).sum()) * math.exp(-gamma * ((s - t) ** 2).sum())
        return c1 * polynomial + c2 * gaussian

    P, Q = pairs_of(70, 3), pairs_of(5, 3, seed=1)
    hk = Explicit([Polynomial(2 * p, b), Gaussian(gamma)], [c1, c2])
    np.testing.assert_allclose(hk(P, Q), entrywise(formula, P, Q), rtol=1e-11)


def test_a_translation_invariant_one_can_be_the_harmonic():
    lam, gammas = 0.6, np.array([0.5, 2.0])

    def harmonic(t, s):
        return (1 - lam) / (1 - lam * np.exp(-(t**2) - s**2))

    P = pairs_of(6, 2)
    general = TranslationInvariant(harmonic, 1 / np.sqrt(gammas))
    np.testing.assert_allclose(general(P), ARDHarmonic(lam, gammas)(P), rtol=1e-12)
    np.testing.assert_allclose(general.diag(P), ARDHarmonic(lam, gammas).diag(P), rtol=1e-12)
