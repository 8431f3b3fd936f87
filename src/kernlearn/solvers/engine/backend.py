"""The pipeline of every fit, solve, certify, hold out and return, and what a backend offers it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.refits import HeldOutValues
from kernlearn.solvers.engine.statement import Statement
from kernlearn.typing import Array, Indices

Found = TypeVar("Found", bound=Solution)


class LossByRank(NamedTuple):
    """Held-out loss of least squares at this and smaller ranks, in increasing order."""

    ranks: Indices
    losses: Array


@dataclass(frozen=True, eq=False)
class Solved(Generic[Found]):
    """A solution, and what held-out rows have chosen for it."""

    C: float  # the C given, or the one that was chosen
    share: float  # the share of the total that all sources have equally
    solution: Found  # weights and machines
    loss_by_C: Array  # (n_tried, 2): every C tried, and its loss on rows held out
    # (n_tried, 2): every strength of a penalty, and its loss; and the one that was chosen
    loss_by_strength: Array = field(default_factory=lambda: np.empty((0, 2)), kw_only=True)
    strength: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class EngineFit(Solved[Found]):
    """Weights, machines and held-out values of one fit."""

    held_out: HeldOutValues | None  # decision values of rows by machines trained without them
    loss_by_rank: LossByRank | None  # of approximate backends
    exact_bound: float | None  # no weights of the exact kernels have a smaller objective


class Backend(Protocol[Found]):
    """Kernels on rows, kept in one way: as Gram matrices, factors or sparse features.

    Its constructor states the problem: it chooses landmarks, looks at the rows, and refuses
    kernels that no machine can be trained on.
    """

    statement: Statement

    def solve(self, control: Control) -> Solved[Found]:
        """Choose what the statement leaves open by held-out rows, and learn the weights."""

    def certify(self, solved: Solved[Found], control: Control) -> Found:
        """The solution, its value recomputed at the returned weights, and a bound that holds."""

    def hold_out(self, C: float, solution: Found, control: Control) -> HeldOutValues:
        """Values of rows held out of machines at the learned kernel."""

    def loss_by_rank(self, C: float, solution: Found) -> LossByRank | None:
        """Whether more rank would help; None where nothing is approximated."""

    def exact_bound(self, C: float, solution: Found) -> float:
        """A bound on the objective of the exact kernels."""


def learn(backend: Backend[Found], control: Control) -> EngineFit[Found]:
    """Learn weights and machines, with their certificate and their held-out values."""
    statement = backend.statement
    solved = backend.solve(control)
    C, solution = solved.C, backend.certify(solved, control)
    ranks = backend.loss_by_rank(C, solution)
    held_out = bound = None
    exists = solution.status is not Status.NO_SOLUTION
    if exists and statement.hold_out is not None:
        held_out = backend.hold_out(C, solution, control)
    if exists and statement.exact_bound:
        bound = backend.exact_bound(C, solution)
    return EngineFit(
        C,
        solved.share,
        solution,
        solved.loss_by_C,
        held_out,
        ranks,
        bound,
        loss_by_strength=solved.loss_by_strength,
        strength=solved.strength,
    )
