"""Appearance of classes: colours, markers and the legend of their names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from kernlearn.inspection._matplotlib import Axes, Legend, Line2D, ink, row_size
from kernlearn.inspection._text import axis_label, plain_legend

# Distinct with any kind of colour vision; further classes differ by their marker too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v")
# Most names of classes: they fill two columns beside the picture. Looks repeat after 35 classes.
MOST_NAMED = 32
_ROWS = 16


def class_colour(number: int) -> str:
    """The colour of a class; black is the ink of the style, which may be white."""
    colour = COLOURS[number % len(COLOURS)]
    return ink() if colour == "#000000" else colour


def class_marker(number: int) -> str:
    """The marker of a class."""
    return MARKERS[number % len(MARKERS)]


def names_width(names: Iterable[object]) -> float:
    """Inches for the longest of the names beside a picture."""
    return 0.09 * max((len(axis_label(name)) for name in names), default=0)


def class_legend(ax: Axes, lines: Sequence[Line2D] | None = None) -> Legend:
    """The names beside the axes, where the figure makes room for them; else on an opaque ground.

    A legend without a ground cannot be read over coloured regions. By default it names all that
    has a label, else these lines in their order.
    """
    handles, labels = ax.get_legend_handles_labels()
    if lines is not None:
        handles, labels = list(lines), [line.get_label() for line in lines]
    more = len(labels) - MOST_NAMED
    rows = min(len(labels), _ROWS)
    options: dict[str, Any] = {
        "handles": handles[:MOST_NAMED],
        "labels": labels[:MOST_NAMED],
        "ncols": math.ceil(min(len(labels), MOST_NAMED) / _ROWS) or 1,
        "title": f"and {more} more classes" if more > 0 else None,
    }
    if ax.figure.get_layout_engine() is None:
        size = 0.8 * row_size(ax, rows + 2)
        return plain_legend(ax, frameon=True, framealpha=0.9, fontsize=size, **options)
    place: dict[str, Any] = {
        "loc": "upper left",
        "bbox_to_anchor": (1.0, 1.0),
        "borderaxespad": 0.0,
    }
    return plain_legend(ax, **place, **options)
