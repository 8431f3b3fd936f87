"""Pictures of the learned kernel."""

from __future__ import annotations

import numpy as np

from kernlearn.inspection import (
    CandidatesDisplay,
    DecisionSurfaceDisplay,
    FeatureScalesDisplay,
    KernelWeightsDisplay,
    ThetaDisplay,
    kernel_label,
)
from kernlearn.inspection._bars import MOST_BARS
from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import plain
from kernlearn.inspection.labels import shown_kernels
from kernlearn.report._facts import Facts
from kernlearn.report._subject import LONGEST_NAME, Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed_values
from kernlearn.typing import Array, Targets

KEYS = ("held_out_loss", "standard_error", "weight")


def _tried(subject: Subject) -> list[Facts]:
    entries = subject.facts.parts("candidates")
    return [entry for entry in entries if all(entry.number(key) is not None for key in KEYS)]


def _draw_candidates(subject: Subject, ax: Axes) -> None:
    tried = _tried(subject)
    names = [plain(entry.text("candidate"), LONGEST_NAME) for entry in tried]
    losses, errors, weights = ([entry.number(key) or 0.0 for entry in tried] for key in KEYS)
    CandidatesDisplay(names, losses, errors, weights).plot(ax=ax)


def _describe_candidates(subject: Subject) -> str:
    members = [e for e in _tried(subject) if e.number("weight")]
    weights = [e.number("weight") or 0.0 for e in members]
    return f"weights {listed_values([e.text('candidate') for e in members], weights)}"


CANDIDATES = Picture(
    name="candidates",
    section="kernel",
    title="What was tried",
    caption="The loss of every candidate on rows that it had not seen, with its standard error, "
    "the least first; blue are the members of the mixture, with their weights.",
    describe=_describe_candidates,
    applies=lambda subject: len(_tried(subject)) > 1,
    height=lambda subject: bar_height(len(_tried(subject))),
    draw=_draw_candidates,
)


def _bar_weights(subject: Subject) -> tuple[list[float], list[str]]:
    """The weights in the order of the kernels; of a hyperkernel, those of its sections in use."""
    estimator = subject.estimator
    weights = np.asarray(estimator.weights_, dtype=float)
    if not hasattr(estimator, "pivots_"):
        return weights[shown_kernels(estimator)].tolist(), _weight_labels(subject)
    kept = np.flatnonzero(weights)
    labels = [f"section at pair {p} of {len(weights)}" for p in kept + 1]
    return weights[kept].tolist(), labels


def _weight_labels(subject: Subject) -> list[str]:
    """The names that the facts give the kernels, which may say of which view they are."""
    labels = [entry.text("name") for entry in subject.facts.parts("weights")]
    shown = shown_kernels(subject.estimator)
    if len(labels) != len(shown):
        labels = [kernel_label(subject.estimator.kernels_[i]) for i in shown]
    return [plain(label, LONGEST_NAME) for label in labels]


def _describe_kernel_weights(subject: Subject) -> str:
    weights, names = _bar_weights(subject)
    return listed_values(names, weights)


def _applies_kernel_weights(subject: Subject) -> bool:
    estimator = subject.estimator
    has_names = hasattr(estimator, "pivots_") or hasattr(estimator, "kernels_")
    # A single bar has no information.
    return hasattr(estimator, "weights_") and has_names and len(_bar_weights(subject)[0]) > 1


KERNEL_WEIGHTS = Picture(
    name="kernel-weights",
    section="kernel",
    title="Learned weights",
    caption="One bar for each kernel that was offered, or for each section of a hyperkernel and "
    "each kernel of a large family that is in use; a weight of zero means that the data did not "
    "ask for that kernel.",
    describe=_describe_kernel_weights,
    applies=_applies_kernel_weights,
    height=lambda subject: bar_height(min(len(_bar_weights(subject)[0]), MOST_BARS)),
    draw=lambda subject, ax: KernelWeightsDisplay(*_bar_weights(subject)).plot(ax=ax),
)


def _applies_feature_scales(subject: Subject) -> bool:
    return subject.points is not None and hasattr(subject.estimator, "feature_scales_")


def _spread(subject: Subject) -> Array:
    scales = np.asarray(subject.estimator.feature_scales_, dtype=float)
    return np.asarray(np.asarray(subject.points, dtype=float).std(axis=0) / scales)


FEATURE_SCALES = Picture(
    name="feature-scales",
    section="kernel",
    title="What the kernel looks at",
    caption="The spread of each column in units of the learned kernel's width there: the longer "
    "the bar, the more the column tells rows apart.",
    describe=lambda subject: listed_values(subject.names, _spread(subject).tolist()),
    applies=_applies_feature_scales,
    height=lambda subject: bar_height(min(len(subject.names), MOST_BARS)),
    draw=lambda subject, ax: FeatureScalesDisplay(_spread(subject), subject.names).plot(ax=ax),
)


def _applies_relevance(subject: Subject) -> bool:
    theta = getattr(subject.estimator, "theta_", None)
    # A single θ is the width of the whole kernel; it is not a column's.
    return theta is not None and 1 < len(theta) == len(subject.names)


def _theta(subject: Subject) -> Array:
    return np.asarray(subject.estimator.theta_, dtype=float)


def _draw_relevance(subject: Subject, ax: Axes) -> None:
    theta = _theta(subject)
    order = np.argsort(-theta, kind="stable")
    ThetaDisplay(theta[order], [subject.names[j] for j in order]).plot(ax=ax)


RELEVANCE = Picture(
    name="relevance",
    section="kernel",
    title="Learned scales of the columns",
    caption="The learned scale of each column, as prepared for the method: the longer the bar, "
    "the more a difference there counts; zero means that the column is ignored.",
    describe=lambda subject: listed_values(subject.names, _theta(subject).tolist()),
    applies=_applies_relevance,
    height=lambda subject: bar_height(min(len(subject.names), MOST_BARS)),
    draw=_draw_relevance,
)


def _applies_decision_surface(subject: Subject) -> bool:
    if subject.points is None or len(subject.names) != 2 or not hasattr(subject.step, "predict"):
        return False
    if subject.facts.values.get("outcomes"):  # no one surface
        return False
    # Some methods take the table as it is, and there is no place between two categories.
    kinds = getattr(subject.points, "dtypes", np.zeros(0))
    return all(getattr(kind, "kind", "O") in "biuf" for kind in kinds)


def _known_target(subject: Subject) -> Targets | None:
    """The target in the estimator's labels: the subject has classes as text."""
    classes = getattr(subject.step, "classes_", None)
    if subject.target is None or subject.is_regression or classes is None:
        return subject.target
    known = {str(label): label for label in classes}
    return np.array([known.get(text) for text in subject.target], dtype=object)


def _draw_decision_surface(subject: Subject, ax: Axes) -> None:
    display = DecisionSurfaceDisplay.from_estimator(
        subject.step, subject.points, _known_target(subject), ax=ax
    )
    display.ax_.set_xlabel(subject.names[0])
    display.ax_.set_ylabel(subject.names[1])


DECISION_SURFACE = Picture(
    name="decision-surface",
    section="kernel",
    title="The model over its two inputs",
    caption="What the model says at every place, and the rows of the sample with what is true of "
    "them; inputs as prepared for the method.",
    describe=lambda subject: f"{subject.names[0]} to the right, {subject.names[1]} upwards",
    applies=_applies_decision_surface,
    height=lambda subject: 4.4,
    draw=_draw_decision_surface,
)
