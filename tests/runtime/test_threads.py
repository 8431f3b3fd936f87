"""What threads have in common is as before whatever they do, and whoever ends last."""

from __future__ import annotations

import os
import pickle
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sklearn
from sklearn.utils.fixes import parse_version
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController, threadpool_limits

from kernlearn import LSSVMRegressor
from kernlearn.results import Status
from kernlearn.runtime import threads as threads_module
from kernlearn.runtime.convergence_warnings import (
    InterruptedWarning,
    interrupts_end_everything,
    warn_if_unfinished,
)
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.threads import (
    map_in_threads,
    n_threads,
    one_thread,
    safe_threads_for,
    threads_for,
)
from kernlearn.runtime.warning_filters import quiet_about

CONTROLLER = ThreadpoolController()


def counts():
    return [each.num_threads for each in CONTROLLER.select(user_api="blas").lib_controllers]


@pytest.fixture
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if set(counts()) != {2}:
            pytest.skip("BLAS has one thread")
        yield


def overlap(first, second):
    """Enter the one block, then the other; leave in the same order, each in its own thread."""
    entered, left = threading.Event(), threading.Event()
    seen = []

    def early():
        with first():
            entered.set()
            time.sleep(0.02)
            seen.append(counts())
        left.set()

    def late():
        entered.wait()
        with second():
            left.wait()
            seen.append(counts())

    with ThreadPoolExecutor(2) as pool:
        for job in [pool.submit(early), pool.submit(late)]:
            job.result()
    return seen


@pytest.mark.parametrize("second", [threads_for, safe_threads_for])
def test_blas_has_its_threads_again_when_the_last_block_ends(two_threads, second):
    n = {threads_for: 10, safe_threads_for: 10**6}[second]
    seen = overlap(lambda: threads_for(10), lambda: second(n))
    assert all(set(each) == {1} for each in seen)
    assert set(counts()) == {2}


def test_fits_in_threads_leave_blas_as_it_was(two_threads, monkeypatch):
    monkeypatch.setattr(
        threads_module, "_limits", []
    )  # as in a process in which they are the first
    X = np.random.default_rng(0).normal(size=(30, 2))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: LSSVMRegressor().fit(X, X[:, 0]), range(8)))
    assert set(counts()) == {2}


def test_nested_blocks_and_results_in_order(two_threads):
    with threads_for(10):
        with safe_threads_for(10**6):
            assert n_threads() == 1
        assert list(
            map_in_threads(lambda task: (task, n_threads()), [1, 2, 3], 2, lambda: None)
        ) == [
            (1, 1),
            (2, 1),
            (3, 1),
        ]
        assert n_threads() == 1
    assert set(counts()) == {2}


def test_results_that_another_thread_gives_up_leave_no_limit(two_threads):
    results = map_in_threads(lambda task: task, [1, 2, 3], 1, lambda: None)
    next(results)
    assert set(counts()) == {1}
    other = threading.Thread(target=results.close)
    other.start()
    other.join()
    assert set(counts()) == {2}


def test_what_someone_else_has_set_meanwhile_stays(two_threads):
    with threads_for(10):
        for each in CONTROLLER.select(user_api="blas").lib_controllers:
            each.set_num_threads(2)
    assert set(counts()) == {2}
    with threadpool_limits(1), one_thread():
        pass
    assert set(counts()) == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.parametrize("own", [False, True], ids=["of another thread", "of this one too"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # forks and threads
def test_a_forked_process_knows_no_block_of_other_threads(two_threads, own):
    entered, end = threading.Event(), threading.Event()

    def hold():
        with threads_for(10):
            entered.set()
            end.wait()

    other = threading.Thread(target=hold)
    other.start()
    entered.wait()

    try:
        with threads_for(10 if own else 10**6):
            child = os.fork()
            inside = set(counts())
        if child == 0:
            os._exit(0 if (inside, set(counts())) == ({1 if own else 2}, {2}) else 1)
        assert os.waitpid(child, 0)[1] == 0
    finally:
        end.set()
        other.join()
    assert set(counts()) == {2}


def test_filters_of_warnings_are_as_before_whichever_thread_ends_first():
    before = list(warnings.filters)

    def work(seconds):
        with quiet_about(UserWarning):
            time.sleep(seconds)
            warnings.warn("not to be seen", UserWarning, stacklevel=1)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [0.02, 0.1]))
    overlap(interrupts_end_everything, lambda: quiet_about(UserWarning))
    overlap(lambda: quiet_about(UserWarning), interrupts_end_everything)
    assert list(warnings.filters) == before


def test_only_the_thread_that_asked_ignores_warnings():
    with quiet_about(UserWarning), ThreadPoolExecutor(1) as pool:
        warnings.warn("not to be seen", UserWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="of another thread"):
            pool.submit(warnings.warn, "of another thread", UserWarning).result()
        # Work that is shared out is this thread's own.
        assert (
            list(map_in_threads(warnings.warn, ["not to be seen"] * 2, 2, lambda: None))
            == [None] * 2
        )
    with pytest.raises(UserWarning, match="to be seen"):
        warnings.warn("to be seen", UserWarning, stacklevel=1)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="workers of scikit-learn 1.7 take the filters of warnings, not their patterns",
)
def test_workers_of_scikit_learn_ignore_what_is_ignored_here():
    before = list(warnings.filters)
    with quiet_about(UserWarning):
        tasks = [delayed(warnings.warn)("not to be seen", UserWarning) for _ in range(4)]
        Parallel(2, prefer="threads")(tasks)
        sent = pickle.loads(pickle.dumps(warnings.filters[0]))  # to another process
        assert sent[1].match("anything")
    assert list(warnings.filters) == before


def test_blocks_that_catch_warnings_and_end_in_between_change_nothing():
    before = list(warnings.filters)
    catching, quiet = warnings.catch_warnings(), quiet_about(UserWarning)
    quiet.__enter__()
    catching.__enter__()
    warnings.simplefilter("error")
    with quiet_about(UserWarning):
        warnings.warn("not to be seen", UserWarning, stacklevel=1)
    quiet.__exit__(None, None, None)
    catching.__exit__(None, None, None)
    assert list(warnings.filters) == before


def test_an_interrupt_ends_only_what_asked_for_it():
    stopping = StoppingControl()
    stopping.stopped = Status.INTERRUPTED
    with interrupts_end_everything(), quiet_about(Warning), pytest.raises(KeyboardInterrupt):
        warn_if_unfinished("a fit", Status.INTERRUPTED, stopping)
    with pytest.warns(InterruptedWarning, match="press Ctrl-C twice"):
        warn_if_unfinished("a fit", Status.INTERRUPTED, stopping)
