"""Number of threads of the linear algebra.

The setting belongs to the process: blocks that save and restore it leave the wrong one behind as
soon as two threads have such blocks at once. Here the first block of any thread saves and limits
it, and the last one out restores it.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import product
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")

# Below this many points, two threads gain a third at best on an idle machine, and on a busy one
# they wait for each other: factorisations were seen to take ten to forty times as long.
ENOUGH_POINTS_FOR_THREADS = 3000
# Above some 15,600 rows OpenBLAS 0.3.31 factorises with two threads beyond its own buffer, and the
# process ends. Products of matrices are not affected.
LARGEST_FOR_LAPACK = 8000
# Threads of a fit, as set by the user; None for as many as the linear algebra.
_jobs: ContextVar[int | None] = ContextVar("_jobs", default=None)
_CONTROL = "clear_controlling_thread"
# Threads that come first at once must not each make a limit of the process.
_making = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release
    )


def threads_for(n_points: int) -> AbstractContextManager[None]:
    """Use one BLAS thread for small problems, whatever is set for large ones."""
    return one_thread() if n_points < ENOUGH_POINTS_FOR_THREADS else nullcontext()


def safe_threads_for(n: int) -> AbstractContextManager[None]:
    """Use one thread for LAPACK's factorisations that may end the process with more."""
    return one_thread() if n > LARGEST_FOR_LAPACK else nullcontext()


class _Library:
    """A BLAS library, and its number of threads."""

    def __init__(self, found: Any) -> None:
        self.get, self.set = found.get_num_threads, found.set_num_threads
        layer = getattr(found, "threading_layer", None)
        is_openblas = found.internal_api == "openblas"
        # Later versions of threadpoolctl set it for the calling thread alone.
        self.of_thread = is_openblas and layer == "openmp" and hasattr(found, _CONTROL)
        if is_openblas and not self.of_thread:
            # The same versions ignore all threads but the first, so that a limit which another
            # thread made could not be lifted.
            for before, after in product(("", "scipy_"), ("", "64_", "_64")):
                with suppress(AttributeError):
                    self.get = getattr(found.dynlib, f"{before}openblas_get_num_threads{after}")
                    self.set = getattr(found.dynlib, f"{before}openblas_set_num_threads{after}")


class _Limit:
    """One thread for some libraries, as long as any block of any thread holds the limit.

    A block within another one of the same process costs about a microsecond.
    """

    def __init__(self, libraries: Sequence[_Library]) -> None:
        self._libraries = libraries
        # Reentrant: collecting garbage may close a generator of `map_in_threads` at any place.
        self._lock = threading.RLock()
        self._blocks: dict[int, int] = {}  # how many each thread has
        self._before: list[tuple[_Library, int]] = []

    def take(self, thread: int) -> None:
        with self._lock:
            blocks = self._blocks
            blocks[thread] = n = blocks.get(thread, 0) + 1
            if n == 1 and len(blocks) == 1:
                counts = [(library, library.get() or 1) for library in self._libraries]
                self._before = [(library, count) for library, count in counts if count > 1]
                for library, _ in self._before:
                    library.set(1)

    def release(self, thread: int) -> None:
        with self._lock:
            blocks = self._blocks
            n = blocks.get(thread, 0) - 1
            if n > 0:
                blocks[thread] = n
            elif blocks.pop(thread, 0) and not blocks:
                self._restore()

    def register(self) -> _Limit:
        """Keep it right in forked processes, where of all threads only the forking one goes on."""
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=lambda: self._lock.acquire(),
                after_in_parent=lambda: self._lock.release(),
                after_in_child=self._keep_only_this_thread,
            )
        return self

    def _keep_only_this_thread(self) -> None:
        self._lock = threading.RLock()
        thread = threading.get_ident()
        was_held = bool(self._blocks)
        own = self._blocks.get(thread)
        self._blocks = {} if own is None else {thread: own}
        if was_held and not self._blocks:
            self._restore()

    def _restore(self) -> None:
        before, self._before = self._before, []
        for library, count in before:
            if library.get() == 1:  # otherwise someone else has set it since
                library.set(count)


