"""Work that is done in several processes at once, where this one can be copied safely.

A copy knows everything that this process does and starts in milliseconds, so it pays for work of a
few seconds already. A copy has none of the threads but the one that made it, and a lock which
another thread held stays locked in it for ever; and CUDA does not work in a copy of a process that
has used it. Where there are other threads or CUDA is in use, everything is done in this process:
tasks are closures, which no process that starts from nothing could be sent.

What no copy brings back, since one was ended by the system, is done here.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from kernlearn.runtime.memory import available, limited_to, resident
from kernlearn.runtime.parent_watchdog import end_with
from kernlearn.runtime.warning_filters import quiet_about

__all__ = ["alongside", "cores", "run_in_processes"]

R = TypeVar("R")
S = TypeVar("S")
_MISSING: Any = object()


def cores() -> int:
    """The processors that this process may use.

    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_processes(
    tasks: Sequence[Callable[[], R]], n_workers: int, tell: Callable[[], Any] = lambda: None
) -> list[R]:
    """The results of tasks, in their order; the first tasks begin first.

    Parameters
    ----------
    tasks : sequence of callables
        Their results can be pickled; what they change is changed in a copy of this process. A
        result that cannot be is computed again here, with a warning.
    n_workers : int
        How many processes, each with one thread for linear algebra and its share of the memory
        that is free. With one, or where this process cannot be copied safely, everything is done
        here.
    tell : callable
        Called here after every task.

    Raises
    ------
    Exception
        What a task raised.

    Examples
    --------
    >>> run_in_processes([lambda: 1, lambda: 2], n_workers=2)
    [1, 2]
    """
    found = [_MISSING] * len(tasks)
    n_workers = min(n_workers, len(tasks))
    if n_workers > 1 and _may_copy():
        with _copies(tasks, n_workers, n_workers) as (ends, _):
            _collect(ends, found, tell)
    _finish(tasks, found, tell)
    return found


def alongside(
    own: Callable[[], S],
    tasks: Sequence[Callable[[], R]],
    n_workers: int,
    tell: Callable[[], Any] = lambda: None,
) -> tuple[S, list[R]]:
    """Work that must be done in this process, while copies of it do the tasks.

    Parameters
    ----------
    own : callable
        Done here, where its result need not be sent and an interrupt is heard. With one process it
        is done last.
    tasks : sequence of callables
        As those of `run_in_processes`; when `own` is done, this process does some of them too.
    n_workers : int
        How many processes, this one included.
    tell : callable
        Called here after every task, not after `own`.

    Examples
    --------
    >>> alongside(lambda: "own", [lambda: 1, lambda: 2], n_workers=2)
    ('own', [1, 2])
    """
    found = [_MISSING] * len(tasks)
    n_copies = min(n_workers - 1, len(tasks))
    if n_copies < 1 or not _may_copy():
        _finish(tasks, found, tell)
        return own(), found
    with _copies(tasks, n_copies, n_copies + 1) as (ends, next_task):
        with threadpool_limits(n_workers - n_copies):
            result = own()
            while (place := _taken(next_task)) < len(tasks):
                found[place] = tasks[place]()
                tell()
        _collect(ends, found, tell)
    _finish(tasks, found, tell)
    return result, found


def _may_copy() -> bool:
    """Whether a copy of this process would work."""
    # A worker of another pool may not have workers of its own.
    is_able = sys.platform == "linux" and not multiprocessing.current_process().daemon
    return is_able and not _has_other_threads() and not _has_used_cuda()


def _has_other_threads() -> bool:
    """Whether Python has threads that may hold a lock; those of BLAS end before a copy is made."""
    here = threading.current_thread()
    # A bar of rich has a thread that draws. Copies draw nothing, and never ask for its locks.
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


def _finish(tasks: Sequence[Callable[[], Any]], found: list[Any], tell: Callable[[], Any]) -> None:
    """Do here what nobody brought back."""
    for place, task in enumerate(tasks):
        if found[place] is _MISSING:
            found[place] = task()
            tell()


@contextmanager
def _copies(
    tasks: Sequence[Callable[[], Any]], n_copies: int, n_shares: int
) -> Iterator[tuple[list[Any], Any]]:
    """Copies of this process at work, each with its share of the memory.

    Yields the ends of their pipes, and the number of the next task.
    """
    system = multiprocessing.get_context("fork")
    next_task = system.Value("i", 0)
    there = available()
    most = None if there is None else resident() + there // n_shares
    workers: list[Any] = []
    ends: list[Any] = []
    try:
        for _ in range(n_copies):
            here, out = system.Pipe(duplex=False)
            worker = system.Process(
                target=_work, args=(tasks, next_task, out, os.getpid(), most), daemon=True
            )
            # Python warns of any other thread, those of BLAS among them; ours were looked at.
            with quiet_about(DeprecationWarning):
                worker.start()
            out.close()
            workers.append(worker)
            ends.append(here)
        yield ends, next_task
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _collect(ends: list[Any], found: list[Any], tell: Callable[[], Any]) -> None:
    """Fill in what copies of this process bring back, until all have ended."""
    while ends:
        for end in list[Any](wait(ends)):
            try:
                place, result, error, unsent = end.recv()
            except (EOFError, OSError):
                ends.remove(end)
                continue
            if unsent:
                warnings.warn(
                    "expected results that can be sent from one process to another, got one that "
                    f"cannot ({unsent}), which is computed again in this process; return what "
                    "can be pickled, or use one process",
                    UserWarning,
                    stacklevel=4,
                )
                continue
            if error is not None:
                raise error
            found[place] = result
            tell()


def _taken(next_task: Any) -> int:
    """The number of a task that nobody else does."""
    with next_task.get_lock():
        place: int = next_task.value
        next_task.value = place + 1
    return place


def _work(
    tasks: Sequence[Callable[[], Any]],
    next_task: Any,
    to_parent: Connection,
    parent: int,
    most_memory: int | None,
) -> None:
    """Do what is left to do, until nothing is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with(parent)
    # Threads of OpenMP do not survive the copy: with one, none is waited for.
    kept = nullcontext() if most_memory is None else limited_to(most_memory)
    with threadpool_limits(1), kept, suppress(BrokenPipeError):
        while (place := _taken(next_task)) < len(tasks):
            result, failure = None, None
            try:
                result = tasks[place]()
            except Exception as error:
                failure = error
            to_parent.send_bytes(_sendable(place, result, failure))


def _sendable(place: int, result: Any, failure: Exception | None) -> bytes:
    """An answer as bytes: the place, the result or the error, or why neither can be sent."""
    try:
        sent = pickle.dumps((place, result, failure, ""))
        if failure is not None:  # some errors cannot be made again from their message
            pickle.loads(sent)
    except Exception as error:  # whatever the parts of a result raise
        return pickle.dumps((place, None, None, f"{type(error).__name__}: {error}"))
    return sent
