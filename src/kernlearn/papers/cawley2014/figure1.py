"""Figure 1: Ripley's set, the learned classifier and the loss that chose its λ and μ."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernlearn import FirstLevelClassifier, __version__
from kernlearn.datasets import load_ripley
from kernlearn.papers.cawley2014.protocol import divide, fingerprint
from kernlearn.papers.paper import Request
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks
from kernlearn.papers.splits import Split
from kernlearn.papers.tables import ComparisonTable, Entry
from kernlearn.typing import Array, Folds

__all__ = ["count_minima", "loss_row", "reproduce_figure1"]


N_FOLDS = 5
SIDE = 13  # odd, so that the chosen λ and μ are the middle of the grid
DECADES = 2.0  # on either side of them
GRID = 161  # points along each axis of the drawn surface
N_LEVELS = 25
COLUMN = "value"
CLASS_COLOURS = ("#d55e00", "#0072b2")  # told apart with any kind of colour vision
NOTES = (
    "Ripley's own 250 training and 1000 test points, inputs standardised by the former. The paper "
    "draws both pictures, prints no numbers, and calls the loss smooth and unimodal.",
    f"Loss: squared errors on held-out points, summed over {N_FOLDS} folds. Every point of the "
    "grid is a fit to each fold from the start, with λ and μ given.",
)


def reproduce_figure1(request: Request) -> ComparisonTable:
    """Fit ARD-FLKL-LSSVM to Ripley's points, and map the loss around the chosen λ and μ."""
    data = load_ripley(request.data_dir)
    split = divide(data, 0, request.seed)
    folds = _folds(split, request.seed)
    model = FirstLevelClassifier(cv=folds, starts="one").fit(split.X_train, split.y_train)
    reach = 10.0 ** np.linspace(-DECADES, DECADES, SIDE)
    lams, mus = model.lam_ * reach, model.mu_ * reach
    settings = {
        "exhibit": "figure1",
        "seed": request.seed,
        "version": __version__,
        "data": fingerprint(data),
        "grid": [lams.tolist(), mus.tolist()],
    }
    rows = run_tasks(
        loss_row,
        {str(i): (split, folds, float(lam), mus.tolist()) for i, lam in enumerate(lams)},
        ResultsFile(request.out, "figure1", settings),
        jobs=request.jobs,
        cluster=request.cluster,
        description="Figure 1, loss",
        quiet=request.quiet,
    )
    losses = np.array(list(rows.values()))
    picture = save_picture(
        request.out / "figure1.png",
        lambda figure: draw_figure1(figure, model, split, (lams, mus, losses)),
        width=11.0,
        height=4.6,
    )
    title = "Cawley and Talbot (2014), Figure 1: Ripley's synthetic benchmark"
    entries = _entries(model, split, losses)
    return ComparisonTable(title, ("",), (COLUMN,), entries, (*NOTES, picture))


def loss_row(split: Split, folds: Folds, lam: float, mus: list[float]) -> list[float]:
    """Sum of the squared errors on held-out points for one λ and each μ."""
    X, y = split.X_train, split.y_train
    losses = []
    for mu in mus:
        total = 0.0
        for train, test in folds:
            model = FirstLevelClassifier(lam=lam, mu=mu).fit(X[train], y[train])
            total += float(np.sum((model.decision_function(X[test]) - y[test]) ** 2))
        losses.append(total)
    return losses


def count_minima(surface: Array) -> int:
    """Count the places inside that are lower than all eight around them.

    Those at the edge are left out: a valley that leaves the grid has its lowest seen place there.

    >>> count_minima(np.array([[4.0, 2.0, 3.0], [2.0, 1.0, 2.0], [3.0, 2.0, 0.0]]))
    0
    >>> count_minima(np.array([[4.0, 2.0, 3.0], [2.0, 1.0, 2.0], [3.0, 2.0, 4.0]]))
    1
    """
    inside = surface[1:-1, 1:-1]
    rows, columns = inside.shape
    around = [
        surface[i : i + rows, j : j + columns]
        for i in range(3)
        for j in range(3)
        if (i, j) != (1, 1)
    ]
    return int(np.sum(inside < np.min(around, axis=0)))


def _folds(split: Split, seed: int) -> Folds:
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    return list(splitter.split(split.X_train, split.y_train))


def _entries(model: Any, split: Split, losses: Array) -> tuple[Entry, ...]:
    found: dict[str, tuple[float | None, float]] = {
        "test error %": (None, 100.0 * (1.0 - model.score(split.X_test, split.y_test))),
        "λ": (None, model.lam_),
        "μ": (None, model.mu_),
        "θ₁": (None, model.theta_[0]),
        "θ₂": (None, model.theta_[1]),
        # The estimator reports the mean of half the squares.
        "loss at the chosen λ and μ": (None, 2.0 * split.n_train * model.cv_loss_),
        "lowest loss on the grid": (None, losses.min()),
        "minima inside the grid": (1.0, count_minima(losses)),
    }
    return tuple(
        Entry((row,), COLUMN, printed, [float(ours)], ".5g")
        for row, (printed, ours) in found.items()
    )


def draw_figure1(
    figure: Any, model: Any, split: Split, surface: tuple[Array, Array, Array]
) -> None:
    """Draw the classifier on the left and the loss on the right."""
    left, right = figure.subplots(1, 2)
    _draw_classifier(left, model, split)
    lams, mus, losses = surface
    # Evenly spaced in the logarithm: the valley is where the eye is wanted.
    levels = np.geomspace(losses.min(), losses.max(), N_LEVELS)
    shades = right.contourf(
        np.log10(lams), np.log10(mus), losses.T, levels, norm="log", cmap="viridis"
    )
    figure.colorbar(shades, ax=right, format="%.0f", label="squared error on held-out points")
    right.plot(np.log10(model.lam_), np.log10(model.mu_), "w+", markersize=12)
    right.set(xlabel="log₁₀ λ", ylabel="log₁₀ μ", title="(b) five-fold loss; +: chosen")


def _draw_classifier(ax: Any, model: Any, split: Split) -> None:
    X, y = split.X_train, split.y_train
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    first, second = (np.linspace(low[j], high[j], GRID) for j in (0, 1))
    points = np.column_stack([part.ravel() for part in np.meshgrid(first, second)])
    values = model.decision_function(points).reshape(GRID, GRID)
    ax.contourf(first, second, values, 21, cmap="coolwarm_r", alpha=0.4)
    ax.contour(first, second, values, [-1.0, 0.0, 1.0], colors="k", linestyles=["--", "-", "--"])
    for label, marker, colour in zip((-1, 1), "o^", CLASS_COLOURS, strict=True):
        ax.plot(*X[y == label].T, marker, color=colour, markersize=4)
    ax.set(xlabel="x₁", ylabel="x₂", title="(a) the classifier: f = 0, and f = ±1 dashed")
