"""The same choice as scikit-learn's search, with less work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.methods.tuning import tuned_pipeline
from kernlearn.runtime import stopping
from kernlearn.runtime.convergence_warnings import InterruptedWarning

GRID = {"estimator__C": [0.01, 1.0, 100.0], "estimator__gamma": [0.001, 0.1, 3.0]}


class Counting(TransformerMixin, BaseEstimator):
    fits = 0

    def fit(self, X, y=None):
        type(self).fits += 1
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X)


@pytest.mark.parametrize("seed", range(2))
def test_it_chooses_as_grid_search_does(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1])
    y = np.where(X[0] ** 2 + rng.normal(size=60) > 0.7, "a", "b")
    steps = [("scale", StandardScaler()), ("estimator", SVC())]
    folds = list(StratifiedKFold(3).split(X, y))
    ours = tuned_pipeline(steps, GRID, X, y, folds)
    theirs = GridSearchCV(Pipeline(steps), GRID, cv=folds).fit(X, y)
    assert {k: ours.get_params()[k] for k in GRID} == theirs.best_params_
    np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))


def test_what_the_grid_does_not_touch_is_fitted_once_a_fold():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(30, 2))), np.arange(30) % 2
    Counting.fits = 0
    steps = [("first", Counting()), ("estimator", SVC())]
    tuned_pipeline(steps, GRID, X, y, list(StratifiedKFold(3).split(X, y)))
    assert Counting.fits == 3 + 1


def test_a_single_candidate_is_fitted_once():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(30, 2))), np.arange(30) % 2
    Counting.fits = 0
    steps = [("first", Counting()), ("estimator", SVC())]
    folds = list(StratifiedKFold(3).split(X, y))
    model = tuned_pipeline(steps, {"estimator__C": [7.0]}, X, y, folds)
    assert Counting.fits == 1
    assert model[-1].C == 7.0


@pytest.mark.filterwarnings("ignore")  # else all warnings are errors here
@pytest.mark.parametrize("first", [1, 3 * 2])
def test_only_an_interrupt_of_the_last_fit_leaves_a_model(first, monkeypatch):
    monkeypatch.setattr(stopping, "_last_caught", -np.inf)
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(30, 2))), np.arange(30) % 2
    fits = []

    def pressed(told):
        fits.append(told.step == 1)
        if sum(fits) > first:
            raise KeyboardInterrupt

    steps = [("estimator", kl.MKLClassifier(options=kl.MKLOptions(callback=pressed)))]
    arguments = steps, {"estimator__C": [0.1, 1.0]}, X, y, list(StratifiedKFold(3).split(X, y))
    if first < 6:
        with pytest.raises(KeyboardInterrupt):
            tuned_pipeline(*arguments)
        assert sum(fits) == first + 1
    else:
        with pytest.warns(InterruptedWarning):
            model = tuned_pipeline(*arguments)
        assert model.steps[-1][1].status_ is kl.results.Status.INTERRUPTED_AT_CHANCE
