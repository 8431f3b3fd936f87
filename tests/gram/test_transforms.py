"""Normalising, centring and scaling: against scikit-learn, and against explicit features."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import KernelCenterer

from kernlearn.gram import (
    center,
    center_cross,
    cross_unit_diagonal,
    scale_to_trace,
    unit_diagonal,
)
from kernlearn.kernels import Linear, Normalized

features = st.tuples(st.integers(1, 7), st.integers(1, 4)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 1.0, -2.0, 0.3, 50.0]))
)


@settings(max_examples=25)
@given(F=features)
def test_unit_diagonal_is_the_cosine_and_agrees_with_the_kernel(F):
    K = F @ F.T
    unit = unit_diagonal(K)
    np.testing.assert_allclose(unit, cosine_similarity(F), atol=1e-12)
    np.testing.assert_allclose(unit, Normalized(Linear())(F), atol=1e-12)
    assert set(np.diagonal(unit)) <= {0.0, 1.0}
    assert (unit == unit.T).all()
    np.testing.assert_allclose(unit_diagonal(unit), unit, atol=1e-12)
    squares = (F**2).sum(axis=1)
    cross = cross_unit_diagonal(K[:2], squares[:2], squares)
    np.testing.assert_allclose(cross, cosine_similarity(F[:2], F), atol=1e-12)


@settings(max_examples=25)
@given(F=features)
def test_centring_moves_the_mean_of_the_features_to_the_origin(F):
    K = F @ F.T
    mean = F.mean(axis=0)
    size = 1e-12 * (1 + np.abs(K).max())
    np.testing.assert_allclose(center(K), (F - mean) @ (F - mean).T, atol=size)
    assert (center(K) == center(K).T).all()
    np.testing.assert_allclose(center(K).sum(axis=0), 0.0, atol=10 * size)
    new = np.ones((3, F.shape[1]))
    expected = (new - mean) @ (F - mean).T
    np.testing.assert_allclose(center_cross(new @ F.T, K), expected, atol=size)
    centerer = KernelCenterer().fit(K)
    np.testing.assert_allclose(center(K), centerer.transform(K), atol=size)
    np.testing.assert_allclose(center_cross(new @ F.T, K), centerer.transform(new @ F.T), atol=size)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_trace_and_diagonal_at_extreme_scales(scale):
    F = np.random.default_rng(0).standard_normal((30, 4))
    K = F @ F.T
    scaled = scale_to_trace(scale * K)
    assert np.trace(scaled) == pytest.approx(30.0, rel=1e-13)
    np.testing.assert_allclose(scaled, K * (30.0 / np.trace(K)), rtol=1e-12)
    assert np.trace(scale_to_trace(scale * K, trace=2.5)) == pytest.approx(2.5, rel=1e-13)
    np.testing.assert_allclose(unit_diagonal(scale * K), unit_diagonal(K), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(center(scale * K), scale * center(K), rtol=1e-9)


def test_points_without_length_have_zero_cosine_whatever_the_matrix_says():
    np.testing.assert_array_equal(cross_unit_diagonal([[1.0, 2.0]], [4.0], [0.0, 1.0]), [[0, 1]])


def test_a_trace_beyond_the_range_of_floats_is_no_obstacle():
    np.testing.assert_allclose(scale_to_trace(1.7e308 * np.eye(9)), np.eye(9), rtol=1e-14)


def test_inputs_are_left_alone():
    K = np.array([[4.0, 1.0], [1.0, 9.0]])
    before = K.copy()
    for result in (
        unit_diagonal(K),
        cross_unit_diagonal(K, [4.0, 9.0], [4.0, 9.0]),
        center(K),
        center_cross(K, K),
        scale_to_trace(K),
    ):
        result[:] = np.nan
        np.testing.assert_array_equal(K, before)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unit_diagonal([[-1.0]]), r"without negative entries, got -1; check"),
        (lambda: unit_diagonal([[1.0, 2.0]]), r"must be a square matrix, got shape \(1, 2\)"),
        (lambda: unit_diagonal([[1.0, 2.0], [0.0, 1.0]]), r"symmetric, .* up to 2;"),
        (lambda: cross_unit_diagonal([[1.0]], [1.0, 1.0], [1.0]), r"diag_rows .* length 1, got"),
        (lambda: cross_unit_diagonal([[1.0]], [1.0], [-1.0]), r"without negative entries"),
        (lambda: cross_unit_diagonal([[1.0]], [1.0], [np.nan]), r"diag_cols must hold finite"),
        (lambda: center([[1.0, np.nan], [np.nan, 1.0]]), r"must hold finite numbers only"),
        (lambda: center(np.full((9, 9), 1.7e308)), r"The means of a Gram matrix must hold finite"),
        (lambda: center([[1.0, 0.0], [1.0, 1.0]]), r"must be symmetric"),
        (lambda: center_cross([[1.0, 2.0, 3.0]], np.eye(2)), r"2 training points, got 3 columns"),
        (lambda: scale_to_trace(np.zeros((2, 2))), r"positive trace, got 0; leave out a kernel"),
        (lambda: scale_to_trace(np.eye(2), trace=0.0), r"trace must be a positive .*, got 0.0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
