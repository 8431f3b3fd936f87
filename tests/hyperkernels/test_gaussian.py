"""The Gaussian hyperkernel against the integral that defines it, its limits, and its range."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.kernels import Gaussian


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
