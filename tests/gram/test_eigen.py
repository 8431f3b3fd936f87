"""Leading eigenpairs: they rebuild the matrix, and null ones are gone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError

from kernlearn.gram import eigen, eigenvectors
from kernlearn.gram.eigen import lowest_eigenpairs


@settings(max_examples=40)
@given(n=st.integers(1, 12), rank=st.integers(1, 12), seed=st.integers(0, 99))
def test_pairs_rebuild_the_matrix_and_their_number_is_its_rank(n, rank, seed):
    F = np.random.default_rng(seed).standard_normal((n, rank))
    K = F @ F.T
    vectors, values = eigenvectors(K)
    assert vectors.shape == (n, min(n, rank))
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose((vectors * values) @ vectors.T, K, atol=1e-10 * values[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-10)
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))]
    assert (largest > 0).all()


def test_the_leading_ones_are_the_first_of_all():
    F = np.random.default_rng(1).standard_normal((20, 20))
    vectors, values = eigenvectors(F @ F.T)
    some_vectors, some_values = eigenvectors(F @ F.T, 4)
    np.testing.assert_allclose(some_values, np.linalg.eigvalsh(F @ F.T)[::-1][:4])
    np.testing.assert_allclose(some_values, values[:4])
    np.testing.assert_allclose(some_vectors, vectors[:, :4], atol=1e-9)
    assert eigenvectors(F @ F.T, 99)[0].shape == (20, 20)


def test_the_tolerance_is_relative_and_a_zero_matrix_has_no_pairs():
    for scale in (1e-200, 1.0, 1e200):
        K = scale * np.diag([1.0, 1e-3, 1e-12, 0.0])
        assert len(eigenvectors(K)[1]) == 2
        assert len(eigenvectors(K, tol=1e-2)[1]) == 1
        assert len(eigenvectors(K, tol=0.0)[1]) == 3
    vectors, values = eigenvectors(np.zeros((3, 3)))
    assert vectors.shape == (3, 0)
    assert values.shape == (0,)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"K": -np.eye(2)}, "must be positive semidefinite"),
        ({"K": np.eye(2), "n_components": 0}, "n_components must be a positive integer, got 0"),
        ({"K": np.eye(2), "n_components": 1.5}, "n_components must be a positive integer, got 1.5"),
        ({"K": np.eye(2), "tol": -1.0}, "tol must be between 0 and 1, got -1.0; choose"),
    ],
)
def test_bad_input_is_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        eigenvectors(**kwargs)


@pytest.fixture
def K():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(12, 12)) * 10.0 ** rng.uniform(-5, 5, size=12)
    return root.T @ root - np.eye(12)


def test_the_lowest_come_first(K):
    values, vectors = lowest_eigenpairs(K, 3)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(K)[:3], atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def test_what_one_driver_gives_up_another_finds(K, monkeypatch):
    expected = lowest_eigenpairs(K, 2)[0]
    eigh = eigen.eigh

    def gives_up(matrix, **options):
        if "subset_by_index" in options:
            raise LinAlgError("Internal Error.")
        return eigh(matrix, **options)

    monkeypatch.setattr(eigen, "eigh", gives_up)
    values, vectors = lowest_eigenpairs(K, 2)
    np.testing.assert_allclose(values, expected, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(K @ vectors, vectors * values, atol=1e-12 * np.abs(K).max())
