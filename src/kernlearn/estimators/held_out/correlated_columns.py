r"""Strongly correlated columns, one of which can replace another.

A column of numbers is its ranks, one of categories a column of 0 and 1 for each level; all are
centred. With orthonormal bases A and B of the spans of two columns, of dimensions a and b, in
n rows,

.. math:: r^2 = \bigl( \|A^\top B\|_F^2 - \tfrac{ab}{n - 1} \bigr)_+ \big/ \min(a, b)

which is Spearman's correlation of two numbers, the correlation ratio of a number and a category,
and Cramér's V of two categories, each squared, less its expectation by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from kernlearn.typing import Array

# The mean correlation within a set of columns that are shuffled together.
CORRELATED = 0.8
MOST_COLUMNS, MOST_ROWS, MOST_LEVELS = 300, 1000, 20


def correlated_columns(columns: Sequence[NDArray[Any]]) -> list[list[int]]:
    """Sets of two or more columns, each by its place, in the order of the table.

    A column is an array of numbers or of text, or the prepared columns that stand for it, of shape
    (n, p).

    >>> x = np.arange(30.0)
    >>> correlated_columns([x, np.exp(x), np.sin(7 * x)])
    [[0, 1]]
    """
    if not 1 < len(columns) <= MOST_COLUMNS:
        return []
    n = len(columns[0])
    rows = np.sort(np.random.default_rng(0).permutation(n)[:MOST_ROWS])
    bases = [_basis(cells[rows]) for cells in columns]
    r = np.eye(len(bases))
    for i, A in enumerate(bases):
        for j in range(i):
            r[i, j] = r[j, i] = _association(A, bases[j])
    tree = linkage(squareform(1.0 - r, checks=False), "average")
    codes = fcluster(tree, 1.0 - CORRELATED, "distance")
    sets: list[list[int]] = [np.flatnonzero(codes == code).tolist() for code in np.unique(codes)]
    return sorted(each for each in sets if len(each) > 1)


def _basis(cells: NDArray[Any]) -> Array:
    """An orthonormal basis of the span of a centred column; empty for a constant column."""
    if cells.dtype.kind in "biuf":
        ranks = rankdata(cells.reshape(len(cells), -1), nan_policy="omit", axis=0)
        gaps = np.isnan(ranks)
        means = np.where(gaps, 0.0, ranks).sum(axis=0) / np.maximum((~gaps).sum(axis=0), 1)
        columns = np.where(gaps, means, ranks)
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
