"""How many threads the linear algebra may use, and what they have in common."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from kernlearn._device import LARGEST_FOR_LAPACK

T = TypeVar("T")
R = TypeVar("R")

# Below this many points, two threads gain a third at best on an idle machine, and on a busy one
# they wait for each other: factorisations were seen to take ten to forty times as long.
ENOUGH_POINTS_FOR_THREADS = 3000
# Which warnings are shown all threads decide together: one at a time may change it.
_FILTERS = threading.Lock()


@contextmanager
def threads_for(n_points: int) -> Iterator[None]:
    """One BLAS thread for small problems, whatever is set for large ones."""
    with _one_thread(n_points < ENOUGH_POINTS_FOR_THREADS):
        yield


@cache
def _controller() -> ThreadpoolController:
    """Looking for the libraries takes a while, and they do not change."""
    return ThreadpoolController()


@contextmanager
def safe_threads_for(n: int) -> Iterator[None]:
    """One thread for LAPACK's factorisations that with more of them may end the process."""
    with _one_thread(n > LARGEST_FOR_LAPACK):
        yield


def _one_thread(limited: bool) -> AbstractContextManager[Any]:
    """One BLAS thread, or whatever is set."""
    return _controller().limit(limits=1, user_api="blas") if limited else nullcontext()


@contextmanager
def quiet_about(category: type[Warning]) -> Iterator[None]:
    """No warnings of a kind, from this thread or another; filters are as before afterwards."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


def n_threads() -> int:
    """How many threads the linear algebra may use now, which other work in threads keeps to."""
    counts = [library["num_threads"] for library in _controller().select(user_api="blas").info()]
    return max(counts, default=1)


def share_out(tasks: Sequence[Callable[[], None]]) -> None:
    """Do tasks that release the lock, in as many threads as the linear algebra may use now.

    Two threads of our own, each with one for its products, do everything beside the products at the
    same time too. Work that came to another thread than the main one was shared out before.
    """
    if threading.current_thread() is not threading.main_thread():
        for task in tasks:
            task()
        return
    workers = max(1, min(n_threads(), len(tasks)))
    for _ in in_order(lambda task: task(), tasks, workers, lambda: None):
        pass


def in_order(
    function: Callable[[T], R], tasks: Iterable[T], workers: int, tick: Callable[[], None]
) -> Iterator[R]:
    """The results of tasks that release the lock, several at a time, in their order.

    A sum of them is the same, to the last digit, for any number of threads.

    Parameters
    ----------
    function : callable
        Applied to every task; its linear algebra runs in one thread.
    tasks : iterable
        Its arguments.
    workers : int
        How many threads.
    tick : callable
        Called before every result; may raise to end it, and what has not begun is not begun.
    """
    with _controller().limit(limits=1, user_api="blas"):
        if workers == 1:
            for task in tasks:
                tick()
                yield function(task)
            return
        with ThreadPoolExecutor(workers) as pool:
            waiting: deque[Future[R]] = deque()
            try:
                for task in tasks:
                    waiting.append(pool.submit(function, task))
                    if len(waiting) > 2 * workers:  # few results wait for their turn
                        tick()
                        yield waiting.popleft().result()
                while waiting:
                    tick()
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()
