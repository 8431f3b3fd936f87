"""The three operations that touch rows, ZᵀΘZ, Zu and Zᵀa, each as a sum over blocks of rows.

Z is on the device of the rows; arguments and results are on the host. If sparse features of some
kernels are kept beside factors of others, `ExplicitRows` does the same for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kernlearn._cluster import Chunked
from kernlearn._device import (
    beside,
    column_dots,
    is_elsewhere,
    lower_outer_products,
    lower_products,
    lower_triangle,
    rows_on_host,
    take,
    take_columns,
    to_host,
)
from kernlearn.families.factors import Factors
from kernlearn.gram.rows import keep_rows, map_rows, reduce_rows
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import take_rows
from kernlearn.typing import Array, DeviceArray, Indices, Rows

OfZ = Callable[..., DeviceArray]
"""A function of a block of Z, and of what goes along its rows."""


class FactorRows:
    """The matrix Z on the rows of a table, kept whole or made again block by block."""

    def __init__(
        self,
        source: Rows,  # the n rows, known to be numbers
        factors: Factors,  # the maps to Z
        keep: bool,  # whether to hold Z, n × R numbers, rather than make its blocks again each time
        columns_at_once: int = 1024,  # columns of Z that are multiplied at a time
    ) -> None:
        self.source, self.factors = source, factors
        self.n_rows, self.n_columns = len(source), factors.n_columns
        self.columns_at_once = columns_at_once
        # The size of what the host works on: the rows, or of rows elsewhere the columns alone.
        self.host_size = rows_on_host(source) or self.n_columns
        self._Z: Rows = keep_rows(source, factors, self.n_columns) if keep else None

    @property
    def is_at_hand(self) -> bool:
        """Whether a pass over Z takes no more than reading it: it is kept, and on one machine."""
        return self._Z is not None and not isinstance(self._Z, Chunked)

    def subset(self, rows: Indices) -> FactorRows:
        """The same for some of the rows, kept whole."""
        part = FactorRows(take_rows(self.source, rows), self.factors, keep=False)
        part._Z = self.some(rows)
        return part

    def some(self, rows: Indices) -> DeviceArray:
        """Z on some rows, where it is; on the host if it is on other machines."""
        if self._Z is None:
            return self.factors(take_rows(self.source, rows))
        return take(self._Z, rows) if is_elsewhere(self._Z) else self._Z[rows]

    def times(self, u: Array, rows: Indices | None = None) -> Array:
        """Zu on all or some rows, for u of shape (R,) or (R, l)."""

        def product(Z: DeviceArray) -> Array:
            return np.asarray(to_host(Z @ beside(u, Z)))

        return self._each(product, rows)

    def transposed_times(self, a: Array, rows: Indices | None = None) -> Array:
        """Zᵀa over all or some rows, for a of shape (n,) or (n, l)."""

        def product(Z: DeviceArray, part: Array) -> Array:
            return np.asarray(to_host(Z.T @ beside(part, Z)))

        return np.asarray(self._sum(product, [a], rows, light=True))

    def images(self, c: Array, rows: Indices) -> Array:
        """The vectors Zᵢcᵢ on some rows, of shape (len(rows), m)."""
        parts = c[:, None] * self.factors.membership
        if len(rows) == 0:
            return np.zeros((0, self.factors.n_matrices))

        def product(Z: DeviceArray) -> Array:
            return np.asarray(to_host(Z @ beside(parts, Z)))

        return self._each(product, rows)

    def products(self, rows: Indices, theta: Array, columns: Indices) -> Array:
        """The lower triangle of ZᵀΘZ over some rows, increasing, and columns; Θ is positive."""
        if len(rows) == 0:
            return np.zeros((len(columns), len(columns)))

        def product(Z: DeviceArray, part: Array) -> DeviceArray:
            half = beside(np.sqrt(part)[:, None], Z)
            return lower_products(used_columns(Z, columns) * half)

        return np.asarray(lower_triangle(self._sum(product, [theta], rows, light=False)))

    def outer_products(self, rows: Indices, diagonal: Array) -> Array:
        """The lower triangle of ZDZᵀ over some rows, zeros above it, for D ≥ 0."""
        if not isinstance(self._Z, np.ndarray):
            Z, columns = self.some(rows), np.flatnonzero(diagonal)
            image = used_columns(Z, columns) * beside(np.sqrt(diagonal[columns]), Z)
            return np.asarray(lower_triangle(lower_outer_products(image)))
        total, step = None, self.columns_at_once
        for start in range(0, self.n_columns, step):
            chosen = slice(start, start + step)
            used = np.flatnonzero(diagonal[chosen])
            if len(used) or total is None:
                part = self._Z[rows, chosen]
                part = part if len(used) == part.shape[1] else part[:, used]
                part *= np.sqrt(diagonal[chosen][used])
                total = lower_outer_products(part, total)
        return np.asarray(total)

    def squared_lengths(self) -> Array:
        """The diagonal of ZᵀZ."""

        def squares(Z: DeviceArray) -> Array:
            return np.asarray(to_host(column_dots(Z, Z)))

        return np.asarray(self._sum(squares, [], None, light=True))

    def traces(self) -> Array:
        """The traces of the exact kernels and of their factors, of shape (2, m)."""
        factors = self.factors  # these travel where rows are elsewhere, Z does not

        def diagonals(block: Rows, rows: slice) -> Array:
            return np.asarray(factors.diagonals(block).sum(axis=0))

        exact = reduce_rows(
            self.source, diagonals, _added, factors.n_matrices, checked=True, light=True
        )
        return np.array([exact, self.squared_lengths() @ factors.membership])

    def triangle(self, theta: Array | None = None) -> Array:
        """The triangular factor of Z, whose product with itself is ZᵀZ, with all of its digits.

        Products would have half of them: kernels that nearly agree would differ by rounding. With
        positive weights of the rows the factor is that of ZᵀΘHZ, H being the weighted centring.
        """
        along = [] if theta is None else [np.sqrt(theta)[:, None]]

        def triangular(Z: DeviceArray, *parts: Array) -> Array:
            own = to_host(Z)
            table = own if theta is None else np.hstack([parts[0], parts[0] * own])
            return np.asarray(np.linalg.qr(table, mode="r"))

        table, function, size, _ = self._work(triangular, None, copies=True)
        found = reduce_rows(table, function, _stacked, size, along, checked=True)
        # The first row and column are the means.
        return np.asarray(found if theta is None else found[1:, 1:])

    def _sum(
        self, product: OfZ, along: Sequence[Array], rows: Indices | None, light: bool
    ) -> DeviceArray:
        table, function, size, rows = self._work(product, rows, copies=not light)
        return reduce_rows(table, function, _added, size, along, rows, checked=True, light=light)

    def _each(self, product: OfZ, rows: Indices | None) -> Array:
        table, function, size, rows = self._work(product, rows)
        return map_rows(table, function, size, rows=rows, checked=True)

    def _work(
        self, product: OfZ, rows: Indices | None, copies: bool = False
    ) -> tuple[Rows, OfZ, int, Indices | None]:
        """What Z is made of, and what is made of it: the numbers for each of the rows, and these.

        All rows of a Z that is kept here are looked at as they are, some of them are copied.
        """
        if rows is not None and len(rows) == self.n_rows:
            rows = None
        as_it_is = self.is_at_hand and rows is None and not copies
        size = 1 if as_it_is else 2 * self.n_columns
        if self._Z is None:
            return self.source, partial(_map_factor, product, self.factors), size, rows
        return self._Z, partial(_map_factor, product, None), size, rows


def used_columns(Z: DeviceArray, columns: Indices) -> DeviceArray:
    """Some columns, increasing; all of them are Z itself."""
    return Z if len(columns) == Z.shape[1] else take_columns(Z, columns)


@dataclass(frozen=True)
class FactorCorner:
    """Z with the first `rank` columns of each kernel."""

    rows: FactorRows
    rank: int

    def applied(self, weights: Array, a: Array) -> Array:
        """K(w)a."""
        factors = self.rows.factors
        diagonal = np.where(factors.place < self.rank, weights[factors.owner], 0.0)
        return self.rows.times(diagonal[:, None] * self.rows.transposed_times(a))


def _map_factor(
    product: OfZ, factors: Factors | None, block: Rows, rows: slice, *parts: Array
) -> DeviceArray:
    """A function of Z, as one of the rows that Z is made of."""
    return product(block if factors is None else factors(block), *parts)


def _added(first: DeviceArray, second: DeviceArray) -> DeviceArray:
    return first + second


def _stacked(first: Array, second: Array) -> Array:
    """The triangular factor of all rows, from those of two parts."""
    return np.asarray(np.linalg.qr(np.vstack([first, second]), mode="r"))


@dataclass(frozen=True, eq=False)
class DenseRows:
    """A factor through landmarks, of shape (n, r)."""

    Z: Array

    @property
    def n_columns(self) -> int:
        """Number of columns, R."""
        return int(self.Z.shape[1])

    def times(self, u: Array) -> Array:
        """Zu."""
        return np.asarray(self.Z @ u)

    def transposed_times(self, a: Array) -> Array:
        """Zᵀa."""
        return np.asarray(self.Z.T @ a)

    def squared_lengths(self) -> Array:
        """The diagonal of ZZᵀ."""
        return np.asarray(np.einsum("ij,ij->i", self.Z, self.Z))

    def size(self) -> float:
        """The trace of ZZᵀ."""
        return float(self.squared_lengths().sum())


class ExplicitRows:
    """Z = [Z₁ … Z_m], each as it is kept."""

    def __init__(
        self,
        parts: Sequence[SparseRows | DenseRows],  # the Zᵢ
        traces: Array,  # (2, m): the traces of the exact kernels and of ZᵢZᵢᵀ
        dense: Array,  # (n, R): all dense parts, which are views of it: one product serves them all
    ) -> None:
        self.parts, self.traces, self._dense = list(parts), traces, dense
        self.sizes = np.array([part.size() for part in parts])
        self._is_dense = np.array([isinstance(part, DenseRows) for part in parts])
        self._n_columns = [part.n_columns for part in parts]

    def applied(self, weights: Array, a: Array) -> Array:
        """K(w)a, for a of shape (n, l) and weights without sign."""
        of_dense = np.repeat(weights * self._is_dense, self._n_columns * self._is_dense)
        if of_dense.any():
            found = np.asarray(self._dense @ (of_dense[:, None] * (self._dense.T @ a)))
        else:
            found = np.zeros_like(a)
        for weight, part, is_dense in zip(weights, self.parts, self._is_dense, strict=True):
            if weight and not is_dense:
                found += weight * part.times(part.transposed_times(a))
        return found

    def transposed_times(self, a: Array) -> list[Array]:
        """Zᵢᵀa for each kernel."""
        return [part.transposed_times(a) for part in self.parts]

    def times(self, us: Sequence[Array]) -> list[Array]:
        """Zᵢuᵢ for each kernel."""
        return [part.times(u) for part, u in zip(self.parts, us, strict=True)]
