"""Folds of rows that are held out together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.estimators.inputs.row_order import label_free_codes
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import FoldsLike, Indices, RandomState, Rows, Targets


def make_folds(
    cv: FoldsLike,
    X: Rows,
    y: Targets,
    kept: Indices,
    *,
    stratify: bool,
    random_state: RandomState,
    groups: RowGroups | None = None,
) -> list[Indices]:
    """Folds of the kept rows, every one of them in one fold, and every group in one.

    A number of folds deals the shuffled groups out in turn, class by class where rows have classes,
    and large groups first, so that it works for classes of any size. A group of several classes
    counts as one of the most frequent. The labels' names change nothing.

    `cv` is a number of folds, a splitter of scikit-learn or pairs of rows; `kept` are the rows that
    count, in increasing order, and the folds are positions within them. `stratify` says that y
    holds labels, to be spread over the folds. Without `groups` every row is one.
    """
    if not isinstance(cv, int | np.integer) or isinstance(cv, bool):
        return _folds_of_splitter(cv, X, y, kept, groups)
    codes = np.arange(len(kept)) if groups is None else groups.subset(kept).codes
    n_groups = int(codes.max()) + 1
    if not 2 <= cv <= n_groups:
        raise ValueError(_too_many_folds(cv, n_groups, groups))
    order = check_random_state(random_state).permutation(n_groups)
    sizes = np.bincount(codes)[order]
    labels = _most_frequent(codes, label_free_codes(y[kept]))[order] if stratify else 0 * sizes
    order = order[np.lexsort((-sizes, labels))]
    fold = np.empty(n_groups, dtype=np.intp)
    fold[order] = np.arange(n_groups) % cv
    return [np.flatnonzero(fold[codes] == i) for i in range(cv)]


def draws_folds(cv: FoldsLike) -> bool:
    """Whether `cv` is a number of folds, to be drawn."""
    return isinstance(cv, int | np.integer) and not isinstance(cv, bool)


def _too_many_folds(cv: Any, n_groups: int, groups: RowGroups | None) -> str:
    if groups is not None and groups.user_codes is not None:
        units, cure = "groups that share no row", "pass the labels of smaller groups"
    else:
        units = "points" if groups is None or groups.known is None else "different points"
        cure = "choose selection='loo'"
    return (
        f"expected cv between 2 and {n_groups}, the number of {units}, got {cv}; lower cv, or "
        f"{cure}"
    )


def _most_frequent(codes: Indices, labels: Indices) -> Indices:
    """The most frequent label of every group."""
    n_labels = int(labels.max(initial=0)) + 1
    pairs, counts = np.unique(codes * n_labels + labels, return_counts=True)
    order = np.lexsort((counts, pairs // n_labels))
    last = np.append(np.diff(pairs[order] // n_labels) > 0, True)
    return np.asarray((pairs[order] % n_labels)[last])


def _folds_of_splitter(
    cv: Any, X: Rows, y: Targets, kept: Indices, groups: RowGroups | None
) -> list[Indices]:
    user_codes = None if groups is None else groups.user_codes
    try:
        with quiet_about(UserWarning):  # of a splitter that ignores groups; that is said below
            pairs = list(cv.split(X, y, user_codes) if hasattr(cv, "split") else cv)
        tests = [np.asarray(test, dtype=np.intp) for _, test in pairs]
    except (TypeError, IndexError):
        raise ValueError(
            f"expected cv to be a number of folds, a splitter or pairs of rows, got {cv!r}; "
            "try cv=5"
        ) from None
    within = [test[np.isin(test, kept)] for test in tests]
    folds = [np.searchsorted(kept, test) for test in within if len(test)]
    if len(folds) < 2 or not np.array_equal(np.sort(np.concatenate(folds)), np.arange(len(kept))):
        raise ValueError(
            f"expected cv to hold out each of the {len(kept)} rows of positive weight once, in two "
            f"folds or more, got {counted(len(folds), 'fold')} that do not; try KFold or cv=5"
        )
    if user_codes is not None:
        codes_by_fold = [np.unique(user_codes[kept][fold]) for fold in folds]
        if sum(map(len, codes_by_fold)) > len(np.unique(user_codes[kept])):
            raise ValueError(
                f"expected cv to keep the rows of a group in one fold, got {cv!r}, which parts "
                "some; use GroupKFold, or cv=5"
            )
    return folds
