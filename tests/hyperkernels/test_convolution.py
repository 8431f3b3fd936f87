"""Convolution hyperkernels: sums as printed, and the Gaussian hyperkernel as their limit."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernlearn.hyperkernels import Convolution, GaussianHyperkernel
from kernlearn.kernels import Gaussian, Laplacian, Linear, Polynomial
from kernlearn.testing import check_hyperkernel

SIGMA, SIGMA_H = 0.8, 0.6


def normal(x, z, variance):
    """⟨x, z⟩ of section 3.1 in one dimension."""
    return np.exp(-((x - z.T) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def r_normal(X, Z):
    return normal(X, Z, SIGMA**2)


def h_normal(X, Z):
    return normal(X, Z, SIGMA_H**2)


def lopsided(X, Z):
    """Not symmetric: r need not be."""
    return np.exp(-np.abs(X[:, None] - 2 * Z[None]).sum(axis=2))


def draw_normal(generator, n_points):
    return generator.normal(size=(n_points, 1))


def draw_plane(generator, n_points):
    return generator.random((n_points, 3))


def pairs_of(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 2, d))


def test_it_is_the_double_sum():
    rng = np.random.default_rng(1)
    Z, w = rng.standard_normal((4, 2)), rng.random(4)
    r, h = lopsided, Laplacian(0.7)
    P, Q = pairs_of(5, 2), pairs_of(3, 2, seed=2)
    H = h(Z)

    def value(p, q):
        return sum(
            w[a] * w[b] * r(p, Z)[0, a] * r(p, Z)[1, a] * H[a, b] * r(q, Z)[0, b] * r(q, Z)[1, b]
            for a, b in product(range(4), range(4))
        )

    expected = np.array([[value(p, q) for q in Q] for p in P])
    hk = Convolution(r, h, Z, w)
    np.testing.assert_allclose(hk(P, Q), expected, rtol=1e-12)
    np.testing.assert_allclose(hk(Q, P), expected.T, rtol=1e-12)
    np.testing.assert_allclose(hk.diag(P), [value(p, p) for p in P], rtol=1e-12)


def closed_form(P, Q):
    """(8) in one dimension, constants and all."""
    across = normal(P.mean(axis=1), Q.mean(axis=1), SIGMA**2 + SIGMA_H**2)
    return _within(P)[:, None] * across * _within(Q)[None]


def _within(pairs):
    squares = (pairs[:, 0, 0] - pairs[:, 1, 0]) ** 2
    return np.exp(-squares / (4 * SIGMA**2)) / np.sqrt(4 * np.pi * SIGMA**2)


def test_a_fine_grid_gives_the_closed_form_8_and_the_gaussian_hyperkernel():
    step = 0.1
    grid = np.arange(-9.0, 9.0, step)[:, None]
    hk = Convolution(r_normal, h_normal, grid, np.full(len(grid), step))
    P, Q = pairs_of(6, 1), pairs_of(5, 1, seed=3)
    expected = closed_form(P, Q)
    np.testing.assert_allclose(hk(P, Q), expected, rtol=1e-10)
    constant = closed_form(np.zeros((1, 2, 1)), np.zeros((1, 2, 1)))[0, 0]
    gaussian = GaussianHyperkernel(SIGMA, SIGMA_H)
    np.testing.assert_allclose(hk(P, Q), constant * gaussian(P, Q), rtol=1e-10)


def r_over_root_density(X, Z):
    """r(x, z)/√q(z) with q the standard normal density: the mean over draws is ∫∫ dz dz'."""
    return r_normal(X, Z) / np.sqrt(normal(np.zeros((1, 1)), Z, 1.0))


def test_drawn_points_approach_the_integral():
    P = 0.4 * pairs_of(6, 1)
    expected = closed_form(P, P)

    def error(n_points):
        hk = Convolution(r_over_root_density, h_normal, draw_normal, n_points=n_points)
        return np.abs(hk(P) - expected).max() / expected.max()

    # The error falls like 1/√n_points; sixteen times as many points, a quarter of it.
    many = error(1600)
    assert many < 0.1
    assert many < 0.6 * error(100)


