"""Which columns of a table hold categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.inputs.cells import is_category, is_frame
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Mask, Rows

FROM_DTYPE = "from_dtype"


def categorical_columns(given: Any, X: Rows, names: Sequence[str]) -> Mask:
    """Whether each column holds categories.

    `given` is "from_dtype", None for no column, or positions, names or a mask of those that do.
    With any but None, columns of text do, too.

    >>> categorical_columns([1], np.zeros((3, 2)), ["x0", "x1"]).tolist()
    [False, True]
    """
    n = len(names)
    found = np.zeros(n, dtype=bool)
    if given is None:
        return found
    if not (isinstance(given, str) and given == FROM_DTYPE):
        found = _named(given, list(names), is_frame(X))
        if issparse(X) and found.any():
            raise ValueError(
                "expected categorical_features='from_dtype' or None with a sparse matrix, got "
                f"{given!r}; encode these columns, or pass a dense table"
            )
    if is_frame(X):
        found |= np.array([is_category(X.iloc[:, j]) for j in range(n)], dtype=bool)
    return found


def _named(given: Any, names: list[str], has_names: bool) -> Mask:
    n = len(names)
    marks = np.asarray(given)
    found = np.zeros(n, dtype=bool)
    if marks.ndim == 1 and marks.size == 0:
        return found
    if marks.ndim == 1 and marks.dtype.kind == "b" and len(marks) == n:
        return np.array(marks, dtype=bool)
    if marks.ndim == 1 and marks.dtype.kind in "iu" and -n <= marks.min() <= marks.max() < n:
        found[marks] = True
        return found
    texts = [str(mark) for mark in np.atleast_1d(marks)]
    if marks.ndim == 1 and marks.dtype.kind in "UO" and has_names and set(texts) <= set(names):
        found[[names.index(text) for text in texts]] = True
        return found
    known = f"names among {', '.join(names[:8])}" if has_names else "no names, since X has none"
    raise ValueError(
        "expected categorical_features to be 'from_dtype', None, positions below "
        f"{n}, {known}, or a mask of {counted(n, 'column')}, got {given!r}; correct it, or leave "
        "it out"
    )
