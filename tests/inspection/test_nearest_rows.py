"""The training rows that a learned kernel takes for the most similar ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernlearn import KernelClassifier, LSSVMClassifier
from kernlearn.bundle import ModelBundle
from kernlearn.inspection import nearest_rows
from kernlearn.survival import SurvivalOutcome


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    return X, np.where(X[:, 0] > 0, "yes", "no")


def test_they_are_ordered_by_the_kernel(rows):
    X, y = rows
    model = make_pipeline(
        StandardScaler(), LSSVMClassifier(selection=None, lam=0.1, theta=0.5)
    ).fit(X, y)
    found = nearest_rows(model, X[:4] + 0.01, X, y, n=60)
    K = model[-1].kernel_(model[0].transform(X[:4] + 0.01), model[0].transform(X))
    assert found["row"][:, 0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found["similarity"], -np.sort(-K, axis=1), rtol=1e-12)
    assert (found["target"] == y[found["row"]]).all()


def test_of_a_mixture_the_members_count_by_their_weights(rows):
    X, y = rows
    model = KernelClassifier(["linear", "Gaussian"], cv=2).fit(X, y)
    found = nearest_rows(model, X[:5], X, n=3)
    assert found["row"][:, 0].tolist() == list(range(5))
    assert "target" not in found
    members = model._members
    tables = model.preparation_.apply_all(X, {m.table for m in members.machines})
    squares = sum(
        factor * (np.add.outer(k.diag(T), k.diag(T)) - 2 * k(T)) / (2 * k.diag(T).mean())
        for factor, k, T in (
            (f, m.kernel, tables[m.table])
            for f, m in zip(members.factors / members.factors.sum(), members.machines, strict=True)
        )
    )
    expected = 1.0 - np.sort(squares[:5], axis=1)[:, :3]
    np.testing.assert_allclose(found["similarity"], expected, atol=1e-9)


def test_targets_may_be_sparse_labels_or_times(rows):
    X, y = rows
    model = LSSVMClassifier(selection=None, lam=0.1, theta=0.5).fit(X, y)
    labels = np.column_stack([y == "yes", y == "no"]).astype(int)
    found = nearest_rows(model, X[:4], X, csr_array(labels), n=2)
    assert (found["target"] == labels[found["row"]]).all()
    times = SurvivalOutcome(np.arange(60.0), y == "yes")
    found = nearest_rows(model, X[:4], X, times, n=2)
    assert (found["target"]["time"] == found["row"]).all()


def test_members_that_say_nothing_count_alike(rows):
    X, y = rows
    model = KernelClassifier(["linear", "Gaussian"], max_members=2).fit(X, y)
    members = model._members
    model._members = replace(members, factors=np.ones(len(members.machines)))
    expected = nearest_rows(model, X[:4], X, y)["row"]
    model._members = replace(members, factors=np.zeros(len(members.machines)))
    np.testing.assert_array_equal(nearest_rows(model, X[:4], X, y)["row"], expected)


def test_a_model_file_knows_rows_of_its_own(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc"))
    model = make_pipeline(SVC(gamma=0.5)).fit(frame, y)
    columns = [{"name": name, "kind": "number", "action": ""} for name in "abc"]
    facts = {"task": "classification", "target": "t", "classes": ["no", "yes"], "columns": columns}
    bundle = ModelBundle(model, facts, frame[:30], y[:30])
    found = nearest_rows(bundle, frame[:2].assign(d="more"), n=1)
    assert found["row"].tolist() == [[0], [1]]
    assert found["target"].tolist() == [[y[0]], [y[1]]]


def test_what_cannot_be_searched_is_said(rows):
    X, y = rows
    model = make_pipeline(LSSVMClassifier(selection=None, lam=0.1, theta=0.5)).fit(X, y)
    with pytest.raises(ValueError, match="expected a model with a learned kernel, got Ridge"):
        nearest_rows(Ridge().fit(X, X[:, 0]), X, X)
    with pytest.raises(ValueError, match="expected the training rows X_train for Pipeline"):
        nearest_rows(model, X)
    with pytest.raises(ValueError, match="expected n up to the 60 rows of X_train, got 61"):
        nearest_rows(model, X, X, n=61)
    with pytest.raises(ValueError, match="expected y_train of 60 rows, as X_train has, got 59"):
        nearest_rows(model, X, X, y[:-1])