def test_drawing_is_repeatable_and_follows_the_seed():
    P = pairs_of(4, 3)

    def make(seed):
        width = Gaussian(0.5)
        return Convolution(width, width, draw_plane, n_points=20, random_state=seed)

    hk = make(0)
    np.testing.assert_array_equal(hk(P), hk(P))
    np.testing.assert_array_equal(hk(P), make(0)(P))
    assert np.abs(hk(P) - make(1)(P)).max() > 1e-6
    points = draw_plane(np.random.default_rng(0), 20)
    given = Convolution(Gaussian(0.5), Gaussian(0.5), points)
    np.testing.assert_allclose(hk(P), given(P), rtol=1e-14)


@pytest.mark.parametrize(
    "hk",
    [
        Convolution(lopsided, Gaussian(0.5), np.random.default_rng(0).random((9, 3))),
        Convolution(Gaussian(0.2), Polynomial(2, 1.0), np.eye(3), [1.0, 0.0, 3.0]),
        Convolution(Gaussian(0.5), Gaussian(0.5), draw_plane, n_points=30),
    ],
)
def test_laws(hk):
    check_hyperkernel(hk, np.random.default_rng(2).standard_normal((6, 3)))


def test_sections_need_functions_that_are_never_negative():
    """Definition 2 asks for h alone, but r = z has the negative section -z² at (1, -1)."""
    Z = np.array([[-1.0], [1.0]])
    section = sum(z * (1 * -1) * z * z * z for z in Z[:, 0])
    assert section < 0
    with pytest.raises(ValueError, match=r"Convolution's r must never be negative, .*got -1; take"):
        Convolution(Linear(), Gaussian(1.0), Z)([[[1.0], [-1.0]]])


def spoiled(X, Z):
    return np.exp(+((X - Z.T) ** 2))


def skewed(X, Z):
    return np.where(X - Z.T > 0, 0.9, 1.0) * Gaussian(1.0)(X, Z)


Z1 = np.array([[0.0], [1.0], [2.5]])
G = Gaussian(1.0)


@pytest.mark.parametrize(
    ("hk", "message"),
    [
        (Convolution(None, G, Z1), r"Convolution's r must be a function of two arrays of points"),
        (Convolution(G, 2.0, Z1), r"Convolution's h must be a function .*, got 2.0; pass for"),
        (Convolution(G, spoiled, Z1), r"h must be symmetric and positive semidefinite on the poi"),
        (Convolution(G, skewed, Z1), r"h must be symmetric .*differences of 0.03.* to its transp"),
        (Convolution(G, Linear(), Z1 - 1), r"Convolution's h must never be negative"),
        (Convolution(lambda X, Z: X, G, Z1), r"r must give a matrix of shape \(2, 3\) for 2 and"),
        (Convolution(G, G, Z1, [1.0, 2.0]), r"weights must be 3 non-negative finite numbers, one"),
        (Convolution(G, G, Z1, [1, 2, -1]), r"weights must be 3 non-negative .*got \[1, 2, -1\]"),
        (Convolution(G, G, draw_normal, [1.0]), r"None for points that are drawn, got \[1.0\]"),
        (Convolution(G, G, draw_normal, n_points=0), r"n_points must be a positive integer, got 0"),
        (Convolution(G, G, draw_normal, random_state=None), r"a whole number, .*got None; pass"),
        (Convolution(G, G, np.eye(2)), r"points must have as many features as the pairs, got 2"),
        (Convolution(G, G, Z1[:, 0]), r"points must be a 2-D table .* got 1-D data"),
        (Convolution(G, G, [[np.nan]]), r"points must hold finite numbers only, got nan in row 0"),
    ],
)
def test_bad_parameters(hk, message):
    with pytest.raises(ValueError, match=message):
        hk(pairs_of(2, 1))


def density(squared_distance, variance, d):
    return np.exp(-squared_distance / (2 * variance)) / (2 * np.pi * variance) ** (d / 2)


def constant(sigma, sigma_h, d):
    """What (8) has in front of the exponential, and the library leaves out."""
    return density(0.0, 2 * sigma**2, d) ** 2 * density(0.0, sigma**2 + sigma_h**2, d)


