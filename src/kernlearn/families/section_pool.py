r"""Sections of a hyperkernel on any number of rows, each approximated through the same landmarks.

A section is a kernel, so :class:`~kernlearn.families.kernel_pool.LandmarkPool` could look at one
after the other. But what a hyperkernel needs of a pair of rows is the same for all sections: here
it is computed once for a block of rows, and gives the images :math:`K_p(S, X) f` of all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from kernlearn.families.kernel_pool import KernelPool, LandmarkPool, corner_of
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import quiet
from kernlearn.kernels._validation import take_rows
from kernlearn.runtime.threads import map_in_threads, n_threads
from kernlearn.typing import Array, Indices, Rows


class SectionPool(LandmarkPool):
    """The sections of a hyperkernel at pivots, on the rows of a table: the family F."""

    def __init__(
        self,
        hyperkernel: Hyperkernel,
        pivots: Array,
        points: Rows,
        landmarks: Indices,
        block_numbers: int = 4_000_000,  # values that are held at a time by each thread
    ) -> None:
        self.block_numbers = block_numbers
        self.hyperkernel = hyperkernel
        self.pivots = pivots
        self._fixed = hyperkernel._table(pivots[:, 0], pivots[:, 1])
        sections = [hyperkernel.section(pair) for pair in pivots]
        super().__init__(KernelPool(sections, points, len(points), "trust"), landmarks)

    @cached_property
    def traces(self) -> Array:
        """The traces of the sections over all rows."""

        def of_block(rows: slice) -> Array:
            some = self.pool.points[rows]
            table = self.hyperkernel._table(some, some)
            return np.asarray(self.hyperkernel._evaluate(self._fixed, table).sum(axis=1))

        return self._sum(of_block, self.pool.points, 1, lambda: None)

    def map(self, i: int) -> NystroemMap:
        """The map from rows to the factor of the i-th section."""
        return self._maps[i]

    def forms(self, F: Array, tick: Callable[[], None]) -> Array:
        """The sums Σ fᵀK̂ₚf over the rows f of F (q, n), for every section."""
        rows = np.flatnonzero((F != 0).any(axis=0))
        if len(rows) == 0:
            return np.zeros(self.n_matrices)
        vectors, some = F[:, rows], take_rows(self.pool.points, rows)
        m, r = self.n_matrices, len(self.landmarks)

        def of_block(part: slice) -> Array:
            table = self.hyperkernel._grid_table(self.marks, some[part])
            values = self.hyperkernel._evaluate(self._fixed, table).reshape(m * r, -1)
            return np.asarray(values @ vectors[:, part].T)

        images = self._sum(of_block, some, r, tick).reshape(m, r, -1)
        forms = np.empty(m)
        for i, each in enumerate(self._maps):
            places = np.searchsorted(self.landmarks, each.rows)
            forms[i] = float(((each.inverse @ images[i, places]) ** 2).sum())
        return forms

    def exact_forms(self, F: Array, tick: Callable[[], None]) -> Array:
        """The sums Σ fᵀKₚf of the sections themselves, on all pairs of rows with a coefficient."""
        rows = np.flatnonzero((F != 0).any(axis=0))
        if len(rows) == 0:
            return np.zeros(self.n_matrices)
        vectors, some = F[:, rows], take_rows(self.pool.points, rows)

        def of_block(part: slice) -> Array:
            # Every pair of rows once: those after the block count twice.
            later = slice(part.start, len(rows))
            products = vectors[:, part].T @ vectors[:, later]
            products[:, part.stop - part.start :] *= 2.0
            table = self.hyperkernel._grid_table(some[part], some[later])
            return np.asarray(self.hyperkernel._evaluate(self._fixed, table) @ products.ravel())

        return self._sum(of_block, some, len(rows), tick)

    def _sum(
        self, of_block: Callable[[slice], Array], points: Rows, width: int, tick: Callable[[], None]
    ) -> Array:
        """The sum over blocks of rows, with `width` values for a row and a section."""
        n, step = len(points), max(1, self.block_numbers // (self.n_matrices * width))
        blocks = [slice(start, min(start + step, n)) for start in range(0, n, step)]
        with quiet():
            parts = map_in_threads(of_block, blocks, n_threads(), tick)
            total = sum(parts, start=np.zeros(()))
        self.hyperkernel._check_values(total)
        return total

    @cached_property
    def _maps(self) -> list[NystroemMap]:
        corners = self.hyperkernel.sections(self.marks, self.pivots)
        maps = []
        for i, corner in enumerate(corners):
            kept, factor = corner_of(corner)
            points = take_rows(self.marks, kept)
            maps.append(NystroemMap(self.pool.kernel(i), points, self.landmarks[kept], factor))
        return maps
