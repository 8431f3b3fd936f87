"""Kernels of single columns are taken where they predict better, and noise does not look better."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mkl.column_bank import aligned_sum, column_bank
from kernlearn.kernels import Columns, Gaussian

RNG = np.random.default_rng(0)


def letters(n=240, d=20):
    """Rows of letters, of which those at four places add up to the class; others are noise."""
    X = RNG.integers(0, 4, size=(n, d)).astype(float)
    score = (X[:, [0, 2, 5, 7]] == [1, 2, 0, 3]).sum(axis=1) - 1.0
    return X, np.where(score + 0.1 * RNG.standard_normal(n) > 0, 1.0, -1.0)


def test_letters_have_kernels_of_their_own():
    X, y = letters(640)
    model = kl.MKLClassifier(random_state=0).fit(X[:240], y[:240])
    assert any("single columns" in note for note in model.bank_notes_)
    plain = kl.MKLClassifier([Gaussian(g) for g in (0.003, 0.01, 0.03)]).fit(X[:240], y[:240])
    assert model.score(X[240:], y[240:]) > plain.score(X[240:], y[240:]) + 0.02


@pytest.mark.parametrize("d", [10, 200])
def test_noise_is_no_reason(d):
    X, y = RNG.standard_normal((120, d)), np.where(RNG.random(120) < 0.5, 1.0, -1.0)
    assert column_bank(X, [y], np.ones(120), Gaussian(0.5 / d)) is None


def test_few_rows_few_columns_and_constant_ones_are_no_reason():
    X, y = letters()
    rival = Gaussian(100.0)  # all but the identity: anything is better
    assert column_bank(X, [y], np.ones(240), rival) is not None
    assert column_bank(X[:50], [y[:50]], np.ones(50), rival) is None
    assert column_bank(X[:, :7], [y], np.ones(240), rival) is None
    X[:, 7:] = 3.0
    assert column_bank(X, [y], np.ones(240), rival) is None


def test_shares_are_centred_alignments():
    X, y = letters(60, 8)
    kernels = [Columns([j], Gaussian(0.5)) for j in range(8)]
    found = aligned_sum(kernels, X, [y, X[:, 0]], np.ones(60, dtype=bool)).weights
    H = np.eye(60) - 1 / 60
    T = H @ (np.outer(y, y) + np.outer(X[:, 0], X[:, 0])) @ H
    grams = [H @ kernel(X) @ H for kernel in kernels]
    expected = np.array([np.vdot(K, T) / np.linalg.norm(K) for K in grams])
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-10)
