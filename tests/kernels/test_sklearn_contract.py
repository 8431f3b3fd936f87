"""Kernels inside scikit-learn: parameters, clones, grids, SVC, data frames."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kernlearn.kernels import (
    ARDGaussian,
    Columns,
    Gaussian,
    Linear,
    Normalized,
    Power,
    Precomputed,
    Product,
    Scaled,
    Sum,
)

RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 3))
y = np.sign(X[:, 0] * X[:, 1])


def test_operators_build_distinct_classes_and_do_not_flatten():
    a, b, c = Linear(), Gaussian(), Gaussian(2.0)
    product = (a + b) * c
    assert isinstance(product, Product)
    assert isinstance(product.kernels[0], Sum)
    assert product.kernels[0].kernels == [a, b]
    assert isinstance(a**2, Power)
    for scaled in (2 * a, a * 2, np.float64(2) * a, a * np.int64(2)):
        assert isinstance(scaled, Scaled)
        assert scaled.kernel is a
        assert scaled.scale == 2.0


def test_parameters_reach_the_parts():
    kernel = Normalized(Scaled(Columns([0], Gaussian(1.0)), 3.0))
    kernel.set_params(kernel__kernel__kernel__gamma=0.25, kernel__scale=7.0)
    assert kernel.kernel.kernel.kernel.gamma == 0.25
    assert kernel.kernel.scale == 7.0


def test_parameters_reach_the_terms_of_a_sum_and_the_list_is_kept():
    terms = [Linear(), Gaussian(1.0)]
    kernel = Sum(terms)
    assert kernel.get_params()["kernel_1__gamma"] == 1.0
    kernel.set_params(kernel_1__gamma=0.5)
    assert kernel.kernels[1].gamma == 0.5
    kernel.set_params(kernel_0=Gaussian(9.0), kernel_1__gamma=0.75)
    assert [k.gamma for k in kernel.kernels] == [9.0, 0.75]
    assert isinstance(terms[0], Linear)
    assert set(kernel.get_params(deep=False)) == {"kernels"}
    with pytest.raises(ValueError, match="Invalid parameter 'kernel_2'"):
        kernel.set_params(kernel_2=Linear())


def test_clones_of_sums_are_independent():
    kernel = Linear() + Gaussian(1.0)
    copy = clone(kernel)
    copy.set_params(kernel_1__gamma=5.0)
    assert kernel.kernels[1].gamma == 1.0


def test_constructors_only_store():
    gammas = [1.0, 2.0, 3.0]
    assert ARDGaussian(gammas).gammas is gammas
    assert Gaussian(-1.0).gamma == -1.0


def test_svc_with_a_kernel_object_equals_svc_with_its_matrix():
    kernel = Linear() + 0.5 * Gaussian(0.7)
    by_object = SVC(kernel=kernel).fit(X[:40], y[:40]).decision_function(X[40:])
    by_matrix = SVC(kernel="precomputed").fit(kernel(X[:40]), y[:40])
    np.testing.assert_allclose(
        by_object, by_matrix.decision_function(kernel(X[40:], X[:40])), rtol=1e-6
    )


def test_grid_search_over_a_kernel_parameter():
    grid = {"kernel__gamma": [1e-6, 0.5], "C": [1.0]}
    search = GridSearchCV(SVC(kernel=Gaussian()), grid, cv=3).fit(X, y)
    names = GridSearchCV(SVC(kernel="rbf"), {"gamma": [1e-6, 0.5]}, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] == names.best_params_["gamma"] == 0.5
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], names.cv_results_["mean_test_score"]
    )


def test_precomputed_in_grid_search_equals_the_kernel_and_shares_its_matrix():
    K = Gaussian(0.5)(X)
    rows = np.arange(len(X))[:, None]
    grid = {"C": [0.1, 1.0, 10.0]}
    search = GridSearchCV(SVC(kernel=Precomputed(K)), grid, cv=3).fit(rows, y)
    plain = GridSearchCV(SVC(kernel=Gaussian(0.5)), grid, cv=3).fit(X, y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )
    assert search.best_estimator_.kernel.K is K
    assert clone(Sum([Precomputed(K), Linear()])).kernels[0].K is K
    np.testing.assert_array_equal(K, Gaussian(0.5)(X))


def test_precomputed_never_lends_its_matrix_out():
    K = np.eye(3)
    rows = np.arange(3)[:, None]
    Precomputed(K)(rows)[:] = 9.0
    Precomputed(K).diag(rows)[:] = 9.0
    (Precomputed(K) + Precomputed(K))(rows)
    np.testing.assert_array_equal(K, np.eye(3))


def test_representations():
    K = RNG.standard_normal((300, 300))
    for kernel in (Precomputed(K), Sum([Linear(), Precomputed(K)]), 2.0 * Precomputed(K)):
        assert "Precomputed(K=<300 x 300 matrix>)" in repr(kernel)
        assert len(repr(kernel)) < 120
    assert repr(0.5 * Gaussian(gamma=2.0)) == "Scaled(kernel=Gaussian(gamma=2.0), scale=0.5)"


def test_pickles_give_the_same_values():
    kernel = Normalized(Linear() * Columns(slice(0, 2), Gaussian(0.3)))
    copy = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(copy(X), kernel(X))


def test_data_frames_by_name_by_position_and_with_text_elsewhere():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = "red"
    named, numbered = Columns(["c", "a"], Gaussian(0.3)), Columns([2, 0], Gaussian(0.3))
    expected = Gaussian(0.3)(X[:, [2, 0]])
    np.testing.assert_array_equal(named(frame), expected)
    np.testing.assert_array_equal(numbered(frame), expected)
    np.testing.assert_allclose(Normalized(named)(frame, frame[:4]), expected[:, :4], rtol=1e-14)
    both = (named + Columns("b", Linear()))(frame)
    np.testing.assert_allclose(both, expected + np.outer(X[:, 1], X[:, 1]))
    with pytest.raises(ValueError, match=r"got \['d'\], which it does not have; choose from"):
        Columns(["a", "d"], Linear())(frame)


def test_integers_booleans_and_single_precision_are_taken_as_numbers():
    table = np.array([[0, 1], [1, 1]])
    for dtype in (int, bool, np.float32, np.uint8, object):
        K = Linear()(table.astype(dtype))
        assert K.dtype == np.float64
        np.testing.assert_array_equal(K, [[1, 1], [1, 2]])
