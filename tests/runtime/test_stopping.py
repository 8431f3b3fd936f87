"""The clock, the listeners and the end of a fit; and of `learn_weights`, which uses them bare."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import kernlearn as kl
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks
from kernlearn.runtime import stopping
from kernlearn.runtime.convergence_warnings import (
    InterruptedWarning,
    interrupts_end_everything,
    warn_if_unfinished,
)
from kernlearn.runtime.stopping import Stopped, StoppingControl, stopping_control
from kernlearn.solvers.weights import search


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""

    class Clock:
        now = 100.0

        def __call__(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(stopping, "_now", clock)
    return clock


@pytest.fixture(autouse=True)
def no_interrupt_before(monkeypatch):
    monkeypatch.setattr(stopping, "_last_caught", -np.inf)


def interrupted(_):
    raise KeyboardInterrupt


def test_a_listener_is_told_everything_and_when(clock):
    heard = []
    stopping = StoppingControl(heard.append)
    clock.now += 2.5
    stopping.report("one", 3.0, 1.0, 2.0)
    clock.now += 1.0
    stopping.report("two", 2.0)
    assert heard == [
        kl.results.Progress(1, 2.5, 3.0, 1.0, 2.0, "one"),
        kl.results.Progress(2, 3.5, 2.0, None, None, "two"),
    ]


def test_the_time_limit_ends_it_for_good(clock):
    heard = []
    stopping = StoppingControl(heard.append, time_limit=5.0)
    clock.now += 5.0
    stopping.report("in time", 1.0)
    clock.now += 0.1
    for _ in range(2):
        with pytest.raises(Stopped):
            stopping.report("too late", 1.0)
        with pytest.raises(Stopped):
            stopping.check()
    assert stopping.accept(Stopped()) is kl.results.Status.TIME_LIMIT
    # The step that came too late is told, and nothing after it.
    assert [told.message for told in heard] == ["in time", "too late"]


@pytest.mark.parametrize("answer", [None, False, np.False_, 1, "stop", [0]])
def test_nothing_but_true_ends_it(answer):
    StoppingControl(lambda told: answer).report("on we go", 1.0)


@pytest.mark.parametrize("answer", [True, np.True_])
def test_true_ends_it(answer):
    stopping = StoppingControl(lambda told: answer)
    with pytest.raises(Stopped):
        stopping.report("enough", 1.0)
    assert stopping.stopped is kl.results.Status.STOPPED


def test_an_interrupt_is_caught_once_and_only_where_a_fit_keeps_what_it_has(clock):
    interrupt = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        StoppingControl().accept(interrupt)
    stopping = stopping_control(None, None)
    assert stopping.accept(interrupt) is stopping.stopped is kl.results.Status.INTERRUPTED
    clock.now += 60.0
    with pytest.raises(KeyboardInterrupt):
        stopping.accept(interrupt)


def test_two_interrupts_in_two_seconds_end_everything(clock):
    stopping_control(None, None).accept(KeyboardInterrupt())
    clock.now += 1.9
    with pytest.raises(KeyboardInterrupt):
        stopping_control(None, None).accept(KeyboardInterrupt())
    clock.now += 0.2
    assert stopping_control(None, None).accept(KeyboardInterrupt()) is kl.results.Status.INTERRUPTED


def test_an_interrupt_that_comes_at_the_very_end_is_not_forgotten():
    stopping = stopping_control(None, None)
    stopping.accept(KeyboardInterrupt())
    with pytest.warns(InterruptedWarning, match="at its end, optimal.*press Ctrl-C twice"):
        warn_if_unfinished("Fit", kl.results.Status.OPTIMAL, stopping)


@pytest.mark.parametrize("limit", [0, -1.0, "soon", True, np.nan, [1.0]])
def test_refused_limits(limit, make_stack):
    problem = make_stack()
    sentence = "expected time_limit to be a positive number of seconds, or None for no limit, got"
    with pytest.raises(ValueError, match=sentence):
        kl.learn_weights(problem.grams, problem.y, time_limit=limit)


def test_refused_callbacks(make_stack):
    problem = make_stack()
    sentence = "expected callback to be a function of one argument, or None, got 3; try"
    with pytest.raises(ValueError, match=sentence):
        kl.learn_weights(problem.grams, problem.y, callback=3)


SETTINGS = [
    {},
    {"weights": "free"},
    {"quality": "alignment"},
    {"quality": "alignment", "weights": "free"},
    {"quality": "squared_soft_margin", "C": "learn"},
    {"quality": "max_determinant"},
    {"quality": "max_determinant", "weights": "free"},
]


@pytest.mark.parametrize("options", SETTINGS)
def test_who_listens_changes_nothing(options, make_stack):
    """To the last bit."""
    problem = make_stack(n=30)
    heard = []
    alone = kl.learn_weights(problem.grams, problem.y, **options)
    told = kl.learn_weights(
        problem.grams, problem.y, callback=heard.append, time_limit=1e6, **options
    )
    assert heard
    for name in ("weights", "dual_coef", "intercept", "objective", "lower_bound", "gap"):
        np.testing.assert_array_equal(getattr(told, name), getattr(alone, name))
    assert told.history == alone.history
    assert told.status is alone.status is kl.results.Status.OPTIMAL


# The largest alignment is found, and proved, before there is anything to be stopped.
LONG = [options for options in SETTINGS if options.get("quality") != "alignment"]
STOPS = [(options, 1) for options in LONG] + [(SETTINGS[i], 3) for i in (0, 1, 4)]


@pytest.mark.parametrize(("options", "steps"), STOPS)
def test_what_is_kept_is_the_best_so_far_with_its_bound(options, steps, make_stack):
    problem = make_stack(n=30)
    best = kl.learn_weights(problem.grams, problem.y, **options)
    heard = []

    def enough(told):
        heard.append(told)
        return told.step == steps

    with pytest.warns(ConvergenceWarning, match="learn_weights stopped by the callback.*gap is"):
        found = kl.learn_weights(problem.grams, problem.y, callback=enough, **options)
    assert found.status is kl.results.Status.STOPPED
    assert len(heard) == steps
    assert found.objective == pytest.approx(min(told.objective for told in heard), rel=1e-12)
    slack = 1e-9 * abs(best.objective)
    assert found.lower_bound - slack <= best.objective <= found.objective + slack
    assert found.gap == pytest.approx(
        (found.objective - found.lower_bound) / abs(found.objective), rel=1e-12
    )
    assert found.gap > 1e-6


def test_the_machine_that_is_kept_is_trained_with_the_weights_that_are_kept(make_stack):
    problem = make_stack(n=30)
    with pytest.warns(ConvergenceWarning):
        found = kl.learn_weights(problem.grams, problem.y, callback=lambda told: True)
    K = np.tensordot(found.weights, problem.grams, 1)
    a = found.dual_coef
    margins = problem.y * (K @ a + found.intercept)
    dual = problem.y @ a - 0.5 * a @ K @ a
    primal = 0.5 * a @ K @ a + np.maximum(0.0, 1.0 - margins).sum()
    assert dual <= found.objective * (1 + 1e-9)
    # A first step is solved to one part in a thousand.
    assert primal == pytest.approx(found.objective, rel=2e-3)


@pytest.mark.parametrize("options", LONG)
def test_the_limit_of_learn_weights(options, make_stack, monkeypatch):
    ticks = iter(range(10**6))
    monkeypatch.setattr(stopping, "_now", lambda: float(next(ticks)))
    problem = make_stack(n=30)
    with pytest.warns(ConvergenceWarning, match="at the time limit.*raise time_limit or tol"):
        found = kl.learn_weights(problem.grams, problem.y, time_limit=0.5, **options)
    assert found.status is kl.results.Status.TIME_LIMIT
    assert not found.status.has_converged
    assert np.isfinite([found.objective, found.lower_bound, found.gap]).all()
    assert np.isfinite(found.weights).all()


@pytest.mark.parametrize("options", LONG)
def test_an_interrupt_of_learn_weights(options, make_stack):
    problem = make_stack(n=30)
    with pytest.warns(InterruptedWarning, match="interrupted.*press Ctrl-C twice") as told:
        found = kl.learn_weights(problem.grams, problem.y, callback=interrupted, **options)
    assert told[0].filename == __file__
    assert found.status is kl.results.Status.INTERRUPTED
    assert np.isfinite([found.objective, found.lower_bound]).all()


def test_what_a_callback_raises_passes_through(make_stack):
    problem = make_stack()
    error = ValueError("mine")

    def broken(_):
        raise error

    with pytest.raises(ValueError) as caught:
        kl.learn_weights(problem.grams, problem.y, callback=broken)
    assert caught.value is error


def test_before_there_is_a_machine_an_interrupt_passes_through(make_stack, monkeypatch):
    problem = make_stack()
    monkeypatch.setattr(search.MachineObjective, "evaluate", lambda *arguments: interrupted(None))
    with pytest.raises(KeyboardInterrupt):
        kl.learn_weights(problem.grams, problem.y)


@pytest.mark.filterwarnings("ignore")  # else all warnings are errors here
def test_where_an_interrupted_fit_is_of_no_use(make_stack, tmp_path, clock):
    problem = make_stack()

    def task():
        return kl.learn_weights(problem.grams, problem.y, callback=interrupted).gap

    with pytest.raises(KeyboardInterrupt), interrupts_end_everything():
        task()
    clock.now += 60.0
    results = ResultsFile(tmp_path, "results", {})
    with pytest.raises(KeyboardInterrupt):
        run_tasks(task, {"one": ()}, results, quiet=True)
    with results:
        assert results.finished() == {}


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one thread")
def test_ctrl_c_in_a_running_fit():
    """The fit waits at its third step, so that the signal finds it running on any machine."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    steps = []

    def show(told):
        steps.append(told.step)
        if told.step == 3:
            press.start()
            time.sleep(600)

    here = threading.get_ident()
    press = threading.Timer(0.05, signal.pthread_kill, (here, signal.SIGINT))
    # Jobs in the background ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.warns(InterruptedWarning, match="interrupted from the keyboard"):
            model = kl.LSSVMRegressor("ard", callback=show).fit(X, y)
    except KeyboardInterrupt:  # which would end all tests
        pytest.fail("the interrupt ended more than the fit")
    finally:
        signal.signal(signal.SIGINT, before)
    assert steps == [1, 2, 3]
    assert model.status_ is kl.results.Status.INTERRUPTED
    assert np.isfinite(model.predict(X)).all()
