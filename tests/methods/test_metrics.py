"""Any scorer of scikit-learn, on predictions that were kept."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from kernlearn.methods.class_weights import read_class_weight
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import Metric, find_metric

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
NAMES = np.unique(Y)


@pytest.fixture(scope="module")
def three():
    return make_pipeline(LogisticRegression(max_iter=500)).fit(X[::2], Y[::2])


@pytest.mark.parametrize(
    "name", ["accuracy", "balanced_accuracy", "f1_macro", "roc_auc_ovr", "neg_log_loss"]
)
def test_the_value_is_that_of_the_scorer(three, name):
    rows = slice(1, 120, 2)  # fewer of one class than of the others
    expected = get_scorer(name)(three, X[rows], Y[rows])
    metric = Metric(name)
    said = HeldOutPredictions.of(three, X[rows], Y[rows], NAMES)
    assert metric.goodness(said) == pytest.approx(expected)
    assert metric.value(said) == pytest.approx(abs(expected))


@pytest.mark.parametrize("name", ["f1", "roc_auc", "average_precision", "precision"])
def test_of_two_classes_the_second_is_the_positive_one(name):
    rows = CODES > 0
    codes, labels = CODES[rows] - 1, Y[rows]
    by_code = LogisticRegression().fit(X[rows][::3, :1], codes[::3])
    by_name = make_pipeline(LogisticRegression()).fit(X[rows][::3, :1], labels[::3])
    expected = get_scorer(name)(by_code, X[rows][:, :1], codes)
    said = HeldOutPredictions.of(by_name, X[rows][:, :1], labels, NAMES[1:])
    assert Metric(name).value(said) == pytest.approx(expected)


def test_errors_are_shown_without_scikit_learns_minus():
    model = make_pipeline(Ridge()).fit(X[:, :2], X[:, 2])
    said = HeldOutPredictions.of(model, X[:, :2], X[:, 2], None)
    metric = Metric("neg_mean_absolute_error")
    expected = np.abs(model.predict(X[:, :2]) - X[:, 2]).mean()
    assert metric.value(said) == pytest.approx(expected)
    assert metric.goodness(said) == pytest.approx(-expected)
    assert not metric.greater_is_better


def test_a_model_that_does_not_say_enough_has_no_value():
    model = make_pipeline(SVC()).fit(X, Y)
    said = HeldOutPredictions.of(model, X, Y, NAMES)
    assert Metric("neg_log_loss").value(said) is None
    assert Metric("neg_log_loss").goodness(said) == -np.inf


def test_a_class_without_a_row_does_not_spoil_the_others(three):
    said = HeldOutPredictions.of(three, X[:100], Y[:100], NAMES)  # no virginica
    assert Metric("roc_auc_ovr").value(said) == pytest.approx(1.0)
    assert 0.0 < Metric("neg_log_loss").value(said) < 0.3


def test_the_log_loss_is_the_same_where_a_class_has_no_row(three):
    rows = np.flatnonzero(CODES > 0)
    said = HeldOutPredictions.of(three, X[rows], Y[rows], NAMES)
    own = three.predict_proba(X[rows])[np.arange(len(rows)), CODES[rows]]
    assert Metric("neg_log_loss").value(said) == pytest.approx(-np.log(own).mean())


def test_rows_are_ranked_within_folds():
    """A constant guess ranks no row, however its constant differs from fold to fold."""
    parts = [
        HeldOutPredictions(np.array([0, 0, 1]), np.zeros(3, dtype=int), 2, np.full(3, 0.3)),
        HeldOutPredictions(np.array([0, 1, 1]), np.zeros(3, dtype=int), 2, np.full(3, 0.1)),
    ]
    constant = HeldOutPredictions.joined(parts)
    assert Metric("roc_auc").value(constant) == 0.5
    apart = [HeldOutPredictions(part.y, part.y, 2, part.decision + 1e-3 * part.y) for part in parts]
    assert Metric("roc_auc").value(HeldOutPredictions.joined(apart)) == 1.0


def test_what_a_reader_has_to_know_of_a_metric():
    y = np.array([0, 1, 0, 1])
    alone = HeldOutPredictions.joined(
        [HeldOutPredictions(y[[i]], y[[i]], 2, np.zeros(1)) for i in range(4)]
    )
    assert "fewer folds" in Metric("roc_auc").remarks(alone, ["no", "yes"])[0]
    mute = HeldOutPredictions(y, y, 2)
    assert "another method" in Metric("neg_log_loss").remarks(mute, ["no", "yes"])[0]
    assert "of the class 'yes'" in Metric("f1").remarks(mute, ["no", "yes"])[0]
    assert Metric("accuracy").remarks(mute, ["no", "yes"]) == []
    assert (
        "hold out more"
        in Metric("r2").remarks(HeldOutPredictions(np.ones(1), np.ones(1), 0), [])[0]
    )


def test_classes_that_a_model_never_saw_have_no_probability():
    model = make_pipeline(LogisticRegression(max_iter=500)).fit(X[:100], Y[:100])
    said = HeldOutPredictions.of(model, X, Y, NAMES)
    assert said.proba.shape == (150, 3)
    assert (said.proba[:, 2] == 0).all()
    assert said.decision is None  # of two classes, one column


@pytest.mark.parametrize(
    ("name", "target", "sentence"),
    [
        ("auc", Y, "expected --metric to be the name of a scorer of scikit-learn, got 'auc'"),
        ("acuracy", Y, "did you mean accuracy"),
        ("f1", Y, r"expected --metric to judge 3 classes, got 'f1' \(.*try accuracy, .* f1_macro"),
        ("r2", Y[:100], "expected --metric to judge two classes"),
        ("accuracy", X[:, 0], "expected --metric to judge numbers, got 'accuracy'"),
        ("roc_auc", X[:, 0], "try r2, neg_root_mean_squared_error or neg_mean_absolute_error"),
    ],
)
def test_what_cannot_judge_is_refused(name, target, sentence):
    classes = np.unique(target) if target.dtype.kind == "U" else None
    task = "regression" if classes is None else "classification"
    with pytest.raises(MethodError, match=sentence):
        find_metric(name, task, target, classes)


def test_the_usual_metrics():
    assert find_metric(None, "classification", Y, NAMES).name == "accuracy"
    assert find_metric(None, "regression", X[:, 0], None).title == "R²"


def test_weights_of_classes():
    assert read_class_weight(None, NAMES) is None
    assert read_class_weight("balanced", NAMES) == "balanced"
    read = read_class_weight("setosa=2, virginica=0.5", NAMES)
    assert read == {"setosa": 2.0, "versicolor": 1.0, "virginica": 0.5}
    assert read_class_weight("1=3", np.array([0, 1])) == {0: 1.0, 1: 3.0}
    assert read_class_weight("a=b=3", np.array(["a=b", "c"])) == {"a=b": 3.0, "c": 1.0}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("equal", "expected --class-weight to be balanced, or weights such as"),
        ("rose=2", "names the class 'rose', which the target does not have; it has setosa, v"),
        ("setosa=0", "expected positive numbers in --class-weight, got '0'"),
        ("setosa=nan", "expected positive numbers"),
        ("setosa=much", "got 'much' in 'setosa=much'"),
        ("", "expected --class-weight to be balanced"),
        ("setosa=1,setosa=2", "names the class 'setosa' twice; name each class once"),
    ],
)
def test_what_is_no_weight_of_classes(text, sentence):
    with pytest.raises(MethodError, match=sentence):
        read_class_weight(text, NAMES)


def test_numbers_have_no_classes_to_weigh():
    with pytest.raises(MethodError, match="--class-weight weighs classes, got a target of numbers"):
        read_class_weight("balanced", None)
