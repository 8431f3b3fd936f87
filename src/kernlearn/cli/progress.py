"""A bar for work whose steps are not in one loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kernlearn.papers.progress import track

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(description: str, total: int, quiet: bool) -> Iterator[Callable[[], Any]]:
    """Show a bar with the time left on standard error; call what is yielded after every step."""
    steps = track(range(total), description=description, total=total, quiet=quiet)
    next(steps, None)  # draws the bar
    try:
        yield lambda: next(steps, None)
    finally:
        steps.close()  # type: ignore[attr-defined]  # a generator, seen as an iterator
