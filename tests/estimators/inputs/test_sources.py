"""Several sources as one object that indexes by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

import kernlearn as kl
from kernlearn.estimators.inputs.source_checks import row_codes
from kernlearn.inspection import relevance
from kernlearn.kernels import Gaussian, Precomputed

X, Y = (part[::2] for part in load_wine(return_X_y=True))
X = (X - X.mean(axis=0)) / X.std(axis=0)
K = Gaussian(0.1)(X[:, 9:])


def wine():
    parts = {
        "minerals": X[:, 2:5],
        "phenols": pd.DataFrame(X[:, 5:9]),
        "colour": csr_array(X[:, 9:]),
    }
    return kl.Sources(
        {**parts, "kernel": K, "note": [f"wine {i}" for i in range(len(X))]}, ["kernel"]
    )


def test_rows_of_all_sources_are_taken_together():
    train, test, y, _ = train_test_split(wine(), Y, random_state=0, stratify=Y)
    assert train.shape == (66, 3 + 4 + 4 + 1 + 1)
    assert len(test) == 23
    rows = train["kernel"].rows
    assert train["note"].tolist() == [f"wine {i}" for i in rows]
    np.testing.assert_array_equal(train["minerals"], X[rows, 2:5])
    np.testing.assert_array_equal(train["phenols"].to_numpy(), X[rows, 5:9])
    np.testing.assert_array_equal(train["colour"].toarray(), X[rows, 9:])
    np.testing.assert_array_equal(Y[rows], y)
    assert test[np.arange(23) < 3].names == list(dict(test)) == test.names
    assert "Sources of 23 rows: minerals (3 columns), phenols" in repr(test)


def test_a_kernel_matrix_follows_the_rows_of_folds():
    """A fit sees the columns of its rows, a prediction those of the training rows."""
    sources = kl.Sources({"kernel": K}, precomputed=["kernel"])
    rows = np.arange(len(K))[:, None]
    model = kl.MKLClassifier([Precomputed(K)])
    expected = cross_val_score(model, rows, Y, cv=3)
    np.testing.assert_allclose(cross_val_score(kl.MKLClassifier(), sources, Y, cv=3), expected)
    flagship = kl.KernelClassifier(["linear"])
    found = cross_val_score(flagship, sources, Y, cv=3)
    np.testing.assert_allclose(found, expected, atol=0.12)
    # Test rows may also come as their kernel values with the training rows.
    train, test = np.arange(0, 89, 2), np.arange(1, 89, 2)
    model = flagship.fit({"kernel": K[np.ix_(train, train)]}, Y[train])
    assert model.preparation_.kinds == {"kernel": "precomputed kernel"}
    lazily = kl.KernelClassifier(["linear"]).fit(sources[train], Y[train])
    given = {"kernel": K[np.ix_(test, train)]}
    np.testing.assert_allclose(
        model.decision_function(given), lazily.decision_function(sources[test]), atol=1e-8
    )
    with pytest.raises(ValueError, match=r"kernel values of every row with all training rows"):
        model.predict({"kernel": K[:5, :7]})


def test_sources_are_searched_and_taken_by_every_estimator_of_sources():
    tables = kl.Sources({"minerals": X[:, 2:5], "colour": X[:, 9:], "kernel": K}, ["kernel"])
    plain = kl.Sources({"minerals": X[:, 2:5], "colour": X[:, 9:]})
    search = GridSearchCV(kl.MKLClassifier(Gaussian(0.2)), {"C": [0.1, 1.0]}, cv=2).fit(plain, Y)
    assert search.best_score_ > 0.9
    model = kl.MKLClassifier().fit(tables, Y)
    assert model.weights_.shape == (len(model.kernels_),)
    found = relevance(model, tables, Y, n_repeats=2, random_state=0)
    assert found["column"].tolist() == ["minerals", "colour", "kernel"]
    plain = {"minerals": X[:, 2:5], "colour": X[:, 9:]}
    one, other = (kl.MKLRegressor().fit(each, Y) for each in (plain, kl.Sources(plain)))
    np.testing.assert_array_equal(one.predict(plain), other.predict(kl.Sources(plain)))
    twice = kl.Sources({**plain, "kernel": 2.0 * K}, ["kernel"])
    with pytest.raises(
        ValueError, match=r"rows of the kernel matrix 'kernel' that was given in fi"
    ):
        model.predict(twice)


@pytest.mark.parametrize(
    ("given", "precomputed", "words"),
    [
        ({}, (), "expected one source at least, got none; add a table"),
        ([X, X], (), "expected a mapping from names to sources, got list; pass"),
        ({"a": X, "b": X[:9]}, (), "as many rows in every source, got 89 in 'a' and 9 in 'b'"),
        ({"a": X}, ["b"], "expected precomputed to hold names among a, got .*name the sources"),
        ({"a": X}, ["a"], r"source 'a' to be a square matrix of numbers, got shape \(89, 13\)"),
        ({"a": 3.0}, (), "expected source 'a' to be a table, a sparse matrix or a list .* float"),
    ],
)
def test_wrong_sources_are_refused(given, precomputed, words):
    with pytest.raises(ValueError, match=words):
        kl.Sources(given, precomputed)


def test_equal_rows_share_their_codes():
    graph, other = (
        {"edges": [(0, 1)], "labels": ["a", "b"]},
        {"edges": [(0, 1)], "labels": ["a", "c"]},
    )
    parts = {
        "numbers": np.array([[1.0, 2.0], [np.nan, 1.0], [1.0, 2.0]]),
        "frame": pd.DataFrame({"a": ["x", None, "x"], "b": [1, 2, 1]}),
        "sparse": csr_array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
        "graph": [graph, other, graph],
        "number": [3.0, 1.0, 3.0],
    }
    codes = row_codes(kl.Sources(parts))
    assert codes.shape == (3, 5)
    np.testing.assert_array_equal(codes[0], codes[2])
    assert (codes[0] != codes[1]).all()


def test_graphs_of_one_size_are_no_table_of_their_nodes():
    networkx = pytest.importorskip("networkx")
    graphs = [networkx.path_graph(5), networkx.star_graph(4), networkx.cycle_graph(5)]
    sources = kl.Sources({"graphs": graphs, "rows": [(1, 2), (3, 4), (5, 6)]})
    assert sources["graphs"].tolist() == graphs
    assert sources["rows"].shape == (3, 2)
