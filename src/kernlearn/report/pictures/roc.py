"""Hits against false alarms."""

from __future__ import annotations

from typing import Any

from kernlearn.report._subject import Subject
from kernlearn.report.pictures._curves import curves, draw_curves, listed_numbers
from kernlearn.report.pictures.picture import Picture


def _draw(subject: Subject, ax: Any) -> None:
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=0.8, linestyle="--")
    draw_curves(subject, ax, "roc", "auc")
    ax.set_xlabel("share of other rows that are taken for the class")
    ax.set_ylabel("share of the class that is found")


PICTURE = Picture(
    name="roc",
    section="classes",
    title="ROC",
    caption="What is found of a class against what is wrongly taken for it, as the threshold "
    "falls, on held-out rows; of more than two classes each against the rest. The number is the "
    "area under the curve: 1 is perfect, 0.5, the dashed line, is guessing.",
    describe=lambda subject: f"areas {listed_numbers(subject, 'roc', 'auc')}",
    applies=lambda subject: bool(curves(subject, "roc")),
    height=lambda subject: 3.8,
    draw=_draw,
)
