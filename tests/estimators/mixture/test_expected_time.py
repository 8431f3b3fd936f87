"""What is said before a long fit, and a time limit that holds, by a clock of our own."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.family import KernelFamily
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.expected_time import expected_seconds, member_seconds
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.runtime import stopping


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, X[:, 0] + 0.3 * rng.normal(size=80)


@pytest.fixture
def clock(monkeypatch):
    """Every kernel that is judged takes a second, and every member as long as is expected."""
    now, judged, machine = [0.0], KernelFamily._judged, TrainingRows.machine

    def judging(*arguments):
        now[0] += 1.0
        return judged(*arguments)

    def training(self, *arguments):
        now[0] += 7.0
        return machine(self, *arguments[:-1])  # all rows, whatever the true clock says

    monkeypatch.setattr(stopping, "_now", lambda: now[0])
    monkeypatch.setattr(KernelFamily, "_judged", judging)
    monkeypatch.setattr(TrainingRows, "machine", training)
    monkeypatch.setattr("kernlearn.estimators.mixture.expected_time.member_seconds", lambda *_: 7.0)
    return now


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("limit", [8.0, 18.0, 1000.0])
def test_a_limit_holds_to_a_fifth(table, clock, limit):
    # The clock counts what is done side by side twice.
    families = ["linear", "Gaussian", "Matérn", "Laplacian"]
    model = kl.KernelRegressor(families, time_limit=limit, n_jobs=1).fit(*table)
    assert clock[0] <= 1.2 * limit
    assert (model.status_ is kl.results.Status.TIME_LIMIT) == (limit < 100.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_where_a_kernel_takes_long_members_are_trained_through_landmarks(table, monkeypatch):
    """A kernel of 80 rows takes 100 seconds by this clock."""
    X, y = table
    seconds = itertools.count(step=100.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(seconds))
    usual = kl.KernelRegressor(["Gaussian"], n_jobs=1).fit(X, y)
    limited = kl.KernelRegressor(["Gaussian"], n_jobs=1, time_limit=90.0).fit(X, y)
    assert [len(machine.points) for machine in usual._members.machines] == [80]
    assert all(len(machine.points) <= 50 for machine in limited._members.machines)
    assert np.std(limited.predict(X) - usual.predict(X)) < 0.1 * np.std(y)


def test_a_long_fit_is_announced_and_steps_have_an_end(table, monkeypatch):
    told = []
    candidates = ["linear", "Gaussian"]
    kl.KernelRegressor(candidates, callback=told.append).fit(*table)
    assert not any("expected" in one.message for one in told)
    assert all(one.step <= one.expected_steps <= 10 for one in told)
    monkeypatch.setattr(KernelMixture, "_options", MixtureOptions(announced_seconds=0.1))
    told.clear()
    kl.KernelRegressor(candidates, callback=told.append).fit(*table)
    assert told[0].message.startswith("about ")
    assert "are expected for 80 rows of 2 columns; effort='fast'" in told[0].message
    # An answer ends the fit, with one candidate.
    with pytest.warns(UserWarning, match="callback"):
        model = kl.KernelRegressor(candidates, callback=lambda told: True).fit(*table)
    assert model.n_iter_ == 1


def test_more_rows_columns_classes_and_effort_take_longer():
    options = MixtureOptions()
    usual = expected_seconds(1000, 20, 1, options, 1.0)
    for more in ((2000, 20, 1, 1.0), (1000, 90, 1, 1.0), (1000, 20, 9, 1.0), (1000, 20, 1, 3.0)):
        assert expected_seconds(*more[:3], options, more[3]) > usual
    assert member_seconds(6000, options) > 10.0 * member_seconds(2000, options)
    # Boosted trees end the search early, unless a kernel is better.
    quick, long = (expected_seconds(12_000, 20, 1, options, 1.0, trees) for trees in (True, False))
    assert quick < 0.3 * long
    assert expected_seconds(40_000, 20, 1, options, 1.0) > quick
