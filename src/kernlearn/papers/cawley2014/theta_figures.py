r"""Figures 4 and 5: how much the learned kernel parameters vary over the partitions.

The paper draws box plots and prints no numbers. The table holds, for each method and set, with
:math:`m_r` the median of :math:`\theta_r` over the partitions and :math:`q_r` the distance between
its quartiles,

- the largest median, :math:`\max_r m_r`;
- the spread, :math:`\operatorname{mean}_r q_r / \max_r m_r`, free of the units of θ;
- the inputs that hardly count, those with :math:`m_r < 0.01 \max_r m_r`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernlearn.papers.cawley2014.columns import Column, run_columns
from kernlearn.papers.cawley2014.protocol import load_sets, partitions_note
from kernlearn.papers.paper import Request
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.tables import ComparisonTable, Entry
from kernlearn.typing import Array

__all__ = ["reproduce_figure4", "reproduce_figure5", "variation"]


RBF_METHODS = ("RBF-XVAL-LSSVM", "RBF-FLKL-LSSVM")
ARD_METHODS = ("ARD-XVAL-LSSVM", "ARD-FLKL-LSSVM")
ILLUSTRATIONS = ("twonorm", "thyroid", "splice")
QUANTITIES = ("largest median θ", "spread", "inputs below 1 %")
SMALL = 0.01
FAR_BEYOND = 100.0
EXPLANATION = (
    "The paper draws boxes and prints no numbers. Spread: distance between the quartiles of θ over "
    "the partitions, averaged over the inputs, over the largest median. Below 1 %: number of "
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


def reproduce_figure4(request: Request) -> ComparisonTable:
    """Collect the parameter of the RBF kernel on all sets, and draw its boxes."""
    sets = load_sets(request.data_dir)
    columns = run_columns(RBF_METHODS, sets, request)
    picture = save_picture(
        request.out / "figure4.png",
        lambda figure: draw_scales(figure, columns),
        width=0.6 * len(sets) + 2.0,
        height=7.0,
    )
    title = "Cawley and Talbot (2014), Figure 4: the parameter of the RBF kernel"
    notes = (
        EXPLANATION,
        _less_varied_note(columns, tuple(sets)),
        partitions_note(sets, request),
        picture,
    )
    return _table(title, columns, QUANTITIES[:2], notes)


def reproduce_figure5(request: Request) -> ComparisonTable:
    """Collect the parameters of the ARD kernel on three sets, and draw their boxes."""
    sets = load_sets(request.data_dir)
    names = [name for name in ILLUSTRATIONS if name in sets]
    columns = run_columns(ARD_METHODS, sets, request, names)
    picture = save_picture(
        request.out / "figure5.png",
        lambda figure: draw_relevances(figure, columns),
        width=12.0,
        height=2.8 * len(names),
    )
    title = "Cawley and Talbot (2014), Figure 5: the parameters of the ARD kernel"
    notes = (
        EXPLANATION,
        _less_varied_note(columns, names),
        partitions_note({name: sets[name] for name in names}, request),
        "Points beyond the whiskers are not drawn.",
        picture,
    )
    return _table(title, columns, QUANTITIES, notes)


def _table(
    title: str, columns: Mapping[str, Column], quantities: tuple[str, ...], notes: tuple[str, ...]
) -> ComparisonTable:
    heads = tuple(f"{method}: {quantity}" for method in columns for quantity in quantities)
    entries = [
        Entry((name,), f"{method}: {quantity}", None, [value], ".3g")
        for method, column in columns.items()
        for name in column.results
        for quantity, value in zip(QUANTITIES, variation(column.thetas(name)), strict=True)
        if quantity in quantities
    ]
    return ComparisonTable(title, ("data",), heads, tuple(entries), notes)


def _less_varied_note(columns: Mapping[str, Column], names: Any) -> str:
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


def draw_scales(figure: Any, columns: Mapping[str, Column]) -> None:
    """One panel for each method, one box for each set, θ on a logarithmic axis."""
    axes = figure.subplots(len(columns), 1, sharex=True, sharey=True)
    for ax, column in zip(axes, columns.values(), strict=True):
        names = list(column.results)
        ax.boxplot([column.thetas(name)[:, 0] for name in names])
        ax.set_yscale("log")
        ax.set_title(column.method, fontsize="medium")
        ax.set_ylabel("θ")
        ax.set_xticks(range(1, len(names) + 1), names, rotation=45, ha="right")


def draw_relevances(figure: Any, columns: Mapping[str, Column]) -> None:
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
