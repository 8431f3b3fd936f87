"""Figure 1: two Gaussians a thousand times wider than high, and three machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.svm import SVC

from kernlearn import HyperkernelClassifier
from kernlearn.datasets import DataSet, make_two_scales
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.runtime.progress import track
from kernlearn.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_TRAIN, N_TEST = 100, 10_000
SAMPLES = 20
GRID = 201  # points along each axis of the drawn surface
MACHINES: dict[str, Callable[[Array], Estimator]] = {
    "(a) Gaussian, C = 1": lambda X: SVC(C=1.0, gamma=_one_gamma(X)),
    "(b) Gaussian, C = 10 000": lambda X: SVC(C=1e4, gamma=_one_gamma(X)),
    "(c) hyperkernel": lambda X: HyperkernelClassifier(gamma_factor=1.0),
}
COLUMNS = (
    "training error %",
    "test error %",
    "scale of column 1",
    "scale of column 2",
    "ratio of scales",
)
TRUE_RATIO = 1000.0
CLASS_COLOURS = ("#d55e00", "#0072b2")  # distinct with any kind of colour vision
NOTES = (
    "The paper draws one sample, without errors in our copy; its ratio of scales is that of the "
    "standard deviations within a class, 1000 : 1. Test errors on 10 000 fresh points; the best "
    "possible rule errs on 2.3 %.",
    "The widths of the hyperkernel come from the columns as they are, both classes together, whose "
    "standard deviations stand 1000 : √5 = 447 : 1.",
    "A scale s means that the kernel falls like exp(−d²/(2s²)) in that column.",
)


def reproduce_figure1(
    options: RunOptions, n_test: int = N_TEST, n_grid: int = GRID
) -> ComparisonTable:
    """Run the three machines on several samples, draw the first, and return errors and scales."""
    samples = options.splits or SAMPLES
    results = [
        run_sample(index, options.seed, n_test)
        for index in track(
            range(samples), description="Figure 1", total=samples, quiet=options.quiet
        )
    ]
    picture = draw_figure1(options.out / "figure1.png", options.seed, n_test, n_grid)
    entries = tuple(
        TableEntry(
            (machine,),
            column,
            TRUE_RATIO if machine.startswith("(c)") and column == "ratio of scales" else None,
            [result[machine][column] for result in results],
            ".4g" if "scale" in column else ".2f",
        )
        for machine in MACHINES
        for column in COLUMNS
    )
    title = f"Ong, Smola and Williamson (2005), Figure 1; ours over {samples} samples"
    return ComparisonTable(title, ("machine",), COLUMNS, entries, (*NOTES, picture))


def run_sample(index: int, seed: int, n_test: int = N_TEST) -> dict[str, dict[str, float]]:
    """Fit the machines to sample number `index`; errors in per cent and scales, by machine."""
    train, test = draw_sample(index, seed, n_test)
    found = {}
    for name, make in MACHINES.items():
        machine = make(train.X).fit(train.X, train.y)
        first, second = _scales(machine)
        errors = [100.0 * (1.0 - machine.score(data.X, data.y)) for data in (train, test)]
        numbers = (*errors, first, second, first / second)
        found[name] = dict(zip(COLUMNS, map(float, numbers), strict=True))
    return found


def draw_sample(index: int, seed: int, n_test: int = N_TEST) -> tuple[DataSet, DataSet]:
    """Draw training points and test points."""
    generator = np.random.default_rng([seed, index])
    return (
        make_two_scales(N_TRAIN, random_state=generator),
        make_two_scales(n_test, random_state=generator),
    )


def _one_gamma(X: Array) -> float:
    """One width for both columns: scikit-learn's own choice, one over features times variance."""
    return float(1.0 / (X.shape[1] * X.var()))


def _scales(machine: Estimator) -> tuple[float, float]:
    """The distance in each column over which the kernel falls off."""
    if isinstance(machine, SVC):
        # exp(−γd²) is exp(−d²/(2s²)) in either column.
        width = float(1.0 / np.sqrt(2.0 * machine.gamma))
        return width, width
    first, second = machine.feature_scales_
    return float(first), float(second)


def draw_figure1(path: Path, seed: int = 0, n_test: int = N_TEST, n_grid: int = GRID) -> str:
    """Draw the three machines on the first sample, side by side, and return a note of the file."""
    train, test = draw_sample(0, seed, n_test)

    def draw(figure: Figure) -> None:
        axes = figure.subplots(1, len(MACHINES), sharex=True, sharey=True)
        for ax, (name, make) in zip(axes, MACHINES.items(), strict=True):
            machine = make(train.X).fit(train.X, train.y)
            draw_surface(ax, machine, train.X, n_grid)
            _draw_points(ax, train)
            error = 100.0 * (1.0 - machine.score(test.X, test.y))
            ax.set_title(f"{name}\ntest error {error:.1f} %", fontsize="medium")
            ax.set_xlabel("column 1: standard deviation 1000")
        axes[0].set_ylabel("column 2: standard deviation 1")

    return save_picture(path, draw, width=11.0, height=4.0)


def draw_surface(ax: Axes, machine: Estimator, X: Array, n_grid: int = GRID) -> None:
    """The function in colours, cut off at twice the margin; its zero and its margins as lines."""
    low, high = X.min(axis=0), X.max(axis=0)
    border = 0.08 * (high - low)
    first, second = (np.linspace(low[j] - border[j], high[j] + border[j], n_grid) for j in (0, 1))
    grid = np.stack(np.meshgrid(first, second), axis=-1)
    values = machine.decision_function(grid.reshape(-1, 2)).reshape(n_grid, n_grid)
    steps = np.linspace(-2.0, 2.0, 17)
    # The colours of the classes, paler: the map has its own extremes at ±4.
    shown = values.clip(steps[0] + 1e-3, steps[-1] - 1e-3)
    ax.contourf(first, second, shown, steps, cmap="RdBu", vmin=-4, vmax=4)
    for level, style in ((-1, "dashed"), (0, "solid"), (1, "dashed")):
        # A level that the function does not reach would be warned about.
        if values.min() < level < values.max():
            ax.contour(first, second, values, [level], colors="black", linestyles=style)


def _draw_points(ax: Axes, data: DataSet) -> None:
    for label, colour, marker in zip((-1, 1), CLASS_COLOURS, "os", strict=True):
        first, second = data.X[data.y == label].T
        ax.scatter(first, second, c=colour, marker=marker, s=18, edgecolors="white", linewidths=0.5)
