"""Kernel principal components of the learned kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA

from kernlearn.inspection import EmbeddingDisplay
from kernlearn.inspection._text import legend_label
from kernlearn.report._subject import Array, Subject
from kernlearn.report.pictures.picture import Picture


def _coordinates(gram: Array) -> Array:
    # The dense solver has no random start: the same model gives the same picture.
    pca = KernelPCA(2, kernel="precomputed", eigen_solver="dense")
    return np.asarray(pca.fit_transform(gram))


def _draw(subject: Subject, ax: Any) -> None:
    coordinates = _coordinates(np.asarray(subject.gram))
    if subject.target is None or not subject.is_regression:
        labels = None if subject.target is None else [legend_label(c) for c in subject.target]
        EmbeddingDisplay(coordinates, labels).plot(ax=ax)
        return
    points = ax.scatter(*coordinates.T, c=subject.target, cmap="cividis", s=24, linewidths=0)
    ax.figure.colorbar(points, ax=ax, label=subject.facts.text("target") or "target")
    ax.set_xlabel("first component")
    ax.set_ylabel("second component")
    ax.spines[["top", "right"]].set_visible(False)


PICTURE = Picture(
    name="embedding",
    section="geometry",
    title="Map of the rows",
    caption="Rows of the sample by the first two kernel principal components: near means alike "
    "in the learned kernel.",
    applies=lambda subject: subject.gram is not None and len(subject.gram) > 2,
    height=lambda subject: 4.2,
    draw=_draw,
)
