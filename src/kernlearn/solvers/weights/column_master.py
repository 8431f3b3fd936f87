"""The kernels that may have weight: who of them stays, and the problem of them alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.matrices import GramStack, PlacedStack
from kernlearn.quality.machine import Machine
from kernlearn.runtime.memory import available, combination_bytes, matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.penalized import on_some
from kernlearn.solvers.core.problem import Control, Proof, WeightSet
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.search import learn_with_proof
from kernlearn.typing import Array, DeviceArray, Indices


@dataclass(frozen=True)
class MasterOptions:
    """Sizes of a master problem, and the time that kernels stay in it without weight."""

    smallest: int = 64  # kernels that there is room for at least
    largest: int = 400  # and at most
    memory: float = 0.5  # share of it that their matrices may take
    patience: int = 2  # solutions without weight after which a kernel leaves when others join
    loose: float = 1e-2  # relative gap of the machine that has no kernel


ROOM = MasterOptions()


class Master(ABC):
    """A few kernels out of many, at most `room` at a time."""

    def __init__(self, room: int, options: MasterOptions = ROOM) -> None:
        self.room, self.options = room, options
        self.active: Indices = np.zeros(0, dtype=np.intp)
        self.idle: Indices = np.zeros(0, dtype=np.intp)  # for how many solutions by now

    @abstractmethod
    def first(self, size: float) -> Proof:
        """Feasible coefficients of machines of the identity, at the mean diagonal entry."""

    @abstractmethod
    def solve(self, weight_set: WeightSet, control: Control) -> tuple[Solution, Proof]:
        """The best weights of the active kernels, and what proves their bound."""

    @abstractmethod
    def _add(self, i: int) -> None:
        """Make room for what is needed of the i-th kernel, behind the active ones."""

    @abstractmethod
    def _keep(self, places: Indices) -> None:
        """Forget the active kernels at other places."""

    def note(self, weights: Array) -> None:
        """Take down who has weight in a solution."""
        self.idle = np.where(weights > 0, 0, self.idle + 1)

    def join(self, kernels: Indices) -> int:
        """Let kernels in, as many as there is room for; who has been idle for long leaves.

        Returns how many came in.
        """
        needed = len(self.active) + len(kernels) - self.room
        leaving = self.idle >= self.options.patience
        if needed > np.count_nonzero(leaving):  # the idle ones first, then no more join
            leaving |= self.idle > 0
        if len(kernels):
            staying = np.flatnonzero(~leaving)
            self._keep(staying)
            self.active, self.idle = self.active[staying], self.idle[staying]
        joining = kernels[: self.room - len(self.active)]
        for i in joining:
            self._add(int(i))
            self.active = np.append(self.active, i)
            self.idle = np.append(self.idle, 0)
        return len(joining)


class GramMaster(Master):
    """The matrices of the active kernels, and the exact solver."""

    def __init__(
        self,
        pool: KernelPool,
        machines: Sequence[Machine],
        options: MasterOptions = ROOM,
        penalty: Penalty | None = None,  # of the weights of all kernels
    ) -> None:
        n, fewest = pool.n_points, min(options.smallest, pool.max_active)
        require(
            combination_bytes(fewest, n, len(machines)),
            f"weights of {counted(fewest, 'kernel')} at a time on {counted(n, 'point')}",
            "use fewer points, or pass a rank= to the estimator",
        )
        free = None if pool.place is None else pool.place.free_bytes()
        there = available() if free is None else free
        room = options.largest
        if there is not None:
            room = min(room, int(options.memory * there / matrices(1, n)))
        super().__init__(min(max(fewest, room), pool.max_active), options)
        self.pool, self.machines, self.penalty = pool, machines, penalty
        # Memory is taken when a matrix is written to its place, not before.
        self._stack = None if pool.place is not None else np.empty((self.room, n, n))
        self._elsewhere: list[DeviceArray] = []  # the same on a device

    def first(self, size: float) -> Proof:
        """Coefficients from an identity matrix, a kernel by which no two points are alike."""
        identity = GramStack(np.eye(self.machines[0].n_points)[None])
        alone = WeightSet(np.ones(1), size, False)
        return proof_of(
            *learn_with_proof(identity, self.machines, alone, Control(self.options.loose))
        )

    def solve(self, weight_set: WeightSet, control: Control) -> tuple[Solution, Proof]:
        """The best weights of the active kernels, and what proves their bound."""
        family = (
            PlacedStack(self._elsewhere, self.pool.n_labelled)
            if self._stack is None
            else GramStack(self._stack[: len(self.active)], self.pool.n_labelled)
        )
        penalty = on_some(self.penalty, self.active, self.pool.n_matrices)
        found, proof = learn_with_proof(family, self.machines, weight_set, control, penalty)
        return found, proof_of(found, proof)

    @property
    def matrices(self) -> Array:
        """The matrices of the active kernels, on the host."""
        assert self._stack is not None
        return self._stack[: len(self.active)]

    def _add(self, i: int) -> None:
        if self._stack is None:
            self._elsewhere.append(self.pool.gram_elsewhere(i))
        else:
            self._stack[len(self.active)] = self.pool.gram(i)

    def _keep(self, places: Indices) -> None:
        if self._stack is None:
            self._elsewhere = [self._elsewhere[kept] for kept in places]
            return
        for place, kept in enumerate(places):
            if place != kept:
                self._stack[place] = self._stack[kept]


def proof_of(solution: Solution, proof: Proof | None) -> Proof:
    """The proof of the bound, or the solution's own coefficients where no bound was found."""
    if proof is not None:
        return proof
    coefs = np.atleast_2d(np.asarray(solution.dual_coef, dtype=float))
    return Proof(np.ones(1), coefs[None], 0.0)
