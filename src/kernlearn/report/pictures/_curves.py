"""What the curves of classes share."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection._classes import COLOURS, class_colour
from kernlearn.inspection._text import legend_label, plain_legend
from kernlearn.report._facts import Facts
from kernlearn.report._subject import Subject


def curves(subject: Subject, key: str) -> list[Facts]:
    """The curves that have points of this kind."""
    found = subject.facts.part("held_out").parts("curves")
    return [curve for curve in found if len(curve.rows(key, 2)) > 1]


def draw_curves(subject: Subject, ax: Any, key: str, number: str) -> None:
    """One line for each class, with its number in the legend."""
    found = curves(subject, key)
    for i, curve in enumerate(found):
        x, y = zip(*curve.rows(key, 2), strict=True)
        label = f"{legend_label(curve.text('class'))}: {curve.number(number) or 0.0:.3f}"
        step = "steps-post" if key == "roc" else "default"
        # Colours repeat after seven classes.
        style = ("-", "--", ":")[i // len(COLOURS) % 3]
        look = {"color": class_colour(i), "linestyle": style, "linewidth": 1.8}
        ax.plot(x, y, label=label, drawstyle=step, **look)
    unit_square(ax)
    plain_legend(ax, loc="lower right" if key == "roc" else "lower left", fontsize="small")


def unit_square(ax: Any) -> None:
    """Axes from 0 to 1, equally long."""
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.spines[["top", "right"]].set_visible(False)


def listed_numbers(subject: Subject, key: str, number: str) -> str:
    """The numbers of the classes, as words."""
    found = curves(subject, key)
    return ", ".join(f"{c.text('class')} {c.number(number) or 0.0:.3f}" for c in found)
