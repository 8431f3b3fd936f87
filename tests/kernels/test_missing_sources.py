"""A source that some rows lack, completed from the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import kernlearn as kl
from kernlearn.gram import complete_kernel
from kernlearn.inspection import kernel_formula
from kernlearn.kernels import (
    Columns,
    Completed,
    Features,
    Gaussian,
    Linear,
    Normalized,
    Spectrum,
    Sum,
    WhereKnown,
)
from kernlearn.kernels.missing_sources import RIDGES, completed, left_out_errors
from kernlearn.testing import check_kernel

FIRST, SECOND, THIRD = slice(0, 2), slice(2, 4), slice(4, 5)
KERNELS = [Columns(place, Gaussian(0.3)) for place in (FIRST, SECOND, THIRD)]


def three_sources(n=40, gaps=0.3, seed=0):
    """The second source says what the first does, but for noise; the third says nothing of them."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(n, 2))
    second = first @ rng.normal(size=(2, 2)) + 0.1 * rng.normal(size=(n, 2))
    X = np.hstack([first, second, rng.normal(size=(n, 1))])
    whole = X.copy()
    for place in (FIRST, SECOND, THIRD):
        X[rng.random(n) < gaps, place] = np.nan
    return X, whole


X, WHOLE = three_sources()
LACKS = np.isnan(X[:, FIRST]).all(axis=1)
KNOWN = np.outer(~LACKS, ~LACKS)


def test_it_is_the_completion_of_largest_determinant():
    """Against `complete_kernel`, which solves the program: closed form and Newton's method."""
    k = completed(KERNELS, X)[0].fitted_to(X)
    K, M = k(X), k.reference(X)
    source = WhereKnown(Gaussian(0.3)).fitted_to(X[:, FIRST])(X[:, FIRST])
    np.testing.assert_allclose(K[KNOWN], source[KNOWN], atol=1e-12)
    # Unit matrices make both definite; they are not there between different rows.
    eps = 1e-9
    reference = k.scale * (M + k.ridge * np.eye(len(X)))
    expected = complete_kernel(source + eps * np.eye(len(X)), KNOWN, reference=reference)
    lacking = np.diag(LACKS.astype(float))
    np.testing.assert_allclose(K + k.scale * k.ridge * lacking, expected, atol=1e-6)
    # The inverse is that of the reference where the source is unknown.
    rest = np.linalg.inv(expected) - np.linalg.inv(reference)
    assert np.abs(rest[~KNOWN]).max() < 1e-3 * np.abs(rest[KNOWN]).max()


def test_the_reference_is_the_mean_of_the_other_sources():
    k = completed(KERNELS, X)[0].fitted_to(X)
    parts = []
    for place in (SECOND, THIRD):
        part = WhereKnown(Gaussian(0.3)).fitted_to(X[:, place])(X[:, place])
        lengths = np.sqrt(np.where(part.diagonal() > 0, part.diagonal(), np.inf))
        parts.append(part / np.outer(lengths, lengths))
    M = sum(parts)
    lengths = np.sqrt(np.where(M.diagonal() > 0, M.diagonal(), np.inf))
    np.testing.assert_allclose(k.reference(X), M / np.outer(lengths, lengths), atol=1e-10)


def test_the_ridge_predicts_rows_that_are_left_out():
    """Each row of the source by brute force, from the others."""
    k = completed(KERNELS, X)[0].fitted_to(X)
    K, M = k.kernel(k.sample), k.reference(k.sample)

    def loss(ridge):
        total = 0.0
        for i in range(len(K)):
            others = np.delete(np.arange(len(K)), i)
            C = M[np.ix_(others, others)] + ridge * np.eye(len(others))
            b = np.linalg.solve(C, M[others, i])
            total += K[i, i] - 2 * b @ K[others, i] + b @ K[np.ix_(others, others)] @ b
        return total / len(K)

    np.testing.assert_allclose(left_out_errors(M, K), [loss(ridge) for ridge in RIDGES])
    assert k.ridge == min(RIDGES, key=loss)


def test_it_is_positive_semidefinite_with_new_rows_of_any_pattern():
    new, _ = three_sources(40, 0.5, 1)
    both = np.vstack([X, new, np.full((1, 5), np.nan)])
    for kernel in completed(KERNELS, X):
        fitted = kernel.fitted_to(X)
        K = fitted(both)
        assert np.linalg.eigvalsh(K)[0] > -1e-9
        np.testing.assert_allclose(fitted.diag(both), K.diagonal(), atol=1e-10)
        np.testing.assert_allclose(fitted(new, X), K[40:80, :40], atol=1e-10)
        assert not K[-1].any()  # a row without any source lies at the mean


