"""Curves of how predictions depend on the columns that matter."""

from __future__ import annotations

import numpy as np

from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection.dependence_display import PartialDependenceDisplay
from kernlearn.report._dependence import dependences, important_columns
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture

ROW_HEIGHT = 2.0


def _draw(subject: Subject, ax: Axes) -> None:
    """Two curves beside each other, in as many rows as it takes; one range of values for all."""
    found = dependences(subject)
    figure = ax.figure
    ax.remove()
    curves = {} if found is None else found.curves
    axes = np.ravel(figure.subplots((len(curves) + 1) // 2, 2, squeeze=False))
    displays = []
    for place, (name, curve) in enumerate(curves.items()):
        classes = [] if found is None else found.classes
        displays.append(PartialDependenceDisplay.of(curve, name, classes).plot(axes[place]))
    drawn = [d.value for d in displays] + [e for d in displays for e in (d.low, d.high)]
    known = np.concatenate([values for values in drawn if values is not None])
    margin = 0.05 * float(np.ptp(known)) or 1.0
    limits = float(known.min()) - margin, float(known.max()) + margin
    for place, display in enumerate(displays):
        if display.grid.dtype.kind in "biuf":
            axes[place].set_ylim(*limits)
            axes[place].set_ylabel("" if place % 2 else axes[place].get_ylabel())
        else:
            axes[place].set_xlim(*limits)
    for spare in axes[len(curves) :]:
        spare.set_visible(False)


def _describe(subject: Subject) -> str:
    found = dependences(subject)
    curves = {} if found is None else found.curves
    sentences = []
    for name, curve in curves.items():
        value = curve["value"] if curve["value"].ndim == 1 else curve["value"][:, 1]
        sentences.append(f"{name} from {value[0]:.3g} to {value[-1]:.3g}")
    return "mean prediction from the least to the largest value of " + ", ".join(sentences)


DEPENDENCE = Picture(
    name="dependence",
    section="columns",
    title="How predictions depend on them",
    caption="The mean prediction if all rows had the same value in the column, for the columns "
    "that matter most. The shade, or line, is a 95 % interval, by a jackknife over parts of the "
    "training rows at fixed kernels; it is missing where the method allows for none.",
    describe=_describe,
    applies=lambda subject: bool(important_columns(subject)) and dependences(subject) is not None,
    height=lambda subject: 0.5 + ROW_HEIGHT * ((len(important_columns(subject)) + 1) // 2),
    draw=_draw,
)
