"""Tasks are done once each, in order, whatever becomes of the processes that do them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import SimpleNamespace

import pytest

from kernlearn.runtime.processes import alongside, run_in_processes


@pytest.fixture(autouse=True)
def without_threads_of_earlier_tests(monkeypatch):
    earlier, enumerate_all = set(threading.enumerate()), threading.enumerate
    monkeypatch.setattr(
        threading, "enumerate", lambda: [each for each in enumerate_all() if each not in earlier]
    )
    for library in ("torch", "cupy"):  # an earlier test may have used CUDA
        monkeypatch.delitem(sys.modules, library, raising=False)


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_results_are_in_the_order_of_the_tasks(n_workers):
    told = []
    tasks = [lambda i=i: (i, os.getpid()) for i in range(4)]
    found = run_in_processes(tasks, n_workers, lambda: told.append(1))
    assert [i for i, _ in found] == [0, 1, 2, 3]
    assert len(told) == 4
    assert all((pid == os.getpid()) == (n_workers == 1) for _, pid in found)


def test_what_a_task_raises_is_raised_here():
    def fail():
        raise ValueError("expected rain")

    with pytest.raises(ValueError, match="expected rain"):
        run_in_processes([fail, lambda: 1], 2)


def test_what_a_killed_process_leaves_is_done_here():
    here = os.getpid()

    def end():
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return "here"

    assert run_in_processes([end, end, lambda: 3], 2) == ["here", "here", 3]


def test_what_cannot_be_sent_is_done_here_and_told():
    with pytest.warns(UserWarning, match=r"cannot \(.*\), which is computed again.*can be pickled"):
        assert run_in_processes([lambda: lambda: 7, lambda: 2], 2)[0]() == 7


class Awkward(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


@pytest.mark.filterwarnings("ignore:expected results that can be sent")
def test_an_error_that_cannot_be_sent_is_raised_here():
    def fail():
        raise Awkward("rain", "wind")

    with pytest.raises(Awkward, match="rain"):
        run_in_processes([fail, lambda: 1], 2)


def test_beside_other_threads_no_process_is_copied():
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        assert run_in_processes([os.getpid, os.getpid], 2) == [os.getpid()] * 2
        assert alongside(os.getpid, [os.getpid], 2) == (os.getpid(), [os.getpid()])
    finally:
        end.set()
        other.join()
    assert os.getpid() not in run_in_processes([os.getpid, os.getpid], 2)


@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("is_used", [False, True])
def test_once_cuda_is_used_no_process_is_copied(monkeypatch, library, is_used):
    cuda = SimpleNamespace(
        is_initialized=lambda: is_used, driver=SimpleNamespace(ctxGetCurrent=lambda: int(is_used))
    )
    for name in ("torch", "cupy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, library, SimpleNamespace(cuda=cuda))
    found = run_in_processes([os.getpid, os.getpid], 2)
    assert (os.getpid() in found) == is_used


def test_own_work_is_done_here_and_the_rest_is_shared():
    told, ended = [], []

    def own():
        ended.append(os.getpid())
        return "own"

    tasks = [lambda i=i: (i, os.getpid()) for i in range(3)]
    result, found = alongside(own, tasks, 2, lambda: told.append(1))
    assert result == "own"
    assert ended == [os.getpid()]
    assert [i for i, _ in found] == [0, 1, 2]
    assert len(told) == 3


def test_own_work_and_a_task_go_on_at_once():
    reading, writing = os.pipe()
    # It ends only when a copy of this process has written.
    result, found = alongside(lambda: os.read(reading, 1), [lambda: os.write(writing, b"x")], 2)
    assert (result, found) == (b"x", [1])


def test_without_copies_own_work_is_done_last():
    order = []
    alongside(lambda: order.append("own"), [lambda: order.append(1), lambda: order.append(2)], 1)
    assert order == [1, 2, "own"]
