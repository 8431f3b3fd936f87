r"""Train/test splits for any sizes of classes and groups.

Rows are shuffled and sorted by class, and dealt out in turn, so that every class is spread as
evenly as whole rows allow. A class of a single row cannot be learned and tested at once: it is
always learned from. A class of two or more has a row to learn from in every split.

For times to an event, rows with and without an event are spread in the same way.

Rows of one unit, such as a patient, are held out together. A unit counts as one of its most
frequent class. In the order of time, the rows held out are later than those learned from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Array, Indices, Targets

Split = tuple[Indices, Indices]
# Consecutive parts of the rows in the order of time, which folds within them hold out as a whole.
TIME_BLOCKS = 10


@dataclass(frozen=True, eq=False)
class _Units:
    """The units that are dealt out: single rows, or groups of several."""

    codes: Indices
    """The unit of every row."""
    sizes: Indices
    labels: Indices
    """The most frequent class of each unit; zero for numbers."""

    @classmethod
    def of(cls, y: Targets, task: str, units: Indices | None) -> _Units:
        classes = np.zeros(len(y), dtype=np.intp)
        if task == "classification":
            classes = np.unique(y, return_inverse=True)[1].reshape(-1)
        elif task == SURVIVAL:
            classes = np.asarray(y["event"], dtype=np.intp)
        if units is None:
            return cls(np.arange(len(y)), np.ones(len(y), dtype=np.intp), classes)
        codes = np.unique(units, return_inverse=True)[1].reshape(-1)
        return cls(codes, np.bincount(codes), _most_frequent(codes, classes))

    def rows(self, chosen: Indices) -> Indices:
        """The rows of some units, sorted."""
        return np.flatnonzero(np.isin(self.codes, chosen))

    def single(self, task: str) -> Indices:
        """The units that are alone in their class."""
        if task != "classification":
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(np.bincount(self.labels)[self.labels] == 1)

    def dealt(self, task: str, seed: int) -> Indices:
        """Shuffled units sorted by class, large ones first, without units alone in a class."""
        order = np.random.default_rng(seed).permutation(len(self.sizes))
        order = order[np.lexsort((-self.sizes[order], self.labels[order]))]
        return np.asarray(order[~np.isin(order, self.single(task))])


def _most_frequent(codes: Indices, classes: Indices) -> Indices:
    """The most frequent class of every unit, the first of several."""
    n_classes = int(classes.max(initial=0)) + 1
    pairs, counts = np.unique(codes * n_classes + classes, return_counts=True)
    order = np.lexsort((-counts, pairs // n_classes))
    found = pairs[order]
    firsts = np.append(True, np.diff(found // n_classes) > 0)
    return np.asarray(found[firsts] % n_classes)


def single_rows(y: Targets, task: str, units: Indices | None = None) -> Indices:
    """The rows that are alone in their class, or whose unit is.

    >>> single_rows(np.array(["a", "b", "b"]), "classification").tolist()
    [0]
    """
    dealt = _Units.of(y, task, units)
    return dealt.rows(dealt.single(task))


def fold_splits(
    y: Targets, task: str, n_folds: int, seed: int, units: Indices | None = None
) -> list[Split]:
    """Sorted rows to learn from and to test on, in `n_folds` folds, or fewer if units are few.

    Every row that is not alone in its class is tested once; `seed` shuffles.
    """
    dealt = _Units.of(y, task, units)
    order = dealt.dealt(task, seed)
    n_folds = max(2, min(n_folds, len(order)))
    every = np.arange(len(y))
    tests = [dealt.rows(chosen) for chosen in _folds(order, dealt, n_folds)]
    return [(np.setdiff1d(every, test), test) for test in tests if len(test)]


def _folds(order: Indices, dealt: _Units, n_folds: int) -> list[Indices]:
    """Deal each unit to the fold with the fewest rows of its class; ties to the smallest fold."""
    if (dealt.sizes == 1).all():
        return [order[i::n_folds] for i in range(n_folds)]
    totals = np.zeros(n_folds)
    folds: list[list[int]] = [[] for _ in range(n_folds)]
    for label in np.unique(dealt.labels[order]):
        of_class = np.zeros(n_folds)
        for unit in order[dealt.labels[order] == label]:
            fold = int(np.lexsort((totals, of_class))[0])
            folds[fold].append(int(unit))
            of_class[fold] += dealt.sizes[unit]
            totals[fold] += dealt.sizes[unit]
    return [np.array(fold, dtype=np.intp) for fold in folds]


def holdout_split(
    y: Targets, task: str, share: float, seed: int, units: Indices | None = None
) -> Split:
    """Sorted rows to learn from, and a share of all rows to test on; each has one unit at least."""
    dealt = _Units.of(y, task, units)
    order = dealt.dealt(task, seed)
    test = _spread(order, dealt, share, len(y))
    if task == "classification":
        train = set(np.delete(dealt.labels, test).tolist())
        for label in np.unique(dealt.labels[test]).tolist():
            if label not in train:  # all of a small class
                test = np.delete(test, np.flatnonzero(dealt.labels[test] == label)[0])
    rows = dealt.rows(test)
    return np.setdiff1d(np.arange(len(y)), rows), rows


def _spread(order: Indices, dealt: _Units, share: float, n_rows: int) -> Indices:
    """Units with a share of the rows, evenly spaced in the order of the classes."""
    if (dealt.sizes == 1).all():
        n_test = min(max(1, int(np.ceil(share * n_rows))), len(order) - 1)
        places = ((np.arange(n_test) + 0.5) * len(order) / n_test).astype(int)
        return np.asarray(order[places])
    dues = share * np.cumsum(dealt.sizes[order])
    chosen, n_chosen = [], 0
    for unit, due in zip(order, dues, strict=True):
        # The share is closer with this unit than without.
        if due - n_chosen >= dealt.sizes[unit] / 2:
            chosen.append(int(unit))
            n_chosen += int(dealt.sizes[unit])
    if not chosen:
        chosen = [int(order[np.argmin(dealt.sizes[order])])]
    return np.array(chosen[: len(order) - 1], dtype=np.intp)


def time_splits(times: Array, share: float, n_folds: int | None) -> list[Split]:
    """Later rows to test on and earlier ones to learn from; rows of one time stay together.

    By default the last `share` of the rows is held out once. With `n_folds`, each of as many
    consecutive parts after the first is predicted from all rows before the part.
    """
    order = np.sort(times)
    n = len(times)
    places = [n - max(1, int(np.ceil(share * n))), n]
    if n_folds is not None:
        places = np.linspace(0, n, n_folds + 2).round().astype(int)[1:].tolist()
    # The first time of every part; a time that fills a part ends it.
    starts = np.unique(order[[min(place, n - 1) for place in places[:-1]]])
    starts = starts[starts > order[0]]
    if not len(starts):
        starts = np.unique(times)[-1:]
    ends = np.append(starts[1:], np.inf)
    return [
        (np.flatnonzero(times < start), np.flatnonzero((start <= times) & (times < end)))
        for start, end in zip(starts, ends, strict=True)
    ]


def time_blocks(times: Array) -> Indices:
    """Numbers of consecutive parts of the rows in the order of time, about equally large.

    >>> time_blocks(np.arange(20.0)).tolist()[:6]
    [0, 0, 1, 1, 2, 2]
    """
    different, codes = np.unique(times, return_inverse=True)
    before = np.searchsorted(np.sort(times), different)
    return np.asarray((before * TIME_BLOCKS // len(times))[codes.reshape(-1)])


def sampled_rows(y: Targets, task: str, n_rows: int, seed: int) -> Indices:
    """At most `n_rows` rows, each class in its share and with a row at least."""
    if len(y) <= n_rows:
        return np.arange(len(y))
    order = _Units.of(y, task, None).dealt(task, seed)
    places = ((np.arange(n_rows) + 0.5) * len(order) / n_rows).astype(int)
    kept = order[places]
    if task == "classification":
        missing = np.setdiff1d(np.unique(y), y[kept])
        firsts = [np.flatnonzero(y == label)[0] for label in missing]
        kept = np.concatenate([kept, np.array(firsts, dtype=np.intp)])
    return np.sort(kept)
