"""Which points are held out together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernlearn.estimators.inputs.row_order import label_free_codes
from kernlearn.runtime.phrases import counted
from kernlearn.typing import FoldsLike, Indices, RandomState, Rows, Targets


def make_folds(
    cv: FoldsLike, X: Rows, y: Targets, kept: Indices, *, stratify: bool, random_state: RandomState
) -> list[Indices]:
    """Folds of the kept rows, every one of them in one fold.

    A number of folds deals the shuffled rows out in turn, class by class where they are classes,
    so that it works for classes of any size. The labels' names change nothing.

    `cv` is a number of folds, a splitter of scikit-learn or pairs of rows; `kept` are the rows that
    count, in increasing order, and the folds are positions within them. `stratify` says that y
    holds labels, to be spread over the folds.
    """
    if not isinstance(cv, int | np.integer) or isinstance(cv, bool):
        return _given_folds(cv, X, y, kept)
    n = len(kept)
    if not 2 <= cv <= n:
        raise ValueError(
            f"expected cv between 2 and {n}, the number of points, got {cv}; lower cv or choose "
            "selection='loo'"
        )
    order = check_random_state(random_state).permutation(n)
    if stratify:
        order = order[np.argsort(label_free_codes(y[kept])[order], kind="stable")]
    return [np.sort(order[i::cv]) for i in range(cv)]


def _given_folds(cv: Any, X: Rows, y: Targets, kept: Indices) -> list[Indices]:
    try:
        pairs = list(cv.split(X, y) if hasattr(cv, "split") else cv)
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
    return folds
