"""Tables 1 to 3: three kernels under four machines. Table 4: five Gaussians, C learned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from kernlearn.datasets import DataSet
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.lanckriet2004 import published
from kernlearn.papers.lanckriet2004.protocol import (
    MACHINES,
    SETS,
    draw_split,
    evaluate_machine,
    gaussian_kernel,
    load_set,
    unit_grams,
)
from kernlearn.papers.lanckriet2004.rbf_baseline import Norm, RBFGrid, tuned_rbf_accuracy
from kernlearn.papers.printed import columns_of, printed_entries
from kernlearn.papers.runner import run_splits
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.papers.tables import ComparisonTable
from kernlearn.typing import Array, Json, JsonValue

Load = Callable[[str, Path | None, int], DataSet]

PAPER_SPLITS = 30
N_KERNELS = 3
RBF = published.COLUMNS[-1]
RBF_NORMS: dict[str, Norm] = {"HM": "hard", "SM1": "1-norm", "SM2": "2-norm", "SM2,C": "2-norm"}
FORMATS = {"γ": ".4f", "ω": ".3f", "TSA": ".1f", "C": ".4g", "μ1": ".2f", "μ2": ".2f", "μ3": ".2f"}
BENCHMARK_NOTES = (
    "HM: hard margin; SM1, SM2: 1-norm and 2-norm soft margin, C = 1; SM2,C: 2-norm, C learned. "
    "TSA: test-set accuracy in per cent. Ours: mean ± standard error over the splits.",
    "–: our copy of the paper has no number, or the machine has no solution in any split.",
    "C is the mean of 1/τ: ∞ where some split learns τ = 0 exactly; our copy of the paper has "
    "1e7 to 1e8 in most such places.",
    "best c/v RBF: σ and C chosen by five-fold cross-validation in the training set from a grid "
    "of eight widths and five C (the paper: 30 random partitions; our copy does not print the "
    "grid).",
)

SET_NOTES = {
    1: (
        "Heart is standardised. Sonar's Gaussian has σ = 0.5: with the 0.1 of our copy the K2 "
        "column does not come out (SM2 ω 17.0, learned C infinite), nor the signs of the free "
        "weights. Of eight values from 0.05 to 1 it fits the published numbers best; the choice is "
        "ours.",
    ),
    2: (
        "Breast cancer, SM2, positive weights: the ω of 21.811 in our copy is below 25.267, its "
        "optimum of SM2,C, which contains this program; the copy may be at fault.",
        "Ionosphere, SM1, K3: the accuracy of 83.1 in our copy stands alone beside SM2's 91.6, and "
        "ours is near the latter. Its hard margin exists in few of our splits, in none of theirs.",
    ),
    3: (
        "The sample is ours: 330 points, the size that the printed ω of K2 implies. Eight samples "
        "of this size (3 splits each) gave ω (SM1) from 21 to 27 for K1 and from 14 to 22 for K3.",
    ),
}
TABLE_4_SIGMAS = (0.01, 0.1, 1.0, 10.0, 100.0)
# The caption adds trace(I) to c, but the weights printed beside C = ∞ add up to 5, not 6.
TABLE_4_TOTAL = 5.0
TABLE_4_COLUMNS = columns_of(published.TABLE_4)
TABLE_4_FORMATS = dict.fromkeys(TABLE_4_COLUMNS, ".2f") | {
    "C": ".4g", "TSA SM2,C": ".1f", "TSA best c/v RBF": ".1f"
}  # fmt: skip
TABLE_4_NOTES = (
    "Ours: mean ± standard error over the splits. TSA: test-set accuracy in per cent.",
    "Weights and τ = 1/C add up to 5, as the printed ones do; the caption's c would make it 6 "
    "and scale them all by 6/5, with the same classifier.",
    "C is the mean of 1/τ, ∞ where some split learns τ = 0 exactly. A Gaussian so narrow that "
    "its matrix is the identity cannot be told from τ: only the sum of their weights is learned.",
)


def reproduce_benchmark_table(
    table: int, options: RunOptions, grid: RBFGrid | None = None, load: Load = load_set
) -> ComparisonTable:
    """Run Table 1, 2 or 3 and return it with our numbers beside the published ones."""
    names = [name for name, protocol in SETS.items() if protocol.table == table]
    results, splits = _run(run_machines, f"table{table}", names, options, grid, load)
    outcomes = [result for of_set in results.values() for result in of_set]
    entries = printed_entries(
        published.TABLES_1_TO_3,
        names,
        lambda row, column: [
            _reported(result[row[1]][column], row[2]) for result in results[row[0]]
        ],
        lambda row, _: FORMATS[row[2]],
    )
    return ComparisonTable(
        title=f"Lanckriet et al. (2004), Table {table}; ours over {splits} splits",
        row_names=("data", "machine", ""),
        columns=published.COLUMNS,
        entries=tuple(entries),
        notes=(*BENCHMARK_NOTES, *SET_NOTES.get(table, ()), _certificate(outcomes)),
    )


def reproduce_table4(
    options: RunOptions, grid: RBFGrid | None = None, load: Load = load_set
) -> ComparisonTable:
    """Run Table 4 and return it with our numbers beside the published ones."""
    names = [name for (name,) in published.TABLE_4]
    results, splits = _run(run_gaussians, "table4", names, options, grid, load)
    numbers = {
        name: zip(*(_gaussian_numbers(result) for result in of_set), strict=True)
        for name, of_set in results.items()
    }
    ours = {
        name: dict(zip(TABLE_4_COLUMNS, of_set, strict=True)) for name, of_set in numbers.items()
    }
    entries = printed_entries(
        published.TABLE_4,
        names,
        lambda row, column: ours[row[0]][column],
        lambda _, column: TABLE_4_FORMATS[column],
    )
    title = f"Lanckriet et al. (2004), Table 4; ours over {splits} splits"
    return ComparisonTable(title, ("data",), TABLE_4_COLUMNS, tuple(entries), TABLE_4_NOTES)


def _run(
    cell: Callable[..., JsonValue],
    stem: str,
    names: Sequence[str],
    options: RunOptions,
    grid: RBFGrid | None,
    load: Load,
) -> tuple[dict[str, list[JsonValue]], int]:
    """Run the splits of these sets, and return their number."""
    grid = grid or RBFGrid()
    splits = options.splits or PAPER_SPLITS
    data = {name: load(name, options.data_dir, options.seed) for name in names}
    settings = {
        "data": {name: fingerprint(data[name].X, data[name].y) for name in names},
        "protocol": {name: asdict(SETS[name]) for name in names},
        "sigmas": TABLE_4_SIGMAS,
        "rbf": asdict(grid),
    }
    named = {name: (name, data[name]) for name in names}
    results = run_splits(
        partial(cell, grid),
        named,
        splits,
        options,
        name=stem,
        settings=settings,
    )
    return results, splits


def run_machines(
    grid: RBFGrid, data: tuple[str, DataSet], index: int, seed: int
) -> dict[str, Json]:
    """Run every machine on one split: ``{machine: {column: outcome}}``."""
    split = draw_split(data[1], index, seed)
    grams = unit_grams(SETS[data[0]].kernels(), split.X)
    rbf = {norm: tuned_rbf_accuracy(split, norm, index, grid) for norm in set(RBF_NORMS.values())}
    return {
        machine: _run_machine(machine, split, grams) | {RBF: {"accuracy": rbf[norm]}}
        for machine, norm in RBF_NORMS.items()
    }


def _run_machine(name: str, split: TrainTestSplit, grams: Array) -> Json:
    """Run one machine with each kernel alone, with free and with positive weights."""
    machine = MACHINES[name]
    n = split.n_train

    def run(stack: Array, weights: Literal["positive", "free"]) -> Json | None:
        return evaluate_machine(
            machine,
            stack,
            stack[:, n:, :n],
            split.y_train,
            split.y_test,
            weights=weights,
            total_weight=machine.total_weight(N_KERNELS),
        )

    alone = [_placed(run(grams[i : i + 1], "positive"), i) for i in range(N_KERNELS)]
    outcomes = [*alone, run(grams, "free"), run(grams, "positive")]
    return dict(zip(published.COLUMNS[:-1], outcomes, strict=True))


def run_gaussians(grid: RBFGrid, data: tuple[str, DataSet], index: int, seed: int) -> Json:
    """Learn the weights of the five Gaussians and C on one split, and tune the rival."""
    split = draw_split(data[1], index, seed)
    grams = unit_grams([gaussian_kernel(sigma) for sigma in TABLE_4_SIGMAS], split.X)
    outcome = evaluate_machine(
        MACHINES["SM2,C"],
        grams,
        grams[:, split.n_train :, : split.n_train],
        split.y_train,
        split.y_test,
        weights="positive",
        total_weight=TABLE_4_TOTAL,
    )
    return {"learned": outcome, "rbf": tuned_rbf_accuracy(split, "2-norm", index, grid)}


def _gaussian_numbers(result: Json) -> Sequence[float | None]:
    learned = result["learned"]
    if learned is None:
        return [None] * (len(TABLE_4_SIGMAS) + 2) + [result["rbf"]]
    return [*learned["weights"], _learned_C(learned), learned["accuracy"], result["rbf"]]


def _certificate(results: Iterable[Mapping[str, Mapping[str, JsonValue]]]) -> str:
    outcomes = [o for result in results for columns in result.values() for o in columns.values()]
    largest = max(outcome["gap"] for outcome in outcomes if outcome and "gap" in outcome)
    return f"The largest relative duality gap of all programs solved here is {largest:.1e}."


def _placed(single: Json | None, position: int) -> Json | None:
    """Write the weight of a single kernel as one of three."""
    if single is None:
        return None
    weights = np.zeros(N_KERNELS)
    weights[position] = single["weights"][0]
    return single | {"weights": weights.tolist()}


def _reported(outcome: Mapping[str, JsonValue] | None, quantity: str) -> float | None:
    if outcome is None:
        return None
    if quantity == "TSA":
        return float(outcome["accuracy"])
    if quantity.startswith("μ"):
        return float(outcome["weights"][int(quantity[1]) - 1])
    return _learned_C(outcome) if quantity == "C" else float(outcome["value"])


def _learned_C(outcome: Mapping[str, JsonValue]) -> float:
    return 1.0 / outcome["tau"] if outcome["tau"] > 0 else math.inf
