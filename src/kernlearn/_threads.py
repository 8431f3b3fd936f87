"""How many threads the linear algebra may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

from kernlearn._device import LARGEST_FOR_LAPACK

# Below this many points, two threads gain a third at best on an idle machine, and on a busy one
# they wait for each other: factorisations were seen to take ten to forty times as long.
ENOUGH_POINTS_FOR_THREADS = 3000


@contextmanager
def threads_for(n_points: int) -> Iterator[None]:
    """One BLAS thread for small problems, whatever is set for large ones."""
    if n_points >= ENOUGH_POINTS_FOR_THREADS:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    """Looking for the libraries takes a while, and they do not change."""
    return ThreadpoolController()


@contextmanager
def safe_threads_for(n: int) -> Iterator[None]:
    """One thread for LAPACK's factorisations that with more of them may end the process."""
    if n <= LARGEST_FOR_LAPACK:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield
