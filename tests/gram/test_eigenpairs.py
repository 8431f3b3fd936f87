import numpy as np
import pytest
from scipy.linalg import LinAlgError

from kernlearn.gram import _eigenpairs
from kernlearn.gram._eigenpairs import lowest_eigenpairs


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
    eigh = _eigenpairs.eigh

    def gives_up(matrix, **options):
        if "subset_by_index" in options:
            raise LinAlgError("Internal Error.")
        return eigh(matrix, **options)

    monkeypatch.setattr(_eigenpairs, "eigh", gives_up)
    values, vectors = lowest_eigenpairs(K, 2)
    np.testing.assert_allclose(values, expected, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(K @ vectors, vectors * values, atol=1e-12 * np.abs(K).max())
