"""Pictures of times to an event, on held-out rows."""

from __future__ import annotations

from kernlearn.inspection._classes import class_colour
from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import axis_label, plain_legend
from kernlearn.report._facts import Facts
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, whole
from kernlearn.report.pictures.held_out import unit_square
from kernlearn.report.pictures.picture import Picture


def risk_groups(subject: Subject) -> list[Facts]:
    """The groups that have a curve."""
    found = subject.facts.part("held_out").parts("groups")
    return [group for group in found if len(group.rows("curve", 4)) > 1]


def _draw_curves(subject: Subject, ax: Axes) -> None:
    for place, group in enumerate(risk_groups(subject)):
        times, values, low, high = zip(*group.rows("curve", 4), strict=True)
        colour = class_colour(place)
        label = f"{group.text('name')} ({whole(group.number('rows'))})"
        ax.plot(times, values, color=colour, drawstyle="steps-post", linewidth=1.8, label=label)
        ax.fill_between(times, low, high, step="post", color=colour, alpha=0.15, linewidth=0)
        predicted = group.rows("predicted", 2)
        if len(predicted) > 1:
            x, y = zip(*predicted, strict=True)
            ax.plot(x, y, color=colour, linestyle="--", linewidth=1.2)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlim(left=0.0)
    ax.set_xlabel(axis_label(subject.facts.text("target") or "time"))
    ax.set_ylabel("share without the event")
    ax.spines[["top", "right"]].set_visible(False)
    plain_legend(ax, loc="best", fontsize="small")


def _describe_curves(subject: Subject) -> str:
    return ", ".join(
        f"{group.text('name')} {decimal(group.rows('curve', 4)[-1][1], 3)} at the end"
        for group in risk_groups(subject)
    )


RISK_GROUPS = Picture(
    name="risk-groups",
    section="survival",
    title="Curves of the thirds of the predicted risk",
    caption="Kaplan and Meier's curves of held-out rows with 95 % intervals, by thirds of the risk "
    "that a model predicted which had not seen them. Dashed: the mean of the predicted curves. "
    "Curves that lie apart are told apart by the model.",
    describe=_describe_curves,
    applies=lambda subject: len(risk_groups(subject)) > 1,
    height=lambda subject: 3.8,
    draw=_draw_curves,
)


def calibrations(subject: Subject) -> list[Facts]:
    """The times at which predicted survival was held against what was seen."""
    return subject.facts.part("held_out").parts("calibrations")


def _draw_calibration(subject: Subject, ax: Axes) -> None:
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=0.8, linestyle="--")
    for place, found in enumerate(calibrations(subject)):
        colour, bins = class_colour(place), found.parts("bins")
        keys = "predicted", "observed", "low", "high"
        known = sorted([each.number(key) or 0.0 for key in keys] for each in bins)
        for predicted, _, low, high in known:
            ax.plot([predicted, predicted], [low, high], color=colour, linewidth=1.0)
        x, y = [row[0] for row in known], [row[1] for row in known]
        label = f"after {decimal(found.number('time'))}"
        ax.plot(x, y, color=colour, marker="o", markersize=4, linewidth=1.2, label=label)
    unit_square(ax)
    ax.set_xlabel("survival that the model predicts")
    ax.set_ylabel("survival that was seen")
    plain_legend(ax, loc="upper left", fontsize="small")


def _describe_calibration(subject: Subject) -> str:
    return ", ".join(
        f"mean error {decimal(found.number('error'), 2)} after {decimal(found.number('time'))}"
        for found in calibrations(subject)
    )


SURVIVAL_CALIBRATION = Picture(
    name="survival-calibration",
    section="survival",
    title="Predicted survival against what was seen",
    caption="Held-out rows in groups by their predicted survival after a time, against Kaplan and "
    "Meier's estimate of the group with its 95 % interval. On the dashed line, predictions are "
    "what they say.",
    describe=_describe_calibration,
    applies=lambda subject: bool(calibrations(subject)),
    height=lambda subject: 3.8,
    draw=_draw_calibration,
)
