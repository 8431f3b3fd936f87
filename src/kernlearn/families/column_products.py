r"""Forms of all kernels on single columns, pairs and larger subsets, where a kernel is a product.

A Gaussian on the columns S is the product of Gaussians on the columns of S, so with
:math:`E_r = \kappa(x_r, x_r')` of one column each,

.. math::

    \langle K_S, A\rangle = \sum_{jl} A_{jl} \prod_{r \in S} (E_r)_{jl}.

The matrices E of d columns serve all subsets. Over all pairs of columns this is a matrix product,
:math:`(E \circ A) E^\top` of matrices with d rows and a column for every entry (j, l): two
multiplications for every entry and kernel at the speed of the linear algebra, and no kernel matrix
at all. If the entries of a block of A have one sign, it is a product :math:`F F^\top` of which only
a half is computed, :math:`F = E \circ \sqrt{|A|}`. Blocks stay in the processor's cache.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from kernlearn._device import beside, is_elsewhere, namespace, take, take_columns, to_host
from kernlearn.kernels import Kernel
from kernlearn.runtime.threads import map_in_threads
from kernlearn.typing import Array, DeviceArray, Indices, Matrix


@dataclass(frozen=True)
class BlockOptions:
    """Sizes of blocks and groups, for kernels on many subsets of columns."""

    numbers: int = 2**19  # numbers of E at a time, so that they stay in the processor's cache
    smallest: int = 16  # fewest rows of a block
    largest: int = 256  # most rows of a block
    numbers_elsewhere: int = 2**27  # numbers of E at a time on a device: a gigabyte
    largest_elsewhere: int = 4096  # most rows of a block on a device
    subsets: int = 64  # subsets of more than one column at a time
    kernels: int = 256  # kernels whose small matrices between landmarks are eliminated together
    # From this share of all pairs of columns on, they are cheaper all together
    many_pairs: float = 1.0 / 16.0


DEFAULT_BLOCKS = BlockOptions()


class ColumnProducts:
    """One kernel that is a product over columns, on many subsets of the columns of a table."""

    def __init__(
        self,
        kernel: Kernel,  # one with `is_product`
        columns: Matrix,  # (d, n): those of the table; where they are, the work is done
        # Numbers (s,) of subsets of one size, and their columns (s, size)
        groups: Sequence[tuple[Indices, Indices]],
        options: BlockOptions,  # how much is computed at a time
    ) -> None:
        self.kernel, self.columns, self.options = kernel, columns, options
        self.n_subsets = sum(len(numbers) for numbers, _ in groups)
        # From this number of pairs of columns on, all pairs at once cost less.
        many = options.many_pairs * columns.shape[0] ** 2
        self.groups = [(n, c, c.shape[1] == 2 and len(c) >= many) for n, c in groups]

    def traces(self) -> Array:
        """The trace of every kernel, in the order of the subsets."""
        E = self.kernel._by_column(self.columns, self.columns)
        return self._gathered([self._sums(E, beside(np.ones(E.shape[1]), E))])

    def products(self, A: Array, rows: Indices, workers: int, tick: Callable[[], None]) -> Array:
        """⟨K, A⟩ of every kernel on some of the rows, for a symmetric matrix A over these rows.

        `tick` is called now and then, and may raise to end the work.
        """
        # In the order of the first row's signs, blocks of an A of rank one have a sign each.
        signs = A[0] > 0
        order, edge = np.argsort(signs, kind="stable"), int(np.count_nonzero(~signs))
        X = take_columns(self.columns, rows[order])
        A = beside(np.ascontiguousarray(A[np.ix_(order, order)]), X)
        blocks = [*self._blocks(0, edge), *self._blocks(edge, len(order))]
        # The longest first: threads end together.
        tasks = [blocks[: i + 1] for i in reversed(range(len(blocks)))]

        def row_of_blocks(task: Sequence[slice]) -> list[Array]:
            I, sums = task[-1], self._zeros()
            for J in task:
                with np.errstate(over="ignore", under="ignore"):
                    E = self.kernel._by_column(X[:, I, None], X[:, None, J])
                E, weight = _flat(E, E.shape[0]), _flat(A[I, J], 1)[0, :]
                weight = weight * (1.0 if J == I else 2.0)
                for total, part in zip(sums, self._sums(E, weight), strict=True):
                    total += part
            return sums

        workers = 1 if is_elsewhere(X) else workers
        return self._gathered(map_in_threads(row_of_blocks, tasks, workers, tick))

    def images(self, vectors: Array, rows: Indices, mark: int) -> Array:
        """Σ k(x, s) f(x) over some rows x, for every kernel (n_subsets) and f (q), at one row s."""
        found = np.empty((self.n_subsets, len(vectors)))
        size = max(self.options.smallest, self.options.numbers // self.columns.shape[0])
        for place, f in enumerate(vectors):
            parts = []
            # Blocks of one sign each cost half.
            for signed in (np.flatnonzero(f > 0), np.flatnonzero(f < 0)):
                for start in range(0, len(signed), size):
                    some = signed[start : start + size]
                    with np.errstate(over="ignore", under="ignore"):
                        x, s = self.columns[:, rows[some]], self.columns[:, mark, None]
                        parts.append(self._sums(self.kernel._by_column(x, s), f[some]))
            found[:, place] = self._gathered(parts)
        return found

    def corners(self, marks: Indices) -> Callable[[slice], Array]:
        """K(S, S) over a few rows, of shape (b, r, r), for slices of the subsets in their order."""
        x = self.columns[:, marks]
        with np.errstate(over="ignore", under="ignore"):
            E = self.kernel._by_column(x[:, :, None], x[:, None, :])

        def some(chosen: slice) -> Array:
            return np.array([np.prod(E[subset], axis=0) for subset in self._subsets[chosen]])

        return some

    def gram(self, number: int) -> Array:
        """The matrix of one kernel on all rows, where the columns are."""
        parts = []
        for column in self._subsets[number]:
            x = self.columns[int(column), :]
            with np.errstate(over="ignore", under="ignore"):
                parts.append(self.kernel._by_column(x[:, None], x[None, :]))
        return reduce(operator.mul, parts)

    @cached_property
    def _subsets(self) -> list[Indices]:
        """The columns of every subset, in their order."""
        ordered = [np.empty(0, dtype=np.intp)] * self.n_subsets
        for numbers, columns, _ in self.groups:
            for number, chosen in zip(numbers, columns, strict=True):
                ordered[number] = chosen
        return ordered

    def _zeros(self) -> list[Array]:
        d = self.columns.shape[0]
        shapes = [(d, d) if whole else (len(n),) for n, _, whole in self.groups]
        return [beside(np.zeros(shape), self.columns) for shape in shapes]

    def _blocks(self, start: int, stop: int) -> list[slice]:
        """Rows in blocks, of which any two make about as many numbers as are worked on at once."""
        options, away = self.options, is_elsewhere(self.columns)
        numbers = options.numbers_elsewhere if away else options.numbers
        most = options.largest_elsewhere if away else options.largest
        size = int(np.clip(np.sqrt(numbers / self.columns.shape[0]), options.smallest, most))
        return [slice(i, min(i + size, stop)) for i in range(start, stop, size)]

    def _sums(self, E: Matrix, weight: Array) -> list[Array]:
        """Weighted sums over the entries of a block, for every group of subsets."""
        return [
            _all_pairs(E, weight)
            if whole
            else _one_by_one(E, weight, columns, self.options.subsets)
            for _, columns, whole in self.groups
        ]

    def _gathered(self, parts: Iterable[list[Array]]) -> Array:
        sums = self._zeros()
        for part in parts:
            for total, found in zip(sums, part, strict=True):
                total += found
        values = np.empty(self.n_subsets)
        for (numbers, columns, whole), there in zip(self.groups, sums, strict=True):
            total = to_host(there)
            values[numbers] = total[columns[:, 0], columns[:, 1]] if whole else total
        return values


def _flat(values: Array, n_rows: int) -> DeviceArray:
    """The numbers as a matrix of `n_rows` rows."""
    return namespace(values).reshape(values, (n_rows, -1))


def _all_pairs(E: Matrix, weight: Array) -> Array:
    """Σ weight E_r E_s for all pairs of rows."""
    if is_elsewhere(E) or weight.min() < 0 < weight.max():
        return (E * weight) @ E.T
    F = E * np.sqrt(np.abs(weight))
    product = F @ F.T  # known to be symmetric, and computed by half
    return product if weight.max() > 0 else -product


def _one_by_one(E: Matrix, weight: Array, columns: Indices, step: int) -> DeviceArray:
    """Σ weight Π E_r for subsets given by their rows of E."""
    if columns.shape[1] == 1:
        return take(E @ weight, columns[:, 0])
    parts = []
    for start in range(0, len(columns), step):
        some = columns[start : start + step].T
        product = take(E, some[0])
        for row in some[1:]:
            product *= take(E, row)
        parts.append(product @ weight)
    return namespace(E).concat(parts) if is_elsewhere(E) else np.concatenate(parts)
