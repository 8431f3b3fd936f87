"""Surfaces over the plane, and points that can be seen on any of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.inspection._classes import class_colour, class_legend, class_marker
from kernlearn.inspection._text import legend_label
from kernlearn.typing import Array

LEVELS = 12
# The same on light and on dark paper, since a surface covers the paper.
DARK, LIGHT = "#1a1a1a", "#ffffff"
# The points of two classes have the hues of their sides of the surface.
SIDES = ("#b35806", "#542788")


def draw_decision(ax: Any, xx0: Array, xx1: Array, values: Array, side: str) -> Any:
    """Orange below zero and purple above, and the line where the values are zero.

    The bar of colours stands at this side of the axes.
    """
    # Half as much again, which leaves out the darkest colours: points must be seen on them.
    largest = 1.5 * float(np.abs(values).max()) or 1.0
    style = {"levels": LEVELS, "cmap": "PuOr", "vmin": -largest, "vmax": largest}
    surface = ax.contourf(xx0, xx1, values, **style)
    if values.min() < 0.0 < values.max():
        ax.contour(xx0, xx1, values, [0.0], colors=DARK, linewidths=1.2)
    ax.figure.colorbar(surface, ax=ax, label="decision value", location=side)
    return surface


def draw_prediction(ax: Any, xx0: Array, xx1: Array, values: Array) -> Any:
    """From dark blue for small numbers to yellow for large ones."""
    surface = ax.contourf(xx0, xx1, values, levels=LEVELS, cmap="cividis")
    ax.figure.colorbar(surface, ax=ax, label="prediction")
    return surface


def draw_regions(ax: Any, xx0: Array, xx1: Array, numbers: Array, n_classes: int) -> list[Any]:
    """The region of every class.

    One at a time: contours of the numbers themselves would put a band of class 1 between the
    regions of classes 0 and 2.
    """
    return [
        ax.contourf(
            xx0,
            xx1,
            (numbers == number).astype(float),
            [0.5, 1.5],
            colors=[class_colour(number)],
            alpha=0.25,
        )
        for number in range(n_classes)
    ]


def draw_unlabelled(ax: Any, points: Array) -> None:
    """Points of which nothing is known."""
    ax.scatter(*points.T, s=18, color=LIGHT, edgecolors=DARK, linewidths=0.8)


def draw_measured(ax: Any, points: Array, numbers: NDArray[Any], surface: Any) -> None:
    """Points in the colours of their numbers, on the scale of the surface."""
    scale = {"cmap": surface.cmap, "norm": surface.norm}
    ax.scatter(*points.T, s=24, c=numbers, edgecolors=LIGHT, linewidths=0.8, **scale)


def draw_classified(
    ax: Any, points: Array, labels: NDArray[Any], classes: tuple[Any, ...], colours: Sequence[str]
) -> None:
    """Points in the colours of their classes, and the names of these."""
    for number, label in enumerate(classes):
        ax.scatter(
            *points[labels == label].T,
            s=24,
            color=colours[number],
            marker=class_marker(number),
            edgecolors=LIGHT,
            linewidths=0.6,
            label=legend_label(label),
        )
    class_legend(ax)
