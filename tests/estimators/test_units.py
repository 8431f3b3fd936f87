"""Units of targets and columns, names of labels and the order of rows change nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn.estimators.inputs.row_order import label_free_codes, row_order
from kernlearn.estimators.mkl.spread import robust_spread
from kernlearn.kernels import Gaussian

RNG = np.random.default_rng(0)
X, X_NEW = RNG.normal(size=(40, 3)), RNG.normal(size=(20, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=40)
LABELS = (Y > 0.2).astype(int)

REGRESSORS = {
    "tube": kl.MKLRegressor(),
    "tube through landmarks": kl.MKLRegressor([Gaussian(0.5), Gaussian(2.0)], rank=15),
    "least squares": kl.MKLRegressor(quality="least_squares"),
    "hyperkernel": kl.HyperkernelRegressor(max_pivots=8),
    "hyperkernel, tube": kl.HyperkernelRegressor(quality="epsilon_svr", max_pivots=8),
    "hyperkernel, least squares": kl.HyperkernelRegressor(quality="least_squares", max_pivots=8),
    "hyperkernel, any C": kl.HyperkernelRegressor(quality="least_squares", C="auto", max_pivots=8),
    "LS-SVM": kl.LSSVMRegressor(),
    "first level": kl.FirstLevelRegressor(cv=2, tol=1e-2),
    "mixture": kl.KernelRegressor(["linear", "Gaussian"]),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_the_unit_and_the_origin_of_targets_change_nothing_else(name):
    model = REGRESSORS[name]
    values = clone(model).fit(X, Y).predict(X_NEW)
    # Larger and as it is, or smaller and upside down: each way with half of the estimators.
    factor = 1000.0 if list(REGRESSORS).index(name) % 2 else -1e-3
    moved = clone(model).fit(X, factor * Y + 50.0).predict(X_NEW)
    np.testing.assert_allclose((moved - 50.0) / factor, values, atol=1e-6 * np.std(values))


def test_a_number_for_the_tube_is_in_the_units_of_y():
    model = kl.MKLRegressor([Gaussian(0.5)], C=1.0, epsilon=0.25).fit(X, 10 * Y)
    assert model.epsilon_ == 0.25
    auto = kl.MKLRegressor([Gaussian(0.5)], C=1.0).fit(X, 10 * Y)
    assert auto.epsilon_ == pytest.approx(robust_spread(Y, np.ones(40)))


def test_the_spread_is_that_of_most_targets():
    values, ones = np.random.default_rng(0).normal(size=1001), np.ones(1001)
    spread = robust_spread(values, ones)
    assert spread == pytest.approx(1.0, rel=0.1)
    assert robust_spread(np.append(values, [1e9, -1e9]), np.ones(1003)) < 1.01 * spread
    assert robust_spread(-3 * values + 7, 5 * ones) == pytest.approx(3 * spread)
    repeated = robust_spread(np.repeat(values, [1, 2] * 500 + [1]), np.ones(1501))
    assert robust_spread(values, np.array([1.0, 2.0] * 500 + [1.0])) == repeated
    assert robust_spread(np.eye(10)[0], np.ones(10)) == pytest.approx(0.3)
    assert robust_spread(np.full(4, 0.1 + 0.2), np.ones(4)) == 1.0


@pytest.mark.parametrize(
    "model",
    [
        kl.KernelClassifier(["linear", "Gaussian"]),
        kl.HyperkernelClassifier(max_pivots=8),
        kl.KernelRegressor(["linear", "Gaussian"]),
        kl.HyperkernelRegressor(max_pivots=8),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_unit_and_the_origin_of_columns_change_nothing_where_they_are_standardised(model):
    is_class = hasattr(model, "decision_function")
    predict, y = ("decision_function", LABELS) if is_class else ("predict", Y)
    values = getattr(clone(model).fit(X, y), predict)(X_NEW)
    factors, offsets = np.array([1000.0, 1e-3, 7.0]), np.array([50.0, 0.0, -3.0])
    moved = clone(model).fit(X * factors + offsets, y)
    found = getattr(moved, predict)(X_NEW * factors + offsets)
    np.testing.assert_allclose(found, values, atol=1e-6 * np.std(values))


CLASSIFIERS = {
    "mixture": kl.KernelClassifier(["Gaussian SVM", "Gaussian"]),
    "first level": kl.FirstLevelClassifier(),
    "LS-SVM by folds": kl.LSSVMClassifier(selection="cv"),
    "combination": kl.MKLClassifier(C="auto"),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_names_of_labels_and_the_order_of_rows_change_nothing(name):
    plain, other = (clone(CLASSIFIERS[name]) for _ in range(2))
    values = plain.fit(X, LABELS).decision_function(X_NEW)
    order = np.random.default_rng(1).permutation(40)
    other.fit(X, np.array(["yes", "no"])[LABELS])
    near = {"atol": 1e-9 * np.std(values)}
    np.testing.assert_allclose(other.decision_function(X_NEW), -values, **near)
    np.testing.assert_allclose(
        other.predict_proba(X_NEW)[:, ::-1], plain.predict_proba(X_NEW), atol=1e-6
    )
    if name == "combination":
        return  # C is chosen by folds of rows as they came
    other.fit(X[order], LABELS[order])
    np.testing.assert_allclose(other.decision_function(X_NEW), values, **near)
    if name != "mixture":  # what belongs to rows is stored in the order of the rows that came
        np.testing.assert_array_equal(other.support_vectors_, X[order])
        np.testing.assert_allclose(other.dual_coef_, plain.dual_coef_[:, order])
        np.testing.assert_allclose(other.loo_predictions_, plain.loo_predictions_[order])


def test_rows_are_sorted_by_what_they_hold():
    table = np.array([[0.0, 2.0], [0.0, 1.0], [-0.0, 1.0], [-1.0, np.nan], [0.0, 1.0]])
    labels = np.array([0, 1, 0, 1, 1])
    rows = np.arange(5)
    found = row_order(table, labels, rows, is_class=True)
    assert found.tolist() == [3, 2, 1, 4, 0]  # the smaller class first among equal rows
    renamed = row_order(3 * table + 1, np.array(["b", "a", "b", "a", "a"]), rows, is_class=True)
    np.testing.assert_array_equal(renamed, found)
    frame = pd.DataFrame({"text": ["b", "a", "a", "", "a"], "number": [1, 2, 1, 0, 3]})
    assert row_order(frame, labels, rows, is_class=True).tolist() == [3, 2, 1, 4, 0]
    kept = np.array([1, 3, 4])
    assert row_order(table, labels, kept, is_class=False).tolist() == [3, 1, 4, 0, 2]
    things = [list("ab"), list("cd")]
    assert row_order(things, np.zeros(2), np.arange(2), is_class=False).tolist() == [0, 1]


def test_classes_are_numbered_by_size_then_place():
    labels = np.array(["c", "a", "a", "b", "b", "c", "a"])
    assert label_free_codes(labels).tolist() == [0, 2, 2, 1, 1, 0, 2]
    places = np.array([3, 0, 0, 1, 1, 4, 0])
    assert label_free_codes(labels, places).tolist() == [1, 2, 2, 0, 0, 1, 2]


@pytest.mark.parametrize(
    "model",
    [
        kl.LSSVMClassifier("ard"),
        kl.LSSVMClassifier(kl.kernels.Linear(), "evidence"),
        kl.LSSVMRegressor(kl.kernels.Linear(), "evidence"),
    ],
    ids=["ARD", "logistic evidence", "evidence"],
)
@pytest.mark.parametrize("unit", [2.0**-450, 2.0**450])
def test_least_squares_machines_of_columns_in_any_unit(model, unit):
    y = LABELS if isinstance(model, kl.LSSVMClassifier) else Y
    values = clone(model).fit(X[:, :2], y).predict(X_NEW[:, :2])
    assert clone(model).fit(unit * X[:, :2], y).predict(unit * X_NEW[:, :2]) == pytest.approx(
        values, rel=1e-6
    )


@pytest.mark.parametrize(
    "model",
    [
        kl.LSSVMRegressor("ard"),
        kl.LSSVMRegressor("ard", rank=8),
        kl.LSSVMRegressor(selection="evidence"),
        kl.LSSVMClassifier(selection="cv"),
        kl.FirstLevelRegressor(cv=2, tol=1e-2),
        kl.MKLRegressor(),
        kl.MKLRegressor(quality="least_squares"),
        kl.MKLSurvival([Gaussian(0.5)], cv=2),
    ],
    ids=["LS", "landmarks", "evidence", "folds", "first level", "tube", "squares", "hazard"],
)
@pytest.mark.parametrize("unit", [2.0**-26, 2.0**26])
def test_the_unit_of_weights_changes_nothing_if_the_fit_chooses_its_regularisation(model, unit):
    weight, rows = np.linspace(1.0, 2.0, 40), X[:, :2]
    y = np.column_stack([LABELS, np.exp(Y)]) if isinstance(model, kl.MKLSurvival) else Y
    y = LABELS if isinstance(model, kl.LSSVMClassifier) else y
    read = "decision_function" if hasattr(model, "decision_function") else "predict"
    one, other = (clone(model).fit(rows, y, sample_weight=w) for w in (weight, unit * weight))
    found, expected = (getattr(each, read)(X_NEW[:, :2]) for each in (other, one))
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.ptp(expected))
