"""Columns that make a score too good to be true.

A column is a repeated identity, such as a patient, if rows with equal values have equal targets,
but rows with other values do not predict them. Rows of one patient then stand on both sides of a
split, and the score measures how well patients are memorised.

A column gives the target away if it alone predicts held-out rows almost perfectly: by the value of
the nearest row, or by other rows of its category. An empty cell counts as a value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from kernlearn.methods.splits import fold_splits, sampled_rows
from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.typed import as_numbers
from kernlearn.typing import Array, Indices, PandasFrame, PandasSeries, Targets

# Rows of one value of an identity, on average, and the least number of values.
REPEATS = (2, 100)
FEWEST_VALUES, FEWEST_NAMED = 20, 10
# Share of the errors of the simplest guess that other rows with the same value remove.
MOST_EXPLAINED, MOST_NAMED = 0.8, 0.5
# Share of the errors of the simplest guess that a column giving the target away removes, for
# classes and for numbers; the fewest and the most rows that are looked at.
ALMOST_ALL = {"classification": 0.95, "regression": 0.99}
FEWEST_ROWS, MOST_ROWS = 30, 3000
NAMES = re.compile(
    r"(^|[_ .\-])(id|ids|uid|patient|subject|person|participant|donor|animal|mouse|user|customer|"
    r"client|member|household|family|owner|account|device|batch|session|case)s?($|[_ .\-\d])",
    re.IGNORECASE,
)


def repeated_identities(
    frame: PandasFrame, names: list[str], y: Targets, task: str, target: str
) -> dict[str, str]:
    """A sentence for each column that looks like a repeated identity, such as a patient."""
    found = {}
    for name in names:
        part = _explained_by_identity(frame[name], y, task, NAMES.search(name) is not None)
        if part is not None:
            found[name] = (
                f"`{name}` looks like an identity that repeats: other rows with the same value "
                f"explain {part:.0%} of `{target}`. If such rows belong together, the scores are "
                f"too good; pass --groups {name}"
            )
    return found


def _explained_by_identity(
    cells: PandasSeries, y: Targets, task: str, is_named: bool
) -> float | None:
    """Share that rows of the same value explain, if too large for a usual column; else None."""
    codes = load_pandas("reading a table").factorize(cells)[0]
    known = codes >= 0
    codes, y = codes[known], y[known]
    n, n_values = len(codes), int(codes.max(initial=-1)) + 1
    if n_values < (FEWEST_NAMED if is_named else FEWEST_VALUES):
        return None
    if not REPEATS[0] <= n / n_values <= REPEATS[1]:
        return None
    numbers = as_numbers(cells[known])
    is_ordered = not np.isnan(numbers).any()
    if is_ordered and (numbers != np.floor(numbers)).any():
        return None
    explain = _explained_classes if task == "classification" else _explained_numbers
    part = explain(codes, y)
    if part < (MOST_NAMED if is_named else MOST_EXPLAINED):
        return None
    if is_ordered and not is_named:
        order = np.unique(numbers, return_inverse=True)[1].reshape(-1)
        if explain(order, y, of_neighbours=True) > part / 2:
            return None  # a quantity: values close to each other have targets close to each other
    return part


def _pooled(values: Array, codes: Indices, of_neighbours: bool) -> Array:
    """Sums over the other rows of the same value, or over the values before and after it."""
    sums = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(sums, codes, values)
    if not of_neighbours:
        return np.asarray(sums[codes] - values)
    padded = np.pad(sums, [(1, 1), (0, 0)])
    return np.asarray((padded[:-2] + padded[2:])[codes])


def _explained_classes(codes: Indices, y: Targets, of_neighbours: bool = False) -> float:
    """The part of the rows that the most frequent class gets wrong, but the pool does not."""
    truth = (y[:, None] == np.unique(y)) * 1.0
    share = truth.mean(axis=0)
    predicted = (_pooled(truth, codes, of_neighbours) + 1e-6 * share).argmax(axis=1)
    right, guess = float(np.mean(predicted == truth.argmax(axis=1))), float(share.max())
    return (right - guess) / max(1.0 - guess, 1e-12)


def _explained_numbers(codes: Indices, y: Targets, of_neighbours: bool = False) -> float:
    """R² of the mean over the pool, in ranks, which a few outlying rows do not decide."""
    ranks = rankdata(y)
    apart = ranks - ranks.mean()
    sums, counts = _pooled(np.column_stack([apart, np.ones(len(y))]), codes, of_neighbours).T
    total = float(apart @ apart)
    errors = (apart - sums / np.maximum(counts, 1.0)) ** 2
    return 1.0 - float(errors.sum()) / total if total > 0 else 0.0


def leaking_columns(
    X: PandasFrame, y: Targets, task: str, target: str, units: Indices | None = None
) -> dict[str, str]:
    """A sentence for each column of typed rows that gives the target away.

    Rows of one of the `units` stay in one fold.
    """
    rows = sampled_rows(y, task, MOST_ROWS, 0)
    if len(rows) < FEWEST_ROWS:
        return {}
    X, y = X.iloc[rows], y[rows]
    folds = fold_splits(y, task, 5, 0, None if units is None else units[rows])
    # Numbers by their ranks, since interpolation ends at the largest training target.
    is_class = task == "classification"
    truth = (y[:, None] == np.unique(y)) * 1.0 if is_class else rankdata(y)[:, None]
    found = {}
    for name in X.columns:
        cells = X[name].to_numpy()
        part = _explained_alone(cells, truth, task, folds)
        if part >= ALMOST_ALL[task]:
            found[str(name)] = (
                f"`{name}` alone predicts `{target}` ({part:.0%} of held-out rows, beyond "
                f"guessing): is it known beforehand? If not, pass --drop {name}"
            )
    return found


def _explained_alone(
    cells: NDArray[Any], truth: Array, task: str, folds: Sequence[tuple[Indices, Indices]]
) -> float:
    """Held-out error that a column removes, as a share of the error of the simplest guess."""
    predicted, guess = np.zeros_like(truth), np.zeros_like(truth)
    tested = np.concatenate([test for _, test in folds])
    for train, test in folds:
        guess[test] = truth[train].mean(axis=0)
        predicted[test] = _predicted(cells[train], truth[train], cells[test], guess[test])
    if task == "classification":
        labels = truth.argmax(axis=1)
        errors = ((each.argmax(axis=1) != labels)[tested] for each in (predicted, guess))
        wrong, missed = (float(each.mean()) for each in errors)
    else:
        wrong, missed = (float(((each - truth)[tested] ** 2).sum()) for each in (predicted, guess))
    return 1.0 - wrong / missed if missed > 0 else 0.0


def _predicted(cells: NDArray[Any], truth: Array, new: NDArray[Any], guess: Array) -> Array:
    """Predictions of new cells: the mean of equal ones; numbers interpolate the nearest two."""
    predictions = guess.copy()
    empty, is_new_empty = (_is_empty(each) for each in (cells, new))
    if empty.any():
        predictions[is_new_empty] = truth[empty].mean(axis=0)
    values, codes = np.unique(cells[~empty], return_inverse=True)
    if not len(values):
        return predictions
    means = np.zeros((len(values), truth.shape[1]))
    np.add.at(means, codes.reshape(-1), truth[~empty])
    means /= np.bincount(codes.reshape(-1))[:, None]
    there = np.flatnonzero(~is_new_empty)
    if cells.dtype.kind == "f":
        predictions[there] = np.column_stack([np.interp(new[there], values, m) for m in means.T])
        return predictions
    places = np.searchsorted(values, new[there]).clip(0, len(values) - 1)
    is_known = values[places] == new[there]
    predictions[there[is_known]] = means[places[is_known]]
    return predictions


def _is_empty(cells: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(cells) if cells.dtype.kind == "f" else np.asarray(cells == "")
