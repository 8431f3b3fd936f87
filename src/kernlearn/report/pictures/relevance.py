"""Learned scales of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import RelevanceDisplay
from kernlearn.inspection._bars import MOST_BARS
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed
from kernlearn.typing import Array


def _applies(subject: Subject) -> bool:
    theta = getattr(subject.estimator, "theta_", None)
    # A single θ is the width of the whole kernel; it says nothing about a column.
    return theta is not None and 1 < len(theta) == len(subject.names)


def _theta(subject: Subject) -> Array:
    return np.asarray(subject.estimator.theta_, dtype=float)


def _draw(subject: Subject, ax: Any) -> None:
    theta = _theta(subject)
    order = np.argsort(-theta, kind="stable")
    RelevanceDisplay(theta[order], [subject.names[j] for j in order]).plot(ax=ax)


PICTURE = Picture(
    name="relevance",
    section="kernel",
    title="Learned scales of the columns",
    caption="The learned scale of each column, as prepared for the method: the longer the bar, "
    "the more a difference there counts; zero means that the column is ignored.",
    describe=lambda subject: listed(subject.names, _theta(subject).tolist()),
    applies=_applies,
    height=lambda subject: bar_height(min(len(subject.names), MOST_BARS)),
    draw=_draw,
)
