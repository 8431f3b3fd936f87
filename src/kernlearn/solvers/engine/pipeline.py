"""Solve, certify, hold out, return: the same for every backend, which has stated the problem."""

from __future__ import annotations

from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.backend import Backend, Found, Learned


def learn(backend: Backend[Found], control: Control) -> Learned[Found]:
    """Learn weights and machines, with their certificate and what held-out rows tell of them."""
    statement = backend.statement
    solved = backend.solve(control)
    C, solution = solved.C, backend.certify(solved, control)
    ranks = backend.loss_by_rank(C, solution)
    held_out = bound = None
    if solution.status is Status.NO_SOLUTION:
        return Learned(C, solved.share, solution, solved.loss_by_C, None, ranks, None)
    if statement.hold_out is not None:
        held_out = backend.hold_out(C, solution, control)
    if statement.exact_bound:
        bound = backend.exact_bound(C, solution)
    return Learned(C, solved.share, solution, solved.loss_by_C, held_out, ranks, bound)
