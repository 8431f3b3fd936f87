"""Landmarks against the textbook formula, the distribution of their draws, and bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from kernlearn.gram import Landmarks, choose_landmarks
from kernlearn.gram._pivoted_cholesky import factorise, random_pivots
from kernlearn.kernels import Columns, Gaussian, Laplacian, Linear, Precomputed

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 3))


def nystroem(kernel, X, S):
    return kernel(X, S) @ np.linalg.pinv(kernel(S), rcond=1e-12) @ kernel(S, X)


@pytest.mark.parametrize("method", ["random", "greedy"])
@pytest.mark.parametrize("kernel", [Gaussian(0.3), Laplacian(0.5)], ids=repr)
def test_the_factor_is_the_nystroem_approximation(kernel, method):
    landmarks = choose_landmarks(kernel, X, 30, method=method, random_state=0)
    np.testing.assert_array_equal(landmarks.points, X[landmarks.rows])
    new = RNG.standard_normal((40, 3))
    Z = landmarks.factor(kernel, new)
    np.testing.assert_allclose(Z @ Z.T, nystroem(kernel, new, landmarks.points), atol=1e-8)
    left = np.trace(kernel(new) - Z @ Z.T) / np.trace(kernel(new))
    assert landmarks.residual_trace(kernel, new) == pytest.approx(left)
    assert np.linalg.eigvalsh(kernel(new) - Z @ Z.T)[0] > -1e-10


@pytest.mark.parametrize("method", ["random", "greedy"])
def test_a_smaller_rank_is_the_beginning_of_a_larger_one(method):
    kernel = Laplacian(0.5)
    large = choose_landmarks(kernel, X, 200, method=method, random_state=1)
    Z = large.factor(kernel, X)
    for rank in (1, 63, 64, 65, 130):
        small = choose_landmarks(kernel, X, rank, method=method, random_state=1)
        np.testing.assert_array_equal(small.rows, large.rows[:rank])
        np.testing.assert_allclose(small.factor(kernel, X), Z[:, :rank], atol=1e-12)


def test_at_full_rank_nothing_is_left_out():
    kernel = Laplacian(1.0)
    landmarks = choose_landmarks(kernel, X, 10_000, random_state=0)
    assert sorted(landmarks.rows) == list(range(300))
    Z = landmarks.factor(kernel, X)
    np.testing.assert_allclose(Z @ Z.T, kernel(X), atol=1e-10)
    assert landmarks.residual_trace(kernel, X) < 1e-12


def test_landmarks_of_one_kernel_serve_another_of_lower_rank():
    landmarks = choose_landmarks(Gaussian(1.0), X, 100, random_state=0)
    Z = landmarks.factor(Linear(), X)
    assert Z.shape == (300, 3)
    np.testing.assert_allclose(Z @ Z.T, Linear()(X), atol=1e-10)


def test_duplicates_have_no_column():
    S = X[[4, 4, 9, 4, 9, 11]]
    duplicated = Landmarks(S, np.array([4, 4, 9, 4, 9, 11]))
    kernel = Gaussian(0.3)
    Z = duplicated.factor(kernel, X)
    assert Z.shape == (300, 3)
    np.testing.assert_allclose(Z @ Z.T, nystroem(kernel, X, X[[4, 9, 11]]), atol=1e-10)


def test_a_table_of_duplicates_has_the_rank_of_its_distinct_rows():
    repeated = np.repeat(X[:7], 30, axis=0)
    landmarks = choose_landmarks(Gaussian(0.5), repeated, 100, random_state=0)
    assert len(landmarks.rows) == 7
    assert landmarks.residual_trace(Gaussian(0.5), repeated) < 1e-12


def test_wide_kernels_end_where_rounding_begins():
    kernel = Gaussian(1e-4)
    landmarks = choose_landmarks(kernel, X, 300, random_state=0)
    assert len(landmarks.rows) < 60
    Z = landmarks.factor(kernel, X)
    np.testing.assert_allclose(Z @ Z.T, kernel(X), atol=1e-9)


def test_landmarks_in_their_order_do_not_magnify_rounding_of_wide_kernels():
    """As of a table with two columns of numbers and a category, on which a fit failed once."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.normal(size=(700, 2)), np.eye(8)[rng.integers(0, 8, 700)]])
        kernel = Gaussian(0.01)
        factor = Landmarks(X, np.arange(700)).factor(kernel, X)
        np.testing.assert_allclose(factor @ factor.T, kernel(X), atol=1e-5)


def test_a_kernel_that_is_zero_has_a_factor_without_columns():
    landmarks = choose_landmarks(Linear(), np.zeros((20, 2)), 5, random_state=0)
    assert landmarks.factor(Linear(), X[:, :2]).shape == (300, 0)
    assert landmarks.residual_trace(Linear(), np.zeros((4, 2))) == 0.0


def test_random_pivots_are_drawn_as_one_at_a_time():
    """Frequencies of the first two pivots against their exact probabilities."""
    points = np.array([[0.0], [0.3], [1.5], [1.6]])
    K = Gaussian(1.0)(points) * np.outer([1, 2, 1, 1.5], [1, 2, 1, 1.5])
    d = K.diagonal()
    expected = np.zeros((4, 4))
    for i in range(4):
        after = d - K[:, i] ** 2 / d[i]
        expected[i] = d[i] / d.sum() * after / after.sum()
    counts, generator = np.zeros((4, 4)), np.random.RandomState(0)
    n_draws = 1000
    for _ in range(n_draws):
        draw = random_pivots(generator)
        found = factorise(lambda r: lambda p: K[p][:, r], d, 0.0, 2, draw)
        counts[tuple(found[1])] += 1
    possible = ~np.eye(4, dtype=bool)
    assert (counts[~possible] == 0).all()
    assert chisquare(counts[possible], n_draws * expected[possible]).pvalue > 1e-3


def test_the_sample_is_seeded_and_frames_keep_their_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    kernel = Columns(["a", "c"], Gaussian(0.5))
    first = choose_landmarks(kernel, frame, 5, n_sample=40, random_state=3)
    again = choose_landmarks(kernel, frame, 5, n_sample=40, random_state=3)
    np.testing.assert_array_equal(first.rows, again.rows)
    assert first.factor(kernel, frame).shape == (300, 5)
    pd.testing.assert_frame_equal(first.points, frame.iloc[first.rows])


def test_given_matrices_have_landmarks_and_are_not_changed():
    K = Gaussian(0.5)(X)
    kernel, rows = Precomputed(K), np.arange(300)[:, None]
    landmarks = choose_landmarks(kernel, rows, 300, random_state=0)
    before = K.copy()
    Z = landmarks.factor(kernel, rows)
    np.testing.assert_allclose(Z @ Z.T, before, atol=1e-9)
    np.testing.assert_array_equal(K, before)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="rank must be a positive integer, got 0"):
        choose_landmarks(Linear(), X, 0)
    with pytest.raises(ValueError, match="method must be one of random, greedy, got 'kmeans'"):
        choose_landmarks(Linear(), X, 3, method="kmeans")
    with pytest.raises(ValueError, match="n_sample must be at least the rank"):
        choose_landmarks(Linear(), X, 30, n_sample=20)
    with pytest.raises(ValueError, match="kernel must be a Kernel object, got 'rbf'"):
        choose_landmarks("rbf", X, 3)
    indefinite = Precomputed(np.array([[1.0, 5.0], [5.0, 1.0]]))
    with pytest.raises(ValueError, match="must be positive semidefinite"):
        choose_landmarks(indefinite, [[0], [1]], 2, random_state=0)
