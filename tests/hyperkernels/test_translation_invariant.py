"""The numeric check of Theorem 9 passes what is right and proves what is wrong."""

import numpy as np
import pytest

from kernlearn.hyperkernels import TranslationInvariant
from kernlearn.hyperkernels.translation_invariant import fejer_transform

PAIRS = np.random.default_rng(0).standard_normal((4, 2, 2))


def separable(profile):
    return lambda t, s: profile(t) * profile(s)


# The radial functions that the paper names, and sums of them; all have non-negative transforms.
RIGHT = {
    "gaussian": separable(lambda t: np.exp(-(t**2))),
    "exponential": separable(lambda t: np.exp(-np.abs(t))),
    "damped oscillator": lambda t, s: (
        np.exp(-np.abs(t) - np.abs(s)) * np.cos(t) ** 2 * np.cos(s) ** 2
    ),
    "spline of order one": separable(lambda t: np.maximum(0.0, 1 - np.abs(t))),
    "constant": lambda t, s: np.ones(np.broadcast(t, s).shape),
    "narrow": separable(lambda t: np.exp(-1e6 * t**2)),
    "wide": separable(lambda t: np.exp(-1e-6 * t**2)),
    "harmonic": lambda t, s: 0.4 / (1 - 0.6 * np.exp(-(t**2) - s**2)),
    "cut off at zero": separable(lambda t: np.where(t == 0, 1.0, 0.0)),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("span", [0.5, 8.0, 300.0])
def test_positive_definite_functions_pass_at_any_span(name, span):
    assert np.isfinite(TranslationInvariant(RIGHT[name], span=span)(PAIRS)).all()


@pytest.mark.parametrize(
    "profile",
    [
        lambda t: np.where(np.abs(t) <= 1, 1.0, 0.0),
        lambda t: np.maximum(0.0, 1 - t**2),
        lambda t: 1 / (1 + t**4),
        lambda t: np.exp(-(t**4)),
        lambda t: np.where(np.abs(t) <= 2, np.cos(t) + 1.5, 0.0),
        lambda t: t**2,
    ],
    ids=["box", "parabola", "quartic", "super-gaussian", "cut cosine", "growing"],
)
def test_a_negative_fourier_transform_is_found(profile):
    message = r"non-negative Fourier transform .*\(Theorem 9\), got -\d.* at frequency .*; choose"
    with pytest.raises(ValueError, match=message):
        TranslationInvariant(separable(profile))(PAIRS)


def test_a_transform_that_is_negative_for_one_second_difference_only_is_found():
    def mixed(t, s):
        both = np.exp(-(t**2) - s**2)
        # A kernel in (t, s) of rank two, whose second part has a negative transform.
        return both + 100 * separable(lambda u: u**2 * np.exp(-(u**2)))(t, s)

    with pytest.raises(ValueError, match=r"non-negative Fourier transform"):
        TranslationInvariant(mixed)(PAIRS)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, s: np.exp(-((t - 1) ** 2) - s**2), r"even in each difference, .* differ by \d"),
        (lambda t, s: np.exp(-(t**2) - (s - 1) ** 2), r"even in each difference, .* differ by \d"),
        (lambda t, s: -np.exp(-(t**2) - s**2), r"a kernel in its two differences .*eigenvalue -"),
        (lambda t, s: np.exp(-(t**2) - 2 * s**2), r"a kernel in its two .* with asymmetry 0.\d"),
        (lambda t, s: np.exp(-((np.abs(t) + np.abs(s)) ** 2)), r"a kernel in its two differences"),
        (lambda t, s: np.exp(-(t**2)), r"of the common shape of its two arguments, .*\(512, 1\)"),
        (lambda t, s: np.full(np.broadcast(t, s).shape, np.nan), r"must return finite real num"),
        (lambda t, s: np.exp(1j * (t + s)), r"must return finite real .* got complex128"),
    ],
)
def test_what_else_makes_no_hyperkernel_is_found(function, message):
    with pytest.raises(ValueError, match=message):
        TranslationInvariant(function)(PAIRS)


def test_the_transform_is_the_quadratic_form_of_a_gram_matrix():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((7, 2))
    transform = fejer_transform(values)
    index = np.arange(7)
    for k in range(len(transform)):
        wave = np.exp(1j * np.pi * k / 7 * index)
        for column in range(2):
            K = values[np.abs(index[:, None] - index), column]
            assert transform[k, column] == pytest.approx((wave.conj() @ K @ wave).real / 7)


def test_values_are_products_over_the_dimensions_or_those_of_the_vectors():
    def harmonic(t, s):
        return 0.4 / (1 - 0.6 * np.exp(-(t**2) - s**2))

    def together(t, s):
        return 1.0 / (1.0 + (t**2).sum(axis=-1) + (s**2).sum(axis=-1))

    scales = np.array([0.5, 2.0])
    T = (PAIRS[:, 0] - PAIRS[:, 1]) / scales
    product = [[harmonic(t[0], s[0]) * harmonic(t[1], s[1]) for s in T] for t in T]
    vectors = [[together(t, s) for s in T] for t in T]
    by_dimension = TranslationInvariant(harmonic, scales)
    by_vector = TranslationInvariant(together, scales, product=False)
    for hyperkernel, expected in ((by_dimension, product), (by_vector, vectors)):
        np.testing.assert_allclose(hyperkernel(PAIRS), expected, rtol=1e-12)
        np.testing.assert_allclose(hyperkernel.diag(PAIRS), np.diag(expected), rtol=1e-12)


def test_the_hyperkernel_scales_with_its_data():
    function = RIGHT["harmonic"]
    plain = TranslationInvariant(function)
    scaled = TranslationInvariant(function, scales=[3.0, 0.1])
    np.testing.assert_allclose(scaled(PAIRS * np.array([3.0, 0.1])), plain(PAIRS), rtol=1e-12)
    with pytest.raises(ValueError, match=r"one number for each feature, got 3 for 2 features"):
        TranslationInvariant(function, scales=[1.0, 1.0, 1.0])(PAIRS)
