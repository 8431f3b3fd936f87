"""The held-out score by the number of rows that are learned from."""

from __future__ import annotations

from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.report._facts import Facts
from kernlearn.report._subject import Subject
from kernlearn.report._words import score
from kernlearn.report.pictures.picture import Picture


def _sizes(subject: Subject) -> list[Facts]:
    entries = subject.facts.part("learning_curve").parts("sizes")
    return [e for e in entries if e.number("rows") and e.number("score") is not None]


def _draw(subject: Subject, ax: Axes) -> None:
    entries, facts = _sizes(subject), subject.facts.part("learning_curve")
    rows = [e.number("rows") or 0.0 for e in entries]
    values = [e.number("score") or 0.0 for e in entries]
    ax.plot(rows, values, color=POSITIVE, marker="o")
    for n, entry in zip(rows, entries, strict=True):
        low, high = entry.number("low"), entry.number("high")
        if low is not None and high is not None:
            ax.plot([n, n], [low, high], color=POSITIVE, linewidth=1.2)
    more = facts.number("rows")
    ends = [facts.number(name) for name in ("gain", "gain_low", "gain_high")]
    known = [values[-1] + end for end in ends if end is not None]
    if more is not None and len(known) == 3:
        ax.plot([rows[-1], more], [values[-1], known[0]], color=NEGATIVE, linestyle="--")
        ax.plot([more, more], known[1:], color=NEGATIVE, linewidth=1.2)
    ax.set_xscale("log")
    marks = [*rows, *([more] if more is not None else [])]
    ax.set_xticks(marks, [f"{n:,.0f}" for n in marks])
    ax.minorticks_off()
    ax.set_xlabel("rows learned from")
    ax.set_ylabel(subject.facts.text("metric") or "score")
    ax.spines[["top", "right"]].set_visible(False)


def _describe(subject: Subject) -> str:
    metric = subject.facts.text("metric")
    return ", ".join(
        f"{score(e.number('score'), metric)} of {e.number('rows'):,.0f} rows"
        for e in _sizes(subject)
    )


LEARNING_CURVE = Picture(
    name="learning-curve",
    section="performance",
    title="What more rows would bring",
    caption="The score on held-out rows of models that learned from fewer rows, with 95 % "
    "intervals; the method kernel at its effort fast. The dashed line is an extrapolation, with "
    "the 95 % interval of the difference from the last score.",
    describe=_describe,
    applies=lambda subject: len(_sizes(subject)) > 1,
    height=lambda subject: 2.8,
    draw=_draw,
)
