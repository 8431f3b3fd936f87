"""Protocol of Ong, Smola and Williamson (2005), Section 7: data, splits, machines, fits."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kernlearn import HyperkernelClassifier, HyperkernelOptions
from kernlearn.datasets import (
    DataSet,
    RegressionSet,
    load_uci,
    load_uci_regression,
    make_two_scales,
)
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.papers import splits
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.results import Status
from kernlearn.typing import Array, Json, JsonValue

AnySet = TypeVar("AnySet", DataSet, RegressionSet)
Sets = Mapping[str, DataSet] | Mapping[str, RegressionSet]

PAPER_SPLITS = 100
TRAINING_SHARE = 0.6

# The paper's name of each set, and the loader's.
CLASSIFICATION_SETS = {
    "syndata": "two_scales",
    "pima": "pima",
    "ionosph": "ionosphere",
    "wdbc": "wdbc",
    "heart": "statlog_heart",
    "thyroid": "new_thyroid",
    "sonar": "sonar",
    "credit": "crx",
    "glass": "glass",
}
REGRESSION_SETS = {
    "auto-mpg": "auto_mpg",
    "boston": "boston_housing",
    "auto imports (×10⁶)": "imports85",
    "cpu (×10³)": "cpu_machine",
    "servo": "servo",
}
UNITS = dict.fromkeys(REGRESSION_SETS, 1.0) | {"auto imports (×10⁶)": 1e6, "cpu (×10³)": 1e3}

# Columns of Table 3 and their quality functionals: Examples 7, 8 and 9.
MACHINES = {"C-SVM": "soft_margin", "ν-SVM": "nu_svm", "Lag-SVM": "lagrangian"}


def load_classification_sets(data_dir: Path | None, seed: int) -> dict[str, DataSet]:
    """Load the sets of Table 3, or draw them, prepared as the paper says."""
    return {
        name: make_two_scales(random_state=seed)
        if source == "two_scales"
        else _prepared(load_uci(source, data_dir))
        for name, source in CLASSIFICATION_SETS.items()
    }


def load_regression_sets(data_dir: Path | None) -> dict[str, RegressionSet]:
    """Load the sets of Table 5, prepared as the paper says."""
    return {
        name: _prepared(load_uci_regression(source, data_dir))
        for name, source in REGRESSION_SETS.items()
    }


def _prepared(data: AnySet) -> AnySet:
    return replace(data, X=signed_booleans(data.X))


def signed_booleans(X: Array) -> Array:
    """Return the inputs with -1 and +1 in every column that has just two values.

    >>> signed_booleans(np.array([[0.0, 5.0], [1.0, 6.0], [1.0, 7.0]]))
    array([[-1.,  5.],
           [ 1.,  6.],
           [ 1.,  7.]])
    """
    signed = X.copy()
    for j, column in enumerate(X.T):
        values = np.unique(column)
        if len(values) == 2:
            signed[:, j] = np.where(column == values[0], -1.0, 1.0)
    return signed


def draw_split(data: DataSet | RegressionSet, index: int, seed: int) -> TrainTestSplit:
    """Draw split number `index`, 60 % training, the same one for the same seed."""
    return splits.draw_split(data, index, seed, TRAINING_SHARE)


def split_settings(data: Sets) -> Json:
    """Return what a result depends on through the splits of these sets."""
    return {
        "training_share": TRAINING_SHARE,
        "data": {name: fingerprint(one.X, one.y) for name, one in data.items()},
    }


def dropped_rows_note(data: Sets) -> str:
    """Say how the inputs were prepared and how many rows had a missing cell."""
    dropped = [f"{one.n_dropped} of {name}" for name, one in data.items() if one.n_dropped]
    return (
        "Inputs unscaled; Boolean ones −1 and +1, categories numbered in sorted order. Rows with "
        f"a missing cell dropped: {', '.join(dropped) or 'none'}."
    )


# Share of the sum of the coefficients below which a weight is rounding.
SMALLEST_WEIGHT = 1e-6


def classifier(machine: str, **parameters: Any) -> HyperkernelClassifier:
    """Return the classifier of a column of Table 3, with section 7's parameters by default."""
    return HyperkernelClassifier(quality=MACHINES[machine], gamma_factor=1.0, **parameters)


def machine_settings() -> Json:
    """Return all parameters of the three classifiers."""
    return {machine: classifier(machine).get_params(deep=False) for machine in MACHINES}


def parameters_note(model: Estimator) -> str:
    """Say which parameters a hyperkernel machine has, and how its widths are found."""
    residual = HyperkernelOptions().pivot_tol
    return (
        "Parameters of section 7, the same for all sets: γ_j = 1/(50 q_j²) with q_j the 90 % "
        f"quantile of the differences in column j of the training data, λ_h = "
        f"{ARDHarmonic().lambda_h}, λ_Q = {model.lambda_q:g}, C = {model.C:g} as the box of every "
        f"coefficient, ν = {model.nu}. Ours: pivots to a residual of {residual:g} of the "
        f"trace, at most {model.max_pivots}."
    )


def classify_split(data: DataSet, index: int, seed: int) -> dict[str, Json]:
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


def fit_and_measure(model: Estimator, split: TrainTestSplit) -> Json:
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


def fit_notes(outcomes: Mapping[str, Sequence[Mapping[str, JsonValue]]]) -> tuple[str, ...]:
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
