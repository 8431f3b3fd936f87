"""Kernel values against scikit-learn, against higher precision, and at the ends of the scale."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process.kernels import Matern as SklearnMatern
from sklearn.metrics import pairwise
from sklearn.preprocessing import KernelCenterer
from sklearn.tree import DecisionTreeRegressor

from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Centered,
    Columns,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Polynomial,
    Precomputed,
    Stretched,
    TreePaths,
)
from kernlearn.kernels._distances import DistanceOptions, gaussian_gram

RNG = np.random.default_rng(0)
# One column, few and many.
WIDTHS = [1, 4, 60]


def tables(d):
    rng = np.random.default_rng(d)
    return rng.standard_normal((150, d)), rng.standard_normal((70, d))


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("same", [True, False])
def test_values_agree_with_scikit_learn(d, same):
    X, Y = tables(d)
    Y = None if same else Y
    gammas = np.linspace(0.0, 0.3, d)
    Xs, Ys = X * np.sqrt(gammas), None if same else Y * np.sqrt(gammas)
    for ours, theirs in [
        (Linear(), pairwise.linear_kernel(X, Y)),
        (Polynomial(3, 0.5), pairwise.polynomial_kernel(X, Y, degree=3, gamma=1.0, coef0=0.5)),
        (Gaussian(0.2), pairwise.rbf_kernel(X, Y, gamma=0.2)),
        (ARDGaussian(gammas), pairwise.rbf_kernel(Xs, Ys, gamma=1.0)),
        (Stretched(Gaussian(1.0), np.sqrt(gammas)), pairwise.rbf_kernel(Xs, Ys, gamma=1.0)),
        (Laplacian(0.2), pairwise.laplacian_kernel(X, Y, gamma=0.2)),
        (Normalized(Linear()), pairwise.cosine_similarity(X, Y)),
        *((Matern(1.7, nu), SklearnMatern(1.7, nu=nu)(X, Y)) for nu in (0.5, 1.5, 2.5, np.inf)),
    ]:
        np.testing.assert_allclose(ours(X, Y), theirs, rtol=1e-11, atol=1e-13, err_msg=repr(ours))


@pytest.mark.parametrize("degree", [1, 2, 3, 9])
def test_anova_averages_products_of_single_columns_over_sets_of_columns(degree):
    X, Y = (table[:8] for table in tables(5))
    singles = [Columns([j], Gaussian(0.3))(X, Y) for j in range(5)]
    sizes = range(1, min(degree, 5) + 1)
    means = [
        np.mean([np.prod(chosen, axis=0) for chosen in combinations(singles, size)], axis=0)
        for size in sizes
    ]
    np.testing.assert_allclose(ANOVA(0.3, degree)(X, Y), np.mean(means, axis=0), rtol=1e-13)


@pytest.mark.parametrize("n_trees", [1, 30])
def test_ways_through_trees_are_those_of_scikit_learn(n_trees):
    X, Y = tables(4)
    X[3], Y[0] = X[2], X[2].astype(np.float32)  # on a threshold in single precision, perhaps
    forest = RandomForestRegressor(n_trees, max_features=2, random_state=0).fit(
        X, X[:, 0] * X[:, 1]
    )
    expected = np.zeros((len(X), len(Y)))
    for tree in forest.estimators_:
        ways = tree.decision_path(X) @ tree.decision_path(Y).T
        expected += (ways.toarray() - 1.0) / n_trees  # without the root
    kernel = TreePaths.of(forest.estimators_)
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=1e-13)
    np.testing.assert_allclose(kernel(X, Y), _products(kernel, X, Y), rtol=1e-13)


def _products(kernel, X, Y):
    rows, others = kernel.sparse_rows(X).features, kernel.sparse_rows(Y).features
    return (rows @ others.T).toarray()


def test_trees_that_ask_nothing_know_nothing():
    flat = DecisionTreeRegressor().fit([[1.0], [2.0]], [5.0, 5.0])
    kernel = TreePaths.of([flat, flat])
    assert not kernel([[0.0], [3.0]]).any()
    assert not kernel.diag([[0.0]]).any()


def test_the_matrix_product_path_of_the_gaussian_is_taken_and_is_exact_enough():
    X, Y = tables(60)
    product = Gaussian(0.05)(X), Gaussian(0.05)(X, Y)
    assert Gaussian(0.05)(X, X.copy()).max() <= 1.0, "rounding must not make a square negative"
    direct = DistanceOptions(few_rows=10**6)
    exact = gaussian_gram(X, X, 0.05, direct), gaussian_gram(X, Y, 0.05, direct)
    assert not np.array_equal(product[1], exact[1]), "both paths were the same"
    for ours, theirs in zip(product, exact, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-13)


@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_gaussian_is_accurate_for_near_duplicates_far_from_the_origin(d, offset):
    rng = np.random.default_rng(1)
    X = offset + rng.standard_normal((20, d))
    X = np.vstack([X, X + 1e-7 * rng.standard_normal((20, d))])
    wide = X.astype(np.longdouble)
    squares = ((wide[:, None] - wide[None]) ** 2).sum(axis=2)
    for gamma in (0.01, 30.0, 1e14):
        exact = np.exp(-np.longdouble(gamma) * squares).astype(float)
        np.testing.assert_allclose(Gaussian(gamma)(X), exact, atol=2e-12)
        np.testing.assert_allclose(Gaussian(gamma)(X, X.copy()), exact, atol=2e-12)
        assert (np.diagonal(Gaussian(gamma)(X)) == 1.0).all()
        ard = ARDGaussian(np.full(d, gamma))
        np.testing.assert_allclose(ard(X), exact, atol=2e-12)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("n_groups", [70, 2])
def test_matern_of_many_columns_is_accurate_for_near_and_equal_rows(nu, n_groups):
    rng = np.random.default_rng(2)
    groups = rng.standard_normal((n_groups, 150))
    X = groups[np.arange(140) % n_groups] + 1e-7 * rng.standard_normal((140, 150))
    X[5] = X[4]
    Y = X[:30].copy()
    kernel = Matern(10.0, nu)
    product = kernel(X), kernel(X, Y)
    r = np.sqrt(2.0 * nu) * cdist(X, X) / 10.0
    factor = {0.5: 1.0, 1.5: 1.0 + r, 2.5: 1.0 + r + r**2 / 3.0}[nu]
    K = factor * np.exp(-r)
    for ours, exact in zip(product, (K, K[:, :30]), strict=True):
        # What is left to one is as small as 1e-7: the root of a rounded square would be seen.
        np.testing.assert_allclose(1.0 - ours, 1.0 - exact, rtol=1e-6, atol=1e-14)
        assert (ours[4, [4, 5]] == 1.0).all()
    np.testing.assert_array_equal(product[0], product[0].T)


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e300])
@pytest.mark.parametrize("d", [3, 40])
def test_stationary_kernels_do_not_notice_the_unit_of_the_data(scale, d):
    X, Y = tables(d)
    width = np.sqrt(d)
    # gamma = 1 / width² leaves the range of floats at 1e300: Matern and Laplacian take the width.
    pairs = [(Laplacian(1 / width), Laplacian(1 / (width * scale)))]
    pairs += [(Matern(width, nu), Matern(width * scale, nu)) for nu in (0.5, 1.5, 2.5, np.inf)]
    if scale < 1e160:
        pairs += [(Gaussian(1 / d), Gaussian(1 / d / scale**2))]
        pairs += [(ARDGaussian(np.full(d, 1 / d)), ARDGaussian(np.full(d, 1 / d / scale**2)))]
    for small, large in pairs:
        for args in [(X,), (X, Y)]:
            got = large(*(scale * table for table in args))
            np.testing.assert_allclose(got, small(*args), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(
    "kernel", [Gaussian(1.0), ARDGaussian([1.0, 1.0]), Laplacian(), Matern(1.0, 2.5), Matern(2.0)]
)
def test_points_too_far_apart_to_square_the_distance_have_value_zero(kernel):
    X = np.array([[1e200, 0.0], [-1e200, 1.0], [1e200, 0.0]])
    np.testing.assert_array_equal(kernel(X), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_array_equal(kernel(X, X.copy()), kernel(X))


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2), Linear() ** 2, Linear() * Linear()])
def test_overflow_is_refused_with_the_cure(kernel):
    X = np.array([[1e200, -1e200], [1e200, 1e200]])
    for call in (lambda: kernel(X), lambda: kernel(X, X.copy()), lambda: kernel.diag(X)):
        with pytest.raises(ValueError, match=r"must give finite values.*StandardScaler"):
            call()


def test_scaling_overflow_is_refused_with_the_cure():
    with pytest.raises(ValueError, match=r"units of the kernel's width.*StandardScaler"):
        Gaussian(1e300)([[1e300], [0.0]])


def test_normalized_linear_at_extreme_scales():
    X, Y = tables(4)
    expected = pairwise.cosine_similarity(X, Y)
    for scale in (1e-150, 1e150):
        K = Normalized(Linear())(scale * X, scale * Y)
        np.testing.assert_allclose(K, expected, rtol=1e-12, atol=1e-15)


def test_normalized_has_an_exact_unit_diagonal():
    X = tables(7)[0]
    for kernel in (Linear(), Polynomial(3)):
        assert (np.diagonal(Normalized(kernel)(X)) == 1.0).all()


def test_normalized_gives_zero_to_points_without_length():
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    K = Normalized(Linear())(X)
    np.testing.assert_array_equal(K, [[0.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(Normalized(Linear()).diag(X), [0.0, 1.0])
    np.testing.assert_array_equal(Normalized(Linear())(X, X[:1]), [[0.0], [0.0]])


def test_normalized_refuses_a_negative_diagonal():
    with pytest.raises(ValueError, match=r"Normalized needs a diagonal without negative entries"):
        Normalized(Precomputed([[-1.0]]))([[0]])


def test_centered_agrees_with_scikit_learn_and_with_explicit_features():
    X, Y = tables(5)
    kernel = Centered(Gaussian(0.1), X)
    centerer = KernelCenterer().fit(Gaussian(0.1)(X))
    np.testing.assert_allclose(kernel(X), centerer.transform(Gaussian(0.1)(X)), atol=1e-13)
    np.testing.assert_allclose(kernel(Y, X), centerer.transform(Gaussian(0.1)(Y, X)), atol=1e-13)
    mean = X.mean(axis=0)
    np.testing.assert_allclose(Centered(Linear(), X)(Y), (Y - mean) @ (Y - mean).T, atol=1e-12)


def test_columns_sees_only_its_columns():
    X, Y = tables(6)
    for columns, plain in [([1, 4], [1, 4]), (slice(2, None), [2, 3, 4, 5]), (-1, [5]), (0, [0])]:
        kernel = Columns(columns, Gaussian(0.3))
        np.testing.assert_array_equal(kernel(X, Y), Gaussian(0.3)(X[:, plain], Y[:, plain]))
        np.testing.assert_array_equal(kernel(X), Gaussian(0.3)(X[:, plain]))


def test_columns_keep_the_exact_diagonal_of_a_wide_view():
    X = tables(40)[0]
    assert (Columns(slice(0, 30), Gaussian(0.01))(X) == Gaussian(0.01)(X[:, :30])).all()


def test_combinations_do_not_write_into_a_matrix_that_a_part_lends_out():
    class Lending(Kernel):
        def __init__(self, K):
            self.K = K

        def _evaluate(self, X, Y):
            return self.K

        def _diag(self, X):
            return np.ones(len(X))

    K = np.eye(3)
    part = Lending(K)
    for kernel in (part + part, part * part, 2.0 * part, part**2, Normalized(part)):
        kernel([[0.0], [1.0], [2.0]])
        np.testing.assert_array_equal(K, np.eye(3))
