"""Worker processes that do not outlive the process that they work for."""

from __future__ import annotations

import os
import threading
import time

__all__ = ["end_with"]

# Seconds between two looks; a look costs microseconds.
_PAUSE = 0.5
_watched: set[int] = set()


def end_with(parent: int) -> None:
    """End this process soon after `parent` has ended, however that happened.

    Called by a worker, any number of times. A process that is killed cannot tell its workers: they
    would go on for hours with tasks whose results nobody takes. A system that starts no process
    for another one's children leaves the parent's number as it was; there, nothing happens.
    """
    if parent in _watched or os.getppid() != parent:
        return
    _watched.add(parent)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(1)
