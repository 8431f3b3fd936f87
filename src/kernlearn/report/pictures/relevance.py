"""Learned scales of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import RelevanceDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture, bar_height

MOST = 30


def _applies(subject: Subject) -> bool:
    theta = getattr(subject.estimator, "theta_", None)
    # A single θ is the width of the whole kernel; it says nothing about a column.
    return theta is not None and 1 < len(theta) == len(subject.names)


def _draw(subject: Subject, ax: Any) -> None:
    theta = np.asarray(subject.estimator.theta_, dtype=float)
    largest = np.argsort(-theta, kind="stable")[:MOST]
    RelevanceDisplay(theta[largest], [subject.names[j] for j in largest]).plot(ax=ax)
    if len(theta) > MOST:
        ax.set_xlabel(f"learned scale θ, and {len(theta) - MOST} more columns with less")


PICTURE = Picture(
    name="relevance",
    section="kernel",
    title="Which inputs matter",
    caption="The learned scale of each column, as prepared for the method: the longer the bar, "
    "the more a difference there counts; zero means that the column is ignored.",
    applies=_applies,
    height=lambda subject: bar_height(min(len(subject.names), MOST)),
    draw=_draw,
)
