"""Kernel principal components of the learned kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA

from kernlearn.inspection import EmbeddingDisplay
from kernlearn.inspection._text import axis_label
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import Picture
from kernlearn.typing import Array


def _coordinates(gram: Array) -> Array:
    # The dense solver has no random start: the same model gives the same picture.
    pca = KernelPCA(2, kernel="precomputed", eigen_solver="dense")
    return np.asarray(pca.fit_transform(gram))


def _draw(subject: Subject, ax: Any) -> None:
    coordinates = _coordinates(np.asarray(subject.gram))
    if subject.target is None or not subject.is_regression:
        EmbeddingDisplay(coordinates, subject.target).plot(ax=ax)
        return
    points = ax.scatter(*coordinates.T, c=subject.target, cmap="cividis", s=24, linewidths=0)
    ax.figure.colorbar(points, ax=ax, label=axis_label(_measured(subject)))
    ax.set_xlabel("first component")
    ax.set_ylabel("second component")
    ax.spines[["top", "right"]].set_visible(False)


def _measured(subject: Subject) -> str:
    return subject.facts.text("target") or "target"


def _describe(subject: Subject) -> str:
    rows = f"{len(np.asarray(subject.gram))} rows"
    if subject.target is None:
        return rows
    if subject.is_regression:
        return f"{rows}, coloured by {_measured(subject)}"
    return f"{rows} in {len(np.unique(subject.target))} classes"


PICTURE = Picture(
    name="embedding",
    section="geometry",
    title="Map of the rows",
    caption="Rows of the sample by the first two kernel principal components: near means alike "
    "in the learned kernel.",
    describe=_describe,
    applies=lambda subject: subject.gram is not None and len(subject.gram) > 2,
    height=lambda subject: 3.8,
    draw=_draw,
)
