"""Whether probabilities are what they say."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection.kernel_weights import POSITIVE
from kernlearn.report._numbers import decimal
from kernlearn.report._subject import Subject
from kernlearn.report.pictures._curves import unit_square
from kernlearn.report.pictures.picture import Picture


def _bins(subject: Subject) -> list[tuple[float, float, float]]:
    found = subject.facts.part("held_out").part("calibration").parts("bins")
    numbers = [tuple(b.number(key) for key in ("mean", "share", "rows")) for b in found]
    return [(p, t, n) for p, t, n in numbers if p is not None and t is not None and n is not None]


def _draw(subject: Subject, ax: Any) -> None:
    bins = _bins(subject)
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=0.8, linestyle="--")
    for p, t, n in bins:
        # Twice the standard error of a share of so many rows.
        half = 2.0 * (max(t * (1 - t), 0.25 / n) / n) ** 0.5
        ax.plot([p, p], [max(0.0, t - half), min(1.0, t + half)], color=POSITIVE, linewidth=1.0)
    ax.plot([p for p, _, _ in bins], [t for _, t, _ in bins], color=POSITIVE, marker="o")
    unit_square(ax)
    ax.set_xlabel("probability that the model gives")
    ax.set_ylabel("share for which it came true")


def _describe(subject: Subject) -> str:
    error = subject.facts.part("held_out").part("calibration").number("error")
    return f"expected calibration error {decimal(error, 2)}, in {len(_bins(subject))} bins"


PICTURE = Picture(
    name="calibration",
    section="classes",
    title="Probabilities against what came true",
    caption="Held-out rows in bins by the probability that the model gives them, of the second of "
    "two classes, or of the class that is predicted. On the dashed line probabilities are what "
    "they say; lines are two standard errors.",
    describe=_describe,
    applies=lambda subject: len(_bins(subject)) > 1,
    height=lambda subject: 3.8,
    draw=_draw,
)