def test_what_others_tell_is_used():
    """Nearer to the kernel without gaps than the mean is, for the source that is told of."""
    ideal = WhereKnown(Gaussian(0.3)).fitted_to(WHOLE[:, FIRST])(WHOLE[:, FIRST])
    known = WhereKnown(Gaussian(0.3)).fitted_to(X[:, FIRST])(X[:, FIRST])
    K = completed(KERNELS, X)[0].fitted_to(X)(X)
    told = LACKS & ~np.isnan(X[:, SECOND]).all(axis=1)
    assert np.linalg.norm((K - ideal)[told]) < 0.6 * np.linalg.norm((known - ideal)[told])
    assert completed([KERNELS[0], KERNELS[2]], X)[1].fitted_to(X).ridge >= 1.0


def test_laws():
    check_kernel(Completed(KERNELS[0], KERNELS[1]), X[:9])
    check_kernel(Normalized(completed([*KERNELS[:2], Columns(FIRST, Linear())], X)[2]), X[:7])


@pytest.mark.parametrize(("normalize", "center"), [(False, False), (True, True)])
def test_centring_and_the_unit_diagonal_come_after(normalize, center):
    y = (WHOLE[:, 0] > 0).astype(int)
    options = {"normalize": normalize, "options": kl.MKLOptions(center=center)}
    model = kl.MKLClassifier(KERNELS, missing="complete", **options).fit(X, y)
    matrices = [kernel.fitted_to(X)(X) for kernel in completed(KERNELS, X)]
    for found, K in zip(model.kernels_, matrices, strict=True):
        expected = kl.gram.center(K) if center else K
        expected = kl.gram.unit_diagonal(expected) if normalize else expected
        np.testing.assert_allclose(found(X), expected, atol=1e-9)
    assert model.score(X, y) > 0.8


def test_without_gaps_and_without_others_it_is_the_centred_kernel():
    y = (WHOLE[:, 0] > 0).astype(int)
    plain = kl.MKLClassifier(KERNELS, options=kl.MKLOptions(center=True)).fit(WHOLE, y)
    model = kl.MKLClassifier(KERNELS, missing="complete").fit(WHOLE, y)
    np.testing.assert_allclose(
        model.decision_function(WHOLE), plain.decision_function(WHOLE), atol=1e-5
    )
    alone = [KERNELS[0], Columns(FIRST, Linear())]
    for kernel, expected in zip(completed(alone, X), alone, strict=True):
        np.testing.assert_array_equal(
            kernel.fitted_to(X)(X), WhereKnown(expected.kernel).fitted_to(X[:, FIRST])(X[:, FIRST])
        )


def test_text_sequences_and_numbers_in_a_frame(tmp_path):
    y = np.arange(16) % 2
    frame = pd.DataFrame(
        {
            "text": [f"{'good' if label else 'bad'} hat" for label in y],
            "dna": ["GATTACA" if label else "CCGGCCG" for label in y],
            "age": 40.0 + 5.0 * y,
        }
    )
    frame.loc[::3, "text"] = None
    frame.loc[1::4, "dna"] = np.nan
    frame.loc[2::5, "age"] = np.nan
    text = Columns("text", Features(CountVectorizer(), Linear()))
    kernels = [Sum([text, Columns("dna", Spectrum(2))]), Columns("age", Gaussian(0.1))]
    model = kl.MKLClassifier(kernels, missing="complete", normalize=True).fit(frame, y)
    assert model.score(frame, y) == 1.0
    kl.save(model, tmp_path / "model")
    loaded = kl.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(frame), model.decision_function(frame))
    assert kl.MKLRegressor(kernels, missing="complete", C=10.0).fit(frame, y).score(frame, y) > 0.8
    assert "B[A[" in kernel_formula(model.kernels_[1])


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match=r"Completed must be fitted before it is called"):
        Completed(KERNELS[0], KERNELS[1])(X)
    with pytest.raises(ValueError, match=r"Completed needs a positive ridge, got 0"):
        Completed(KERNELS[0], KERNELS[1], ridge=0).fitted_to(X)
    with pytest.raises(ValueError, match=r"must be there in some rows, got one that Gaussian"):
        completed(KERNELS, np.where(np.arange(5) < 2, np.nan, X))
    with pytest.raises(ValueError, match=r"must be built from kernel objects, got 'mean'"):
        Completed(KERNELS[0], "mean").fitted_to(X)
