"""Table 5, which the paper does not have: other ways to choose λ and the kernel, beside Table 2.

Section 4 of the paper proposes the evidence in place of folds, and section 3.7 quotes multiple and
infinite kernel learning. All of them run here on the same splits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kernlearn.comparison import Comparison, compare
from kernlearn.papers.cawley2014.methods import MethodResults, run_methods
from kernlearn.papers.cawley2014.protocol import load_sets, splits_note
from kernlearn.papers.cawley2014.published import ERRORS, mean_errors
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import save_ranks, tests_note
from kernlearn.papers.tables import ComparisonTable, TableEntry

# Cheap enough for a look at all sets; the tables of the paper have up to 100.
N_SPLITS = 5
LEVEL = 0.05
COLUMNS = (
    "RBF-LOO-LSSVM",
    "RBF-XVAL-LSSVM",
    "RBF-FLKL-LSSVM",
    "RBF-EV",
    "ARD-EV",
    "ARD-FLKL-EV",
    "MKL",
    "IKL",
    "IKL products",
)
# Run only when asked for: some minutes a fit on the three largest sets.
SLOW = ("IKL products",)
# Columns of Table 4 that are nearest to ours.
QUOTED = {"MKL": "MKL separate", "IKL products": "IKL products"}
NOTES = (
    "Test error in per cent, mean ± standard error over the splits. The paper's numbers are those "
    "of its Table 2, over all of its splits, and for MKL and IKL products what its Table 4 quotes "
    "for other banks and ranges of kernels.",
    "EV: λ and θ by the evidence of the logistic likelihood, in Laplace's approximation "
    '(LSSVMClassifier, selection="evidence"). ARD-FLKL-EV: λ and μ of first-level learning by '
    "the evidence of the squared loss, in place of five folds. MKL: the estimator's own bank of "
    "kernels. IKL: every Gaussian with one bandwidth of a range. IKL products: every Gaussian with "
    "a bandwidth for each input. These three are soft-margin machines with C by held-out loss.",
)


def reproduce_selection_table(options: RunOptions) -> ComparisonTable:
    """Run the ways of selection on some splits of every set, and rank them."""
    # Not all of these methods run in batches on a device.
    options = replace(options, splits=options.splits or N_SPLITS, device=None)
    methods = _chosen(options.methods)
    sets = load_sets(options.data_dir)
    columns = run_methods(methods, sets, options)
    entries = []
    for name in sets:
        for method, column in columns.items():
            mean, error = _published(method, name)
            entries.append(TableEntry((name,), method, mean, column.errors[name], ".2f", error))
    notes: tuple[str, ...] = NOTES
    if len(methods) > 1:
        comparison = compare({method: column.errors for method, column in columns.items()})
        entries += [
            TableEntry(("mean rank",), str(method), None, [float(rank)], ".2f")
            for method, rank in comparison.ranks.items()
        ]
        notes = (
            *notes,
            _winner_note(columns, comparison),
            tests_note(comparison),
            save_ranks(options.out / "table5.png", comparison, LEVEL, height=2.6),
        )
    notes = (*notes, splits_note(sets, options), *(column.note() for column in columns.values()))
    title = (
        "Cawley and Talbot (2014), Table 5, which the paper does not have: evidence, infinite and "
        "multiple kernels"
    )
    return ComparisonTable(title, ("data",), methods, tuple(entries), notes)


def _published(method: str, name: str) -> tuple[float | None, float | None]:
    """Mean and standard error of Table 2, or the mean of Table 4."""
    if method in ERRORS:
        return ERRORS[method][name]
    return mean_errors(4).get(QUOTED.get(method, ""), {}).get(name), None


def _chosen(names: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that were named, in the order of the table; if none were, the quick ones."""
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise ValueError(
            f"expected --method to name columns of Table 5, {', '.join(COLUMNS)}, got "
            f"{unknown[0]}: choose among these."
        )
    chosen = names or tuple(name for name in COLUMNS if name not in SLOW)
    return tuple(name for name in COLUMNS if name in chosen)


def _winner_note(columns: Mapping[str, MethodResults], comparison: Comparison) -> str:
    """Note on the columns with the lowest mean rank and the lowest mean error."""
    ranks = {str(method): float(rank) for method, rank in comparison.ranks.items()}
    means = {
        method: float(np.mean([np.mean(errors) for errors in column.errors.values()]))
        for method, column in columns.items()
    }
    by_rank, by_mean = min(ranks, key=lambda m: ranks[m]), min(means, key=lambda m: means[m])
    return (
        f"Lowest mean rank: {by_rank}, {ranks[by_rank]:.2f}. Lowest mean error over the sets: "
        f"{by_mean}, {means[by_mean]:.2f}. Mean errors of all: "
        + ", ".join(f"{method} {mean:.2f}" for method, mean in means.items())
        + "."
    )
