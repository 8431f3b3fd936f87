r"""Which columns say much the same, so that one can stand in for another.

A column of numbers is its ranks, one of categories a column of 0 and 1 for each level; all are
centred. With orthonormal bases A and B of what two columns span, of a and b dimensions, in n rows,

.. math:: r^2 = \bigl( \|A^\top B\|_F^2 - \tfrac{ab}{n - 1} \bigr)_+ \big/ \min(a, b)

which is Spearman's correlation of two numbers, the correlation ratio of a number and a category,
and Cramér's V of two categories, each squared, less what chance makes of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from kernlearn.methods.splits import sampled_rows
from kernlearn.typing import Array, PandasFrame

# The mean correlation within a set of columns that are shuffled together.
CORRELATED = 0.8
MOST_COLUMNS, MOST_ROWS, MOST_LEVELS = 300, 1000, 20


def correlated_columns(X: PandasFrame, names: list[str]) -> list[list[str]]:
    """Sets of two or more columns of numbers or categories, in the order of the table.

    >>> import pandas as pd
    >>> x = np.arange(30.0)
    >>> table = pd.DataFrame({"a": x, "b": np.exp(x), "c": np.sin(7 * x)})
    >>> correlated_columns(table, ["a", "b", "c"])
    [['a', 'b']]
    """
    if not 1 < len(names) <= MOST_COLUMNS:
        return []
    rows = sampled_rows(np.zeros(len(X)), "regression", MOST_ROWS, 0)
    bases = [_basis(X[name].to_numpy()[rows]) for name in names]
    r = np.eye(len(names))
    for i, A in enumerate(bases):
        for j in range(i):
            r[i, j] = r[j, i] = _association(A, bases[j])
    tree = linkage(squareform(1.0 - r, checks=False), "average")
    codes = fcluster(tree, 1.0 - CORRELATED, "distance")
    named = list(zip(names, codes, strict=True))
    sets = [[name for name, code in named if code == each] for each in np.unique(codes)]
    return sorted((each for each in sets if len(each) > 1), key=lambda each: names.index(each[0]))


def _basis(cells: NDArray[Any]) -> Array:
    """An orthonormal basis of what a column spans, centred; of none that is constant."""
    if cells.dtype.kind == "f":
        ranks = rankdata(cells, nan_policy="omit")
        columns = np.where(np.isnan(ranks), np.nanmean(ranks), ranks)[:, None]
    else:
        levels, counts = np.unique(cells.astype(str), return_counts=True)
        frequent = levels[np.argsort(-counts, kind="stable")][:MOST_LEVELS]
        columns = (cells.astype(str)[:, None] == frequent) * 1.0
    centred = columns - columns.mean(axis=0)
    U, s, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(U[:, s > 1e-9 * max(1.0, float(s.max(initial=0.0)))])


def _association(A: Array, B: Array) -> float:
    least = min(A.shape[1], B.shape[1])
    if least == 0:
        return 0.0
    by_chance = A.shape[1] * B.shape[1] / max(len(A) - 1, 1)
    found = (float(np.sum((A.T @ B) ** 2)) - by_chance) / least
    return float(np.sqrt(np.clip(found, 0.0, 1.0)))
