"""Fitting a hyperkernel machine to one split, and what is kept of it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kernlearn import HyperkernelClassifier, Status
from kernlearn.datasets import DataSet
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.ong2005.protocol import MACHINES, draw_split
from kernlearn.papers.results_file import Json
from kernlearn.papers.splits import TrainTestSplit

__all__ = [
    "classifier",
    "classify_split",
    "error_in_percent",
    "fit_and_measure",
    "fit_notes",
    "machine_settings",
    "parameters_note",
]

# Of the sum of the coefficients: less is rounding.
SMALLEST_WEIGHT = 1e-6


def classifier(machine: str, **parameters: Any) -> HyperkernelClassifier:
    """Return the classifier of a column of Table 3, with section 7's parameters by default."""
    return HyperkernelClassifier(quality=MACHINES[machine], scale=1.0, **parameters)


def machine_settings() -> dict[str, Json]:
    """Return all parameters of the three classifiers."""
    return {machine: classifier(machine).get_params(deep=False) for machine in MACHINES}


def parameters_note(model: Estimator) -> str:
    """Say which parameters a hyperkernel machine has, and how its widths are found."""
    return (
        "Parameters of section 7, the same for all sets: γ_j = 1/(50 q_j²) with q_j the 90 % "
        f"quantile of the differences in column j of the training data, λ_h = "
        f"{ARDHarmonic().lambda_h}, λ_Q = {model.lambda_q:g}, C = {model.C:g} as the box of every "
        f"coefficient, ν = {model.nu}. Ours: pivots to a residual of {model.pivot_tol:g} of the "
        f"trace, at most {model.max_pivots}."
    )


def classify_split(data: DataSet, index: int, seed: int) -> dict[str, dict[str, Json]]:
    """Fit the three machines to one split: ``{machine: numbers}``, the error in per cent."""
    split = draw_split(data, index, seed)
    outcome = {}
    for machine in MACHINES:
        model = classifier(machine)
        numbers = fit_and_measure(model, split)
        outcome[machine] = {"error": error_in_percent(model, split), **numbers}
    return outcome


def error_in_percent(model: Estimator, split: TrainTestSplit) -> float:
    """Return the share of misclassified test points, in per cent."""
    return 100.0 * float(np.mean(model.predict(split.X_test) != split.y_test))


def fit_and_measure(model: Estimator, split: TrainTestSplit) -> dict[str, Json]:
    """Fit the model and return what tells how the fit went."""
    # The paper's clock too is that of the processor: other work of the machine does not count.
    start = time.process_time()
    model.fit(split.X_train, split.y_train)
    seconds = time.process_time() - start
    weights = model.weights_
    gap = float(model.duality_gap_)
    return {
        "seconds": seconds,
        "n_pivots": len(weights),
        "n_weighted": int(np.sum(weights > SMALLEST_WEIGHT * weights.sum())),
        "n_machine_solves": int(model.n_machine_solves_),
        "gap": gap if math.isfinite(gap) else None,
        "status": model.status_.name,
    }


def fit_notes(outcomes: Mapping[str, Sequence[Mapping[str, Json]]]) -> tuple[str, ...]:
    """Say how close to the optimum the fits came, how long they took and how sparse they are.

    `outcomes` holds what `fit_and_measure` returned for each fit, by column.
    """
    fits = [outcome for column in outcomes.values() for outcome in column]
    gaps = [fit["gap"] for fit in fits if fit["gap"] is not None]
    unfinished = sum(not Status[fit["status"]].is_optimal for fit in fits)
    seconds, solves, sparse = [], [], []
    for name, column in outcomes.items():
        seconds.append(f"{name} {sum(fit['seconds'] for fit in column):.1f}")
        solves.append(f"{name} {np.mean([fit['n_machine_solves'] for fit in column]):.1f}")
        at_one = sum(fit["n_weighted"] == 1 for fit in column)
        sparse.append(f"{name} in {at_one} of {len(column)} fits")
    pivots = [fit["n_pivots"] for fit in fits]
    return (
        f"Largest relative duality gap of {len(fits)} fits: {max(gaps, default=math.nan):.1e}; "
        f"{unfinished} of them stopped before the tolerance.",
        f"Processor seconds of fitting, all sets and splits: {', '.join(seconds)}; machine solves "
        f"per fit: {', '.join(solves)}.",
        f"The optimum sits at one pivot: {', '.join(sparse)}; there were {min(pivots)} to "
        f"{max(pivots)} pivots to choose from.",
    )
