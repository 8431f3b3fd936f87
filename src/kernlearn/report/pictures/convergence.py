"""How the fit closed its gap."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection import ConvergenceDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture


def _draw(subject: Subject, ax: Any) -> None:
    ConvergenceDisplay.from_estimator(subject.estimator, ax=ax)


def _describe(subject: Subject) -> str:
    estimator = subject.estimator
    return f"to {estimator.duality_gap_:.1e} in {estimator.n_machine_solves_} machine solves"


PICTURE = Picture(
    name="convergence",
    section="certificate",
    title="How the gap closed",
    caption="The relative distance between the value found and the proven bound, after every "
    "support vector machine that was solved on the way.",
    describe=_describe,
    applies=lambda subject: len(getattr(subject.estimator, "history_", ())) > 1,
    height=lambda subject: 3.0,
    draw=_draw,
)
