"""Weights of the kernels that were combined."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.inspection import KernelWeightsDisplay, kernel_label
from kernlearn.report._html import plain
from kernlearn.report._subject import LONGEST_NAME, Subject
from kernlearn.report.pictures.picture import Picture, bar_height

MOST = 30


def _weights(subject: Subject) -> tuple[list[float], list[str]]:
    """The weights in the order of the kernels; of many, the largest."""
    estimator = subject.estimator
    weights = np.asarray(estimator.weights_, dtype=float)
    if hasattr(estimator, "pivots_"):
        labels = [f"section at pair {p} of {len(weights)}" for p in range(1, len(weights) + 1)]
        kept = np.flatnonzero(weights)
    else:
        labels = _labels(subject)
        kept = np.arange(len(weights))
    if len(kept) > MOST:
        kept = np.sort(kept[np.argsort(-np.abs(weights[kept]), kind="stable")[:MOST]])
    return weights[kept].tolist(), [labels[i] for i in kept]


def _labels(subject: Subject) -> list[str]:
    """The names that the facts give the kernels, which may say of which view they are."""
    labels = [entry.text("name") for entry in subject.facts.parts("weights")]
    if len(labels) != len(subject.estimator.kernels_):
        labels = [kernel_label(kernel) for kernel in subject.estimator.kernels_]
    return [plain(label, LONGEST_NAME) for label in labels]


def _draw(subject: Subject, ax: Any) -> None:
    KernelWeightsDisplay(*_weights(subject)).plot(ax=ax)


def _applies(subject: Subject) -> bool:
    estimator = subject.estimator
    return hasattr(estimator, "weights_") and (
        hasattr(estimator, "pivots_") or hasattr(estimator, "kernels_")
    )


PICTURE = Picture(
    name="kernel-weights",
    section="kernel",
    title="Learned weights",
    caption="One bar for each kernel that was offered; a weight of zero means that the data did "
    "not ask for it. Of more than thirty, the largest are shown.",
    applies=_applies,
    height=lambda subject: bar_height(len(_weights(subject)[0])),
    draw=_draw,
)
