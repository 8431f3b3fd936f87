"""Predicted numbers against actual ones."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection.kernel_weights import POSITIVE
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture

# More intervals than these are a grey cloud.
MOST_INTERVALS = 120


def _points(subject: Subject) -> list[list[float]]:
    return subject.facts.part("held_out").rows("points", 2)


def _draw(subject: Subject, ax: Any) -> None:
    details = subject.facts.part("held_out")
    points = details.rows("points", 2)
    ends = details.part("interval").rows("ends", 2)
    if len(ends) == len(points):
        step = max(1, len(points) // MOST_INTERVALS)
        for (actual, _), (low, high) in list(zip(points, ends, strict=True))[::step]:
            ax.plot([actual, actual], [low, high], color="#999999", linewidth=0.7, zorder=1)
    values = [value for point in points for value in point]
    edges = [min(values), max(values)]
    ax.plot(edges, edges, color="#999999", linewidth=0.8, linestyle="--", zorder=2)
    x, y = zip(*points, strict=True)
    ax.plot(x, y, color=POSITIVE, marker="o", markersize=3.5, linestyle="none", zorder=3)
    ax.set_xlabel(f"actual {subject.facts.text('target') or 'number'}"[:60])
    ax.set_ylabel("predicted")
    ax.spines[["top", "right"]].set_visible(False)


PICTURE = Picture(
    name="predicted",
    section="numbers",
    title="Predicted against actual",
    caption="Held-out rows, at most 300 of them; on the dashed line the prediction is right. Grey "
    "lines are the intervals of the model, where it has them.",
    describe=lambda subject: f"{len(_points(subject))} rows",
    applies=lambda subject: len(_points(subject)) > 1,
    height=lambda subject: 4.0,
    draw=_draw,
)
