"""Rows that lack whole sources: what the kernel is, what is learned, what is predicted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score

import kernlearn as kl
from kernlearn.gram import center
from kernlearn.kernels import (
    Columns,
    Features,
    Gaussian,
    Linear,
    Normalized,
    Precomputed,
    Spectrum,
    WhereKnown,
)
from kernlearn.testing import check_kernel

FIRST, SECOND = slice(0, 3), slice(3, 6)
KERNELS = [Columns(FIRST, Gaussian(0.2)), Columns(SECOND, Gaussian(0.2))]


def two_sources(n=120, gaps=0.4, seed=0):
    """Two sources that say the same in part; some rows lack one of them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 6)) + 0.9 * y[:, None] * [1, 0, 0, 1, 1, 0]
    lacks = rng.random(n) < gaps
    which = rng.random(n) < 0.5
    X[np.ix_(lacks & which, range(3))] = np.nan
    X[np.ix_(lacks & ~which, range(3, 6))] = np.nan
    return X, y


X, Y = two_sources()


def filled(columns, kernel, X):
    """The kernel matrix by hand: centred on the rows that are there, zero elsewhere."""
    source = X[:, columns]
    there = ~np.isnan(source).all(axis=1)
    K = np.zeros((len(X), len(X)))
    K[np.ix_(there, there)] = center(kernel(source[there]))
    return K


@pytest.mark.parametrize("normalize", [False, True])
def test_a_row_without_a_source_lies_at_the_mean_of_the_others(normalize):
    model = kl.MKLClassifier(KERNELS, missing="mean", normalize=normalize).fit(X, Y)
    matrices = [filled(c.columns, c.kernel, X) for c in KERNELS]
    rows = np.arange(len(X))[:, None]
    by_hand = kl.MKLClassifier(
        [Precomputed(K) for K in matrices], options=kl.MKLOptions(psd="trust"), normalize=normalize
    ).fit(rows, Y)
    np.testing.assert_allclose(model.weights_, by_hand.weights_, rtol=1e-3)
    np.testing.assert_allclose(
        model.decision_function(X), by_hand.decision_function(rows), atol=1e-3
    )


def test_any_pattern_of_gaps_is_predicted():
    model = kl.MKLClassifier(KERNELS, missing="mean").fit(X, Y)
    new = np.array([[0.5] * 6, [np.nan] * 3 + [0.5] * 3, [0.5] * 3 + [np.nan] * 3, [np.nan] * 6])
    values = model.decision_function(new)
    assert np.isfinite(values).all()
    assert values[3] == model.intercept_[0]
    whole = X[~np.isnan(X).any(axis=1)][:1]
    parts = [k(whole, model.support_vectors_) @ model.dual_coef_[0] for k in model.kernels_]
    lacking = whole.copy()
    lacking[:, SECOND] = np.nan
    expected = model.weights_[0] * parts[0] + model.intercept_
    np.testing.assert_allclose(model.decision_function(lacking), expected)


def test_rows_with_gaps_are_worth_having():
    """Against the rows that have everything, and against the source that most rows have."""
    scores = {"with gaps": [], "whole rows only": []}
    for seed in range(6):
        train, y_train = two_sources(80, 0.6, seed)
        test, y_test = two_sources(400, 0.6, 100 + seed)
        model = kl.MKLClassifier(KERNELS, missing="mean")
        scores["with gaps"].append(clone(model).fit(train, y_train).score(test, y_test))
        whole = ~np.isnan(train).any(axis=1)
        fitted = clone(model).fit(train[whole], y_train[whole])
        scores["whole rows only"].append(fitted.score(test, y_test))
    assert np.mean(scores["with gaps"]) > np.mean(scores["whole rows only"]) + 0.01


def test_without_gaps_it_is_the_centred_kernel():
    whole, y = two_sources(60, 0.0)
    plain = kl.MKLClassifier(KERNELS, options=kl.MKLOptions(center=True)).fit(whole, y)
    model = kl.MKLClassifier(KERNELS, missing="mean").fit(whole, y)
    np.testing.assert_allclose(
        model.decision_function(whole), plain.decision_function(whole), atol=1e-6
    )


def test_text_sequences_and_numbers_with_gaps_in_a_data_frame(tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(30) % 2
    frame = pd.DataFrame(
        {
            "text": [f"{'good' if label else 'bad'} hat {i}" for i, label in enumerate(y)],
            "dna": ["GATTACA" if label else "CCGGCCG" for label in y],
            "age": 40.0 + 5.0 * y + rng.normal(size=30),
            "height": rng.normal(size=30),
        }
    )
    frame.loc[::3, "text"] = None
    frame.loc[1::4, "dna"] = np.nan
    frame.loc[2::5, ["age", "height"]] = np.nan
    kernels = [
        Columns("text", Features(CountVectorizer(), Linear())),
        Columns("dna", Spectrum(2)),
        Columns(["age", "height"], Gaussian(0.1)),
    ]
    model = kl.MKLClassifier(kernels, C=10.0, missing="mean", normalize=True)
    assert cross_val_score(model, frame, y, cv=2, error_score="raise").mean() > 0.9
    fitted = model.fit(frame, y)
    kl.save(fitted, tmp_path / "model")
    np.testing.assert_array_equal(
        kl.load(tmp_path / "model").decision_function(frame), fitted.decision_function(frame)
    )
    target = frame["height"].fillna(0.0) + y
    assert (
        kl.MKLRegressor(kernels, missing="mean", C=10.0).fit(frame, target).score(frame, target) > 0
    )


def test_laws_with_gaps():
    check_kernel(WhereKnown(Gaussian(0.3)), X[:20, SECOND])
    check_kernel(Normalized(Columns(SECOND, WhereKnown(Linear()))), X[:20])
    check_kernel(WhereKnown(Columns("a", Linear())), pd.DataFrame({"a": [1.0, None, 2.0, 4.0]}))


@pytest.mark.parametrize(
    ("options", "rows", "message"),
    [
        ({}, X, r"(?i)nan"),
        ({"missing": "zero"}, X, r"expected missing to be one of mean, complete, got 'zero'"),
        (
            {"missing": "mean", "kernels": None},
            X,
            r"expected several views, or kernels, with missing='mean'",
        ),
        (
            {"missing": "mean"},
            np.where(np.arange(6) < 3, np.nan, X),
            r"must be there in some rows, got one that Gaussian reads and all 120",
        ),
        (
            {"missing": "mean"},
            np.where(np.arange(6) == 1, np.nan, np.nan_to_num(X)),
            r"finite numbers only, got nan in row 0, column 1; remove or impute",
        ),
    ],
)
def test_gaps_that_cannot_be_handled_are_refused(options, rows, message):
    with pytest.raises(ValueError, match=message):
        kl.MKLClassifier(**{"kernels": KERNELS, **options}).fit(rows, Y)


def test_a_kernel_that_is_not_fitted_says_so():
    with pytest.raises(ValueError, match=r"WhereKnown must be fitted before it is called"):
        WhereKnown(Linear())(X[:, FIRST])