class _LimitOfThread(threading.local):
    """The same for libraries that have a setting for every thread."""

    def __init__(self) -> None:
        self.limit = _Limit([library for library in _libraries() if library.of_thread])


class _Limits:
    """Limits of the process and of this thread, as a context of the thread that enters it."""

    def __init__(self, *limits: _Limit) -> None:
        self._limits = limits

    def __enter__(self) -> None:
        self.take(threading.get_ident())

    def __exit__(self, *error: object) -> None:
        self.release(threading.get_ident())

    def take(self, thread: int) -> None:
        for limit in self._limits:
            limit.take(thread)

    def release(self, thread: int) -> None:
        for limit in self._limits:
            limit.release(thread)


def one_thread() -> _Limits:
    """Use one thread for BLAS in a block, whatever other threads do."""
    if not _limits:
        with _making:
            if not _limits:
                found = _libraries()
                shared = _Limit([library for library in found if not library.of_thread]).register()
                local = _LimitOfThread() if any(library.of_thread for library in found) else None
                _limits.append((shared, local))
    process, threads = _limits[0]
    return _Limits(process) if threads is None else _Limits(process, threads.limit)


_limits: list[tuple[_Limit, _LimitOfThread | None]] = []


@cache
def _libraries() -> list[_Library]:
    """BLAS libraries of the process, looked up once because the search takes a while."""
    return [
        _Library(each) for each in ThreadpoolController().select(user_api="blas").lib_controllers
    ]


def n_threads() -> int:
    """Number of threads that the linear algebra may use now; other threaded work keeps to it.

    In a block of :func:`threads_of_jobs`, the number asked for there.
    """
    jobs = _jobs.get()
    if jobs is not None:
        return jobs
    return max((library.get() or 1 for library in _libraries()), default=1)


@contextmanager
def threads_of_jobs(n_jobs: int | None) -> Iterator[None]:
    """Set the number of threads to what `n_jobs` means to joblib; None changes nothing."""
    if n_jobs is None:
        yield
        return
    is_count = hasattr(n_jobs, "__index__") and not isinstance(n_jobs, bool)
    if not is_count or n_jobs == 0:
        raise ValueError(
            f"expected n_jobs to be None or an integer other than zero, got {n_jobs!r}; try "
            "n_jobs=2, or n_jobs=-1 for all cores"
        )
    from joblib import effective_n_jobs  # type: ignore[import-untyped]  # takes time to import

    count = effective_n_jobs(n_jobs)
    token = _jobs.set(count)
    try:
        with one_thread() if count == 1 else nullcontext():
            yield
    finally:
        _jobs.reset(token)


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
    for _ in map_in_threads(lambda task: task(), tasks, workers, lambda: None):
        pass


def map_in_threads(
    function: Callable[[T], R], tasks: Iterable[T], workers: int, tick: Callable[[], None]
) -> Iterator[R]:
    """The results of tasks that release the lock, several at a time, in their order.

    A sum of them is the same, to the last digit, for any number of threads. The linear algebra of
    `function` runs in one thread. `tick` is called before every result; it may raise to end the
    work, and what has not begun is not begun.
    """
    limit, thread = one_thread(), threading.get_ident()
    limit.take(thread)
    try:
        if workers == 1:
            for task in tasks:
                tick()
                yield function(task)
        else:
            yield from _in_threads(function, tasks, workers, tick)
    finally:  # whichever thread closes the generator
        limit.release(thread)


def _in_threads(
    function: Callable[[T], R], tasks: Iterable[T], workers: int, tick: Callable[[], None]
) -> Iterator[R]:
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for task in tasks:
                # A copy of the context: what is ignored here is ignored there.
                waiting.append(pool.submit(copy_context().run, _limited, function, task))
                if len(waiting) > 2 * workers:  # few results wait for their turn
                    tick()
                    yield waiting.popleft().result()
            while waiting:
                tick()
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _limited(function: Callable[[T], R], task: T) -> R:
    with one_thread():  # some libraries have a setting for every thread
        return function(task)
