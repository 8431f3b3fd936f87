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
from kernlearn.methods.errors import MethodError
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.method_comparison import (
    COMPARISON,
    ComparisonOptions,
    chance_to_lead,
    compare_methods,
    comparison_steps,
)
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


def compared(learners, n_rows, advance=lambda: None, n_jobs=1, **options):
    options = ComparisonOptions(**options)
    return compare_methods(learners, *table(n_rows), advance, n_jobs, options)


def refusing(name):
    def plan(setting):
        raise MethodError("it is raining")

    return Learner(Method(name, name, plan), SETTING, None)


def test_no_row_is_scored_by_a_model_that_was_fitted_to_it():
    Memory.asked = []
    X, y = table()
    result = compare_methods([learner("memory", Memory())], X, y, lambda: None)
    assert result.entries[0].scores == (0.0,) * COMPARISON.n_folds
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
    error = np.std(folds, ddof=1) / np.sqrt(COMPARISON.n_folds)
    assert facts[0]["standard_error"] == pytest.approx(error)


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


def test_big_tables_are_sampled_and_it_is_said():
    Memory.asked = []
    result = compared([learner("memory", Memory())], 300, sizes=(30,))
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


def test_methods_go_on_to_more_rows_until_one_is_clearly_ahead():
    options = {"sizes": (60, 240, 960), "first_share": 50, "few_rows": 300}
    shares = {"hopeless": 0.0, "good": 0.7, "better": 0.85, "best": 0.9}
    learners = [learner(name, Guess(share, i)) for i, (name, share) in enumerate(shares.items())]
    steps = []
    result = compared(learners, 5000, lambda: steps.append(1), **options)
    rows = {fact["method"]: (fact["rows"], fact["tested"]) for fact in result.facts()}
    assert rows["hopeless"] == (60, 20)  # after a fold nobody has to see more of it
    assert rows["best"] == rows["better"] == (960, 320)
    assert list(rows)[-1] == "hopeless"
    assert result.n_rows == 960
    assert len(steps) == comparison_steps(4, 5000, ComparisonOptions(**options))
    facts = {fact["method"]: fact for fact in result.facts()}
    assert (facts["best"]["rows"], facts["best"]["tested"]) == (960, 320)
    assert facts["best"]["standard_error"] is None  # of a single fold
    # A clear winner ends it at once.
    result = compared([learners[0], learners[3]], 5000, **options)
    assert (result.n_rows, result.winner) == (60, learners[3])
    assert "which tell the best from all others" in result.notes[0]


def test_methods_that_rows_do_not_tell_apart_are_named():
    learners = [learner("one", Guess(0.8, 1)), learner("other", Guess(0.8, 2))]
    result = compared(learners, 5000, sizes=(60, 120))
    names = [entry.learner.method.name for entry in result.entries]
    told = f"compared on a random 120 of 5000 rows, which do not tell {names[0]} from {names[1]}"
    assert told in result.notes[0]


def test_no_round_begins_when_the_time_is_over():
    learners = [learner("one", Guess(0.8, 1)), learner("other", Guess(0.8, 2))]
    options = {"sizes": (60, 120), "first_share": 50, "seconds": 0.0}
    assert compared(learners, 5000, **options).n_rows == 60


def test_fits_of_the_comparison_have_a_limit_of_time():
    asked = []

    class Patient(DummyClassifier):
        def __init__(self, time_limit=None):
            super().__init__()
            self.time_limit = time_limit

        def fit(self, X, y):
            asked.append(self.time_limit)
            return super().fit(X, y)

    learners = [learner(str(limit), Patient(limit)) for limit in (None, 10.0, 1000.0)]
    compared(learners, 60, sizes=(60,), n_folds=2)
    assert sorted(asked) == [10.0, 10.0, 45.0, 45.0, 45.0, 45.0]


def test_large_tables_are_not_judged_by_a_few_hundred_rows():
    assert [COMPARISON.rounds(n)[0] for n in (50, 6000, 30_000, 200_000)] == [
        400,
        400,
        1600,
        6400,
    ]
    assert COMPARISON.rounds(10**7) == (25_600,)


def test_who_would_be_given_a_small_part_of_the_rows_is_left_out():
    few = learner("few", Guess(0.9, 1))
    few = replace(few, method=replace(few.method, max_rows=400))
    many = learner("many", Guess(0.6, 2))
    many = replace(many, method=replace(many.method, max_rows=10**6))
    result = compared([few, many], 5000, sizes=(60,))
    assert result.winner is many
    assert "few was skipped: it learns from 400 rows at most, and there are 5000" in result.notes
    with pytest.raises(MethodError, match="learns from 400 rows at most"):
        compared([few], 5000, sizes=(60,))


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


def test_processes_find_the_same():
    learners = [learner(str(share), Guess(share, i)) for i, share in enumerate((0.5, 0.8, 0.9))]
    here = compared(learners, 5000, sizes=(60, 240))
    there = compared(learners, 5000, n_jobs=2, sizes=(60, 240))
    assert [entry.scores for entry in here.entries] == [entry.scores for entry in there.entries]
    assert [e.learner for e in here.entries] == [e.learner for e in there.entries]


@pytest.mark.parametrize("done", [1, 2])
def test_the_chance_to_come_out_ahead_is_what_it_says(done):
    level = chance_to_lead(done, 3, COMPARISON.chance)
    z = norm.isf(level / 2)
    rng = np.random.default_rng(0)
    # Nothing is known of the mean: any, by which this was seen after some folds.
    seen = z * np.sqrt(done)
    mean = seen / done + rng.normal(size=200_000) / np.sqrt(done)
    total = seen + (3 - done) * mean + np.sqrt(3 - done) * rng.normal(size=200_000)
    assert np.mean(total < 0) == pytest.approx(COMPARISON.chance, abs=0.003)


class Mostly(DummyClassifier):
    """Wrong for every so-manieth row."""

    def __init__(self, every=2):
        self.every = every
        super().__init__()

    def predict(self, X):
        row = X["row"].astype(int)
        return np.where(row % self.every == 0, (row + 1) % 3, row % 3)


def test_who_will_hardly_come_out_ahead_of_all_rows_is_asked_no_further():
    learners = [learner("good", Mostly(12)), learner("worse", Mostly(5))]
    last = compared(learners, 150, sizes=(150, 600))
    assert [len(entry.scores) for entry in last.entries] == [1, 1]
    # The first round is the only one.
    first = compared(learners, 600, sizes=(150, 600), first_share=50, level=1.0)
    assert first.n_rows == 150
    assert [len(entry.scores) for entry in first.entries] == [3, 3]
