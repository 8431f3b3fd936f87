"""Bars of what columns and sources add."""

from __future__ import annotations

import numpy as np

from kernlearn.inspection._bars import MOST_BARS, draw_bars, with_the_rest
from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import plain
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.report._subject import LONGEST_NAME, Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed


def added(subject: Subject, key: str) -> tuple[list[str], list[float]]:
    """Names and numbers, the largest first; of "columns" or "views"."""
    entries = subject.facts.part("importance").parts(key)
    pairs = [(e.text("name"), e.number("importance")) for e in entries]
    known = [(plain(name, LONGEST_NAME), value) for name, value in pairs if value is not None]
    known.sort(key=lambda pair: -pair[1])
    return [name for name, _ in known], [value for _, value in known]


def draw_added(subject: Subject, ax: Axes, key: str) -> None:
    """One bar for each, at most thirty."""
    names, values = added(subject, key)
    shown = np.asarray(values[:MOST_BARS])
    colours = [POSITIVE if value >= 0 else NEGATIVE for value in shown]
    draw_bars(ax, shown, names[:MOST_BARS], colours)
    hidden = len(values) - len(shown)
    ax.set_xlabel(with_the_rest("what is lost without it", hidden, key))


COLUMNS = Picture(
    name="columns",
    section="columns",
    title="Which columns matter",
    caption="The longer the bar, the more the model makes of the column; about zero, or below it "
    "by chance, means that it makes nothing of it. Columns that say the same can stand in for each "
    "other, so that each alone seems to matter little.",
    describe=lambda subject: listed(*added(subject, "columns")),
    applies=lambda subject: len(added(subject, "columns")[0]) > 1,
    height=lambda subject: bar_height(min(len(added(subject, "columns")[0]), MOST_BARS)),
    draw=lambda subject, ax: draw_added(subject, ax, "columns"),
)


SOURCES = Picture(
    name="views",
    section="columns",
    title="What each source adds",
    caption="What is lost on held-out rows without a source: a view whose columns are shuffled "
    "together, or a kernel matrix that is left out of the fit.",
    describe=lambda subject: listed(*added(subject, "views")),
    applies=lambda subject: len(added(subject, "views")[0]) > 1,
    height=lambda subject: bar_height(min(len(added(subject, "views")[0]), MOST_BARS)),
    draw=lambda subject, ax: draw_added(subject, ax, "views"),
)
