"""Ordered grades in the flagship."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl

NAMES = ["low", "mid", "high"]
LINEAR = {"candidates": ["linear"]}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    grade = np.digitize(2.0 * X[:, 0] - X[:, 1] + rng.logistic(size=60), [-1.0, 1.5])
    return X, np.array(NAMES)[grade]


@pytest.fixture(scope="module")
def model(table):
    return kl.KernelClassifier(["linear", "Gaussian"], ordinal=NAMES).fit(*table)


def test_grades_have_an_order_and_classes_are_sorted(table, model):
    X, y = table
    assert model.grades_.tolist() == NAMES
    assert model.classes_.tolist() == sorted(NAMES)
    chances = model.predict_proba(X)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    below = np.cumsum(chances[:, np.searchsorted(model.classes_, model.grades_)], axis=1)
    told = np.array(NAMES)[(below[:, :-1] < 0.5).sum(axis=1)]
    assert (model.predict(X) == told).all()
    assert model.score(X, y) > 0.6
    assert any(name.endswith(", ordered") for name in model.candidates_["candidate"])


def test_an_ordered_categorical_is_taken_for_grades(table, model):
    X, y = table
    grades = pd.Series(pd.Categorical(y, [*NAMES, "never"], ordered=True))
    same = kl.KernelClassifier(["linear", "Gaussian"]).fit(X, grades)
    assert same.grades_.tolist() == NAMES
    assert same.predict_proba(X) == pytest.approx(model.predict_proba(X))
    assert kl.KernelClassifier(**LINEAR, ordinal=False).fit(X, grades).grades_ is None
    assert kl.KernelClassifier(**LINEAR).fit(X, pd.Series(y, dtype="category")).grades_ is None


def test_numbers_are_grades_where_they_are_said_to_be(table):
    X, y = table
    codes = np.array([NAMES.index(label) for label in y])
    assert kl.KernelClassifier(**LINEAR).fit(X, codes).grades_ is None
    assert kl.KernelClassifier(**LINEAR, ordinal=True).fit(X, codes).grades_.tolist() == [0, 1, 2]


def test_two_grades_are_two_classes(table):
    X, y = table
    two = np.where(y == "high", 1, 0)
    graded = kl.KernelClassifier(**LINEAR, ordinal=True).fit(X, two)
    plain = kl.KernelClassifier(**LINEAR).fit(X, two)
    assert graded.predict_proba(X) == pytest.approx(plain.predict_proba(X))


def test_a_file_keeps_the_grades(table, model, tmp_path):
    kl.save(model, tmp_path / "grades.kl")
    again = kl.load(tmp_path / "grades.kl")
    assert (again.predict(table[0]) == model.predict(table[0])).all()
    assert again.grades_.tolist() == NAMES


def test_grades_go_through_pipelines_and_searches(table):
    X, y = table
    pipe = make_pipeline(StandardScaler(), kl.KernelClassifier(**LINEAR, ordinal=NAMES))
    metric = kl.metrics.quadratic_kappa_scorer(NAMES)
    search = GridSearchCV(
        pipe, {"kernelclassifier__max_members": [1]}, scoring=metric, cv=2, error_score="raise"
    )
    assert search.fit(X, y).best_score_ > 0.3


@pytest.mark.parametrize(
    ("ordinal", "said"),
    [
        (True, r"expected grades that are numbers or an ordered categorical, got 'high', 'low'"),
        (["low", "mid"], r"expected the grades of ordinal in y \('low', 'mid'\), got 'high'"),
        (["low", "mid", "high", "low"], r"expected every grade once in ordinal, got 'low' twice"),
        ("rising", r"expected ordinal to be True, False, 'auto' or the grades in order"),
        (3, r"expected ordinal to be True, False, 'auto' or the grades in order, got 3"),
    ],
)
def test_orders_that_cannot_be(table, ordinal, said):
    with pytest.raises(ValueError, match=said):
        kl.KernelClassifier(**LINEAR, ordinal=ordinal).fit(*table)


def test_one_grade_is_none(table):
    with pytest.raises(ValueError, match="expected at least two classes in y, got one class"):
        kl.KernelClassifier(**LINEAR, ordinal=NAMES).fit(table[0], np.full(60, "mid"))


def test_noise_has_no_grades():
    rng = np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kl.KernelClassifier(**LINEAR, ordinal=True)
        model.fit(rng.normal(size=(60, 2)), rng.integers(1, 4, 60))
    assert set(model.predict(rng.normal(size=(5, 2)))) <= {1, 2, 3}
