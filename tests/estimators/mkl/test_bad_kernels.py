"""Kernels and columns that carry nothing, or are no kernels."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor
from kernlearn.kernels import Gaussian, Linear, Precomputed

ALL = [MKLClassifier, MKLRegressor, MKLNoveltyDetector]


def test_hard_margin_on_inseparable_data(refused, problem):
    X, y = np.vstack([problem.X] * 2), np.r_[problem.y, 1 - problem.y]
    model = MKLClassifier(quality="hard_margin")
    text = refused(model, X, y)
    assert "no solution: the classes cannot be separated by any combination" in text
    assert "use a soft margin" in text
    assert not hasattr(model, "weights_")


def test_kernels_that_are_zero(refused, problem):
    text = refused(MKLClassifier([Linear()]), np.zeros((40, 2)), problem.y)
    assert "at least one Gram matrix with a positive trace, got only zero matrices" in text


def test_indefinite_matrices(refused, problem):
    K = Gaussian(gamma=0.5)(problem.X) - 0.5 * np.eye(40)
    rows = np.arange(40)[:, None]
    text = refused(MKLClassifier([0.5 * Precomputed(K)]), rows, problem.y)
    assert re.search("must be positive semidefinite, got a smallest eigenvalue of -0.2", text)
    assert 'psd="clip"' in text
    assert (
        MKLClassifier([Precomputed(K)], options=MKLOptions(psd="clip"))
        .fit(rows, problem.y)
        .duality_gap_
        <= 1e-6
    )
    assert "symmetric" in refused(MKLClassifier([Precomputed(np.triu(K))]), rows, problem.y)


def test_a_kernel_of_ones_own_that_is_not_semidefinite(refused, problem):
    """Its trouble is not that the classes cannot be separated."""

    class Tanh(Linear):
        def _evaluate(self, X, Y):
            return np.tanh(X @ Y.T - 1.0)

        def _diag(self, X):
            return np.tanh((X**2).sum(axis=1) - 1.0)

    text = refused(MKLClassifier([Tanh()]), problem.X, problem.y)
    assert "positive semidefinite" in text


def test_free_signs_of_unequal_traces_need_the_trace(refused, problem):
    model = MKLClassifier(
        [Linear(), Gaussian()], weights="free", options=MKLOptions(constraint="sum")
    )
    text = refused(model, problem.X, problem.y)
    assert re.search("equal trace.*got traces from .* unbounded; use constraint='trace'", text)


@pytest.mark.parametrize("kind", ALL)
def test_constant_and_repeated_columns_do_no_harm(problem, kind):
    y = problem.y if kind is MKLClassifier else problem.target
    constant = kind().fit(np.full((40, 2), 7.0), y)
    assert len(np.unique(constant.predict([[7.0, 7.0], [7.0, 7.0]]))) == 1
    assert np.isfinite(constant.weights_).all()
    wider = np.hstack([problem.X, problem.X, np.full((40, 1), 7.0)])
    repeated = kind(normalize=False).fit(wider, y)
    assert np.isfinite(repeated.predict(wider)).all()
    assert repeated.duality_gap_ <= 1e-6
