"""Bars of what columns and sources add."""

from __future__ import annotations

import numpy as np

from kernlearn.inspection._bars import MOST_BARS, draw_bars, draw_bars_with_errors, with_the_rest
from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import plain
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.report._subject import LONGEST_NAME, Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed_values


def added(subject: Subject, key: str) -> tuple[list[str], list[float]]:
    """Names and numbers, the largest first; of "columns" or "views"."""
    entries = subject.facts.part("importance").parts(key)
    pairs = [(e.text("name"), e.number("importance")) for e in entries]
    known = [(plain(name, LONGEST_NAME), value) for name, value in pairs if value is not None]
    known.sort(key=lambda pair: -pair[1])
    return [name for name, _ in known], [value for _, value in known]


def draw_added(subject: Subject, ax: Axes, key: str) -> None:
    """One bar for each, at most thirty, and a line of two standard errors where they are known."""
    names, values = added(subject, key)
    shown = np.asarray(values[:MOST_BARS])
    colours = [POSITIVE if value >= 0 else NEGATIVE for value in shown]
    errors = _errors(subject, key)[:MOST_BARS]
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        draw_bars(ax, shown, names[:MOST_BARS], colours)
    else:
        draw_bars_with_errors(ax, shown, known, names[:MOST_BARS], colours)
    hidden = len(values) - len(shown)
    metric = subject.facts.text("metric")
    lost = f"lost {metric}" if metric else "what is lost without it"
    ax.set_xlabel(with_the_rest(lost, hidden, key))


def _errors(subject: Subject, key: str) -> list[float | None]:
    """Standard errors in the order of `added`."""
    entries = subject.facts.part("importance").parts(key)
    pairs = [(e.number("importance"), e.number("standard_error")) for e in entries]
    known = [(value, error) for value, error in pairs if value is not None]
    return [error for _, error in sorted(known, key=lambda pair: -pair[0])]


COLUMNS = Picture(
    name="columns",
    section="columns",
    title="Which columns matter",
    caption="The longer the bar, the more the model makes of the column; about zero, or below it "
    "by chance, means that it makes nothing of it. Lines are two standard errors either way. "
    "Correlated columns can replace each other, so that each alone seems to matter "
    "little.",
    describe=lambda subject: listed_values(*added(subject, "columns")),
    applies=lambda subject: len(added(subject, "columns")[0]) > 1,
    height=lambda subject: bar_height(min(len(added(subject, "columns")[0]), MOST_BARS)),
    draw=lambda subject, ax: draw_added(subject, ax, "columns"),
)


SOURCES = Picture(
    name="views",
    section="columns",
    title="What each source adds",
    caption="What is lost on held-out rows without a source: a view whose columns are shuffled "
    "together, or a kernel matrix that is left out of the fit. Lines are two standard errors.",
    describe=lambda subject: listed_values(*added(subject, "views")),
    applies=lambda subject: len(added(subject, "views")[0]) > 1,
    height=lambda subject: bar_height(min(len(added(subject, "views")[0]), MOST_BARS)),
    draw=lambda subject, ax: draw_added(subject, ax, "views"),
)
