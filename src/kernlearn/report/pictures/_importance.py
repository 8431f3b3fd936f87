"""Bars of what columns or views add."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection._bars import MOST_BARS, draw_bars, with_the_rest
from kernlearn.inspection._text import plain
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.report._subject import LONGEST_NAME, Subject


def added(subject: Subject, key: str) -> tuple[list[str], list[float]]:
    """Names and numbers, the largest first; of "columns" or "views"."""
    entries = subject.facts.part("importance").parts(key)
    pairs = [(e.text("name"), e.number("importance")) for e in entries]
    known = [(plain(name, LONGEST_NAME), value) for name, value in pairs if value is not None]
    known.sort(key=lambda pair: -pair[1])
    return [name for name, _ in known], [value for _, value in known]


def draw_added(subject: Subject, ax: Any, key: str) -> None:
    """One bar for each, at most thirty."""
    names, values = added(subject, key)
    shown = np.asarray(values[:MOST_BARS])
    colours = [POSITIVE if value >= 0 else NEGATIVE for value in shown]
    draw_bars(ax, shown, names[:MOST_BARS], colours)
    hidden = len(values) - len(shown)
    ax.set_xlabel(with_the_rest("what is lost without it", hidden, key))
