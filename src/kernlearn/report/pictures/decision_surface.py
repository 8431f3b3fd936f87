"""The decision over two inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import DecisionSurfaceDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture


def _applies(subject: Subject) -> bool:
    if subject.points is None or len(subject.names) != 2 or not hasattr(subject.step, "predict"):
        return False
    # Some methods see the table as it is, and there is no place between two categories.
    kinds = getattr(subject.points, "dtypes", np.zeros(0))
    return all(getattr(kind, "kind", "O") in "biuf" for kind in kinds)


def _target(subject: Subject) -> Any:
    """The target as the estimator knows it: the subject has classes as text."""
    classes = getattr(subject.step, "classes_", None)
    if subject.target is None or subject.is_regression or classes is None:
        return subject.target
    known = {str(label): label for label in classes}
    return np.array([known.get(text) for text in subject.target], dtype=object)


def _draw(subject: Subject, ax: Any) -> None:
    display = DecisionSurfaceDisplay.from_estimator(
        subject.step, subject.points, _target(subject), ax=ax
    )
    display.ax_.set_xlabel(subject.names[0])
    display.ax_.set_ylabel(subject.names[1])


PICTURE = Picture(
    name="decision-surface",
    section="kernel",
    title="The model over its two inputs",
    caption="What the model says at every place, and the rows of the sample with what is true of "
    "them; inputs as prepared for the method.",
    describe=lambda subject: f"{subject.names[0]} to the right, {subject.names[1]} upwards",
    applies=_applies,
    height=lambda subject: 4.4,
    draw=_draw,
)
