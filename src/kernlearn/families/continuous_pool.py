"""Kernels of a range, of which those are made that pay most: a pool that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernlearn.families.kernel_pool import KernelPool
from kernlearn.gram.psd import Repair
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import take_rows
from kernlearn.kernels.ranges import RangeKernels, RangePrices
from kernlearn.typing import Array, Indices, Rows

LARGEST_MASTER = 64  # kernels with weight, and those that were last looked at


class ContinuousPool(KernelPool):
    """The kernels of a range on the rows of a table; all have a unit diagonal."""

    def __init__(
        self,
        kernels: RangeKernels,
        points: Rows,
        n_labelled: int,
        psd: Repair,
        workers: int = 1,
        prepared: Callable[[Kernel], Kernel] | None = None,
    ) -> None:
        super().__init__(kernels, points, n_labelled, psd, workers, prepared)
        self.range = kernels

    @property
    def n_matrices(self) -> int:
        """The number of kernels that were looked at so far."""
        return len(self.range)

    @n_matrices.setter
    def n_matrices(self, number: int) -> None:
        """Ignore the number, which is that of the range."""

    @property
    def max_active(self) -> int:
        """Largest number of kernels of a master problem."""
        return LARGEST_MASTER

    @property
    def traces(self) -> Array:
        """The number of rows, for every kernel."""
        return np.full(self.n_matrices, float(self.n_points))

    def on_rows(self, rows: Indices) -> ContinuousPool:
        """The same range on some of the labelled rows."""
        some = take_rows(self.points, rows)
        return ContinuousPool(self.range, some, len(rows), self.psd, self.workers, self._prepared)

    def priced(self, F: Array, accuracy: float, tick: Callable[[], None]) -> RangePrices:
        """The kernels of the largest Σ fᵀKf over the rows f of F, and what none exceeds."""
        rows = np.flatnonzero((F != 0).any(axis=0))
        if len(rows) == 0:
            return RangePrices([], np.zeros(0), 0.0)
        A, some = F[:, rows].T @ F[:, rows], take_rows(self.points, rows)
        return self.range.priced(some, A, accuracy, tick)

    def join(self, kernels: Sequence[Kernel]) -> Indices:
        """Add kernels to those that were looked at; their numbers are returned."""
        first = len(self.range)
        self.range.kernels.extend(kernels)
        return np.arange(first, len(self.range))
