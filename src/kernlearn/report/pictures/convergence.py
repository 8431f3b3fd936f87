"""How the fit closed its gap."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection import ConvergenceDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture


def _draw(subject: Subject, ax: Any) -> None:
    ConvergenceDisplay.from_estimator(subject.estimator, ax=ax)


PICTURE = Picture(
    name="convergence",
    section="certificate",
    title="How the gap closed",
    caption="The relative distance between the value found and the proven bound, after every "
    "support vector machine that was solved on the way.",
    applies=lambda subject: len(getattr(subject.estimator, "history_", ())) > 1,
    height=lambda subject: 3.2,
    draw=_draw,
)
