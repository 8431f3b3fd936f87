"""Precision against recall."""

from __future__ import annotations

from typing import Any

from kernlearn.report._subject import Subject
from kernlearn.report.pictures._curves import curves, draw_curves, listed_numbers
from kernlearn.report.pictures.picture import Picture


def _draw(subject: Subject, ax: Any) -> None:
    draw_curves(subject, ax, "precision_recall", "average_precision")
    ax.set_xlabel("recall: share of the class that is found")
    ax.set_ylabel("precision: share of finds that are right")


PICTURE = Picture(
    name="precision-recall",
    section="classes",
    title="Precision and recall",
    caption="How many of the rows that are taken for the class belong to it, as more of the class "
    "is found, on held-out rows. The number is the average precision; guessing has the share of "
    "the class.",
    describe=lambda subject: (
        f"average precision {listed_numbers(subject, 'precision_recall', 'average_precision')}"
    ),
    applies=lambda subject: bool(curves(subject, "precision_recall")),
    height=lambda subject: 3.8,
    draw=_draw,
)
