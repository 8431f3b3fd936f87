"""Text among many rows: least squares keeps its features as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import random_array
from sklearn.feature_extraction.text import TfidfVectorizer

import kernlearn as kl
from kernlearn.kernels import Columns, Features, Gaussian, Linear, Normalized, WhereKnown

WORDS = [f"w{i}" for i in range(40)]
N = 150


def _table(seed, n):
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 3, n)
    texts = [" ".join(rng.choice(WORDS[10 * c : 10 * c + 20], 7)) for c in z]
    table = pd.DataFrame({"text": texts, "age": rng.normal(size=n) + z, "pay": rng.normal(size=n)})
    return table.assign(text=table["text"].where(np.arange(n) % 9 > 0, None)), z


X, Z = _table(0, N)
NEW, _ = _table(1, 40)
KERNELS = [
    Columns("text", Normalized(WhereKnown(Features(TfidfVectorizer(), Linear())))),
    Columns(["age", "pay"], Gaussian(0.5)),
]


def both(cls, y, sample_weight=None, **options):
    """The exact fit, and the one for many rows."""
    options = {"quality": "least_squares", "random_state": 0, **options}
    models = [cls(KERNELS, rank=rank, **options) for rank in (None, N)]
    return [model.fit(X, y, sample_weight=sample_weight) for model in models]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_the_exact_fit(classes, weighted):
    sample_weight = np.random.default_rng(2).uniform(0.5, 2.0, N) if weighted else None
    y = np.minimum(Z, classes - 1)
    exact, found = both(kl.MKLClassifier, y, sample_weight, C=3.0, tol=1e-8)
    assert found.status_.is_optimal
    assert found.objective_ == pytest.approx(exact.objective_, rel=1e-7)
    np.testing.assert_allclose(found.weights_, exact.weights_, atol=1e-3)
    values = found.decision_function(NEW), exact.decision_function(NEW)
    np.testing.assert_allclose(*values, atol=1e-3)
    assert np.abs(found.predict_proba(NEW) - exact.predict_proba(NEW)).max() < 0.05
    assert found.landmarks_[0] is None
    assert len(found.landmarks_[1]) == found.rank_
    assert found.residual_trace_[0] == 0.0


def test_a_regressor_has_its_C_intervals_bound_and_file(tmp_path):
    y = Z + 0.3 * np.random.default_rng(3).normal(size=N)
    found = both(kl.MKLRegressor, y, options=kl.MKLOptions(certify="exact"))[1]
    assert len(found.loss_by_C_) > 2
    assert found.loss_by_C_[found.loss_by_C_[:, 1].argmin(), 0] == found.C_
    exact, _ = both(kl.MKLRegressor, y, C=found.C_)
    np.testing.assert_allclose(found.predict(NEW), exact.predict(NEW), atol=5e-3)
    gap = found.objective_ - found.exact_lower_bound_
    assert -1e-9 <= gap / found.objective_ < 1e-3
    ends = found.predict_interval(NEW, coverage=0.8)
    width = np.diff(ends).mean() / np.diff(exact.predict_interval(NEW, coverage=0.8)).mean()
    assert 0.8 < width < 1.25
    kl.save(found, tmp_path / "model.kl")
    loaded = kl.load(tmp_path / "model.kl")
    np.testing.assert_array_equal(loaded.predict(NEW), found.predict(NEW))
    np.testing.assert_array_equal(loaded.predict_interval(NEW, coverage=0.8), ends)


def test_text_alone_has_no_landmarks():
    model = kl.MKLClassifier(KERNELS[:1], "least_squares", rank=5).fit(X, Z > 0)
    assert model.rank_ == 0
    assert model.landmarks_ == [None]
    assert model.score(NEW, _table(1, 40)[1] > 0) > 0.6


def test_landmarks_have_to_do_for_weights_of_both_signs():
    model = kl.MKLClassifier(KERNELS, "least_squares", weights="free", rank=20).fit(X, Z > 0)
    assert all(points is not None for points in model.landmarks_)


def test_a_sparse_table_of_many_rows_stays_sparse():
    rng = np.random.default_rng(0)
    table = random_array((N + 40, 300), density=0.05, rng=rng, format="csr")
    y = (table @ rng.normal(size=300) > 0).astype(int)
    kernels = [Linear(), Gaussian(0.5)]
    models = [kl.MKLClassifier(kernels, "least_squares", rank=rank) for rank in (None, N)]
    exact, found = (model.fit(table[:N], y[:N]) for model in models)
    assert found.landmarks_[0] is None
    values = found.decision_function(table[N:]), exact.decision_function(table[N:])
    np.testing.assert_allclose(*values, atol=1e-3)
    margin = kl.MKLClassifier(kernels, rank=20).fit(table[:N], y[:N])
    assert margin.rank_ == 20
    assert margin.decision_function(table[N:]).shape == (40,)


def test_columns_of_numbers_are_not_taken_out_to_look_for_sparse_features(monkeypatch, tmp_path):
    """Of a memory map that would be all of it."""

    def never(self, X):
        raise AssertionError("nothing here is sparse")

    monkeypatch.setattr(Columns, "sparse_rows", never)
    rng = np.random.default_rng(0)
    table = np.memmap(tmp_path / "table", dtype=float, mode="w+", shape=(60, 3))
    table[:] = rng.normal(size=(60, 3))
    kernels = [Columns([0, 1], Gaussian(0.5)), Columns([2], Linear())]
    model = kl.MKLRegressor(kernels, "least_squares", rank=10).fit(table, table[:, 0] ** 2)
    assert model.rank_ == 10
