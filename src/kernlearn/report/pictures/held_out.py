"""Pictures of what was predicted for held-out rows."""

from __future__ import annotations

import numpy as np

from kernlearn.inspection._classes import COLOURS, class_colour
from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import axis_label, legend_label, plain_legend
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.report._facts import Facts
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, score
from kernlearn.report.pictures.picture import Picture, bar_height


def curves(subject: Subject, key: str) -> list[Facts]:
    """The curves that have points of this kind."""
    found = subject.facts.part("held_out").parts("curves")
    return [curve for curve in found if len(curve.rows(key, 2)) > 1]


def draw_curves(subject: Subject, ax: Axes, key: str, number: str) -> None:
    """One line for each class, with its number in the legend."""
    found = curves(subject, key)
    for i, curve in enumerate(found):
        x, y = zip(*curve.rows(key, 2), strict=True)
        label = f"{legend_label(curve.text('class'))}: {curve.number(number) or 0.0:.3f}"
        step = "steps-post" if key == "roc" else "default"
        # Colours repeat after seven classes.
        style = ("-", "--", ":")[i // len(COLOURS) % 3]
        (line,) = ax.plot(x, y, label=label, drawstyle=step, color=class_colour(i))
        line.set(linestyle=style, linewidth=1.8)
    unit_square(ax)
    plain_legend(ax, loc="lower right" if key == "roc" else "lower left", fontsize="small")


def unit_square(ax: Axes) -> None:
    """Axes from 0 to 1, equally long."""
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.spines[["top", "right"]].set_visible(False)


def listed_numbers(subject: Subject, key: str, number: str) -> str:
    """The numbers of the classes, as words."""
    found = curves(subject, key)
    return ", ".join(f"{c.text('class')} {c.number(number) or 0.0:.3f}" for c in found)


def _entries(subject: Subject) -> list[Facts]:
    return [entry for entry in subject.facts.parts("scores") if entry.number("score") is not None]


def _draw_scores(subject: Subject, ax: Axes) -> None:
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


def _describe_scores(subject: Subject) -> str:
    metric = subject.facts.text("metric")
    return ", ".join(
        f"{entry.text('name')} {score(entry.number('score'), metric)}"
        for entry in _entries(subject)
    )


SCORES = Picture(
    name="scores",
    section="performance",
    title="Held-out scores",
    caption="Dots are scores on rows that the model did not see, lines their 95 % intervals; blue "
    "is the model, orange what it is compared with.",
    describe=_describe_scores,
    applies=lambda subject: len(_entries(subject)) > 1,
    height=lambda subject: bar_height(len(_entries(subject))),
    draw=_draw_scores,
)


def _draw_roc(subject: Subject, ax: Axes) -> None:
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=0.8, linestyle="--")
    draw_curves(subject, ax, "roc", "auc")
    ax.set_xlabel("share of other rows that are taken for the class")
    ax.set_ylabel("share of the class that is found")


ROC = Picture(
    name="roc",
    section="classes",
    title="ROC",
    caption="What is found of a class against what is wrongly taken for it, as the threshold "
    "falls, on held-out rows; of more than two classes each against the rest. The number is the "
    "area under the curve: 1 is perfect, 0.5, the dashed line, is guessing.",
    describe=lambda subject: f"areas {listed_numbers(subject, 'roc', 'auc')}",
    applies=lambda subject: bool(curves(subject, "roc")),
    height=lambda subject: 3.8,
    draw=_draw_roc,
)


def _draw_precision_recall(subject: Subject, ax: Axes) -> None:
    draw_curves(subject, ax, "precision_recall", "average_precision")
    ax.set_xlabel("recall: share of the class that is found")
    ax.set_ylabel("precision: share of predicted positives that are right")


PRECISION_RECALL = Picture(
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
    draw=_draw_precision_recall,
)


def _bins(subject: Subject) -> list[tuple[float, float, float]]:
    found = subject.facts.part("held_out").part("calibration").parts("bins")
    numbers = [tuple(b.number(key) for key in ("mean", "share", "rows")) for b in found]
    return [(p, t, n) for p, t, n in numbers if p is not None and t is not None and n is not None]


def _draw_calibration(subject: Subject, ax: Axes) -> None:
    bins = _bins(subject)
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=0.8, linestyle="--")
    for p, t, n in bins:
        # Twice the standard error of a share of n rows.
        half = 2.0 * (max(t * (1 - t), 0.25 / n) / n) ** 0.5
        ax.plot([p, p], [max(0.0, t - half), min(1.0, t + half)], color=POSITIVE, linewidth=1.0)
    ax.plot([p for p, _, _ in bins], [t for _, t, _ in bins], color=POSITIVE, marker="o")
    unit_square(ax)
    ax.set_xlabel("probability that the model gives")
    ax.set_ylabel("share for which it came true")


def _describe_calibration(subject: Subject) -> str:
    found = subject.facts.part("held_out").part("calibration")
    error, chance = (decimal(found.number(key), 2) for key in ("error", "error_by_chance"))
    bins = f"{len(_bins(subject))} bins"
    return f"calibration error {error}, expected by chance {chance}, in {bins}"


CALIBRATION = Picture(
    name="calibration",
    section="classes",
    title="Probabilities against what came true",
    caption="Held-out rows in bins by the probability that the model gives them, of the second of "
    "two classes, or of the class that is predicted. On the dashed line probabilities are what "
    "they say; lines are two standard errors.",
    describe=_describe_calibration,
    applies=lambda subject: len(_bins(subject)) > 1,
    height=lambda subject: 3.8,
    draw=_draw_calibration,
)


# More intervals than these are a grey cloud.
MOST_INTERVALS = 120


def _points(subject: Subject) -> list[list[float]]:
    return subject.facts.part("held_out").rows("points", 2)


def _draw_predicted(subject: Subject, ax: Axes) -> None:
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


PREDICTED = Picture(
    name="predicted",
    section="numbers",
    title="Predicted against actual",
    caption="Held-out rows, at most 300 of them; on the dashed line the prediction is right. Grey "
    "lines are the intervals of the model, where it has them.",
    describe=lambda subject: f"{len(_points(subject))} rows",
    applies=lambda subject: len(_points(subject)) > 1,
    height=lambda subject: 4.0,
    draw=_draw_predicted,
)
