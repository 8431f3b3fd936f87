"""Figure 4: time of learning against the number of training points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kernlearn.datasets import DataSet
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.ong2005 import published
from kernlearn.papers.ong2005.protocol import (
    MACHINES,
    classifier,
    classify_split,
    draw_split,
    load_classification_sets,
    machine_settings,
    parameters_note,
    split_settings,
)
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.runner import run_splits
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_SPLITS = 10
SIZE = "training points"
TICKS = (50, 100, 200, 400, 800)
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # distinct with any kind of colour vision
NOTES = (
    "Processor seconds of one fit, as in the paper, mean ± standard deviation over the splits, one "
    "process at a time. The paper draws its seconds; our copy has only the slopes.",
    "Slope: least squares of the logarithm of the mean seconds on that of the number of training "
    "points. The sets differ in the number of inputs, too, and ours in that of the pivots, which "
    "is bounded.",
)


def reproduce_figure4(
    options: RunOptions, data: Mapping[str, DataSet] | None = None
) -> ComparisonTable:
    """Time the three machines on every set, draw the times, and return them with the slopes."""
    splits = options.splits or PAPER_SPLITS
    data = load_classification_sets(options.data_dir, options.seed) if data is None else data
    results = run_splits(
        classify_split,
        data,
        splits,
        options,
        name="figure4",
        settings=split_settings(data) | {"machines": machine_settings()},
        one_process=True,  # processes side by side would slow each other
    )
    sizes = np.array([draw_split(one, 0, options.seed).n_train for one in data.values()], float)
    entries: list[TableEntry] = []
    means: dict[str, list[float]] = {machine: [] for machine in MACHINES}
    for name, size in zip(data, sizes, strict=True):
        entries.append(TableEntry((name,), SIZE, None, [float(size)], ".0f"))
        for machine in MACHINES:
            seconds = [result[machine]["seconds"] for result in results[name]]
            entries.append(
                TableEntry((name,), machine, None, seconds, ".3f", None, "standard deviation")
            )
            means[machine].append(float(np.mean(seconds)))
    lines = {machine: np.array(seconds) for machine, seconds in means.items()}
    for machine, printed in published.FIGURE_4_SLOPES.items():
        slope, _ = log_log_line(sizes, lines[machine])
        entries.append(TableEntry(("slope",), machine, printed, [slope], ".2f"))
    picture = save_picture(
        options.out / "figure4.png", lambda figure: draw_times(figure, sizes, lines)
    )
    return ComparisonTable(
        title=f"Ong, Smola and Williamson (2005), Figure 4; ours over {splits} splits",
        row_names=("data",),
        columns=(SIZE, *MACHINES),
        entries=tuple(entries),
        notes=(*NOTES, parameters_note(classifier("C-SVM")), picture),
    )


def log_log_line(sizes: Array, seconds: Array) -> tuple[float, float]:
    r"""Return slope b and factor a of the least-squares line :math:`\log t = \log a + b \log n`.

    >>> n = np.array([10.0, 20.0, 50.0])
    >>> slope, factor = log_log_line(n, 0.25 * n**3)
    >>> round(slope, 6), round(factor, 6)
    (3.0, 0.25)
    """
    slope, intercept = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope), float(np.exp(intercept))


def draw_times(figure: Figure, sizes: Array, means: Mapping[str, Array]) -> None:
    """Draw mean seconds against training points on logarithmic axes, with the fitted lines."""
    ax = figure.subplots()
    ends = np.array([sizes.min(), sizes.max()])
    for (machine, seconds), colour in zip(means.items(), COLOURS, strict=True):
        slope, factor = log_log_line(sizes, seconds)
        ax.plot(sizes, seconds, "o", color=colour, label=f"{machine}, slope {slope:.2f}")
        ax.plot(ends, factor * ends**slope, "-", color=colour)
    ax.set(xscale="log", yscale="log", xlabel=SIZE, ylabel="processor seconds of one fit")
    ticks = [size for size in TICKS if ends[0] <= size <= ends[1]]
    ax.set_xticks(ticks, labels=[str(size) for size in ticks], minor=False)
    ax.minorticks_off()
    ax.legend()
