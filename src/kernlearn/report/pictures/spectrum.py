"""Eigenvalues of the Gram matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import SpectrumDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture


def _draw(subject: Subject, ax: Any) -> None:
    SpectrumDisplay(np.asarray(subject.gram)).plot(ax=ax)


def _describe(subject: Subject) -> str:
    display = SpectrumDisplay(np.asarray(subject.gram))
    return f"{len(display.eigenvalues)} of them, effective rank {display.effective_rank:.3g}"


PICTURE = Picture(
    name="spectrum",
    section="geometry",
    title="Eigenvalues",
    caption="Those of the centred matrix, from large to small. A steep fall means that few "
    "directions carry what the kernel knows; the effective rank says how few.",
    describe=_describe,
    applies=lambda subject: subject.gram is not None and len(subject.gram) > 1,
    height=lambda subject: 3.2,
    draw=_draw,
)
