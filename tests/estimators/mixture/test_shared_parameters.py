"""Parameters that the flagship shares with estimators of scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score, get_scorer, make_scorer

import kernlearn as kl
from kernlearn.estimators.mixture.candidates import screening


def test_columns_of_codes_may_be_categories():
    """Codes in an order that means nothing: one column, as numbers, tells little."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, size=120).astype(float)
    X, y = np.column_stack([codes, rng.normal(size=120)]), np.isin(codes, [0, 3, 5, 8])
    frame = pd.DataFrame(X, columns=["code", "noise"])
    plain = kl.KernelClassifier(["linear"]).fit(X, y)
    assert plain.held_out_score_ < 0.8
    for given, table in (
        ({0: "category"}, X),
        ({-2: "category"}, X),
        ({"code": "category"}, frame),
    ):
        model = kl.KernelClassifier(["linear"], columns=given).fit(table, y)
        assert model.held_out_score_ > 0.95
        assert model.score(X if table is X else frame, y) > 0.95
    texts = frame.assign(code=[f"level {code}" for code in codes])
    assert kl.KernelClassifier(["linear"]).fit(texts, y).held_out_score_ > 0.95
    with pytest.raises(ValueError, match=r"expected a number in every cell of column 'code'.*kind"):
        kl.KernelClassifier(["linear"], columns={"code": "number"}).fit(texts, y)


@pytest.mark.parametrize(
    ("given", "table", "words"),
    [
        ({2: "category"}, "array", "expected columns to name some of 'x0', 'x1'.* got 2; correct"),
        ({"code": "category"}, "array", "expected columns to name .* got 'code'; correct the name"),
        ({"age": "text"}, "frame", "expected columns to name some of 'code', 'noise'.* got 'age'"),
        ({"code": "ordinal"}, "frame", "kind of column 'code' to be 'number', .* got 'ordinal'"),
        (["code"], "frame", "expected columns to be None or a mapping .* got .*; pass for example"),
        ({0: "text"}, "array", "in an array of numbers, got 'text'; pass a data frame"),
    ],
)
def test_wrong_columns_are_refused(given, table, words):
    X = np.random.default_rng(0).normal(size=(20, 2))
    rows = X if table == "array" else pd.DataFrame(X, columns=["code", "noise"])
    with pytest.raises(ValueError, match=words):
        kl.KernelClassifier(["linear"], columns=given).fit(rows, X[:, 0] > 0)


def test_sparse_columns_are_no_categories():
    X = csr_array(np.random.default_rng(0).integers(0, 2, size=(20, 2)).astype(float))
    with pytest.raises(ValueError, match=r"with a sparse matrix.* pass a dense table"):
        kl.KernelClassifier(["linear"], columns={0: "category"}).fit(X, np.arange(20) % 2)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", make_scorer(f1_score)])
def test_the_held_out_score_of_labels_in_another_metric(scoring):
    X, y = load_breast_cancer(return_X_y=True)
    model = kl.KernelClassifier(["linear"], scoring=scoring).fit(X[:150], y[:150])
    scorer = get_scorer(scoring)
    assert model.held_out_score_ == pytest.approx(scorer(model, X[150:], y[150:]), abs=0.15)
    plain = kl.KernelClassifier(["linear"]).fit(X[:150], y[:150])
    assert model.held_out_score_ != plain.held_out_score_


def test_the_held_out_score_of_numbers_in_another_metric():
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = 100.0 * X[:, 0] + np.random.default_rng(1).normal(size=80)
    model = kl.KernelRegressor(["linear"], scoring="neg_mean_absolute_error").fit(X, y)
    assert -1.2 < model.held_out_score_ < -0.5
    for scoring, match in (
        ("no metric", "get_scorer_names"),
        (3, "try scoring='roc_auc'"),
        ("accuracy", "got 'accuracy', which says.*choose a metric of numbers, such as 'r2'"),
    ):
        with pytest.raises(ValueError, match=match):
            kl.KernelRegressor(["linear"], scoring=scoring).fit(X, y)


def test_jobs_are_threads_and_change_nothing(monkeypatch):
    X = np.random.default_rng(0).normal(size=(70, 2))
    y, seen, usual = X[:, 0] > 0, [], screening.map_in_threads

    def counted(function, tasks, workers, tick):
        seen.append(workers)
        return usual(function, tasks, workers, tick)

    monkeypatch.setattr(screening, "map_in_threads", counted)
    values = []
    for n_jobs in (1, 2):
        model = kl.KernelClassifier(["linear", "Gaussian"], n_jobs=n_jobs).fit(X, y)
        values.append(model.decision_function(X))
    assert set(seen) == {1, 2}
    np.testing.assert_array_equal(*values)
    with pytest.raises(ValueError, match="integer other than zero, got 0; try n_jobs=2"):
        kl.KernelClassifier(["linear"], n_jobs=0).fit(X, y)
