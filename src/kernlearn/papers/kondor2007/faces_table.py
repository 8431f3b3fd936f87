"""What Figure 2 tells: areas over σ and σ_h, the best of each machine, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernlearn.papers.kondor2007 import published
from kernlearn.papers.tables import Entry

__all__ = [
    "EUCLIDEAN",
    "NOTES",
    "SIGMAS",
    "SIGMA_HS",
    "SVM",
    "best_setting",
    "conic_wins",
    "draw_areas",
    "faces_entries",
    "setting",
]

Results = Sequence[dict[str, dict[str, float]]]

SIGMAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
# In units of σ, from zero to ten as in the paper.
SIGMA_HS = (0.0, 1.0, 2.0, 5.0, 10.0)
SVM = "SVM on pairs"
EUCLIDEAN = "Euclidean distance"
SUMMARY = ("best AUC", "AUC, different pictures", "training seconds", "conic ahead %")
COLOURS = {"conic": "#0072b2", "linear": "#d55e00", SVM: "#000000"}
NOTES = (
    "Area under the curve over all 10 000 pairs of 100 unseen pictures, as in the paper, mean ± "
    "standard deviation; C = 10, 20 training pictures, of 30 people drawn from the 40.",
    "Best: of the setting with the largest mean, chosen on the same test pictures as one does by "
    "looking at the paper's figure. Pairs of a picture with itself are easy: different pictures "
    "are what counts in practice.",
    "The paper says “almost 0.9” and “less than 0.75”; its seconds are those of MOSEK on a "
    "workstation of 2006, and of 400 constraints where ours merges symmetric pairs into 210.",
    "Euclidean distance between the pictures, scaled to length one, needs no training.",
)


def setting(machine: str, sigma: float, sigma_h: float | None = None) -> str:
    """Name a machine with its widths.

    >>> setting("conic", 0.1, 2.0), setting("SVM on pairs", 0.3)
    ('conic, σ = 0.1, σ_h = 2σ', 'SVM on pairs, σ = 0.3')
    """
    name = f"{machine}, σ = {sigma:g}"
    return name if sigma_h is None else f"{name}, σ_h = {sigma_h:g}σ"


def faces_entries(results: Results) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
    """Return the columns and the entries of the table: the best first, then the grid."""
    entries = [
        Entry((EUCLIDEAN, "–"), column, None, _numbers(results, EUCLIDEAN, key), ".3f")
        for column, key in zip(SUMMARY, ("all", "different"), strict=False)
    ]
    for machine in ("conic", "linear", SVM):
        entries += _summary(machine, results)
    for machine in ("conic", "linear", SVM):
        for sigma_h in [None] if machine == SVM else SIGMA_HS:
            row = (machine, "–" if sigma_h is None else f"{sigma_h:g}σ")
            entries += [
                _area(row, f"σ = {sigma:g}", results, setting(machine, sigma, sigma_h))
                for sigma in SIGMAS
            ]
    return (*SUMMARY, *(f"σ = {sigma:g}" for sigma in SIGMAS)), tuple(entries)


def best_setting(machine: str, results: Results) -> str:
    """Return the setting of a machine with the largest mean area."""
    names = [name for name in results[0] if _is(name, machine)]
    return max(names, key=lambda name: float(np.mean(_numbers(results, name, "all"))))


def conic_wins(results: Results) -> float:
    """Return the share of settings, in per cent, in which conic has the larger mean area."""
    ahead = [
        np.mean(_numbers(results, setting("conic", sigma, sigma_h), "all"))
        > np.mean(_numbers(results, setting("linear", sigma, sigma_h), "all"))
        for sigma in SIGMAS
        for sigma_h in SIGMA_HS
    ]
    return 100.0 * float(np.mean(ahead))


def draw_areas(figure: Any, results: Results) -> None:
    """Draw mean areas against σ: a line for each machine and σ_h, the widest σ_h the boldest."""
    ax = figure.subplots()
    for machine, colour in COLOURS.items():
        for number, sigma_h in enumerate([None] if machine == SVM else SIGMA_HS):
            names = [setting(machine, sigma, sigma_h) for sigma in SIGMAS]
            means = [float(np.mean(_numbers(results, name, "all"))) for name in names]
            label = machine if sigma_h is None else f"{machine}, σ_h = {sigma_h:g}σ"
            width = 2.0 if sigma_h is None else 0.6 + 0.5 * number
            style = "--" if machine == "linear" else "-"
            ax.plot(SIGMAS, means, style, color=colour, linewidth=width, label=label)
    ax.axhline(
        float(np.mean(_numbers(results, EUCLIDEAN, "all"))),
        color="#009e73",
        linestyle=":",
        label=EUCLIDEAN,
    )
    ax.set_xlabel("σ")
    ax.set_ylabel("area under the curve, 100 unseen faces")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def _summary(machine: str, results: Results) -> list[Entry]:
    best = best_setting(machine, results)
    row = (machine, "best")
    seconds, spread = published.FACES_SECONDS[machine]
    # All settings of a fold together: the paper gives one time for each machine.
    times = [
        float(np.mean([found["seconds"] for name, found in fold.items() if _is(name, machine)]))
        for fold in results
    ]
    entries = [
        _area(row, SUMMARY[0], results, best, published.FACES_AUC[machine]),
        Entry(row, SUMMARY[1], None, _numbers(results, best, "different"), ".3f"),
        Entry(row, SUMMARY[2], seconds, times, ".3f", spread, "standard deviation"),
    ]
    if machine == "conic":
        wins = conic_wins(results)
        entries.append(Entry(row, SUMMARY[3], published.CONIC_WINS, [wins], ".0f"))
    return entries


def _is(name: str, machine: str) -> bool:
    return name.startswith(f"{machine},")


def _area(
    row: tuple[str, str], column: str, results: Results, name: str, printed: float | None = None
) -> Entry:
    numbers = _numbers(results, name, "all")
    return Entry(row, column, printed, numbers, ".3f", spread="standard deviation")


def _numbers(results: Results, name: str, key: str) -> list[float]:
    return [fold[name][key] for fold in results]
