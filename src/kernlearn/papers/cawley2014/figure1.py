"""Figure 1: Ripley's set, the learned classifier and the loss that chose its λ and μ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernlearn import FirstLevelClassifier, FirstLevelOptions
from kernlearn.datasets import load_ripley
from kernlearn.papers.cawley2014.protocol import split_set
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.runner import results_file, run_tasks
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.typing import Array, Folds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_FOLDS = 5
N_LEVELS = 25
COLUMN = "value"
CLASS_COLOURS = ("#d55e00", "#0072b2")  # distinct with any kind of colour vision
NOTES = (
    "Ripley's own 250 training and 1000 test points, inputs standardised by the former. The paper "
    "draws both pictures, without numbers in our copy, and calls the loss smooth and unimodal.",
    f"Loss: squared errors on held-out points, summed over {N_FOLDS} folds. Every point of the "
    "grid is a fit to each fold from the start, with λ and μ given.",
)


@dataclass(frozen=True)
class LossGrid:
    """Grids on which the loss and the classifier are drawn."""

    side: int = 13
    """Values of λ and of μ; odd, so that the chosen ones are in the middle."""

    decades: float = 2.0
    """Reach of the grid on either side of the chosen values."""

    points: int = 161
    """Points along each axis of the drawn classifier."""


def reproduce_figure1(options: RunOptions, grid: LossGrid | None = None) -> ComparisonTable:
    """Fit ARD-FLKL-LSSVM to Ripley's points, and map the loss around the chosen λ and μ."""
    grid = grid or LossGrid()
    data = load_ripley(options.data_dir)
    split = split_set(data, 0, options.seed)
    folds = five_folds(split, options.seed)
    model = FirstLevelClassifier(cv=folds, options=FirstLevelOptions(starts="one")).fit(
        split.X_train, split.y_train
    )
    reach = 10.0 ** np.linspace(-grid.decades, grid.decades, grid.side)
    lams, mus = model.lam_ * reach, model.mu_ * reach
    settings = {
        "data": fingerprint(data.X, data.y, data.train, data.test),
        "grid": [lams.tolist(), mus.tolist()],
    }
    rows = run_tasks(
        loss_row,
        {str(i): (split, folds, float(lam), mus.tolist()) for i, lam in enumerate(lams)},
        results_file(options, "figure1", settings),
        jobs=options.jobs,
        cluster=options.cluster,
        description="Figure 1, loss",
        quiet=options.quiet,
    )
    losses = np.array(list(rows.values()))

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        _draw_classifier(left, model, split, grid.points)
        _draw_loss(right, model, (lams, mus, losses))

    picture = save_picture(options.out / "figure1.png", draw, width=11.0, height=4.6)
    title = "Cawley and Talbot (2014), Figure 1: Ripley's synthetic benchmark"
    entries = _entries(model, split, losses)
    return ComparisonTable(title, ("",), (COLUMN,), entries, (*NOTES, picture))


def five_folds(split: TrainTestSplit, seed: int) -> Folds:
    """Return stratified folds of the training points."""
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    return list(splitter.split(split.X_train, split.y_train))


def loss_row(split: TrainTestSplit, folds: Folds, lam: float, mus: list[float]) -> list[float]:
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

    Places at the edge are left out: a valley that leaves the grid has its lowest seen place there.

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


def _entries(
    model: FirstLevelClassifier, split: TrainTestSplit, losses: Array
) -> tuple[TableEntry, ...]:
    found: dict[str, tuple[float | None, float]] = {
        "test error %": (None, 100.0 * (1.0 - model.score(split.X_test, split.y_test))),
        "λ": (None, model.lam_),
        "μ": (None, model.mu_),
        "θ₁": (None, model.theta_[0]),
        "θ₂": (None, model.theta_[1]),
        # The estimator reports the mean of half the squares.
        "loss at the chosen λ and μ": (None, 2.0 * split.n_train * (model.cv_loss_ or 0.0)),
        "lowest loss on the grid": (None, losses.min()),
        "minima inside the grid": (1.0, count_minima(losses)),
    }
    return tuple(
        TableEntry((row,), COLUMN, printed, [float(ours)], ".5g")
        for row, (printed, ours) in found.items()
    )


def _draw_loss(ax: Axes, model: FirstLevelClassifier, surface: tuple[Array, Array, Array]) -> None:
    lams, mus, losses = surface
    # Evenly spaced in the logarithm, to show the valley.
    levels = np.geomspace(losses.min(), losses.max(), N_LEVELS)
    shades = ax.contourf(
        np.log10(lams), np.log10(mus), losses.T, levels, norm="log", cmap="viridis"
    )
    ax.figure.colorbar(shades, ax=ax, format="%.0f", label="squared error on held-out points")
    ax.plot(np.log10(model.lam_), np.log10(model.mu_), "w+", markersize=12)
    ax.set(xlabel="log₁₀ λ", ylabel="log₁₀ μ", title="(b) five-fold loss; +: chosen")


def _draw_classifier(
    ax: Axes, model: FirstLevelClassifier, split: TrainTestSplit, n_points: int
) -> None:
    X, y = split.X_train, split.y_train
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    first, second = (np.linspace(low[j], high[j], n_points) for j in (0, 1))
    points = np.column_stack([part.ravel() for part in np.meshgrid(first, second)])
    values = model.decision_function(points).reshape(n_points, n_points)
    ax.contourf(first, second, values, 21, cmap="coolwarm_r", alpha=0.4)
    ax.contour(first, second, values, [-1.0, 0.0, 1.0], colors="k", linestyles=["--", "-", "--"])
    for label, marker, colour in zip((-1, 1), "o^", CLASS_COLOURS, strict=True):
        ax.plot(*X[y == label].T, marker, color=colour, markersize=4)
    ax.set(xlabel="x₁", ylabel="x₂", title="(a) the classifier: f = 0, and f = ±1 dashed")
