"""Pictures of the rows in the learned kernel, and of how the fit converged."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import KernelPCA

from kernlearn.inspection import ConvergenceDisplay, EmbeddingDisplay, GramDisplay, SpectrumDisplay
from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import axis_label
from kernlearn.report._subject import Subject
from kernlearn.report.pictures.picture import MOST_LISTED, Picture
from kernlearn.typing import Array


def _draw_gram(subject: Subject, ax: Axes) -> None:
    GramDisplay(np.asarray(subject.gram), subject.target, by_class=not subject.is_regression).plot(
        ax=ax
    )


def _describe_gram(subject: Subject) -> str:
    n = len(np.asarray(subject.gram))
    size = f"{n} by {n} rows"
    if subject.target is None or subject.is_regression:
        return size
    return f"{size}, classes from the top: {', '.join(np.unique(subject.target)[:MOST_LISTED])}"


GRAM = Picture(
    name="gram",
    section="geometry",
    title="Similarity of rows",
    caption="The learned kernel between rows of the sample, rows of one class next to each other "
    "(for a number to predict, in its order). Bright blocks along the diagonal are groups of rows "
    "that the kernel takes to be alike.",
    describe=_describe_gram,
    applies=lambda subject: subject.gram is not None,
    height=lambda subject: 3.8,
    draw=_draw_gram,
)


def _describe_spectrum(subject: Subject) -> str:
    display = SpectrumDisplay(np.asarray(subject.gram))
    return f"{len(display.eigenvalues)} of them, effective rank {display.effective_rank:.3g}"


SPECTRUM = Picture(
    name="spectrum",
    section="geometry",
    title="Eigenvalues",
    caption="Those of the centred matrix, from large to small. A steep fall means that few "
    "directions carry what the kernel knows; the effective rank says how few.",
    describe=_describe_spectrum,
    applies=lambda subject: subject.gram is not None and len(subject.gram) > 1,
    height=lambda subject: 3.2,
    draw=lambda subject, ax: SpectrumDisplay(np.asarray(subject.gram)).plot(ax=ax),
)


def _coordinates(gram: Array) -> Array:
    # The dense solver has no random start: the same model gives the same picture.
    pca = KernelPCA(2, kernel="precomputed", eigen_solver="dense")
    return np.asarray(pca.fit_transform(gram))


def _draw_embedding(subject: Subject, ax: Axes) -> None:
    coordinates = _coordinates(np.asarray(subject.gram))
    if subject.target is None or not subject.is_regression:
        EmbeddingDisplay(coordinates, subject.target).plot(ax=ax)
        return
    points = ax.scatter(
        coordinates[:, 0], coordinates[:, 1], c=subject.target, cmap="cividis", s=24, linewidths=0
    )
    ax.figure.colorbar(points, ax=ax, label=axis_label(_measured(subject)))
    ax.set_xlabel("first component")
    ax.set_ylabel("second component")
    ax.spines[["top", "right"]].set_visible(False)


def _measured(subject: Subject) -> str:
    return subject.facts.text("target") or "target"


def _describe_embedding(subject: Subject) -> str:
    rows = f"{len(np.asarray(subject.gram))} rows"
    if subject.target is None:
        return rows
    if subject.is_regression:
        return f"{rows}, coloured by {_measured(subject)}"
    return f"{rows} in {len(np.unique(subject.target))} classes"


EMBEDDING = Picture(
    name="embedding",
    section="geometry",
    title="Map of the rows",
    caption="Rows of the sample by the first two kernel principal components: near means alike "
    "in the learned kernel.",
    describe=_describe_embedding,
    applies=lambda subject: subject.gram is not None and len(subject.gram) > 2,
    height=lambda subject: 3.8,
    draw=_draw_embedding,
)


def _describe_convergence(subject: Subject) -> str:
    estimator = subject.estimator
    return f"to {estimator.duality_gap_:.1e} in {estimator.n_machine_solves_} machine solves"


CONVERGENCE = Picture(
    name="convergence",
    section="certificate",
    title="How the gap closed",
    caption="The relative distance between the value found and the proven bound, after every "
    "support vector machine that was solved on the way.",
    describe=_describe_convergence,
    applies=lambda subject: len(getattr(subject.estimator, "history_", ())) > 1,
    height=lambda subject: 3.0,
    draw=lambda subject, ax: ConvergenceDisplay.from_estimator(subject.estimator, ax=ax),
)
