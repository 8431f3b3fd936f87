"""Nested cross-validation sees every row once, and no row before it is scored."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.dummy import DummyClassifier

from kernlearn import LSSVMClassifier
from kernlearn.methods import contest as contest_module
from kernlearn.methods.contest import N_FOLDS, compare_methods, comparison_steps
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Method, MethodError, Plan, Setting
from kernlearn.runtime import stopping

SETTING = Setting("classification", seed=0, classes=np.arange(3))


class Memory(DummyClassifier):
    """Predicts right for rows it was fitted to, and remembers what it was asked."""

    asked: list = []  # noqa: RUF012  # shared on purpose

    def fit(self, X, y):
        self.known_ = dict(zip(X["row"], y, strict=True))
        return super().fit(X, y)

    def predict(self, X):
        seen = [row in self.known_ for row in X["row"]]
        self.asked.extend(zip(X["row"], seen, strict=True))
        right = X["row"].astype(int) % 3
        return np.where(seen, right, (right + 1) % 3)


def table(n=60):
    return pd.DataFrame({"row": np.arange(float(n))}), np.arange(n) % 3


def learner(name, estimator):
    return Learner(Method(name, name, lambda s: Plan([("estimator", estimator)])), SETTING, None)


def refusing(name):
    def plan(setting):
        raise MethodError("it is raining")

    return Learner(Method(name, name, plan), SETTING, None)


def test_no_row_is_scored_by_a_model_that_was_fitted_to_it():
    Memory.asked = []
    X, y = table()
    result = compare_methods([learner("memory", Memory())], X, y, lambda: None)
    assert result.entries[0].scores == (0.0,) * N_FOLDS
    assert Counter(row for row, _ in Memory.asked) == Counter(X["row"].tolist())


def test_the_best_mean_wins_and_ties_go_to_the_first():
    X, y = table()
    y = np.where(y == 0, 1, 0)
    learners = [
        learner("bad", DummyClassifier(strategy="constant", constant=1)),
        learner("good", DummyClassifier(strategy="constant", constant=0)),
        learner("as good", DummyClassifier(strategy="constant", constant=0)),
    ]
    result = compare_methods(learners, X, y, lambda: None)
    assert [entry.learner.method.name for entry in result.entries] == ["good", "as good", "bad"]
    assert result.winner is learners[1]
    facts = result.facts()
    assert [fact["kept"] for fact in facts] == [True, False, False]
    assert facts[0]["score"] == pytest.approx(2 / 3)
    folds = facts[0]["folds"]
    assert facts[0]["standard_error"] == pytest.approx(np.std(folds, ddof=1) / np.sqrt(N_FOLDS))


def test_what_cannot_be_used_is_skipped_and_said():
    X, y = table()
    steps = []
    learners = [refusing("wet"), learner("dry", DummyClassifier())]
    result = compare_methods(learners, X, y, lambda: steps.append(1))
    assert result.winner is learners[1]
    assert result.notes == ("wet was skipped: it is raining",)
    assert result.facts()[1]["score"] is None
    assert len(steps) == comparison_steps(2, 60)


def test_nothing_can_be_used():
    with pytest.raises(MethodError, match="no method can be used on this table: it is raining"):
        compare_methods([refusing("wet")], *table(), lambda: None)


def test_big_tables_are_sampled_and_it_is_said(monkeypatch):
    monkeypatch.setattr(contest_module, "SIZES", (30,))
    Memory.asked = []
    result = compare_methods([learner("memory", Memory())], *table(300), lambda: None)
    assert len(Memory.asked) == 30
    told = "methods were compared on a random 30 of 300 rows, which tell the best from all others"
    assert result.notes == (told,)


class Guess(DummyClassifier):
    """Right with a given probability, on a row alike whenever it is asked."""

    def __init__(self, share=0.5, shift=0):
        super().__init__()
        self.share, self.shift = share, shift

    def predict(self, X):
        row = X["row"].to_numpy().astype(int)
        luck = np.random.default_rng(self.shift).random(10_000)[row]
        return np.where(luck < self.share, row % 3, (row + 1) % 3)


def test_methods_go_on_to_more_rows_until_one_is_clearly_ahead(monkeypatch):
    monkeypatch.setattr(contest_module, "SIZES", (60, 240, 960))
    monkeypatch.setattr(contest_module, "FIRST_SHARE", 50)
    monkeypatch.setattr(contest_module, "FEW_ROWS", 300)
    shares = {"hopeless": 0.0, "good": 0.7, "better": 0.85, "best": 0.9}
    learners = [learner(name, Guess(share, i)) for i, (name, share) in enumerate(shares.items())]
    steps = []
    result = compare_methods(learners, *table(5000), lambda: steps.append(1))
    rows = {entry.learner.method.name: (entry.n_rows, entry.n_tested) for entry in result.entries}
    assert rows["hopeless"] == (60, 20)  # after a fold nobody has to see more of it
    assert rows["best"] == rows["better"] == (960, 320)
    assert list(rows)[-1] == "hopeless"
    assert result.n_rows == 960
    assert len(steps) == comparison_steps(4, 5000)
    facts = {fact["method"]: fact for fact in result.facts()}
    assert (facts["best"]["rows"], facts["best"]["tested"]) == (960, 320)
    assert facts["best"]["standard_error"] is None  # of a single fold
    # A clear winner ends it at once.
    result = compare_methods([learners[0], learners[3]], *table(5000), lambda: None)
    assert (result.n_rows, result.winner) == (60, learners[3])
    assert "which tell the best from all others" in result.notes[0]


def test_methods_that_rows_do_not_tell_apart_are_named(monkeypatch):
    monkeypatch.setattr(contest_module, "SIZES", (60, 120))
    learners = [learner("one", Guess(0.8, 1)), learner("other", Guess(0.8, 2))]
    result = compare_methods(learners, *table(5000), lambda: None)
    names = [entry.learner.method.name for entry in result.entries]
    told = f"compared on a random 120 of 5000 rows, which do not tell {names[0]} from {names[1]}"
    assert told in result.notes[0]


def test_no_round_begins_when_the_time_is_over(monkeypatch):
    monkeypatch.setattr(contest_module, "SIZES", (60, 120))
    monkeypatch.setattr(contest_module, "FIRST_SHARE", 50)
    monkeypatch.setattr(contest_module, "SECONDS", 0.0)
    learners = [learner("one", Guess(0.8, 1)), learner("other", Guess(0.8, 2))]
    assert compare_methods(learners, *table(5000), lambda: None).n_rows == 60


def test_fits_of_the_contest_have_a_limit_of_time(monkeypatch):
    asked = []

    class Patient(DummyClassifier):
        def __init__(self, time_limit=None):
            super().__init__()
            self.time_limit = time_limit

        def fit(self, X, y):
            asked.append(self.time_limit)
            return super().fit(X, y)

    monkeypatch.setattr(contest_module, "SIZES", (60,))
    monkeypatch.setattr(contest_module, "N_FOLDS", 2)
    learners = [learner(str(limit), Patient(limit)) for limit in (None, 10.0, 1000.0)]
    compare_methods(learners, *table(), lambda: None)
    assert sorted(asked) == [10.0, 10.0, 45.0, 45.0, 45.0, 45.0]


def test_large_tables_are_not_judged_by_a_few_hundred_rows():
    assert [contest_module._sizes(n)[0] for n in (50, 6000, 30_000, 200_000)] == [
        400,
        400,
        1600,
        6400,
    ]
    assert contest_module._sizes(10**7) == (25_600,)


def test_who_would_be_given_a_small_part_of_the_rows_is_left_out(monkeypatch):
    monkeypatch.setattr(contest_module, "SIZES", (60,))
    few = learner("few", Guess(0.9, 1))
    few = replace(few, method=replace(few.method, max_rows=400))
    many = learner("many", Guess(0.6, 2))
    many = replace(many, method=replace(many.method, max_rows=10**6))
    result = compare_methods([few, many], *table(5000), lambda: None)
    assert result.winner is many
    assert "few was skipped: it learns from 400 rows at most, and there are 5000" in result.notes
    with pytest.raises(MethodError, match="learns from 400 rows at most"):
        compare_methods([few], *table(5000), lambda: None)


@pytest.mark.filterwarnings("ignore")  # else all warnings are errors here
def test_a_score_of_an_interrupted_fit_is_no_score(monkeypatch):
    monkeypatch.setattr(stopping, "_last_caught", -np.inf)

    heard = []

    def pressed(told):
        heard.append(told)
        raise KeyboardInterrupt

    X, y = table()
    with pytest.raises(KeyboardInterrupt):
        compare_methods([learner("a", LSSVMClassifier(callback=pressed))], X, y, lambda: None)
    assert len(heard) == 1


class Late(DummyClassifier):
    def fit(self, X, y):
        raise stopping.Stopped


def test_who_has_nothing_when_its_time_is_over_is_skipped():
    learners = [learner("late", Late()), learner("guess", Guess(0.7, 1))]
    result = compare_methods(learners, *table(), lambda: None)
    assert result.winner is learners[1]
    told = "late was skipped: its time was over before it had learned anything from 40 rows"
    assert result.notes == (told,)


def test_processes_find_the_same(monkeypatch):
    monkeypatch.setattr(contest_module, "SIZES", (60, 240))
    learners = [learner(str(share), Guess(share, i)) for i, share in enumerate((0.5, 0.8, 0.9))]
    here = compare_methods(learners, *table(5000), lambda: None)
    there = compare_methods(learners, *table(5000), lambda: None, n_jobs=2)
    assert [entry.scores for entry in here.entries] == [entry.scores for entry in there.entries]
    assert [e.learner for e in here.entries] == [e.learner for e in there.entries]


@pytest.mark.parametrize("done", [1, 2])
def test_the_chance_to_come_out_ahead_is_what_it_says(done):
    level = contest_module._hopeless(done, 3)
    z = norm.isf(level / 2)
    rng = np.random.default_rng(0)
    # Nothing is known of the mean: any, by which this was seen after some folds.
    seen = z * np.sqrt(done)
    mean = seen / done + rng.normal(size=200_000) / np.sqrt(done)
    total = seen + (3 - done) * mean + np.sqrt(3 - done) * rng.normal(size=200_000)
    assert np.mean(total < 0) == pytest.approx(contest_module.CHANCE, abs=0.003)


class Mostly(DummyClassifier):
    """Wrong for every so-manieth row."""

    def __init__(self, every=2):
        self.every = every
        super().__init__()

    def predict(self, X):
        row = X["row"].astype(int)
        return np.where(row % self.every == 0, (row + 1) % 3, row % 3)


def test_who_will_hardly_come_out_ahead_of_all_rows_is_asked_no_further(monkeypatch):
    X, y = table(150)
    learners = [learner("good", Mostly(12)), learner("worse", Mostly(5))]
    monkeypatch.setattr(contest_module, "SIZES", (150, 600))
    last = compare_methods(learners, X, y, lambda: None)
    assert [len(entry.scores) for entry in last.entries] == [1, 1]
    X, y = table(600)
    monkeypatch.setattr(contest_module, "FIRST_SHARE", 50)
    monkeypatch.setattr(contest_module, "LEVEL", 1.0)  # the first round is the only one
    first = compare_methods(learners, X, y, lambda: None)
    assert first.n_rows == 150
    assert [len(entry.scores) for entry in first.entries] == [3, 3]
