r"""Which rows are held out, whatever the sizes of the classes.

Rows are shuffled and sorted by class, and dealt out in turn, so that every class is spread as
evenly as whole rows allow. A class of a single row cannot be learned and tested at once: it is
always learned from. A class of two or more has a row to learn from in every split.
"""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Indices, Targets

Split = tuple[Indices, Indices]


def single_rows(y: Targets, task: str) -> Indices:
    """The rows that are alone in their class.

    >>> single_rows(np.array(["a", "b", "b"]), "classification").tolist()
    [0]
    """
    if task == "regression":
        return np.empty(0, dtype=np.intp)
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[codes] == 1)


def fold_splits(y: Targets, task: str, n_folds: int, seed: int) -> list[Split]:
    """Sorted rows to learn from and to test on, in `n_folds` folds, or fewer of few rows.

    Every row that is not alone in its class is tested once; `seed` shuffles.
    """
    order = _dealt(y, task, seed)
    n_folds = max(2, min(n_folds, len(order)))
    every = np.arange(len(y))
    tests = [np.sort(order[i::n_folds]) for i in range(n_folds)]
    return [(np.setdiff1d(every, test), test) for test in tests]


def holdout_split(y: Targets, task: str, share: float, seed: int) -> Split:
    """Sorted rows to learn from, and a share of all rows to test on, one at least of each."""
    order = _dealt(y, task, seed)
    n_test = min(max(1, int(np.ceil(share * len(y)))), len(order) - 1)
    # Evenly spaced places in the order of the classes.
    places = ((np.arange(n_test) + 0.5) * len(order) / n_test).astype(int)
    test = order[places]
    if task == "classification":
        learned = set(np.delete(y, test).tolist())
        for label in np.unique(y[test]).tolist():
            if label not in learned:  # all of a small class
                test = np.delete(test, np.flatnonzero(y[test] == label)[0])
    test = np.sort(test)
    return np.setdiff1d(np.arange(len(y)), test), test


def sampled_rows(y: Targets, task: str, n_rows: int, seed: int) -> Indices:
    """At most so many rows, each class in its share and with a row at least."""
    if len(y) <= n_rows:
        return np.arange(len(y))
    order = _dealt(y, task, seed)
    places = ((np.arange(n_rows) + 0.5) * len(order) / n_rows).astype(int)
    kept = order[places]
    if task == "classification":
        missing = np.setdiff1d(np.unique(y), y[kept])
        firsts = [np.flatnonzero(y == label)[0] for label in missing]
        kept = np.concatenate([kept, np.array(firsts, dtype=np.intp)])
    return np.sort(kept)


def _dealt(y: Targets, task: str, seed: int) -> Indices:
    """Shuffled rows, sorted by class, without those that are alone in theirs."""
    order = np.random.default_rng(seed).permutation(len(y))
    if task == "regression":
        return order
    order = order[np.argsort(y[order], kind="stable")]
    return np.asarray(order[~np.isin(order, single_rows(y, task))])
