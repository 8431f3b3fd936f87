"""The three things that touch rows, ZᵀΘZ, Zu and Zᵀa, each as a sum over blocks of rows.

Z is where the rows are worked on; what goes in and comes out is on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import (
    beside,
    empty_beside,
    lower_products,
    lower_triangle,
    take,
    take_columns,
    to_host,
)
from kernlearn.families.factors import Factors
from kernlearn.gram.rows import reduce_rows, rows_per_block
from kernlearn.kernels._validation import take_rows

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


class FactorRows:
    """The matrix Z on the rows of a table, kept whole or made again block by block.

    Parameters
    ----------
    source : array, memory map or data frame
        The n rows.
    factors : Factors
        The maps to Z.
    keep : bool
        Whether to hold Z in memory, n × R numbers, rather than make its blocks again each time.
    """

    def __init__(self, source: Any, factors: Factors, keep: bool) -> None:
        self.source, self.factors = source, factors
        self.n_rows, self.n_columns = len(source), factors.n_columns
        self._Z: Any = None
        if keep:
            Z = empty_beside((self.n_rows, self.n_columns), take_rows(source, slice(0)))

            def fill(block: Any, rows: slice) -> int:
                Z[rows, :] = factors(block)
                return 1

            reduce_rows(source, fill, int.__add__, self.n_columns)
            self._Z = Z

    def subset(self, rows: Indices) -> FactorRows:
        """The same for some of the rows, kept whole."""
        part = FactorRows(take_rows(self.source, rows), self.factors, keep=False)
        part._Z = self.some(rows)
        return part

    def some(self, rows: Indices | slice) -> Any:
        """Z on some rows, where it is."""
        if self._Z is not None:
            return take(self._Z, rows)
        return self.factors(take_rows(self.source, rows))

    def times(self, u: Array, rows: Indices | None = None) -> Array:
        """Zu on all or some rows, for u of shape (R,) or (R, l)."""
        if self._Z is not None and rows is None:
            return np.asarray(to_host(self._Z @ beside(u, self._Z)))
        found = np.empty((self.n_rows if rows is None else len(rows), *u.shape[1:]))
        for part, Z in self._blocks(rows):
            found[part] = to_host(Z @ beside(u, Z))
        return found

    def transposed_times(self, a: Array, rows: Indices | None = None) -> Array:
        """Zᵀa over all or some rows, for a of shape (n,) or (n, l)."""
        if self._Z is not None and rows is None:
            return np.asarray(to_host(self._Z.T @ beside(a, self._Z)))
        total = np.zeros((self.n_columns, *a.shape[1:]))
        for part, Z in self._blocks(rows):
            total += to_host(Z.T @ beside(a[part], Z))
        return total

    def images(self, c: Array, rows: Indices) -> Array:
        """The vectors Zᵢcᵢ on some rows, of shape (len(rows), m)."""
        found = np.empty((len(rows), self.factors.n_matrices))
        for part, Z in self._blocks(rows):
            found[part] = to_host((Z * beside(c, Z)) @ beside(self.factors.membership, Z))
        return found

    def products(self, rows: Indices, theta: Array, columns: Indices) -> Array:
        """The lower triangle of ZᵀΘZ over some rows and columns, zeros above it.

        Parameters
        ----------
        rows : ndarray of int
            Which rows.
        theta : ndarray
            Their weights, positive.
        columns : ndarray of int
            Which columns.
        """
        total: Any = None
        for part, Z in self._blocks(rows):
            half = beside(np.sqrt(theta[part])[:, None], Z)
            total = lower_products(take_columns(Z, columns) * half, total)
        if total is None:
            return np.zeros((len(columns), len(columns)))
        return np.asarray(lower_triangle(total))

    def _blocks(self, rows: Indices | None) -> Iterator[tuple[slice, Any]]:
        """Slices of the chosen rows, and Z on them."""
        n = self.n_rows if rows is None else len(rows)
        size = rows_per_block(2 * self.n_columns)
        for start in range(0, n, size):
            part = slice(start, min(start + size, n))
            yield part, self.some(part if rows is None else rows[part])


def all_products(rows: FactorRows) -> Array:
    """ZᵀZ."""
    everything, columns = np.arange(rows.n_rows), np.arange(rows.n_columns)
    lower = rows.products(everything, np.ones(rows.n_rows), columns)
    return np.asarray(lower + np.tril(lower, -1).T)
