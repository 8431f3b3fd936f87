"""The decision over two inputs."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection import DecisionSurfaceDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture


def _applies(subject: Subject) -> bool:
    return (
        subject.points is not None
        and len(subject.names) == 2
        and hasattr(subject.estimator, "predict")
    )


def _draw(subject: Subject, ax: Any) -> None:
    display = DecisionSurfaceDisplay.from_estimator(subject.estimator, subject.points, ax=ax)
    display.ax_.set_xlabel(subject.names[0])
    display.ax_.set_ylabel(subject.names[1])


PICTURE = Picture(
    name="decision-surface",
    section="kernel",
    title="The model over its two inputs",
    caption="What the model says at every place, and the rows of the sample; inputs as prepared "
    "for the method.",
    applies=_applies,
    height=lambda subject: 4.2,
    draw=_draw,
)
