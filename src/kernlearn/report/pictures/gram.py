"""The Gram matrix, ordered."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import GramDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import MOST_SAID, Picture


def _draw(subject: Subject, ax: Any) -> None:
    GramDisplay(np.asarray(subject.gram), subject.target, by_class=not subject.is_regression).plot(
        ax=ax
    )


def _describe(subject: Subject) -> str:
    n = len(np.asarray(subject.gram))
    size = f"{n} by {n} rows"
    if subject.target is None or subject.is_regression:
        return size
    return f"{size}, classes from the top: {', '.join(np.unique(subject.target)[:MOST_SAID])}"


PICTURE = Picture(
    name="gram",
    section="geometry",
    title="Similarity of rows",
    caption="The learned kernel between rows of the sample, rows of one class next to each other "
    "(for a number to predict, in its order). Bright blocks along the diagonal are groups of rows "
    "that the kernel takes to be alike.",
    describe=_describe,
    applies=lambda subject: subject.gram is not None,
    height=lambda subject: 3.8,
    draw=_draw,
)
