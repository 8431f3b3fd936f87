r"""Figures 4 and 5: how much the learned kernel parameters vary over the splits.

The paper draws box plots, without numbers in our copy. The table holds, for each method and set,
with :math:`m_r` the median of :math:`\theta_r` over the splits and :math:`q_r` the distance between
its quartiles,

- the largest median, :math:`\max_r m_r`;
- the spread, :math:`\operatorname{mean}_r q_r / \max_r m_r`, free of the units of θ;
- the inputs that hardly count, those with :math:`m_r < 0.01 \max_r m_r`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kernlearn.papers.cawley2014.methods import MethodResults, run_methods
from kernlearn.papers.cawley2014.protocol import load_sets, splits_note
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Results = Mapping[str, MethodResults]

RBF_METHODS = ("RBF-XVAL-LSSVM", "RBF-FLKL-LSSVM")
ARD_METHODS = ("ARD-XVAL-LSSVM", "ARD-FLKL-LSSVM")
ILLUSTRATIONS = ("twonorm", "thyroid", "splice")
QUANTITIES = ("largest median θ", "spread", "inputs below 1 %")
SMALL = 0.01
FAR_BEYOND = 100.0
EXPLANATION = (
    "The paper draws boxes, without numbers in our copy. Spread: distance between the quartiles of "
    "θ over the splits, averaged over the inputs, over the largest median. Below 1 %: number of "
    "inputs whose median is less than 1 % of the largest."
)


def variation(thetas: Array) -> tuple[float, float, float]:
    """Return largest median, spread and number of small medians of θ, as the module says.

    >>> variation(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.01]]))
    (2.0, 0.25125, 1.0)
    """
    low, medians, high = np.quantile(thetas, (0.25, 0.5, 0.75), axis=0)
    largest = float(medians.max())
    spread = float(np.mean(high - low)) / largest
    return largest, spread, float(np.sum(medians < SMALL * largest))


def reproduce_figure4(options: RunOptions) -> ComparisonTable:
    """Collect the parameter of the RBF kernel on all sets, and draw its boxes."""
    title = "Cawley and Talbot (2014), Figure 4: the parameter of the RBF kernel"
    names = list(load_sets(options.data_dir))
    size = (0.6 * len(names) + 2.0, 7.0)
    return _reproduce(4, title, RBF_METHODS, names, options, draw_scales, size)


def reproduce_figure5(options: RunOptions) -> ComparisonTable:
    """Collect the parameters of the ARD kernel on three sets, and draw their boxes."""
    title = "Cawley and Talbot (2014), Figure 5: the parameters of the ARD kernel"
    sets = load_sets(options.data_dir)
    names = [name for name in ILLUSTRATIONS if name in sets]
    size = (12.0, 2.8 * len(names))
    return _reproduce(5, title, ARD_METHODS, names, options, draw_relevances, size)


def _reproduce(
    number: int,
    title: str,
    methods: tuple[str, str],
    names: Sequence[str],
    options: RunOptions,
    draw: Callable[[Figure, Results], None],
    size: tuple[float, float],
) -> ComparisonTable:
    sets = load_sets(options.data_dir)
    columns = run_methods(methods, sets, options, names)
    quantities = QUANTITIES[: number - 2]
    entries = [
        TableEntry((name,), f"{method}: {quantity}", None, [value], ".3g")
        for method, column in columns.items()
        for name in column.results
        for quantity, value in zip(quantities, variation(column.thetas(name)), strict=False)
    ]
    notes = [
        EXPLANATION,
        _less_varied_note(columns, names),
        splits_note({name: sets[name] for name in names}, options),
        *(["Points beyond the whiskers are not drawn."] if draw is draw_relevances else []),
        save_picture(
            options.out / f"figure{number}.png",
            lambda figure: draw(figure, columns),
            width=size[0],
            height=size[1],
        ),
    ]
    heads = tuple(f"{method}: {quantity}" for method in columns for quantity in quantities)
    return ComparisonTable(title, ("data",), heads, tuple(entries), tuple(notes))


def _less_varied_note(columns: Results, names: Sequence[str]) -> str:
    """Check the paper's claim that parameters vary less when learned at the first level."""
    selected, learned = columns.values()
    less = [
        name
        for name in names
        if variation(learned.thetas(name))[1] < variation(selected.thetas(name))[1]
    ]
    return (
        f"{learned.method} varies less than {selected.method} on {len(less)} of {len(names)} sets: "
        f"{', '.join(less) or 'none'}. The paper finds that it generally does."
    )


def draw_scales(figure: Figure, columns: Results) -> None:
    """One panel for each method, one box for each set, θ on a logarithmic axis."""
    axes = figure.subplots(len(columns), 1, sharex=True, sharey=True)
    for ax, column in zip(axes, columns.values(), strict=True):
        names = list(column.results)
        ax.boxplot([column.thetas(name)[:, 0] for name in names])
        ax.set_yscale("log")
        ax.set_title(column.method, fontsize="medium")
        ax.set_ylabel("θ")
        ax.set_xticks(range(1, len(names) + 1), names, rotation=45, ha="right")


def draw_relevances(figure: Figure, columns: Results) -> None:
    """One row of panels for each set, one panel for each method, one box for each input.

    The panels of a row share their axis; it is logarithmic beyond the usual sizes if there are
    parameters far beyond them.
    """
    names = list(next(iter(columns.values())).results)
    axes = figure.subplots(len(names), len(columns), squeeze=False, sharey="row")
    for line, name in zip(axes, names, strict=True):
        usual = min(variation(column.thetas(name))[0] for column in columns.values())
        upper = max(
            np.quantile(column.thetas(name), 0.75, axis=0).max() for column in columns.values()
        )
        if upper > FAR_BEYOND * usual:
            line[0].set_yscale("symlog", linthresh=usual)
        for ax, column in zip(line, columns.values(), strict=True):
            thetas = column.thetas(name)
            ax.boxplot(thetas, showfliers=False)
            ax.set_title(f"{name}: {column.method}", fontsize="medium")
            ax.set_ylabel("θ")
            step = 1 + thetas.shape[1] // 22
            places = range(1, thetas.shape[1] + 1, step)
            ax.set_xticks(places, [str(place) for place in places])
        line[-1].set_xlabel("")
    for ax in axes[-1]:
        ax.set_xlabel("input")
