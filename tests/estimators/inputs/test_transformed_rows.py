"""Transformers read every row once where kernels are seen through landmarks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.estimators.inputs.transformed_rows import at_rows, fitted_transformers, reads
from kernlearn.estimators.mkl import approximation
from kernlearn.kernels import (
    Centered,
    Columns,
    Features,
    Gaussian,
    Linear,
    Normalized,
    Overlap,
    WhereKnown,
)

# What is chosen among is tested elsewhere.
pytestmark = pytest.mark.usefixtures("quick_choices")

RNG = np.random.default_rng(0)
Y = np.arange(50) % 2
WORDS = np.array([["poor", "thin", "cold", "blue"], ["good", "warm", "soft", "blue"]])
FRAME = pd.DataFrame(
    {
        "text": [" ".join(RNG.choice(WORDS[label], 5)) for label in Y],
        "kind": RNG.choice(["hat", "coat"], 50),
        "age": RNG.normal(40.0, 9.0, 50) + 5 * Y,
    }
)
WITH_GAPS = FRAME.assign(text=FRAME["text"].where(np.arange(50) % 7 > 0, None))
TEXT = Features(TfidfVectorizer(), Linear())
KERNELS = {
    "text": Columns("text", TEXT),
    "unit": Normalized(Columns("text", Features(TfidfVectorizer(), Gaussian(0.5)))),
    "sum": Columns("kind", Overlap()) + 2.0 * Columns("text", TEXT) ** 2,
    "numbers": Columns("age", Features(StandardScaler(), Gaussian(0.5))),
    "centred": Centered(Columns("text", TEXT), FRAME),
}
GAPS = {
    "linear": Columns("text", Normalized(WhereKnown(TEXT))),
    "Gaussian": Columns("text", WhereKnown(Features(CountVectorizer(), Gaussian(0.1)))),
}


@pytest.mark.parametrize("name", [*KERNELS, *GAPS])
def test_kernels_on_row_numbers_are_those_on_rows(name):
    rows = FRAME if name in KERNELS else WITH_GAPS
    fitted = {**KERNELS, **GAPS}[name].fitted_to(rows)
    (kernel,), numbers = at_rows([fitted], rows)
    np.testing.assert_allclose(kernel(numbers), fitted(rows), atol=1e-12)
    some, others = [3, 7, 0, 21], [14, 2]
    found = kernel(numbers[some], numbers[others])
    np.testing.assert_allclose(found, fitted(rows.iloc[some], rows.iloc[others]), atol=1e-12)
    np.testing.assert_allclose(kernel.diag(numbers), fitted.diag(rows), atol=1e-12)
    assert reads(fitted)


def test_transformers_are_fitted_to_all_rows_that_have_their_source():
    (kernel,) = fitted_transformers([GAPS["linear"]], WITH_GAPS)
    known = WITH_GAPS["text"].dropna()
    expected = TfidfVectorizer().fit(known).idf_
    transformer = kernel.kernel.kernel.kernel.transformer
    np.testing.assert_array_equal(transformer.estimator.idf_, expected)


class Counting(CountVectorizer):
    """Counts the texts that any copy of it reads."""

    n_read = 0

    def fit_transform(self, raw_documents, y=None):
        Counting.n_read += len(raw_documents)
        return super().fit_transform(raw_documents, y)

    def transform(self, raw_documents):
        Counting.n_read += len(raw_documents)
        return super().transform(raw_documents)


@pytest.mark.parametrize("quality", ["least_squares", "soft_margin"])
def test_every_text_is_read_three_times_however_many_blocks_there_are(quality, monkeypatch):
    kernels = [
        Columns("text", Features(Counting(), Linear())),
        Columns("text", Features(Counting(), Gaussian(0.1))),
        Columns("age", Features(StandardScaler(), Gaussian(0.5))),
    ]
    model = kl.MKLClassifier(kernels, quality, C="auto", rank=50, random_state=0)
    Counting.n_read = 0
    model.fit(FRAME, Y)
    n_read = Counting.n_read
    values = model.decision_function(FRAME)
    monkeypatch.setattr(approximation, "reads", lambda kernel: False)
    slow = model.fit(FRAME, Y)
    # Least squares takes what was read as it is, and needs no landmarks for it: these are all rows.
    atol = 1e-3 if quality == "least_squares" else 1e-8
    np.testing.assert_allclose(slow.decision_function(FRAME), values, atol=atol)
    # For the vocabulary, for what kernels take from the sample that they see, and for the fit.
    assert n_read <= 3 * 50
    assert list(model.landmarks_[1].columns) == list(FRAME.columns)
