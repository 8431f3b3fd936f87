"""A progress bar with the time left, where there is a terminal to show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")


def track(
    items: Iterable[Item], *, description: str, total: int, done: int = 0, quiet: bool = False
) -> Iterator[Item]:
    """Pass the items on, drawing a bar on standard error meanwhile.

    Nothing is drawn when `quiet`, when standard error is no terminal, or without rich. `total`
    counts the steps that an earlier run has `done` too, which do not count towards the speed.
    """
    try:
        bar = make_bar(quiet)
    except ImportError:
        yield from items
        return
    with bar:
        task = bar.add_task(description, total=total, completed=done)
        for item in items:
            yield item
            bar.advance(task)


def make_bar(quiet: bool) -> Any:
    """A bar of rich on standard error, which draws nothing when `quiet` or without a terminal."""
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        # A task takes seconds: the speed of the last half minute would come and go.
        progress.TimeRemainingColumn(),
        console=console,
        disable=quiet or not console.is_terminal,
        speed_estimate_period=600.0,
    )
