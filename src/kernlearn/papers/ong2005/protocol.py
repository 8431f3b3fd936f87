"""How Ong, Smola and Williamson (2005) ran Section 7: data, splits, machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from kernlearn.datasets import (
    DataSet,
    RegressionSet,
    load_uci,
    load_uci_regression,
    make_two_scales,
)
from kernlearn.papers import splits
from kernlearn.papers.results_file import Json
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.typing import Array

__all__ = [
    "CLASSIFICATION_SETS",
    "MACHINES",
    "PAPER_SPLITS",
    "REGRESSION_SETS",
    "UNITS",
    "draw_split",
    "dropped_rows_note",
    "load_classification_sets",
    "load_regression_sets",
    "signed_booleans",
    "split_settings",
]

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


def split_settings(data: Sets) -> dict[str, Json]:
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
