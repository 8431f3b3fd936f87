"""Warnings that a block ignores, whatever other threads do meanwhile.

The filters of warnings are a list of the process: ``warnings.catch_warnings`` restores the wrong
one as soon as two threads have such blocks at once.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_ignored: ContextVar[tuple[type[Warning], ...]] = ContextVar("kernlearn_ignored", default=())
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # a copy of this process must not find it taken
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


class _Ignored:
    """A filter of warnings that matches in blocks of `quiet_about`, and nowhere else.

    The filters are a list of the process, but whether one of them matches is decided by an object
    with a method ``match``: other threads see their warnings as before. The workers of
    scikit-learn, threads or processes, take filters over by their pattern; it matches everything.
    """

    pattern = "(?#ignored by kernlearn)"

    def __init__(self, category: type[Warning]) -> None:
        self._entry = ("ignore", self, category, None, 0)
        self._category = category
        self._n_blocks = 0
        self._lists: list[Any] = []  # a block of `catch_warnings` makes another list

    def match(self, message: str) -> bool:
        return self._category in _ignored.get()

    def take(self) -> None:
        with _lock:
            self._n_blocks += 1
            filters: Any = warnings.filters
            if not filters or filters[0] is not self._entry:
                filters.insert(0, self._entry)
                self._lists.append(filters)

    def release(self) -> None:
        with _lock:
            self._n_blocks -= 1
            if self._n_blocks == 0:
                lists, self._lists = [*self._lists, warnings.filters], []
                for filters in lists:
                    for entry in filters[:]:
                        if self._is_own(entry):
                            filters.remove(entry)

    def _is_own(self, entry: tuple[Any, ...]) -> bool:
        # Workers in threads may have left a copy, since they restore filters without a lock.
        message, category = entry[1:3]
        return category is self._category and getattr(message, "pattern", None) == self.pattern

    def __reduce__(self) -> tuple[Any, ...]:
        return re.compile, (self.pattern,)


_known: dict[type[Warning], _Ignored] = {}


@contextmanager
def quiet_about(category: type[Warning]) -> Iterator[None]:
    """Ignore warnings of a kind in this thread; the filters are as before afterwards."""
    if getattr(sys.flags, "context_aware_warnings", False):  # each thread has its own filters
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category)
            yield
        return
    with _lock:
        entry = _known.setdefault(category, _Ignored(category))
    entry.take()
    token = _ignored.set((*_ignored.get(), category))
    try:
        yield
    finally:
        _ignored.reset(token)
        entry.release()
