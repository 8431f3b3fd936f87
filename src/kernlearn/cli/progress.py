"""A bar for work whose steps are not in one loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import shorten

from rich.markup import escape
from rich.progress import Progress as ProgressBars

from kernlearn.inspection._text import plain
from kernlearn.runtime.progress import make_bar
from kernlearn.runtime.stopping import Progress

# Columns for the bar, the count and the two times.
OTHERS = 48


class Bar:
    """What a command tells of its work: call it after every step."""

    def __init__(self, bar: ProgressBars, description: str, total: int) -> None:
        self._bar, self._description = bar, plain(description)
        self._task = bar.add_task(escape(self._description), total=total)

    def __call__(self) -> None:
        """Advance by a step."""
        self._bar.update(self._task, advance=1, description=escape(self._description))

    def show(self, progress: Progress) -> None:
        """Say how the present fit goes, in the room that the bar leaves."""
        room = max(self._bar.console.width - OTHERS, len(self._description))
        words = f"{self._description}: {plain(progress.message)}"
        if len(words) > room:
            words = shorten(plain(progress.message), room, placeholder=" …")
        self._bar.update(self._task, description=escape(words))


@contextmanager
def progress_bar(description: str, total: int, quiet: bool) -> Iterator[Bar]:
    """Show a bar with the time left on standard error; call what is yielded after every step."""
    with make_bar(quiet) as bar:
        yield Bar(bar, description, total)
