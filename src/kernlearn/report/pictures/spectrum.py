"""Eigenvalues of the Gram matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import SpectrumDisplay
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture


def _draw(subject: Subject, ax: Any) -> None:
    SpectrumDisplay(np.asarray(subject.gram)).plot(ax=ax)


PICTURE = Picture(
    name="spectrum",
    section="geometry",
    title="Spectrum",
    caption="Eigenvalues of the centred matrix from large to small. A steep fall means that few "
    "directions carry what the kernel knows; the effective rank says how few.",
    applies=lambda subject: subject.gram is not None and len(subject.gram) > 1,
    height=lambda subject: 3.6,
    draw=_draw,
)
