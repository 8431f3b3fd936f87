"""Work that several kernels have in common is done once: the scope of a call or of a fit.

Kernels stay plain values: nothing is kept on them between calls. Results that one part of a call
computes from data, such as a column taken out of a data frame or the output of a transformer, are
remembered until the outermost call ends, so that the other parts find them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

# Every entry keeps the objects it was computed from: an id is good only while its object lives.
_T = TypeVar("_T")
_Memo = dict[tuple[Hashable, ...], tuple[Any, Any]]
_memo: ContextVar[_Memo | None] = ContextVar("kernlearn_shared_work", default=None)


@contextmanager
def sharing() -> Iterator[None]:
    """Open a scope, unless one is open: within it, :func:`shared` computes nothing twice."""
    if _memo.get() is not None:
        yield
        return
    token = _memo.set({})
    try:
        yield
    finally:
        _memo.reset(token)


def shared(what: Hashable, compute: Callable[[], _T], *data: object) -> _T:
    """Return ``compute()``, remembered within the scope for this task and these very objects."""
    memo = _memo.get()
    if memo is None:
        return compute()
    key = (what, *map(id, data))
    if key not in memo:
        memo[key] = (data, compute())
    found: _T = memo[key][1]
    return found
