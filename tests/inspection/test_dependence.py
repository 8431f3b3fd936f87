"""Partial dependence and interactions, beside scikit-learn's and with their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.linear_model import LinearRegression, LogisticRegression

from kernlearn import KernelClassifier, KernelRegressor
from kernlearn.inspection import PartialDependenceDisplay, interactions, partial_dependence
from kernlearn.inspection._refits import PARTS, refits, without_each


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    return X, X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * random.normal(size=80)


@pytest.fixture(scope="module")
def mixture(rows):
    return KernelRegressor(["linear", "Gaussian"], cv=2).fit(*rows)


def test_values_are_those_of_scikit_learn(rows, mixture):
    X = rows[0]
    found = partial_dependence(mixture, X, 1, grid_size=7)
    values = {1: found["grid"]}
    expected = sklearn_dependence(
        mixture, X, [1], custom_values=values, method="brute", kind="average"
    )
    np.testing.assert_allclose(found["value"], expected["average"][0], rtol=1e-9)
    assert ((found["low"] < found["value"]) & (found["value"] < found["high"])).all()


def test_intervals_of_a_line_are_those_of_least_squares(rows):
    """A jackknife of the slope: about the standard error of ordinary least squares."""
    X, y = rows
    model = LinearRegression().fit(X, y)
    assert "low" not in partial_dependence(model, X, "x2")
    found = partial_dependence(model, X, 2, y, grid_size=2)
    span = np.ptp(found["grid"])
    half = (found["high"] - found["low"])[1] / 2
    centred = X - X.mean(axis=0)
    residual = y - model.predict(X)
    slope_error = residual.std(ddof=4) * np.sqrt(np.linalg.inv(centred.T @ centred)[2, 2])
    assert half == pytest.approx(2.26 * slope_error * span / 2, rel=0.6)


def test_columns_that_multiply_interact_and_others_do_not(rows, mixture):
    found = interactions(mixture, rows[0], [0, 1, 2])
    assert (found["first"][0], found["second"][0]) == ("x0", "x1")
    assert found["value"][0] > 4 * found["value"][1]
    assert found["low"][0] > 0.1
    linear = LinearRegression().fit(*rows)
    assert interactions(linear, rows[0], [0, 2])["value"] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match=r"expected two columns at least, got \[1, 1\]"):
        interactions(linear, rows[0], [1, 1])


def test_a_picture_of_classes_and_of_categories(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc")).assign(b=np.where(X[:, 1] > 0, "up", "down"))
    label = np.where(y + 2.0 * (X[:, 1] > 0) > 1, "yes", "no")
    model = KernelClassifier(["linear", "Gaussian"], cv=2).fit(frame, label)
    display = PartialDependenceDisplay.from_estimator(model, frame, "b")
    assert display.grid.tolist() == ["down", "up"]
    assert display.value[1] > display.value[0] + 0.1
    assert (display.low >= 0.0).all()
    assert (display.high <= 1.0).all()
    assert display.ax_.get_xlabel() == "mean probability of yes"
    other = PartialDependenceDisplay.from_estimator(model, frame, "b", target="no")
    np.testing.assert_allclose(other.value, 1.0 - display.value)
    with pytest.raises(ValueError, match="expected target to be one of"):
        PartialDependenceDisplay.from_estimator(model, frame, "b", target="perhaps")
    three = LogisticRegression().fit(X, np.digitize(y, [-0.5, 0.5]))
    line = PartialDependenceDisplay.from_estimator(three, X, 2, target=2)
    assert line.value[-1] > line.value[0]
    assert line.low is None


def test_groups_stay_together_and_columns_are_named(rows):
    X, y = rows
    seen = []

    class Watched(LinearRegression):
        def fit(self, X, y):
            seen.append(set(X[:, 0]))
            return super().fit(X, y)

    groups = np.arange(80) // 8
    partial_dependence(Watched().fit(X, y), X, 0, y, groups=groups, grid_size=2)
    assert len(seen) == 1 + PARTS
    assert {len(kept) for kept in seen[1:]} == {72}
    assert all(len({groups[i] for i in range(80) if X[i, 0] not in kept}) == 1 for kept in seen[1:])
    with pytest.raises(ValueError, match="expected a column of X, 'x0' or 0 for example, got 3"):
        partial_dependence(LinearRegression().fit(X, y), X, 3)
    with pytest.raises(ValueError, match=r"expected a column of X, .* got \[0\]"):
        partial_dependence(LinearRegression().fit(X, y), X, [0])


@pytest.mark.parametrize("family", ["Gaussian", "Gaussian SVM", "linear"])
def test_refits_side_by_side_are_those_one_by_one(rows, family):
    X, y = rows
    model = KernelClassifier([family], cv=2).fit(X, y > 0)
    members = model._members
    made = refits(model)
    table = model.preparation_.apply_all(X[:7], {members.machines[0].table})
    parts = made.parts(X[:7])
    assert len(parts) == PARTS
    random = np.random.RandomState(0)
    order = np.sort(random.permutation(len(y)))
    for part, some in zip(parts, without_each(None, len(y), random), strict=True):
        one = members.trained_again(members.machines[0], order[some])
        values = members.factors[0] * one.predict(table[one.table])
        expected = model._predictions(values).predict_proba(np.arange(7))[:, 1:]
        np.testing.assert_allclose(part, expected, rtol=1e-6)
