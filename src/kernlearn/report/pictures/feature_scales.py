"""How far the learned kernel sees along each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import FeatureScalesDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture, bar_height


def _applies(subject: Subject) -> bool:
    return subject.points is not None and hasattr(subject.estimator, "feature_scales_")


def _draw(subject: Subject, ax: Any) -> None:
    scales = np.asarray(subject.estimator.feature_scales_, dtype=float)
    spread = np.asarray(subject.points, dtype=float).std(axis=0) / scales
    FeatureScalesDisplay(spread, subject.names).plot(ax=ax)


PICTURE = Picture(
    name="feature-scales",
    section="kernel",
    title="What the kernel looks at",
    caption="The spread of each column in units of the learned kernel's width there: the longer "
    "the bar, the more the column tells rows apart.",
    applies=_applies,
    height=lambda subject: bar_height(min(len(subject.names), 30)),
    draw=_draw,
)
