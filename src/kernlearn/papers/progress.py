"""A progress bar with the time left, where there is a terminal to show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["track"]

Item = TypeVar("Item")


def track(
    items: Iterable[Item], *, description: str, total: int, done: int = 0, quiet: bool = False
) -> Iterator[Item]:
    """Pass the items on, drawing a bar on standard error meanwhile.

    Nothing is drawn when `quiet`, when standard error is no terminal, or without rich.

    Parameters
    ----------
    items : iterable
        What is passed on, one item per step.
    description : str
        Shown before the bar.
    total : int
        Number of steps, those already done included.
    done : int, default=0
        Steps finished by an earlier run; they do not count towards the speed.
    quiet : bool, default=False
        Draw nothing.

    Yields
    ------
    item
    """
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        yield from items
        return
    console = Console(stderr=True)
    bar = progress.Progress(
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
    with bar:
        task = bar.add_task(description, total=total, completed=done)
        for item in items:
            yield item
            bar.advance(task)
