"""Figure 4: time of learning against the number of training points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kernlearn.papers.ong2005 import published
from kernlearn.papers.ong2005.learned import (
    classifier,
    classify_split,
    machine_settings,
    parameters_note,
)
from kernlearn.papers.ong2005.protocol import (
    CLASSIFICATION_SETS,
    MACHINES,
    draw_split,
    load_classification_set,
    split_settings,
)
from kernlearn.papers.paper import Request
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.repeat import run_repeated
from kernlearn.papers.tables import ComparisonTable, Entry
from kernlearn.typing import Array

__all__ = ["draw_times", "log_log_line", "reproduce_figure4"]

PAPER_SPLITS = 10
SIZE = "training points"
TICKS = (50, 100, 200, 400, 800)
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # told apart with any kind of colour vision
NOTES = (
    "Processor seconds of one fit, as in the paper, mean ± standard deviation over the splits, one "
    "process at a time. The paper draws its seconds and prints only the slopes.",
    "Slope: least squares of the logarithm of the mean seconds on that of the number of training "
    "points. The sets differ in the number of inputs, too, and ours in that of the pivots, which "
    "is bounded.",
)


def reproduce_figure4(request: Request) -> ComparisonTable:
    """Time the three machines on every set, draw the times, and return them with the slopes."""
    splits = request.repetitions or PAPER_SPLITS
    data = {
        name: load_classification_set(name, request.data_dir, request.seed)
        for name in CLASSIFICATION_SETS
    }
    results = run_repeated(
        classify_split,
        data,
        splits,
        request,
        stem="figure4",
        description="Figure 4",
        settings=split_settings(data) | {"machines": machine_settings()},
        jobs=1,  # processes side by side would slow each other
    )
    sizes = np.array([draw_split(one, 0, request.seed).n_train for one in data.values()], float)
    seconds = {
        machine: [[result[machine]["seconds"] for result in results[name]] for name in data]
        for machine in MACHINES
    }
    means = {machine: np.mean(seconds[machine], axis=1) for machine in MACHINES}
    picture = save_picture(
        request.out / "figure4.png", lambda figure: draw_times(figure, sizes, means)
    )
    return ComparisonTable(
        title=f"Ong, Smola and Williamson (2005), Figure 4; ours over {splits} splits",
        row_names=("data",),
        columns=(SIZE, *MACHINES),
        entries=(*_time_entries(list(data), sizes, seconds), *_slope_entries(sizes, means)),
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


def draw_times(figure: Any, sizes: Array, means: Mapping[str, Array]) -> None:
    """Draw mean seconds against training points on logarithmic axes, with the fitted lines.

    Parameters
    ----------
    figure : matplotlib figure
        Empty.
    sizes : ndarray of shape (n_sets,)
        Training points of each set.
    means : mapping of str to ndarray of shape (n_sets,)
        Mean seconds by machine.
    """
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


def _time_entries(
    names: Sequence[str], sizes: Array, seconds: Mapping[str, Sequence[Sequence[float]]]
) -> list[Entry]:
    entries = []
    for i, name in enumerate(names):
        entries.append(Entry((name,), SIZE, None, [float(sizes[i])], ".0f"))
        entries += [
            Entry((name,), machine, None, seconds[machine][i], ".3f", None, "standard deviation")
            for machine in MACHINES
        ]
    return entries


def _slope_entries(sizes: Array, means: Mapping[str, Array]) -> list[Entry]:
    return [
        Entry(
            ("slope",),
            machine,
            published.FIGURE_4_SLOPES[machine],
            [log_log_line(sizes, means[machine])[0]],
            ".2f",
        )
        for machine in MACHINES
    ]
