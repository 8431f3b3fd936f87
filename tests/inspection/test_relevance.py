"""What predictions lose when columns are shuffled: one measure for every estimator."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.inspection import RelevanceDisplay, relevance

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 3))
LABELS = np.where(2 * X[:, 0] + X[:, 1] > 0, "yes", "no")
NUMBERS = 2 * X[:, 0] + X[:, 1]
TRAIN, TEST = slice(0, 80), slice(80, 160)

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.mark.parametrize(
    "estimator",
    [
        kl.MKLClassifier(),
        kl.HyperkernelClassifier(),
        kl.LSSVMRegressor(),
        kl.FirstLevelRegressor(lam=0.1, mu=1.0),
        kl.KernelClassifier(["linear"]),
        make_pipeline(StandardScaler(), Ridge()),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_estimator_has_the_same_measure(estimator):
    y = NUMBERS if "egress" in repr(estimator) or "Ridge" in repr(estimator) else LABELS
    found = relevance(estimator.fit(X[TRAIN], y[TRAIN]), X[TEST], y[TEST], n_repeats=3)
    assert found["column"].tolist() == ["x0", "x1", "x2"]
    first, second, third = found["relevance"]
    assert first > second > 0.05 > third
    above = found["relevance"] / np.maximum(found["standard_error"], 1e-9)
    assert above[0] > 4.0
    assert abs(above[2]) < 3.0


@pytest.mark.parametrize("model", [kl.KernelSurvival(["linear"]), kl.MKLSurvival()])
def test_survival_is_judged_by_its_concordance(model):
    ends = pd.DataFrame({"event": np.arange(160) % 4 > 0, "time": np.exp(-NUMBERS)})
    found = relevance(model.fit(X[TRAIN], ends[TRAIN]), X[TEST], ends[TEST], n_repeats=3)
    first, second, third = found["relevance"]
    assert first > second > 0.03 > third
    assert abs(third) < 3.0 * found["standard_error"][2]


def test_a_column_without_effect_is_below_zero_half_of_the_time():
    model = LogisticRegression().fit(X[TRAIN], LABELS[TRAIN])
    found = [
        relevance(model, X[TEST], LABELS[TEST], n_repeats=2, random_state=seed)["relevance"][2]
        for seed in range(8)
    ]
    assert min(found) < 0.0 < max(found)


def test_the_error_is_the_spread_over_samples_and_shuffles():
    """By theory: the error of 12 samples is to be the spread of their values, up to a factor."""
    model = LogisticRegression().fit(X, LABELS)
    values, errors = [], []
    for seed in range(12):
        rows = np.random.default_rng(seed).normal(size=(100, 3))
        y = np.where(2 * rows[:, 0] + rows[:, 1] > 0, "yes", "no")
        found = relevance(model, rows, y, n_repeats=3, random_state=seed)
        values.append(found["relevance"][0])
        errors.append(found["standard_error"][0])
    assert 0.5 < np.std(values, ddof=1) / np.mean(errors) < 2.0


def test_columns_that_say_the_same_are_shuffled_together():
    frame = pd.DataFrame({"a": X[:, 0], "copy": X[:, 0] + 0.01 * X[:, 2], "b": X[:, 1]})
    frame["city"] = np.where(X[:, 2] > 0, "A", "B")
    numbers = frame[["a", "copy", "b"]]
    model = Ridge(10.0).fit(numbers[TRAIN], NUMBERS[TRAIN])
    found = relevance(model, numbers[TEST], NUMBERS[TEST])
    assert found["column"].tolist() == ["a", "copy", "b", "a + copy"]
    assert found["relevance"][3] > found["relevance"][:2].sum()
    model = kl.KernelRegressor(["linear"]).fit(frame[TRAIN], NUMBERS[TRAIN])
    for found in (relevance(model, frame[TEST], NUMBERS[TEST]), model.relevance_):
        assert found["column"].tolist() == ["a", "copy", "b", "city", "a + copy"]


def test_rows_of_one_group_count_once():
    model = LogisticRegression().fit(X[TRAIN], LABELS[TRAIN])
    again = np.repeat(np.arange(80), 4) + 80
    rows, labels = X[again], LABELS[again]
    once = relevance(model, rows, labels)["standard_error"][0]
    assert relevance(model, rows, labels, groups=again)["standard_error"][0] > 1.3 * once


def test_any_score_has_an_error():
    model = LogisticRegression().fit(X[TRAIN], LABELS[TRAIN])
    display = RelevanceDisplay.from_estimator(
        model, X[TEST], LABELS[TEST], scoring="roc_auc", n_repeats=2
    )
    assert (display.standard_error > 0).all()
    assert display.labels == ["x0", "x1", "x2"]
    assert display.relevance[0] > 3 * display.standard_error[0]
    assert display.ax_.get_xlabel() == "lost roc_auc"
    assert [bar.get_width() for bar in display.bars_] == display.relevance.tolist()


def test_a_series_is_a_source_whatever_its_index():
    z = np.random.default_rng(0).normal(size=40)
    sources = {"dose": pd.Series(z, index=np.arange(40) + 100), "noise": np.sin(9.0 * z)[:, None]}
    model = kl.KernelClassifier(["linear"], effort="fast").fit(sources, z > 0)
    found = relevance(model, sources, z > 0)
    assert found["relevance"][0] > 0.2
    assert sources["dose"].tolist() == z.tolist()


def test_sparse_rows_and_sources():
    sparse = csr_array(np.where(np.abs(X) > 0.3, X, 0.0))
    model = LogisticRegression().fit(sparse[:80], LABELS[TRAIN])
    dense = relevance(model, sparse[80:].toarray(), LABELS[TEST])
    found = relevance(model, sparse[80:], LABELS[TEST])
    assert found["relevance"].tolist() == dense["relevance"].tolist()
    frame = pd.DataFrame(X[:, :1], index=np.arange(160) + 5)
    train, test = ({"one": frame[rows], "other": X[rows, 1:]} for rows in (TRAIN, TEST))
    model = kl.MKLClassifier().fit(train, LABELS[TRAIN])
    found = relevance(model, test, LABELS[TEST], n_repeats=2)
    assert found["column"].tolist() == ["one", "other"]
    assert found["relevance"][0] > 0.1


def test_the_metric_of_a_mixture_is_that_of_its_score():
    labels = kl.KernelClassifier(["linear"], scoring="neg_log_loss").fit(X[TRAIN], LABELS[TRAIN])
    found = labels.relevance_
    assert found["relevance"][0] > 0.5  # more than an accuracy can fall
    several = np.column_stack([NUMBERS, X[:, 2]])
    numbers = kl.KernelRegressor(["linear"]).fit(X[TRAIN], several[TRAIN])
    assert (numbers.relevance_["relevance"] > 0.1).all()
    grouped = kl.KernelRegressor(["linear"]).fit(
        X[TRAIN], NUMBERS[TRAIN], groups=np.arange(80) // 4
    )
    assert np.isfinite(grouped.relevance_["standard_error"]).all()


def test_what_cannot_be_measured_is_refused():
    model = LogisticRegression().fit(X, LABELS)
    with pytest.raises(ValueError, match=r"expected y of 160 rows, as X has, got shape \(3,\)"):
        relevance(model, X, LABELS[:3])
    with pytest.raises(ValueError, match=r"expected n_repeats to be a positive integer, got 0"):
        relevance(model, X, LABELS, n_repeats=0)
    with pytest.raises(ValueError, match=r"got StandardScaler without predict; pass for example"):
        relevance(StandardScaler().fit(X), X, LABELS)
    with pytest.raises(ValueError, match=r"one number of rows, got \[2, 3\]"):
        relevance(model, {"a": X[:2], "b": X[:3]}, LABELS[:2])
    tiny = kl.KernelClassifier(["linear"]).fit(X[:2], [0, 1])
    with pytest.raises(AttributeError, match=r"three rows, or groups of rows, at least .* got 2"):
        _ = tiny.relevance_
