"""Rows with a name and a bar, the form of several pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.inspection._matplotlib import Axes, BarContainer, ink, points_wide, row_size
from kernlearn.inspection._text import AS_TEXT, axis_label
from kernlearn.typing import Array, Indices

# More make a picture longer than a screen.
MOST_BARS = 30


def largest(sizes: Array) -> Indices:
    """Indices of the entries to draw, in increasing order: those with the largest sizes.

    >>> largest(np.array([3.0, 1.0, 2.0]))
    array([0, 1, 2])
    """
    return np.sort(np.argsort(-sizes, kind="stable")[:MOST_BARS])


def with_the_rest(label: str, n_hidden: int, things: str) -> str:
    """The label of an axis, with the number of entries that are not drawn.

    >>> with_the_rest("learned weight", 2, "kernels")
    'learned weight, and 2 more kernels with less'
    """
    return f"{label}, and {n_hidden} more {things} with less" if n_hidden else label


def bars_height(n_bars: int) -> float:
    """Height in inches of a figure with `n_bars` bars."""
    return 0.8 + 0.3 * n_bars


def draw_bars(
    ax: Axes, values: Array, labels: Sequence[str], colours: str | list[str]
) -> BarContainer:
    """Horizontal bars from the top down, with their names and numbers."""
    bars = ax.barh(np.arange(len(values)), values, color=colours)
    _number_bars(ax, bars, values)
    name_rows(ax, labels)
    return bars


def draw_bars_with_errors(
    ax: Axes, values: Array, errors: Sequence[float], labels: Sequence[str], colours: list[str]
) -> BarContainer:
    """Horizontal bars from the top down, with their names and two standard errors either way."""
    bars = ax.barh(np.arange(len(values)), values, color=colours, height=0.5)
    for place, (value, error) in enumerate(zip(values, errors, strict=True)):
        ax.plot([value - 2.0 * error, value + 2.0 * error], [place] * 2, color=ink(), linewidth=1.2)
    name_rows(ax, labels)
    ax.axvline(0.0, color="#999999", linewidth=0.8)
    return bars


def _number_bars(ax: Axes, bars: BarContainer, values: Array) -> None:
    """The values beside the bars, with room for the one beside the longest."""
    numbers = [f"{value:.3g}" for value in values]
    # Length of the numbers and of their distance from the bars, in units of the font size.
    length = 0.65 * max((len(number) for number in numbers), default=0) + 0.5
    # A layout engine makes room for names by shrinking the axes.
    width = points_wide(ax) * (1.0 if ax.figure.get_layout_engine() is None else 0.6)
    size = min(row_size(ax, len(values)), 0.25 * width / length)
    ax.bar_label(bars, numbers, padding=3, fontsize=size)
    share = length * size / width
    both_sides = bool((values < 0).any() and (values > 0).any())
    ax.margins(x=share / (1.0 - (2.0 if both_sides else 1.0) * share))


def name_rows(ax: Axes, labels: Sequence[str]) -> None:
    """A name for each row, the first at the top; smaller where rows are many and room is not."""
    names = [axis_label(label) for label in labels]
    size = row_size(ax, len(names))
    ax.set_yticks(np.arange(len(names)), names, fontsize=size, **AS_TEXT)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.spines[["top", "right"]].set_visible(False)
