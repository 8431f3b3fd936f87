"""Methods at increasing sizes: what they are given, and what is made of the seconds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, SVR

from kernlearn.methods.method import Method, Plan
from kernlearn.methods.registry import METHODS
from kernlearn.runtime.memory import matrices, require
from kernlearn.speed import measure as measure_module
from kernlearn.speed.measure import generated_table, measure, methods_for, n_steps
from kernlearn.speed.timings import Trial, speed_facts

TRIAL = Trial("classification", (100, 200, 400), columns=3)


class Timepiece:
    """A clock that only fits move, by a law of their rows."""

    def __init__(self):
        self.now = 0.0
        self.fits = []

    def __call__(self):
        return self.now

    def method(self, name, law, **options):
        return Method(name, f"the {name}", lambda _: Plan([("fit", Timed(self, law))]), **options)


class Timed(ClassifierMixin, BaseEstimator):
    def __init__(self, clock=None, law=None):
        self.clock = clock
        self.law = law

    def fit(self, X, y):
        self.clock.fits.append(X.shape)
        self.clock.now += self.law(len(X))
        return self


@pytest.fixture
def clock(monkeypatch):
    found = Timepiece()
    monkeypatch.setitem(
        measure_module.UNITS, "classification", lambda: Timed(found, lambda n: n * 0.01)
    )
    return found


def test_seconds_growth_and_minutes_are_those_of_the_laws(clock):
    methods = [
        clock.method("square", lambda n: 15.0 * (n / 400) ** 2, max_rows=150),
        clock.method("cube", lambda n: 60.0 * (n / 200) ** 3),
    ]
    facts = speed_facts(TRIAL, list(measure(TRIAL, methods, clock=clock)))
    unit, square, cube = facts["methods"]
    assert unit["seconds"] == pytest.approx([1.0, 2.0, 4.0])
    assert (unit["times_unit"], unit["rows_in_a_minute"]) == (1.0, 6000)
    assert square["exponent"] == pytest.approx(2.0)
    assert square["rows_in_a_minute"] == 800
    assert square["times_unit"] == pytest.approx(15.0 / 4.0)
    assert (square["max_rows"], square["note"]) == (150, "")
    assert cube["rows"] == [100, 200]
    assert cube["exponent"] == pytest.approx(3.0)
    assert cube["rows_in_a_minute"] == 200
    assert cube["times_unit"] == pytest.approx(30.0)
    assert "stopped before 400 rows, which would take about 480 s" in cube["note"]
    assert facts["rows"] == [100, 200, 400]
    # Every row asked for, whatever the method's limit, and the prepared columns.
    assert clock.fits[3:6] == [(100, 3), (200, 3), (400, 3)]


def test_no_more_rows_are_promised_than_fit_into_memory(clock, monkeypatch):
    """Ten matrices of n × n: 80 MB allow 1000 rows, of which the seconds would allow more."""
    monkeypatch.setenv("KERNLEARN_MEMORY", "80MB")

    def law(n):
        require(matrices(10, n), "ten matrices", "use fewer rows")
        return 0.6 * n / 400

    methods = [clock.method("large", law), clock.method("small", lambda n: 6.0 * n / 400)]
    facts = speed_facts(TRIAL, list(measure(TRIAL, methods, clock=clock)))
    unit, large, small = facts["methods"]
    assert facts["free_memory"] == 80_000_000
    assert large["memory"] == [80.0 * n**2 for n in TRIAL.rows]
    assert (large["rows_in_memory"], large["rows_in_a_minute"]) == (1000, 1000)
    assert (small["memory"], small["rows_in_memory"], unit["memory"]) == (None, None, None)
    assert small["rows_in_a_minute"] == 4000


def test_progress_is_complete_even_where_a_method_stops(clock):
    methods = [clock.method("slow", lambda n: 40.0), clock.method("fast", lambda n: 1.0)]
    steps = []
    found = [len(steps) for _ in measure(TRIAL, methods, lambda: steps.append(1), clock)]
    assert n_steps(TRIAL, 2) == 2 * (1 + 4 + 16)
    assert found == [0, 21, 42]


def test_the_methods_of_a_task():
    assert methods_for("classification") == list(METHODS.values())
    assert "metric" not in [method.name for method in methods_for("regression")]


@pytest.mark.usefixtures("quick_choices")
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_real_methods(task):
    trial = Trial(task, (50, 80), columns=2)
    methods = [method for method in methods_for(task) if method.name in ("lssvm", "hyperkernel")]
    unit, *found = measure(trial, methods)
    assert unit.name == {"classification": "SVC", "regression": "SVR"}[task]
    for timings in (unit, *found):
        assert timings.rows == (50, 80)
        assert min(timings.seconds) > 0.0
        assert timings.note == ""


def test_a_method_that_cannot_take_the_columns_says_so():
    narrow = replace(METHODS["first-level"], max_columns=1)
    _, timings = measure(Trial("classification", (50, 60), columns=2), [narrow])
    assert timings.rows == ()
    assert timings.note.startswith("no fit to 50 rows: method first-level takes at most 1 columns")


@pytest.mark.parametrize(
    ("task", "machine", "low", "high"),
    [("classification", SVC(), 0.7, 0.92), ("regression", SVR(), 0.4, 0.85)],
)
def test_there_is_something_to_learn_and_noise(task, machine, low, high):
    X, y, columns = generated_table(400, 5, task, 0)
    assert X.shape == (400, 5)
    assert [column.name for column in columns] == list(X.columns)
    assert low < cross_val_score(machine, X, y, cv=5).mean() < high


def test_classes_are_halves_of_what_regression_predicts():
    _, labels, _ = generated_table(101, 3, "classification", 2)
    _, values, _ = generated_table(101, 3, "regression", 2)
    np.testing.assert_array_equal(labels == "above", values > np.median(values))
    assert (labels == "above").sum() == 50


def test_the_formula():
    """Noise aside, with what is random told by its seed."""
    X, y, _ = generated_table(2000, 4, "regression", 1)
    x = X.to_numpy().T
    signal = np.sin(2 * x[0]) + x[1] / 2 + x[2] / 3 + x[3] / 4
    noise = y - signal / signal.std()
    assert noise.std() == pytest.approx(0.5, rel=0.05)
    assert abs(np.corrcoef(noise, signal)[0, 1]) < 0.06


def test_the_seed_decides_and_one_column_is_enough():
    first = generated_table(60, 1, "regression", 3)
    again = generated_table(60, 1, "regression", 3)
    pd.testing.assert_frame_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert not np.array_equal(first[1], generated_table(60, 1, "regression", 4)[1])
