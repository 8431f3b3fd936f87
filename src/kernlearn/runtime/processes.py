"""Tasks in several processes at once, where this process can be forked safely.

Workers are forked: one starts in milliseconds and shares the memory of this process. A worker of
joblib's loky starts from nothing and imports the library first: 3.0 s of processor time, against
7.8 s for all of ``kernlearn fit`` on a table of 150 rows.

A fork has only the thread that made it, so a lock that another thread holds stays locked in it, and
CUDA does not work in it. If there are other threads or CUDA is in use, everything is done in this
process.

Tasks whose worker was ended by the system are done in this process.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from typing import TypeVar, cast

from threadpoolctl import threadpool_limits

from kernlearn.runtime.memory import available, limited_to, resident
from kernlearn.runtime.warning_filters import quiet_about

R = TypeVar("R")
S = TypeVar("S")
Tasks = Sequence[Callable[[], R]]
Results = dict[int, R]
Futures = dict[Future[bytes], int]
# Seconds between two looks whether the parent is still there; a look costs microseconds.
_PAUSE = 0.5
_watched: set[int] = set()
# The tasks and the most memory of this process, if it is a worker.
_tasks: Tasks[object] = ()
_most_memory: int | None = None


class _NotPicklable(Exception):
    """A result that cannot be sent; the message says why."""


def cores() -> int:
    """The processors that this process may use.

    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_processes(
    tasks: Sequence[Callable[[], R]], n_workers: int, report: Callable[[], object] = lambda: None
) -> list[R]:
    """The results of tasks, in their order; the first tasks begin first.

    Results are pickled; one that cannot be is computed again here, with a warning. Each worker has
    one thread for linear algebra and its share of the free memory. `report` is called here after
    every task. An exception of a task is raised here.

    >>> run_in_processes([lambda: 1, lambda: 2], n_workers=2)
    [1, 2]
    """
    found: Results[R] = {}
    n_workers = min(n_workers, len(tasks))
    if n_workers > 1 and _may_fork():
        with _workers(tasks, n_workers, n_workers) as futures:
            _collect(futures, found, report)
    return _completed(tasks, found, report)


def alongside(
    local_task: Callable[[], S],
    tasks: Sequence[Callable[[], R]],
    n_workers: int,
    report: Callable[[], object] = lambda: None,
) -> tuple[S, list[R]]:
    """The result of `local_task`, which is done in this process, and those of tasks done meanwhile.

    `local_task` need not be pickled, and receives interrupts; when it is done, this process, one of
    `n_workers`, does some of the tasks too. With one process `local_task` is done last.

    >>> alongside(lambda: "own", [lambda: 1, lambda: 2], n_workers=2)
    ('own', [1, 2])
    """
    found: Results[R] = {}
    n_forks = min(n_workers - 1, len(tasks))
    if n_forks < 1 or not _may_fork():
        results = _completed(tasks, found, report)
        return local_task(), results
    with _workers(tasks, n_forks, n_forks + 1) as futures:
        with threadpool_limits(n_workers - n_forks):
            result = local_task()
            for future in [each for each in futures if each.cancel()]:
                place = futures.pop(future)
                found[place] = tasks[place]()
                report()
        _collect(futures, found, report)
    return result, _completed(tasks, found, report)


def _may_fork() -> bool:
    """Whether a fork of this process would work."""
    # A worker of another pool may not have workers of its own.
    is_able = sys.platform == "linux" and not multiprocessing.current_process().daemon
    return is_able and not _has_other_threads() and not _has_used_cuda()


def _has_other_threads() -> bool:
    """Whether Python has threads that may hold a lock; those of BLAS end before a fork."""
    here = threading.current_thread()
    # A bar of rich has a thread that draws. Forks draw nothing, and never take its locks.
    others = (each for each in threading.enumerate() if each is not here)
    return any(type(each).__module__ != "rich.live" for each in others)


def _has_used_cuda() -> bool:
    """Whether PyTorch or CuPy, if they were imported, have begun to use a device."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and torch.cuda.is_initialized():
        return True
    if cupy is None:
        return False
    try:
        return bool(cupy.cuda.driver.ctxGetCurrent())
    except Exception:  # without a driver, or before its first use, it has an error of its own
        return False


@contextmanager
def _workers(
    tasks: Tasks[object], n_forks: int, n_shares: int
) -> Iterator[dict[Future[bytes], int]]:
    """Forks of this process at work, each with its share of the memory: the place of each task."""
    there = available()
    most = None if there is None else resident() + there // n_shares
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        n_forks, multiprocessing.get_context("fork"), _start_worker, (tasks, most, os.getpid())
    )
    try:
        # Python warns of any other thread, those of BLAS among them; ours were looked at.
        with quiet_about(DeprecationWarning):
            futures = {pool.submit(_pickled_result, place): place for place in range(len(tasks))}
        yield futures
    except BaseException:
        for worker in multiprocessing.active_children():
            if worker not in others:
                worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _collect(futures: Futures, found: Results[R], report: Callable[[], object]) -> None:
    """Fill in what workers bring back, until all have ended."""
    for future in as_completed(futures):
        try:
            found[futures[future]] = cast(R, pickle.loads(future.result()))
        except BrokenProcessPool:
            return
        except _NotPicklable as reason:
            warnings.warn(
                "expected results that can be sent from one process to another, got one that "
                f"cannot ({reason}), which is computed again in this process; return what "
                "can be pickled, or use one process",
                UserWarning,
                stacklevel=3,
            )
        else:
            report()


def _completed(tasks: Tasks[R], found: Results[R], report: Callable[[], object]) -> list[R]:
    """All results in order; what nobody brought back is done here."""
    for place, task in enumerate(tasks):
        if place not in found:
            found[place] = task()
            report()
    return [found[place] for place in range(len(tasks))]


def _start_worker(tasks: Tasks[object], most_memory: int | None, parent: int) -> None:
    global _tasks, _most_memory
    _tasks, _most_memory = tasks, most_memory
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent receives it, and ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    threadpool_limits(1)  # threads of OpenMP do not survive a fork: with one, none is waited for


def _pickled_result(place: int) -> bytes:
    with nullcontext() if _most_memory is None else limited_to(_most_memory):
        result = _tasks[place]()
    try:
        return pickle.dumps(result)
    except Exception as error:  # whatever the parts of a result raise
        raise _NotPicklable(f"{type(error).__name__}: {error}") from None


def end_with_parent(parent: int) -> None:
    """End this process soon after `parent` has ended, however that happened.

    Called by a worker, any number of times: a parent that is killed cannot end its workers. If
    a system does not change the number of the parent of an orphan, nothing happens.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PAUSE)
        os._exit(1)

    if parent not in _watched and os.getppid() == parent:
        _watched.add(parent)
        threading.Thread(target=watch, daemon=True).start()
