"""A bar for work whose steps are not in one loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import shorten

from rich.markup import escape
from rich.progress import Progress as ProgressBars

from kernlearn.cli.output import say
from kernlearn.estimators.mixture.effort import checked_effort, options_at
from kernlearn.estimators.mixture.expected_time import duration_in_words, expected_seconds
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.inspection._text import plain
from kernlearn.methods.registry import KERNEL
from kernlearn.methods.task import Task
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.progress import make_bar
from kernlearn.runtime.stopping import Progress

# Columns for the bar, the count and the two times.
OTHERS = 48


class Bar:
    """The progress bar of a command: call it after every step."""

    def __init__(self, bar: ProgressBars, description: str, total: int) -> None:
        self._bar, self._description = bar, plain(description)
        self._task = bar.add_task(escape(self._description), total=total)

    def __call__(self) -> None:
        """Advance by a step."""
        self._bar.update(self._task, advance=1, description=escape(self._description))

    def show(self, progress: Progress) -> None:
        """Show the progress of the present fit beside the bar."""
        room = max(self._bar.console.width - OTHERS, len(self._description))
        words = f"{self._description}: {plain(progress.message)}"
        if len(words) > room:
            words = shorten(plain(progress.message), room, placeholder=" …")
        self._bar.update(self._task, description=escape(words))


def announce_fits(task: Task, quiet: bool) -> None:
    """Announce on standard error the time of all fits of the method kernel, if it is long."""
    if quiet or task.method != KERNEL.name:
        return
    setting = task.setting
    effort = checked_effort(setting.options.effort)
    n_targets = 1 if setting.classes is None or len(setting.classes) < 3 else len(setting.classes)
    options = options_at(MixtureOptions(), effort)
    seconds = sum(
        expected_seconds(n_rows, len(task.columns), n_targets, options, effort)
        for n_rows in fitted_rows(task)
    )
    if seconds > options.announced_seconds:
        n_fits = counted(len(fitted_rows(task)), "fit")
        part = "less" if max(fitted_rows(task)) > options.exact_rows else "a tenth"
        say(
            f"about {duration_in_words(seconds)} expected for {n_fits}; --effort fast takes {part}",
            True,
        )


def fitted_rows(task: Task) -> list[int]:
    """The number of rows of every fit of the method, that of the model that is kept last."""
    return [*(len(train) for train, _ in task.splits()), *([len(task.y)] if task.refit else [])]


@contextmanager
def progress_bar(description: str, total: int, quiet: bool) -> Iterator[Bar]:
    """Show a bar with the time left on standard error; call what is yielded after every step."""
    with make_bar(quiet) as bar:
        yield Bar(bar, description, total)
