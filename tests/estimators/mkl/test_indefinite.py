"""Kernels of free signs on rows that were not in the fit: told where they are no kernels there."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.estimators.mkl.indefinite import FittedKernel
from kernlearn.exceptions import AtChanceWarning, IndefiniteKernelWarning
from kernlearn.gram.eigen import ritz_values
from kernlearn.kernels import Gaussian, WeightedSum

KERNELS = [Gaussian(0.1), Gaussian(1.0)]


def _rows(n, seed=0):
    """Labels by chance: a narrow kernel fits them best, with what is wide in it taken off."""
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, np.tile([-1, 1], n // 2)


@pytest.fixture(scope="module")
def classifier():
    model = MKLClassifier(KERNELS, weights="free", C=1.0).fit(*_rows(40))
    assert model.weights_.min() < -0.01
    return model


@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba"])
def test_a_kernel_that_is_indefinite_on_new_rows_is_told(classifier, method):
    new = _rows(120, 1)[0]
    with pytest.warns(IndefiniteKernelWarning, match="weights='positive'") as told:
        getattr(classifier, method)(new)
    assert len(told) == 1
    assert told[0].filename == __file__
    # So few rows are all looked at.
    smallest = float(re.search(r"eigenvalue of (-\S+) or less", str(told[0].message))[1])
    together = np.vstack([new, _rows(40)[0]])
    lowest = np.linalg.eigvalsh(classifier.kernel_(together))[0]
    assert smallest == pytest.approx(lowest, rel=1e-2)


def test_rows_of_the_fit_without_a_coefficient_count():
    """With a new row, the support vectors alone leave the kernel positive semidefinite."""
    X = np.array([[0.0], [4.0], [8.0], [12.0]])
    model = MKLClassifier(KERNELS, weights="free", C=1.0).fit(X, [-1, 1, -1, 1])
    model.weights_, model.support_ = np.array([1.3, -0.3]), np.array([0, 1])
    model.kernel_ = WeightedSum(KERNELS, model.weights_)
    model.support_vectors_, model.dual_coef_ = X[:2], np.array([[-1.0, 1.0]])
    new = np.array([[9.0]])
    few = model.kernel_(np.vstack([X[:2], new]))
    lowest = np.linalg.eigvalsh(model.kernel_(np.vstack([X, new])))[0]
    assert np.linalg.eigvalsh(few)[0] > 0.1
    assert lowest < -0.05
    with pytest.warns(IndefiniteKernelWarning, match=f"of {lowest:.3g} or less") as told:
        model.predict(new)
    assert "on 1 row of 1 and 4 of 4 rows of the fit; call extend" in str(told[0].message)


def test_a_barely_negative_eigenvalue_is_found_and_never_invented():
    """Lanczos steps alone miss it beside large eigenvalues."""
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(60, 60)))[0]
    values = np.geomspace(1e-5, 60.0, 60)
    for smallest in (-1e-5, 1e-5):
        values[0] = smallest
        K = (basis * values) @ basis.T

        def kernel(X, Y=None, K=K):
            return K[np.ix_(X[:, 0], (X if Y is None else Y)[:, 0])]

        rows = np.arange(60)[:, None]
        found = FittedKernel.of(kernel, rows[:50]).lowest(kernel, rows[50:])
        assert ritz_values(K, 30)[0] > 0.1 * smallest
        assert (found is None) == (smallest > 0)
        if found is not None:
            assert smallest * (1 + 1e-6) <= found[0] < -1e-8 * 60


def test_of_many_rows_some_are_looked_at(classifier):
    new = _rows(1000, 1)[0]
    with pytest.warns(IndefiniteKernelWarning, match="on 200 rows of 1000 and") as told:
        classifier.predict(new)
    smallest = float(re.search(r"eigenvalue of (-\S+) or less", str(told[0].message))[1])
    assert np.linalg.eigvalsh(classifier.kernel_(new[:500]))[0] < smallest < 0.0


def test_rows_of_the_fit_are_not_warned_of(classifier):
    X, y = _rows(40)
    new = _rows(60, 1)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AtChanceWarning)  # labels are drawn by chance
        classifier.predict(X)
        classifier.predict(X[:1])
        model = MKLClassifier(KERNELS, weights="free", C=1.0).fit(X, y, X_unlabeled=new)
        model.predict(new)
        # None while C is chosen and probabilities are fitted, nor with positive weights.
        MKLClassifier(KERNELS, weights="free", C="auto").fit(X, y)
        MKLClassifier(KERNELS, C=1.0).fit(X, y).predict(_rows(120, 1)[0])
    assert model.weights_.min() < 0


@pytest.mark.parametrize(
    "model",
    [
        MKLRegressor(KERNELS, weights="free", C=1.0),
        MKLNoveltyDetector([Gaussian(5.0), Gaussian(3.0)], 0.5, "free"),
    ],
)
def test_other_estimators_tell_it_too(model):
    X, y = _rows(40)
    model.fit(X, y)
    assert model.weights_.min() < 0
    with pytest.warns(IndefiniteKernelWarning, match=type(model).__name__):
        model.predict(_rows(120, 1)[0])


@pytest.mark.parametrize("rank", [2, 40])
def test_ritz_values_reach_the_ends_of_the_spectrum_from_inside(rank):
    A = np.random.default_rng(0).normal(size=(40, rank))
    K = A @ (A * np.linspace(-1.0, 2.0, rank)).T
    values, found = np.linalg.eigvalsh(K), ritz_values(K, 25)
    np.testing.assert_allclose(found[[0, -1]], values[[0, -1]], rtol=1e-3)
    assert found[0] >= values[0] * (1 + 1e-12)
    assert found[-1] <= values[-1] * (1 + 1e-12)
    np.testing.assert_array_equal(found, ritz_values(K, 25))
    assert ritz_values(np.zeros((3, 3)), 2)[0] == 0.0
