"""Boosted trees as machines of a kernel: the sums of scikit-learn, without the fold that judges."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from kernlearn.estimators.mixture.candidates.boosting import (
    BoostedTrees,
    EncodedRows,
    grown,
    mean_machine,
    pilot_residuals,
)
from kernlearn.estimators.mixture.options import BoostingOptions
from kernlearn.runtime.stopping import StoppingControl

N = 300
OPTIONS = BoostingOptions(max_iter=12, models=2)


def encoded(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3)).astype(np.float32)
    X[:, 2] = np.round(X[:, 2])
    signal = X[:, 0] * (X[:, 1] > 0) + 0.5 * X[:, 2] + 0.3 * rng.normal(size=N)
    classes = np.digitize(signal, [-0.4, 0.4])
    Y = {
        "two classes": np.where(signal > 0, 1.0, -1.0)[:, None],
        "three classes": np.where(classes[:, None] == np.arange(3), 1.0, -1.0),
        "numbers": np.column_stack([signal, -(signal**2)]),
    }[kind]
    folds = [np.arange(i, N, 3) for i in range(3)]
    return EncodedRows(X, Y, rng.uniform(0.5, 1.5, size=N), folds, np.arange(N))


def staged(model, X):
    """What scikit-learn's sum of trees is where the held-out loss is least."""
    best = int(np.argmax(model.validation_score_[1:]))
    steps = getattr(model, "staged_decision_function", None) or model.staged_predict
    return next(islice(steps(X), best, None)).reshape(len(X), -1)


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_the_machine_is_the_sum_of_the_trees(kind):
    rows = encoded(kind)
    is_of_labels = kind != "numbers"
    model = grown(rows, 1, is_of_labels, StoppingControl(), OPTIONS)
    found = mean_machine("encoded", [model], 1.0).predict(rows.X)
    out, (bins, _) = rows.folds[1], rows.binned
    train = np.setdiff1d(np.arange(N), out)
    if kind == "two classes":
        targets = [(rows.Y[:, 0] > 0).astype(int)]
    else:
        targets = [rows.Y.argmax(axis=1)] if is_of_labels else list(rows.Y.T)
    regressor, classifier = HistGradientBoostingRegressor, HistGradientBoostingClassifier
    expected = [
        staged(
            (classifier if is_of_labels else regressor)(
                max_iter=12, early_stopping=True, random_state=0
            ).fit(
                bins[train],
                y[train],
                sample_weight=rows.weight[train],
                X_val=bins[out],
                y_val=y[out],
                sample_weight_val=rows.weight[out],
            ),
            bins,
        )
        for y in targets
    ]
    np.testing.assert_allclose(found, np.hstack(expected), atol=1e-10)


def test_a_member_is_the_mean_of_models_without_each_fold():
    rows, stopping = encoded("two classes"), StoppingControl()
    models = [grown(rows, fold, True, stopping, OPTIONS) for fold in (2, 0)]
    trees = BoostedTrees("encoded", rows, True, 2, models[0], OPTIONS)
    values = [mean_machine("encoded", [model], 1.0).predict(rows.X) for model in models]
    found = trees.machine(1.0, stopping).predict(rows.X)
    np.testing.assert_allclose(found, np.mean(values, axis=0), atol=1e-10)
    late = StoppingControl(time_limit=0.0)
    np.testing.assert_allclose(trees.machine(1.0, late).predict(rows.X), values[0], atol=1e-10)
    assert late.stopped is not None


def test_with_a_time_limit_trees_come_a_few_at_a_time():
    rows = encoded("two classes")
    options = replace(OPTIONS, with_time_limit=5)
    in_time, late = (
        grown(rows, 0, True, StoppingControl(time_limit=limit), options) for limit in (1e6, 0.0)
    )
    whole = grown(rows, 0, True, StoppingControl(), OPTIONS)
    found, expected = (
        mean_machine("encoded", [one], 1.0).predict(rows.X) for one in (in_time, whole)
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert len(late.trees) == 5


def test_a_class_that_is_held_out_as_a_whole_is_below_all_others():
    rows = encoded("three classes")
    middle = np.flatnonzero(rows.Y[:, 1] > 0)
    others = np.setdiff1d(np.arange(N), middle)
    rows = replace(rows, folds=[np.append(middle, others[::3]), np.delete(others, np.s_[::3])])
    model = grown(rows, 0, True, StoppingControl(), OPTIONS)
    values = mean_machine("encoded", [model], 1.0).predict(rows.X)
    assert (values.argmin(axis=1) == 1).all()
    told = values[others].argmax(axis=1) == rows.Y[others].argmax(axis=1)
    assert told.mean() > 0.85
    alone = replace(rows, folds=[others, middle])
    with pytest.raises(np.linalg.LinAlgError, match="one class"):
        grown(alone, 0, True, StoppingControl(), OPTIONS)


def test_a_pilot_leaves_what_its_columns_do_not_tell():
    """A level that goes with large amounts, and lowers the target, has negative residuals."""
    rng = np.random.default_rng(5)
    amount = rng.normal(size=N)
    level = amount + 0.3 * rng.normal(size=N) > 0
    target = 3.0 * amount - level + 0.05 * rng.normal(size=N)
    assert target[level].mean() > target[~level].mean() + 1.0
    Y = target[:, None]
    folds = [np.arange(i, N, 3) for i in range(3)]
    rows = EncodedRows(amount[:, None].astype(np.float32), Y, np.ones(N), folds, np.arange(N))
    left = pilot_residuals(rows, False, StoppingControl(), OPTIONS)
    assert left[level].mean() < left[~level].mean() - 0.1
    labels = replace(rows, Y=np.where(Y > 0, 1.0, -1.0))
    left = pilot_residuals(labels, True, StoppingControl(), OPTIONS)
    assert np.abs(left).max() < 1.0
    assert np.abs(left).mean() < 0.3
