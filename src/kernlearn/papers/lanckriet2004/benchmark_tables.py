"""Tables 1, 2 and 3: three kernels, alone and combined, under four machines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernlearn import __version__
from kernlearn.datasets import DataSet
from kernlearn.papers.lanckriet2004 import published
from kernlearn.papers.lanckriet2004.machines import MACHINES, evaluate
from kernlearn.papers.lanckriet2004.protocol import SETS, Split, draw_split, load_set
from kernlearn.papers.lanckriet2004.rbf_baseline import GRID, Norm, tuned_rbf_accuracy
from kernlearn.papers.paper import Request
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks
from kernlearn.papers.splits import fingerprint
from kernlearn.papers.tables import ComparisonTable, Entry

__all__ = ["reproduce_benchmark_table", "run_split"]

PAPER_SPLITS = 30
N_KERNELS = 3
RBF = published.COLUMNS[-1]
RBF_NORMS: dict[str, Norm] = {"HM": "hard", "SM1": "1-norm", "SM2": "2-norm", "SM2,C": "2-norm"}
FORMATS = {"γ": ".4f", "ω": ".3f", "TSA": ".1f", "C": ".4g", "μ": ".2f"}
NOTES = (
    "HM: hard margin; SM1, SM2: 1-norm and 2-norm soft margin, C = 1; SM2,C: 2-norm, C learned. "
    "TSA: test-set accuracy in per cent. Ours: mean ± standard error over the splits.",
    "–: the paper prints no number, or the machine has no solution in any split.",
    "C is the mean of 1/τ: ∞ where some split learns τ = 0 exactly; the paper prints 1e7 to 1e8 "
    "in most such places.",
    "best c/v RBF: σ and C chosen by five-fold cross-validation in the training set from a grid "
    "of eight widths and five C (the paper: 30 random partitions, grid not printed).",
)

SET_NOTES = {
    1: (
        "Heart is standardised. Sonar's Gaussian has σ = 0.5: with the printed 0.1 the K2 column "
        "does not come out (SM2 ω 17.0, learned C infinite), nor the signs of the free weights. "
        "Of eight values from 0.05 to 1 it fits the published numbers best; the choice is ours.",
    ),
    2: (
        "Breast cancer, SM2, positive weights: the printed ω of 21.811 cannot be right, since "
        "SM2,C contains this program and its printed optimum is 25.267.",
        "Ionosphere, SM1, K3: the printed accuracy of 83.1 stands alone beside SM2's 91.6, and "
        "ours is near the latter. Its hard margin exists in few of our splits, in none of theirs.",
    ),
    3: (
        "The sample is ours: 330 points, the size that the printed ω of K2 implies. Eight samples "
        "of this size (3 splits each) gave ω (SM1) from 21 to 27 for K1 and from 14 to 22 for K3.",
    ),
}


def reproduce_benchmark_table(table: int, request: Request) -> ComparisonTable:
    """Run Table 1, 2 or 3 and return it with our numbers beside the published ones."""
    names = [name for name, protocol in SETS.items() if protocol.table == table]
    splits = request.repetitions or PAPER_SPLITS
    data = {name: load_set(name, request.data_dir, request.seed) for name in names}
    tasks = {
        f"{name}/{index}": (name, data[name], index, request.seed)
        for name in names
        for index in range(splits)
    }
    results = run_tasks(
        run_split,
        tasks,
        ResultsFile(request.out, f"table{table}", _settings(table, request, data)),
        jobs=request.jobs,
        cluster=request.cluster,
        description=f"Table {table}",
        quiet=request.quiet,
    )
    entries: list[Entry] = []
    for name in names:
        of_set = [results[f"{name}/{index}"] for index in range(splits)]
        for machine in MACHINES:
            entries += _entries(name, machine, [result[machine] for result in of_set])
    return ComparisonTable(
        title=f"Lanckriet et al. (2004), Table {table}; ours over {splits} splits",
        row_names=("data", "machine", ""),
        columns=published.COLUMNS,
        entries=tuple(entries),
        notes=(*NOTES, *SET_NOTES.get(table, ()), _certificate(results.values())),
    )


def _settings(table: int, request: Request, data: Mapping[str, DataSet]) -> dict[str, Any]:
    """Return everything on which the result of a split depends."""
    return {
        "exhibit": f"table{table}",
        "seed": request.seed,
        "version": __version__,
        "data": {name: fingerprint(data[name]) for name in data},
        "protocol": {name: asdict(SETS[name]) for name in data},
        "rbf": GRID,
    }


def run_split(name: str, data: DataSet, index: int, seed: int) -> dict[str, dict[str, Any]]:
    """Run every machine on one split: ``{machine: {column: outcome}}``."""
    split = draw_split(data, index, seed)
    grams = split.grams(SETS[name].kernels())
    rbf = {norm: tuned_rbf_accuracy(split, norm, index) for norm in set(RBF_NORMS.values())}
    return {
        machine: _run_machine(machine, split, grams) | {RBF: {"accuracy": rbf[norm]}}
        for machine, norm in RBF_NORMS.items()
    }


def _run_machine(name: str, split: Split, grams: NDArray[np.float64]) -> dict[str, Any]:
    """Run one machine with each kernel alone, with free and with positive weights."""
    machine = MACHINES[name]
    n = split.n_train

    def run(stack: NDArray[np.float64], weights: Literal["positive", "free"]) -> Any:
        return evaluate(
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


def _certificate(results: Iterable[Mapping[str, Mapping[str, Any]]]) -> str:
    outcomes = [o for result in results for columns in result.values() for o in columns.values()]
    largest = max(outcome["gap"] for outcome in outcomes if outcome and "gap" in outcome)
    return f"The largest relative duality gap of all programs solved here is {largest:.1e}."


def _placed(single: dict[str, Any] | None, position: int) -> dict[str, Any] | None:
    """Write the weight of a single kernel as one of three."""
    if single is None:
        return None
    weights = np.zeros(N_KERNELS)
    weights[position] = single["weights"][0]
    return single | {"weights": weights.tolist()}


def _entries(name: str, machine: str, outcomes: Sequence[Mapping[str, Any]]) -> list[Entry]:
    printed = published.TABLES_1_TO_3[name][machine]
    rows = []
    for quantity in printed:
        for column, number in zip(published.COLUMNS, printed[quantity], strict=True):
            if column == RBF and quantity != "TSA":
                continue
            ours = [_quantity(outcome[column], quantity) for outcome in outcomes]
            rows.append(Entry((name, machine, quantity), column, number, ours, FORMATS[quantity]))
    for i in range(N_KERNELS):
        for column in published.COLUMNS[:-1]:
            weights = published.published_weights(name, machine, column)
            number = None if weights is None else weights[i]
            ours = [None if o[column] is None else o[column]["weights"][i] for o in outcomes]
            rows.append(Entry((name, machine, f"μ{i + 1}"), column, number, ours, FORMATS["μ"]))
    return rows


def _quantity(outcome: Mapping[str, Any] | None, quantity: str) -> float | None:
    if outcome is None:
        return None
    if quantity == "TSA":
        return float(outcome["accuracy"])
    if quantity == "C":
        return 1.0 / outcome["tau"] if outcome["tau"] > 0 else math.inf
    return float(outcome["value"])
