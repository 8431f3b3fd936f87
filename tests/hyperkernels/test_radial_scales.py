"""The named functions after Theorem 9, against integrals and Fourier transforms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from kernlearn.hyperkernels import (
    BallSpline,
    Convolution,
    DampedOscillator,
    Explicit,
    Harmonic,
    TranslationInvariant,
)
from kernlearn.hyperkernels.translation_invariant import fejer_transform
from kernlearn.kernels import Gaussian, Laplacian, Polynomial
from kernlearn.testing import check_hyperkernel

FULL = np.array([[1.0, 0.6, 0.1], [0.6, 1.0, 0.3], [0.1, 0.3, 0.2]])


def around(X, Y, z):
    """A kernel for every z: one of two widths, by the side of a plane that z is on."""
    return Gaussian(0.2 if z[0] > 0 else 0.9)(X, Y) * np.outer(
        Gaussian(0.1)(X, z[None]), Gaussian(0.1)(Y, z[None])
    )


def multiquadric(t, s):
    return 1.0 / np.sqrt(1.0 + (t**2).sum(axis=-1) + (s**2).sum(axis=-1))


@pytest.mark.parametrize(
    "hyperkernel",
    [
        Explicit([Polynomial(2, 0.5), Gaussian(0.4), Laplacian(0.1)], FULL),
        Convolution(None, Gaussian(0.3), np.eye(3) - 0.5, [0.5, 1.0, 0.25], g=around),
        TranslationInvariant(multiquadric, [1.0, 0.5, 20.0], product=False),
        Harmonic(0.7, kernel=Laplacian(0.3)),
    ],
    ids=["full h", "general g", "no product", "harmonic of a kernel"],
)
def test_laws(hyperkernel):
    check_hyperkernel(hyperkernel, np.random.default_rng(0).normal(size=(3, 3)))


def profile(hyperkernel, r, d):
    """φ(r) in d dimensions: the section of a point with itself."""
    points = np.zeros((len(r), d))
    points[:, 0] = r
    return hyperkernel.section(np.zeros((2, d)))(points, np.zeros((1, d)))[:, 0]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_spline_is_the_share_of_two_balls_that_overlap(d):
    """The part of a ball beyond a plane is an integral over its slices."""
    r = np.array([0.0, 0.2, 0.7, 0.99, 1.0, 3.0])

    def beyond(height):
        return quad(lambda h: (0.25 - h * h) ** (0.5 * (d - 1)), height, 0.5)[0]

    expected = [beyond(0.5 * x) / beyond(0.0) if x < 1 else 0.0 for x in r]
    np.testing.assert_allclose(profile(BallSpline([1.0]), r, d), expected, rtol=1e-7, atol=1e-12)


def test_the_oscillator_is_half_of_the_oscillation_and_half_of_its_envelope():
    r = np.array([0.0, 0.3, 1.0, 2.5])
    values = [profile(DampedOscillator(omega, [0.5]), r, 1) for omega in (0.0, 3.0)]
    for omega, found in zip((0.0, 3.0), values, strict=True):
        waves = np.exp((-1.0 + omega * 1j) * r / 0.5).real
        np.testing.assert_allclose(found, 0.5 * (waves + np.exp(-r / 0.5)), rtol=1e-12)


def test_fourier_transforms_are_not_negative_up_to_the_limit_of_omega():
    t = np.linspace(0.0, 30.0, 3001)
    for hyperkernel in (BallSpline([2.0]), DampedOscillator(5.0)):
        transform = fejer_transform(profile(hyperkernel, t, 1)[:, None])
        assert transform.min() > -1e-9 * transform.max()
    # In three dimensions the limit is sharp: ω = tan(π/6) is a kernel, and more is refused.
    X = np.random.default_rng(0).uniform(0.0, 2.0, size=(60, 3))
    limit = float(np.tan(np.pi / 6))
    K = DampedOscillator(limit).section(np.zeros((2, 3)))(X)
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.trace(K)
    with pytest.raises(ValueError, match=r"at most tan\(π/2d\) = 0.5774 for 3 features, got 0.6"):
        DampedOscillator(0.6).section(np.zeros((2, 3)))(X)


def test_a_full_h_is_the_sum_over_both_kernels():
    X = np.random.default_rng(0).normal(size=(8, 2, 2))
    kernels, h = [Gaussian(0.3), Gaussian(2.0)], np.array([[1.0, 0.4], [0.4, 0.5]])
    values = [np.array([kernel(pair)[0, 1] for pair in X]) for kernel in kernels]
    expected = sum(h[i, j] * np.outer(values[i], values[j]) for i in range(2) for j in range(2))
    np.testing.assert_allclose(Explicit(kernels, h)(X), expected, rtol=1e-12)
    np.testing.assert_allclose(Explicit(kernels, h).diag(X), np.diag(expected), rtol=1e-12)
    with pytest.raises(ValueError, match="coefs must be symmetric and positive semidefinite, got"):
        Explicit(kernels, [[0.0, 1.0], [1.0, 0.0]])(X)


def test_a_general_g_contains_the_convolution_of_r():
    X, grid = np.random.default_rng(0).normal(size=(6, 2, 1)), np.linspace(-3, 3, 9)[:, None]
    r, h = Gaussian(0.5), Gaussian(0.2)

    def g(A, B, z):
        return np.outer(r(A, z[None]), r(B, z[None]))

    both = [Convolution(r, h, grid), Convolution(None, h, grid, g=g)]
    np.testing.assert_allclose(both[1](X), both[0](X), rtol=1e-12)
    sections = [hyperkernel.sections(X[:, 0], X[:3]) for hyperkernel in both]
    np.testing.assert_allclose(sections[1], sections[0], rtol=1e-12)
    with pytest.raises(ValueError, match="must be given r or g, got both"):
        Convolution(r, h, grid, g=g)(X)


def plateau(t, s):
    return 1.0 * ((t**2).sum(axis=-1) < 1.0) * ((s**2).sum(axis=-1) < 1.0)


def tilted(t, s):
    return np.exp(t.sum(axis=-1) - (t**2).sum(axis=-1) - (s**2).sum(axis=-1))


def indefinite(t, s):
    return np.exp(-(t**2).sum(axis=-1) * (s**2).sum(axis=-1))


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (plateau, "got a matrix of a section with the eigenvalue"),
        (tilted, "must be even in each difference"),
        (indefinite, "must be a kernel in its two differences"),
    ],
)
def test_functions_of_vectors_that_fail_theorem_9_are_refused(function, sentence):
    hyperkernel = TranslationInvariant(function, span=2.0, product=False)
    with pytest.raises(ValueError, match=sentence):
        hyperkernel(np.zeros((1, 2, 2)))
