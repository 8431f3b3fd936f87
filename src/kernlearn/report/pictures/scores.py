"""Held-out scores with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection._text import axis_label
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.report._facts import Facts
from kernlearn.report._numbers import score
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture, bar_height


def _entries(subject: Subject) -> list[Facts]:
    return [entry for entry in subject.facts.parts("scores") if entry.number("score") is not None]


def _draw(subject: Subject, ax: Any) -> None:
    entries = _entries(subject)
    for place, entry in enumerate(entries):
        value = entry.number("score") or 0.0
        low, high = entry.number("low"), entry.number("high")
        colour = POSITIVE if entry.text("role") == "model" else NEGATIVE
        if low is not None and high is not None:
            ax.plot([low, high], [place, place], color=colour, linewidth=2)
        ax.plot([value], [place], color=colour, marker="o", markersize=7)
    names = [axis_label(entry.text("name")) for entry in entries]
    ax.set_yticks(np.arange(len(entries)), names)
    ax.set_ylim(len(entries) - 0.5, -0.5)
    ax.set_xlabel(f"{subject.facts.text('metric') or 'score'} on rows that were held out")
    ax.grid(axis="x", color="#999999", linewidth=0.4)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _describe(subject: Subject) -> str:
    metric = subject.facts.text("metric")
    return ", ".join(
        f"{entry.text('name')} {score(entry.number('score'), metric)}"
        for entry in _entries(subject)
    )


PICTURE = Picture(
    name="scores",
    section="performance",
    title="Held-out scores",
    caption="Dots are scores on rows that the model did not see, lines their 95 % intervals; blue "
    "is the model, orange what it is compared with.",
    describe=_describe,
    applies=lambda subject: len(_entries(subject)) > 1,
    height=lambda subject: bar_height(len(_entries(subject))),
    draw=_draw,
)
