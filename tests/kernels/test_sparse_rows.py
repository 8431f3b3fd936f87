"""Kernels that are inner products of sparse features hand these out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from kernlearn.estimators.inputs.transformed_rows import at_rows
from kernlearn.kernels import (
    Centered,
    Columns,
    Features,
    Gaussian,
    Linear,
    Normalized,
    WhereKnown,
)

FRAME = pd.DataFrame(
    {"text": ["a b", "b c c", None, "a", "c d", "zz"], "age": [1.0, 2.0, 0.5, 1.5, 3.0, 0.0]}
)
FULL = FRAME.fillna("a d")
WORDS = Features(CountVectorizer(token_pattern=r"\w+"), Linear())
KERNELS = {
    "plain": (Columns("text", WORDS), FULL),
    "scaled": (3.0 * Columns("text", WORDS), FULL),
    "normalised": (Normalized(Columns("text", WORDS)), FULL),
    "centred": (Columns("text", Centered(WORDS, FULL["text"].to_numpy()[:3])), FULL),
    "with gaps": (Columns("text", WhereKnown(WORDS)), FRAME),
    "with gaps, normalised": (Columns("text", Normalized(WhereKnown(WORDS))), FRAME),
}


@pytest.mark.parametrize("name", KERNELS)
def test_their_products_are_the_kernel(name):
    kernel, table = KERNELS[name]
    fitted = kernel.fitted_to(table)
    new = pd.DataFrame({"text": ["c a", "nothing known", "d d"], "age": [0.0, 1.0, 2.0]})
    known, others = fitted.sparse_rows(table), fitted.sparse_rows(new)
    Z = known.times(np.eye(known.n_columns))
    Z_new = others.times(np.eye(others.n_columns))
    np.testing.assert_allclose(Z @ Z.T, fitted(table), atol=1e-12)
    np.testing.assert_allclose(Z_new @ Z.T, fitted(new, table), atol=1e-12)
    np.testing.assert_allclose(known.squared_lengths(), fitted.diag(table), atol=1e-12)
    a = np.random.default_rng(0).normal(size=(len(table), 2))
    np.testing.assert_allclose(known.transposed_times(a), Z.T @ a, atol=1e-12)
    assert known.size() >= (1.0 - 1e-12) * np.trace(fitted(table))


@pytest.mark.parametrize("name", KERNELS)
def test_those_on_row_numbers_are_those_on_rows(name):
    kernel, table = KERNELS[name]
    fitted = kernel.fitted_to(table)
    (on_numbers,), numbers = at_rows([fitted], table)
    chosen = numbers[[4, 2, 0]]
    rows = on_numbers.sparse_rows(chosen)
    if rows is None:  # a sample of rows stays with its kernel
        assert name == "centred"
        return
    Z = rows.times(np.eye(rows.n_columns))
    np.testing.assert_allclose(Z @ Z.T, fitted(table.iloc[[4, 2, 0]]), atol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (Linear(), np.eye(3)),
        (Gaussian(), csr_array(np.eye(3))),
        (Linear() + Linear(), csr_array(np.eye(3))),
        (Centered(Centered(Linear(), np.eye(3)), np.eye(3)), np.eye(3)),
    ],
)
def test_other_kernels_have_none(kernel, X):
    assert kernel.sparse_rows(X) is None


def test_around_a_mean_twice_is_not_for_them():
    X = csr_array(np.eye(3))
    assert Centered(Centered(Linear(), X), X).sparse_rows(X) is None


def test_an_overflow_is_said():
    with pytest.raises(ValueError, match="Linear must give finite values, got an overflow"):
        Linear().sparse_rows(csr_array([[1e200, 0.0]]))
