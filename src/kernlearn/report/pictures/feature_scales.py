"""How far the learned kernel sees along each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import FeatureScalesDisplay
from kernlearn.inspection._bars import MOST_BARS
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed
from kernlearn.typing import Array


def _applies(subject: Subject) -> bool:
    return subject.points is not None and hasattr(subject.estimator, "feature_scales_")


def _spread(subject: Subject) -> Array:
    scales = np.asarray(subject.estimator.feature_scales_, dtype=float)
    return np.asarray(np.asarray(subject.points, dtype=float).std(axis=0) / scales)


def _draw(subject: Subject, ax: Any) -> None:
    FeatureScalesDisplay(_spread(subject), subject.names).plot(ax=ax)


PICTURE = Picture(
    name="feature-scales",
    section="kernel",
    title="What the kernel looks at",
    caption="The spread of each column in units of the learned kernel's width there: the longer "
    "the bar, the more the column tells rows apart.",
    describe=lambda subject: listed(subject.names, _spread(subject).tolist()),
    applies=_applies,
    height=lambda subject: bar_height(min(len(subject.names), MOST_BARS)),
    draw=_draw,
)
