"""Rows that are read once: transformed features of all rows, and kernels on row numbers.

Through landmarks, a kernel is called for every block of rows, several times over, and each time
with all of its landmarks. A vectoriser would read the same text ten times. Here the vectoriser
reads all rows once; the table of the fit then holds row numbers, and every kernel looks its rows up
in the features of its transformer, dense or sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kernlearn.kernels import Centered, Columns, Features, Kernel, Linear, WhereKnown
from kernlearn.kernels._composite import _Combination, _Wrapper, with_parts
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import take_rows
from kernlearn.kernels.missing_sources import Completed, known_rows
from kernlearn.typing import Array, Indices, Rows


class KernelAtRows(Kernel):
    """A kernel on the rows of a table that are given by their numbers.

    `places` has, for every number, the place of its row in the table, which holds the known rows;
    it is negative for a row that is missing, where the kernel is zero.
    """

    def __init__(self, kernel: Kernel, table: Rows, places: Indices) -> None:
        self.kernel = kernel
        self.table = table
        self.places = places

    def _evaluate(self, X: Array, Y: Array) -> Array:
        i, rows = self._known(X)
        j, columns = (i, rows) if Y is X else self._known(Y)
        if len(i) == len(X) and len(j) == len(Y):
            return self.kernel(rows, columns)
        K: Array = np.zeros((len(X), len(Y)))
        if len(i) and len(j):
            K[np.ix_(i, j)] = self.kernel(rows, columns)
        return K

    def _diag(self, X: Array) -> Array:
        i, rows = self._known(X)
        values: Array = np.zeros(len(X))
        if len(i):
            values[i] = self.kernel.diag(rows)
        return values

    def sparse_rows(self, X: Rows) -> SparseRows | None:
        """Sparse rows of the kernel on the rows of the table; zero for missing rows."""
        there, rows = self._known(X)
        found = self.kernel.sparse_rows(rows)
        return None if found is None else found.scattered(len(X), there)

    def _known(self, X: Array) -> tuple[Indices, Any]:
        places = self.places[X[:, 0].astype(np.intp)]
        known = np.flatnonzero(places >= 0)
        return known, take_rows(self.table, places[known])


def reads(kernel: Kernel) -> bool:
    """Whether a transformer is within a kernel, so that rows should be read once."""
    if isinstance(kernel, Features):
        return True
    if isinstance(kernel, _Combination):
        return any(map(reads, kernel.kernels))
    return isinstance(kernel, _Wrapper) and reads(kernel.kernel)


def fitted_transformers(kernels: Sequence[Kernel], rows: Rows) -> list[Kernel]:
    """The kernels with their transformers fitted to all rows that these read."""
    with sharing():
        return [_fitted(kernel, rows) for kernel in kernels]


def _fitted(kernel: Kernel, rows: Rows) -> Kernel:
    if isinstance(kernel, Features):
        return kernel.fitted_to(rows)
    if isinstance(kernel, WhereKnown):
        known = take_rows(rows, np.flatnonzero(known_rows(kernel, rows)))
        return with_parts(kernel, kernel=_fitted(kernel.kernel, known))
    if isinstance(kernel, Columns):
        return with_parts(kernel, kernel=_fitted(kernel.kernel, kernel.selected(rows)))
    if isinstance(kernel, _Combination):
        return with_parts(kernel, kernels=[_fitted(part, rows) for part in kernel.kernels])
    if isinstance(kernel, _Wrapper):
        return with_parts(kernel, kernel=_fitted(kernel.kernel, rows))
    return kernel


def at_rows(kernels: Sequence[Kernel], rows: Rows) -> tuple[list[Kernel], Array]:
    """Fitted kernels as kernels on row numbers, and the table of these."""
    n = rows.shape[0]
    with sharing():  # the kernels of one transformer share its features
        found = [_at_rows(kernel, rows, np.arange(n)) for kernel in kernels]
    return found, np.arange(n, dtype=float)[:, None]


def _at_rows(kernel: Kernel, table: Rows, places: Indices) -> Kernel:
    if isinstance(kernel, Columns):
        return _at_rows(kernel.kernel, kernel.selected(table), places)
    if isinstance(kernel, Features):
        return _at_rows(kernel.kernel, _sliced(kernel.transformed(table)), places)
    if isinstance(kernel, WhereKnown):
        known = np.flatnonzero(known_rows(kernel, table))
        inner, sample = _through(kernel.kernel, kernel.sample)
        around = Centered(inner, _mean_of(inner, sample), kernel.mean)
        there = np.full(len(places), -1)
        there[known] = np.arange(len(known))
        _, values = _through(kernel.kernel, take_rows(table, known))
        return KernelAtRows(around, values, there)
    if isinstance(kernel, _Combination):
        parts = [_at_rows(part, table, places) for part in kernel.kernels]
        return with_parts(kernel, kernels=parts)
    if isinstance(kernel, _Wrapper) and not isinstance(kernel, Centered | Completed):
        return with_parts(kernel, kernel=_at_rows(kernel.kernel, table, places))
    return KernelAtRows(kernel, table, places)


def _through(kernel: Kernel, table: Rows) -> tuple[Kernel, Rows]:
    """The kernel behind columns and transformers, and the table transformed by these."""
    if isinstance(kernel, Columns):
        return _through(kernel.kernel, kernel.selected(table))
    if isinstance(kernel, Features):
        return _through(kernel.kernel, _sliced(kernel.transformed(table)))
    return kernel, table


def _sliced(values: Rows) -> Rows:
    """A sparse result in a form whose rows can be taken."""
    return csr_array(values) if issparse(values) else values


def _mean_of(kernel: Kernel, sample: Rows) -> Rows:
    """The sample, or for an inner product its mean, which has the same mean of k(x, ·)."""
    if not isinstance(kernel, Linear) or not (issparse(sample) or isinstance(sample, np.ndarray)):
        return sample
    mean = np.asarray(sample.mean(axis=0)).reshape(1, -1)
    return csr_array(mean) if issparse(sample) else mean