def by_integration(pairs, sigma, sigma_h):
    """(7) by the rectangle rule, which is exact to rounding for Gaussians on a wide, fine grid."""
    d = pairs.shape[2]
    axis = np.linspace(-6.0, 6.0, 41 if d == 2 else 401)
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), -1).reshape(-1, d)
    to_points = density(cdist(pairs.reshape(-1, d), grid, "sqeuclidean"), sigma**2, d)
    around = to_points[::2] * to_points[1::2] * (axis[1] - axis[0]) ** d
    return around @ density(cdist(grid, grid, "sqeuclidean"), sigma_h**2, d) @ around.T


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(("sigma", "sigma_h"), [(0.8, 0.6), (1.1, 0.7)])
def test_it_is_the_integral_of_equation_7(d, sigma, sigma_h):
    pairs = np.random.default_rng(d).normal(size=(3, 2, d))
    K = GaussianHyperkernel(sigma, sigma_h)(pairs)
    integral = by_integration(pairs, sigma, sigma_h)
    np.testing.assert_allclose(K * constant(sigma, sigma_h, d), integral, rtol=1e-8)


def test_the_limits_of_the_text():
    pairs = np.random.default_rng(0).normal(size=(6, 2, 3))
    decoupled = GaussianHyperkernel(0.7, np.inf)(pairs)
    k = np.array([Gaussian(1 / (4 * 0.7**2))(p[:1], p[1:])[0, 0] for p in pairs])
    np.testing.assert_allclose(decoupled, np.outer(k, k), rtol=1e-13)
    np.testing.assert_allclose(GaussianHyperkernel(0.7, 1e8)(pairs), decoupled, rtol=1e-12)
    np.testing.assert_allclose(
        GaussianHyperkernel(0.7, 0.0)(pairs), GaussianHyperkernel(0.7, 1e-9)(pairs), rtol=1e-12
    )


def test_a_section_is_a_localised_gaussian():
    """Equation (9), the pair fixed at one place."""
    rng = np.random.default_rng(1)
    pair, X = rng.normal(size=(2, 4)), rng.normal(size=(5, 4))
    sigma, sigma_h = 0.9, 1.3
    means = (X[:, None] + X[None]) / 2
    near = ((means - pair.mean(axis=0)) ** 2).sum(-1) / (2 * (sigma**2 + sigma_h**2))
    apart = ((X[:, None] - X[None]) ** 2).sum(-1) / (4 * sigma**2)
    factor = np.exp(-((pair[0] - pair[1]) ** 2).sum() / (4 * sigma**2))
    section = GaussianHyperkernel(sigma, sigma_h).section(pair)
    np.testing.assert_allclose(section(X), factor * np.exp(-near - apart), rtol=1e-12)


def test_ten_thousand_columns_stay_in_range():
    X = np.random.default_rng(0).normal(size=(6, 10_304))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    first, second = np.triu_indices(6)
    K = GaussianHyperkernel(0.3, 0.3)(np.stack([X[first], X[second]], axis=1))
    assert K.diagonal()[first == second] == pytest.approx(1.0)
    # Distances are √2, so pairs of different points have exp(−2 · 2 / (4 · 0.09)).
    assert K.diagonal()[first != second] == pytest.approx(np.exp(-1 / 0.09), rel=0.2)
    assert np.linalg.eigvalsh(K)[0] > 0


def test_far_points_give_zero_and_not_nan():
    pairs = np.array([[[1e200], [-1e200]], [[0.0], [0.0]]])
    assert GaussianHyperkernel(1e150, 1e150)(pairs).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ((0.0, 1.0), r"GaussianHyperkernel's sigma must be a positive finite number, got 0.0"),
        ((-1.0, 1.0), r"sigma must be a positive finite number, got -1.0"),
        ((np.inf, 1.0), r"sigma must be a positive finite number, got inf"),
        ((1.0, -0.5), r"sigma_h must be zero or a positive number, got -0.5; choose about sigma"),
        ((1.0, np.nan), r"sigma_h must be zero or a positive number, got nan"),
        ((1.0, None), r"sigma_h must be zero or a positive number, got None"),
    ],
)
def test_bad_widths(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        GaussianHyperkernel(*parameters)([[[0.0], [1.0]]])
