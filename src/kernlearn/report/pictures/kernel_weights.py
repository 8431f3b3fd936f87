"""Weights of the kernels that were combined."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import KernelWeightsDisplay, kernel_label
from kernlearn.inspection._bars import MOST_BARS
from kernlearn.inspection._text import plain
from kernlearn.inspection.labels import shown_kernels
from kernlearn.report._subject import LONGEST_NAME, Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed


def _weights(subject: Subject) -> tuple[list[float], list[str]]:
    """The weights in the order of the kernels; of a hyperkernel, those of its sections in use."""
    estimator = subject.estimator
    weights = np.asarray(estimator.weights_, dtype=float)
    if not hasattr(estimator, "pivots_"):
        return weights[shown_kernels(estimator)].tolist(), _labels(subject)
    kept = np.flatnonzero(weights)
    labels = [f"section at pair {p} of {len(weights)}" for p in kept + 1]
    return weights[kept].tolist(), labels


def _labels(subject: Subject) -> list[str]:
    """The names that the facts give the kernels, which may say of which view they are."""
    labels = [entry.text("name") for entry in subject.facts.parts("weights")]
    shown = shown_kernels(subject.estimator)
    if len(labels) != len(shown):
        labels = [kernel_label(subject.estimator.kernels_[i]) for i in shown]
    return [plain(label, LONGEST_NAME) for label in labels]


def _draw(subject: Subject, ax: Any) -> None:
    KernelWeightsDisplay(*_weights(subject)).plot(ax=ax)


def _describe(subject: Subject) -> str:
    weights, names = _weights(subject)
    return listed(names, weights)


def _applies(subject: Subject) -> bool:
    estimator = subject.estimator
    has_names = hasattr(estimator, "pivots_") or hasattr(estimator, "kernels_")
    # A single bar tells nothing.
    return hasattr(estimator, "weights_") and has_names and len(_weights(subject)[0]) > 1


PICTURE = Picture(
    name="kernel-weights",
    section="kernel",
    title="Learned weights",
    caption="One bar for each kernel that was offered, or for each section of a hyperkernel and "
    "each kernel of a large family that is in use; a weight of zero means that the data did not "
    "ask for that kernel.",
    describe=_describe,
    applies=_applies,
    height=lambda subject: bar_height(min(len(_weights(subject)[0]), MOST_BARS)),
    draw=_draw,
)
