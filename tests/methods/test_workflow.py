"""After a comparison, the model that is judged is fitted beside the one that is kept."""

from __future__ import annotations

import multiprocessing
import os
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from kernlearn.methods.judging import Contestant
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.registry import GUESS, LINEAR
from kernlearn.methods.task import Task, WorkflowOptions
from kernlearn.methods.workflow import learn, n_steps
from kernlearn.runtime import processes
from kernlearn.tables import Column


class Neighbours(KNeighborsClassifier):
    """Knows where it was fitted, and tells of the rows that it was fitted to."""

    def fit(self, X, y):
        self.pid_ = os.getpid()
        warnings.warn(f"neighbours end early: {len(y)} rows", ConvergenceWarning, stacklevel=2)
        return super().fit(X, y)


class Proud(Neighbours):
    """Has memory in the first process alone."""

    first = os.getpid()

    def fit(self, X, y):
        if os.getpid() != self.first and len(y) == 75:
            raise MemoryError("expected more")
        return super().fit(X, y)


class Waiting(Neighbours):
    """Is fitted to all rows only when another has been fitted to those that are learned from."""

    other_is_done = multiprocessing.get_context("fork").Event()

    def fit(self, X, y):
        if len(y) == 75:
            self.other_is_done.set()
        if len(y) == 100:
            assert self.other_is_done.wait(60)
        return super().fit(X, y)


def problem(kind, n_jobs):
    method = Method("neighbours", "neighbours", lambda s: Plan([("estimator", kind())]))
    options = WorkflowOptions(methods=(method,), baselines=(LINEAR,))
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "b"])
    y = np.where(X["a"] > X["b"] ** 2, "above", "below")
    columns = [Column(name, "number", "") for name in X]
    setting = Setting("classification", seed=0, classes=np.unique(y))
    return Task(X, y, columns, setting, "auto", n_jobs=n_jobs, options=options)


@pytest.mark.parametrize("kind", [Neighbours, Proud])
def test_side_by_side_is_as_in_turn(kind, monkeypatch):
    monkeypatch.setattr(Proud, "first", os.getpid())
    told, outcomes = [], []
    for n_jobs in (1, 2):
        given = problem(kind, n_jobs)
        steps = []
        outcomes.append(learn(given, lambda steps=steps: steps.append(1)))
        told.append((len(steps), n_steps(given)))
    assert told[0] == told[1] == (told[0][0], told[0][0])
    alone, together = outcomes
    assert together.refitted
    assert together.final.pipeline[-1].pid_ == os.getpid()
    assert together.final.comparison is not None
    names = ["neighbours", LINEAR.title_for("classification"), GUESS.title_for("classification")]
    assert [judged.name for judged in together.judged] == names
    for one, other in zip(alone.judged, together.judged, strict=True):
        assert one.score == other.score
        np.testing.assert_array_equal(one.held_out.predicted, other.held_out.predicted)
    # One note for one reason, that of the model which is kept.
    assert together.notes == alone.notes == ["neighbours end early: 100 rows"]


def test_the_model_that_is_judged_is_fitted_in_another_process(monkeypatch):
    # A thread that an earlier test has left behind, such as one of a cluster, forbids a fork.
    monkeypatch.setattr(processes, "_has_other_threads", lambda: False)
    seen = []
    add_split = Contestant.add_split
    monkeypatch.setattr(Contestant, "add_split", lambda *a: (seen.append(a[1][-1]), add_split(*a)))
    learn(problem(Waiting, 2))
    judged = next(model for model in seen if isinstance(model, Waiting))
    assert judged.pid_ != os.getpid()
    assert len(judged._fit_X) == 75
