"""Free text that a model reads is read by logistic regression, too."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.methods.method import Setting
from kernlearn.methods.registry import BOOSTING, GUESS, LINEAR
from kernlearn.methods.task import Task
from kernlearn.tables import Column


def task(kinds, problem="classification"):
    rng = np.random.default_rng(0)
    good = rng.random(60) < 0.5
    said = [f"{'fine' if is_good else 'poor'} cloth {i}" for i, is_good in enumerate(good)]
    said[7] = None
    X = pd.DataFrame({"said": said, "age": rng.normal(size=60)})
    columns = [Column(name, kind, "") for name, kind in kinds.items()]
    y = np.where(good, "yes", "no") if problem == "classification" else good * 1.0
    classes = np.unique(y) if problem == "classification" else None
    views = {"said": ["said"]}
    return Task(X, y, columns, Setting(problem, seed=0, classes=classes), "mkl", views=views)


@pytest.mark.parametrize("kind", ["number", "dropped"])
def test_logistic_regression_counts_the_words(kind):
    given = task({"said": "words", "age": kind})
    first, *others = given.baselines()
    assert first.method is LINEAR
    assert (BOOSTING in [learner.method for learner in others]) == (kind == "number")
    assert others[-1].method is GUESS
    model = first.fit(given.X[:40], given.y[:40])
    assert (model.predict(given.X[40:]) == given.y[40:]).all()


def test_without_words_nothing_is_counted():
    """A ridge over all words would take a matrix of words by words."""
    given = task({"said": "words", "age": "number"}, "regression")
    model = given.baselines()[0].fit(given.X, given.y)
    assert model[:-1].transform(given.X).shape == (60, 1)
