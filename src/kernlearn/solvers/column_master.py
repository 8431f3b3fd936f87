"""The matrices of the kernels that may have weight, and who of them stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernlearn._memory import available, combination_bytes, matrices, require
from kernlearn._words import counted
from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.stack import GramStack

Array = NDArray[np.float64]
Positions = NDArray[np.intp]

SMALLEST, LARGEST = 64, 400  # kernels that there is room for, at most and at least
SHARE_OF_MEMORY = 0.5
PATIENCE = 2  # a kernel without weight in so many solutions leaves when others join


class Master:
    """A stack of a few matrices out of a pool.

    Parameters
    ----------
    pool : KernelPool
        All kernels.
    n_machines : int
        How many share the kernel.
    """

    def __init__(self, pool: KernelPool, n_machines: int) -> None:
        self.pool = pool
        self.active: Positions = np.zeros(0, dtype=np.intp)
        self.idle: Positions = np.zeros(0, dtype=np.intp)  # for how many solutions by now
        n, fewest = pool.n_points, min(SMALLEST, pool.n_matrices)
        require(
            combination_bytes(fewest, n, n_machines),
            f"weights of {counted(fewest, 'kernel')} at a time on {counted(n, 'point')}",
            "use fewer points, or pass a rank= to the estimator",
        )
        there = available()
        room = LARGEST if there is None else int(SHARE_OF_MEMORY * there / matrices(1, n))
        self.room = min(max(fewest, min(room, LARGEST)), pool.n_matrices)
        # Memory is taken when a matrix is written to its place, not before.
        self._stack = np.empty((self.room, n, n))

    @property
    def family(self) -> GramStack:
        """The matrices, in the order of `active`."""
        return GramStack(self._stack[: len(self.active)], self.pool.n_labelled)

    def note(self, weights: Array) -> None:
        """Take down who has weight in a solution."""
        self.idle = np.where(weights > 0, 0, self.idle + 1)

    def join(self, kernels: Positions) -> int:
        """Let kernels in, as many as there is room for; who has been idle for long leaves.

        Returns how many came in.
        """
        needed = len(self.active) + len(kernels) - self.room
        leaving = self.idle >= PATIENCE
        if needed > np.count_nonzero(leaving):  # the idle ones first, then no more join
            leaving |= self.idle > 0
        if len(kernels):
            self._keep(np.flatnonzero(~leaving))
        joining = kernels[: self.room - len(self.active)]
        for i in joining:
            self._stack[len(self.active)] = self.pool.gram(int(i))
            self.active = np.append(self.active, i)
            self.idle = np.append(self.idle, 0)
        return len(joining)

    def _keep(self, places: Positions) -> None:
        """Close the gaps that others leave."""
        for place, kept in enumerate(places):
            if place != kept:
                self._stack[place] = self._stack[kept]
        self.active, self.idle = self.active[places], self.idle[places]
