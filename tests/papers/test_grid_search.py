"""The choice among candidates against a plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from kernlearn import LSSVMRegressor
from kernlearn.papers.grid_search import best_on_folds, fit_quietly
from kernlearn.results import Progress
from kernlearn.runtime import stopping
from kernlearn.runtime.convergence_warnings import interrupts_end_everything

FOLDS = [(np.array([0, 1]), np.array([2])), (np.array([1, 2]), np.array([0]))]


def test_the_first_of_the_best_wins() -> None:
    grams = {"a": np.full((3, 3), 1.0), "b": np.full((3, 3), 2.0), "c": np.full((3, 3), 2.0)}
    scores = {(1.0, 5): -3.0, (1.0, 6): -2.0, (2.0, 5): -2.0, (2.0, 6): -1.0}
    chosen = best_on_folds(grams.items(), [5, 6], FOLDS, lambda K, f, c, p: scores[K[0, 0], p])
    assert chosen == ("b", 6)


def test_the_mean_over_the_folds_decides() -> None:
    scores = {(5, 2): 1.0, (5, 0): 0.0, (6, 2): 0.6, (6, 0): 0.6}
    gram = [("a", np.eye(3))]
    assert best_on_folds(gram, [5, 6], FOLDS, lambda K, f, c, p: scores[p, c[0]]) == ("a", 6)


def test_it_chooses_what_grid_search_chooses() -> None:
    X, y = make_moons(80, noise=0.3, random_state=0)
    gammas, Cs = [0.01, 1.0, 100.0], [0.1, 1.0, 10.0]
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))

    def score(K, fit, check, C):
        machine = fit_quietly(SVC(kernel="precomputed", C=C), K[np.ix_(fit, fit)], y[fit])
        return machine.score(K[np.ix_(check, fit)], y[check])

    chosen = best_on_folds(((g, rbf_kernel(X, gamma=g)) for g in gammas), Cs, folds, score)
    grid = [{"gamma": [g], "C": [C]} for g, C in itertools.product(gammas, Cs)]
    expected = GridSearchCV(SVC(), grid, cv=folds).fit(X, y).best_params_
    assert chosen == (expected["gamma"], expected["C"])


def test_nothing_to_choose_from() -> None:
    with pytest.raises(ValueError, match="a kernel and a candidate at least, got none: give"):
        best_on_folds([], [1.0], FOLDS, lambda K, f, c, p: 0.0)


def test_a_bound_on_the_iterations_is_no_warning() -> None:
    X, y = make_moons(40, noise=0.5, random_state=0)
    machine = SVC(kernel="precomputed", C=1e6, max_iter=3)
    assert fit_quietly(machine, rbf_kernel(X), y).n_iter_[0] == 3


def test_a_fit_that_was_interrupted_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "_last_caught", -np.inf)

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt  # a signal may be ignored where tests run in the background

    X = np.random.default_rng(0).normal(size=(20, 2))
    model = LSSVMRegressor(callback=interrupt)
    with pytest.raises(KeyboardInterrupt), interrupts_end_everything():
        fit_quietly(model, X, X[:, 0])
