"""The parametric kernels: values by hand, derivatives by differences and by naive loops."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import kernels
from kernlearn.families import parametric
from kernlearn.families.parametric import (
    PARAMETRIC_KERNELS,
    ARDGaussianFamily,
    ARDPolynomialFamily,
    GaussianFamily,
    ParametricKernel,
    parametric_kernel,
)
from kernlearn.families.parametric.base import Ray
from kernlearn.kernels import Laplacian
from kernlearn.testing import check_parametric_kernel


class LaplacianFamily(ParametricKernel):
    """A user's family, with nothing but what has to be defined."""

    def start(self, X):
        return np.array([1.0 / np.abs(X).sum(axis=1).mean()])

    def kernel(self, theta):
        return Laplacian(gamma=float(theta[0]))


FAMILIES = [
    GaussianFamily(),
    GaussianFamily(np.array([1.0, 0.5, 0.0, 3.0])),
    ARDGaussianFamily(),
    ARDPolynomialFamily(),
    ARDPolynomialFamily(degree=1),
    ARDPolynomialFamily(degree=3, offset=0.5),
    Ray(ARDGaussianFamily(), np.array([1.0, 0.5, 0.0, 3.0])),
    Ray(ARDPolynomialFamily(), np.array([1.0, 0.5, 0.1, 3.0])),
    LaplacianFamily(),
]


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(12, 4)) * [1.0, 2.0, 0.5, 1.0] + 3.0


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_laws_hold(family, X):
    check_parametric_kernel(family, X)


ON_TABLES = [name for name, kind in PARAMETRIC_KERNELS.items() if not kind.takes_things]


@pytest.mark.parametrize("name", ON_TABLES)
def test_the_registered_ones_obey_the_laws_at_any_scale(name, X):
    family = parametric_kernel(name)
    check_parametric_kernel(family, X * [1e-9, 1.0, 1e9, 1e3])


def test_every_family_of_this_folder_is_registered():
    """Forgetting the registry line fails here."""
    kinds = {
        kind
        for kind in vars(parametric).values()
        if isinstance(kind, type) and issubclass(kind, ParametricKernel)
    }
    assert set(PARAMETRIC_KERNELS.values()) == kinds - {ParametricKernel}


def test_a_family_is_named_for_its_kernel():
    """One kernel, one name: the class of the kernel, and the family of all of these."""
    for family, theta in ((GaussianFamily(), [0.5]), (ARDGaussianFamily(), [0.5, 2.0])):
        kernel = family.kernel(np.array(theta))
        assert type(kernel) is getattr(kernels, type(family).__name__.removesuffix("Family"))


def test_values_are_those_of_the_paper(X):
    theta = np.array([0.1, 0.2, 0.3, 0.0])
    x, z = X[0], X[1]
    ard = np.exp(-sum(t * (a - b) ** 2 for t, a, b in zip(theta, x, z, strict=True)))
    np.testing.assert_allclose(ARDGaussianFamily().matrix(X, None, theta)[0, 1], ard, rtol=1e-13)
    rbf = np.exp(-0.3 * np.sum((x - z) ** 2))
    np.testing.assert_allclose(
        GaussianFamily().matrix(X, None, np.array([0.3]))[0, 1], rbf, rtol=1e-13
    )
    poly = (sum(t * a * b for t, a, b in zip(theta, x, z, strict=True)) + 0.7) ** 3
    found = ARDPolynomialFamily(degree=3, offset=0.7).matrix(X, None, theta)[0, 1]
    np.testing.assert_allclose(found, poly, rtol=1e-13)


@pytest.mark.parametrize("far", [0.0, 1e6, 1e12])
def test_all_derivatives_of_ard_are_those_of_the_element_wise_formula(X, far):
    """Section 2.1 of the paper, written out with broadcasting; with points far away, too."""
    rng = np.random.default_rng(1)
    X = X.copy()
    X[[2, 3, 5], [0, 0, 1]] += np.array([far, 1.1 * far, -far])
    theta, W, v = rng.uniform(0.05, 0.3, 4), rng.normal(size=(12, 12)), rng.normal(size=12)
    K = ARDGaussianFamily().matrix(X, None, theta)
    D = (X[:, None] - X[None]) ** 2
    np.testing.assert_allclose(
        ARDGaussianFamily().gradient(X, theta, K, W),
        -np.einsum("ij,ij,ijr->r", W, K, D),
        rtol=1e-10,
    )
    np.testing.assert_allclose(
        ARDGaussianFamily().jacobian_products(X, theta, K, v),
        -np.einsum("ij,ijr,j->ir", K, D, v),
        rtol=1e-9,
    )
    np.testing.assert_allclose(
        ARDGaussianFamily().second(X, theta, K, W),
        np.einsum("ij,ij,ijr,ijs->rs", W, K, D, D),
        rtol=1e-6 if far else 1e-10,  # fourth powers of gaps that are closed to 130
    )
    across = ARDGaussianFamily().gradient(X[:7], theta, K[:7], W[:7], X)
    expected = -np.einsum("ij,ij,ijr->r", W[:7], K[:7], D[:7])
    np.testing.assert_allclose(across, expected, rtol=1e-9)


