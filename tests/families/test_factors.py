"""Blocks of Z that several threads make, against the same ones made map by map."""

import threading

import numpy as np
import pytest

from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian, Laplacian, Linear
from kernlearn.runtime import threads as threads_module

X = np.random.default_rng(0).standard_normal((700, 4))


@pytest.fixture
def factors(monkeypatch):
    monkeypatch.setattr(threads_module, "n_threads", lambda: 2)
    # More columns than a product takes together, fewer, and as many as there are inputs.
    kernels, ranks = [Gaussian(0.5), Laplacian(1.0), Linear()], [300, 40, 10]
    made = Factors.through_landmarks(kernels, X, ranks, "random", 0)
    made.worth_threads = 1
    assert [each.rank for each in made.maps] == [300, 40, 4]
    return made


def expected(factors):
    return np.hstack([each.kernel(X, each.points) @ each.inverse.T for each in factors.maps])


def test_threads_fill_each_their_columns(factors):
    np.testing.assert_allclose(factors(X), expected(factors), rtol=1e-9, atol=1e-9)


def test_another_thread_than_the_main_one_changes_no_limit_of_threads(factors, monkeypatch):
    # Two that set and restore it would leave it as the other found it.
    monkeypatch.setattr(threads_module, "map_in_threads", None)
    found = []
    other = threading.Thread(target=lambda: found.append(factors(X)))
    other.start()
    other.join()
    np.testing.assert_allclose(found[0], expected(factors), rtol=1e-9, atol=1e-9)
    with pytest.raises(TypeError, match="not callable"):
        factors(X)