def test_rbf_is_ard_along_the_diagonal(X):
    c, ones = np.array([0.2]), np.ones(4)
    W = np.random.default_rng(2).normal(size=(12, 12))
    K = GaussianFamily().matrix(X, None, c)
    general = Ray(ARDGaussianFamily(), ones)
    for left in (GaussianFamily(), ARDGaussianFamily().along(ones)):
        np.testing.assert_allclose(left.matrix(X, None, c), general.matrix(X, None, c), rtol=1e-13)
        np.testing.assert_allclose(
            left.gradient(X, c, K, W), general.gradient(X, c, K, W), rtol=1e-10
        )
        np.testing.assert_allclose(left.second(X, c, K, W), general.second(X, c, K, W), rtol=1e-10)


def test_more_pairs_of_columns_than_go_into_one_product():
    """Forty columns have 820 pairs, which take two products."""
    X = np.random.default_rng(3).normal(size=(6, 40))
    theta = np.full(40, 0.01)
    K = ARDGaussianFamily().matrix(X, None, theta)
    D = (X[:, None] - X[None]) ** 2
    expected = np.einsum("ij,ijr,ijs->rs", K, D, D)
    np.testing.assert_allclose(
        ARDGaussianFamily().second(X, theta, K, np.ones((6, 6))), expected, rtol=1e-10
    )


def test_a_start_is_one_over_the_mean_squared_distance(X):
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    # The mean over all pairs, those of a point with itself too.
    np.testing.assert_allclose(GaussianFamily().start(X), 1.0 / D.mean(), rtol=1e-12)
    scaled = ((X[:, None] - X[None]) ** 2) @ ARDGaussianFamily().start(X)
    np.testing.assert_allclose(scaled.mean(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", ON_TABLES)
def test_constant_columns_and_single_points_have_a_start(name):
    family = parametric_kernel(name)
    for table in (np.zeros((3, 2)), np.ones((1, 2)), np.array([[1.0, 7.0], [2.0, 7.0]])):
        start = family.start(table)
        assert np.isfinite(start).all()
        assert (start > 0).all()


def test_many_equal_entries_are_no_scale():
    # Their mean differs from them by rounding, so that their variance is not zero.
    X = np.column_stack([np.arange(5000.0) % 7, np.full(5000, 0.1)])
    assert X.var(axis=0)[1] > 0
    np.testing.assert_allclose(ARDGaussianFamily().start(X), [0.25 / 4.0, 0.25], rtol=1e-3)


@pytest.mark.parametrize("kernel", ["linear", None, 3, Laplacian()])
def test_what_is_no_family_is_refused(kernel):
    with pytest.raises(ValueError, match=r"expected kernel to be one of rbf, ard, .*derive your"):
        parametric_kernel(kernel)


@pytest.mark.parametrize(
    ("scales", "message"), [([1.0], "one number for each column"), ([-1.0] * 4, "non-negative")]
)
def test_scales_of_a_polynomial_are_checked(scales, message, X):
    with pytest.raises(ValueError, match=message):
        ARDPolynomialFamily().kernel(np.array(scales))(X)


def test_a_point_far_away_does_not_spoil_the_slope_of_the_others():
    """Their distances were lost in its square, and the slope was that of another kernel."""
    X = np.array([[-1e8, -3e8], [75.0, -594.0], [-470.0, -120.0]])
    theta, family = np.array([2.4e-5]), GaussianFamily()
    exact = X.astype(np.longdouble)
    D = ((exact[:, None] - exact) ** 2).sum(axis=2)
    K, W = family.matrix(X, None, theta), np.ones((3, 3))
    expected = -float((np.exp(-theta[0] * D) * D).sum())
    assert family.gradient(X, theta, K, W)[0] == pytest.approx(expected, rel=1e-8)
    assert family.jacobian_products(X, theta, K, np.ones(3)).sum() == pytest.approx(
        expected, rel=1e-8
    )
    expected = float((np.exp(-theta[0] * D) * D * D).sum())
    assert family.second(X, theta, K, W)[0, 0] == pytest.approx(expected, rel=1e-8)
