"""Solve one machine at one kernel: from the last solution, from libsvm, or by interior point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.quality.multipliers import best_multipliers
from kernlearn.runtime.memory import INTERIOR_LIMIT
from kernlearn.solvers.machine.active_set import MachineSolution, polish, state_of
from kernlearn.solvers.machine.entropy import solve_entropy
from kernlearn.solvers.machine.interior import interior_points, smallest_hull_distance
from kernlearn.typing import Array


@dataclass(frozen=True)
class MachineOptions:
    """Accuracy of a machine's solution, and the order in which the methods are tried."""

    warm_iterations: int = 6
    cold_iterations: int = 15
    touching: tuple[float, ...] = (1e-7, 1e-4)  # of the largest coefficient: is at a breakpoint
    exact: float = 1e-9  # relative gap of a solution that needs no other method
    # Gap at which a step from the last solution is accepted, if this is enough: near a flat
    # optimum, a larger gap would be noise in the search for the weights.
    settled: float = 1e-7
    # Tolerance of libsvm: that of a guess if its solution is polished anyway; otherwise this share
    # of the sufficient gap, since libsvm's gap is about twice its tolerance.
    guess: float = 1e-3
    share: float = 0.3
    finest: float = 1e-6
    large: int = 800  # points from which on an exchange costs more than a fit by libsvm


OPTIONS = MachineOptions()


def solve_machine(
    K: Array, machine: Machine, warm: MachineSolution | None = None, tol: float = OPTIONS.exact
) -> MachineSolution | None:
    """Solution of ``machine`` at a positive semidefinite ``K``, or None if there is none.

    `warm` is a solution at a neighbouring kernel, `tol` the relative gap that will do. Small
    problems are solved exactly all the same, because that costs no more. Inputs are checked.
    """
    if machine.temperature:
        return solve_entropy(K, machine, warm)
    large, enough = machine.n_points > OPTIONS.large, max(tol, OPTIONS.exact)
    if warm is not None:
        solution = polish(K, machine, warm.coef, warm.state, max_iter=OPTIONS.warm_iterations)
        if _within([solution], enough if large else min(enough, OPTIONS.settled)):
            return solution
    candidates: list[MachineSolution | None] = []
    precision = (
        float(np.clip(OPTIONS.share * enough, OPTIONS.finest, OPTIONS.guess))
        if large
        else OPTIONS.guess
    )
    cold = machine.cold_start
    start = np.zeros(machine.n_points) if cold is None else cold(machine, K, precision)
    if large:
        candidates.append(_rough(K, machine, start, None))
    if not _within(candidates, enough):
        candidates.append(polish(K, machine, start, max_iter=OPTIONS.cold_iterations))
    if not _within(candidates, enough) and machine.n_points <= INTERIOR_LIMIT:
        candidates.extend(_by_interior_point(K, machine, candidates[-1]))
    finite = [c for c in candidates if c is not None and np.isfinite(c.upper)]
    return min(finite, key=lambda c: c.gap, default=None)


def solution_near(K: Array, machine: Machine, coef: Array) -> MachineSolution | None:
    """The coefficients of a neighbouring kernel, to start from at K; None if they are infeasible.

    A likelihood has no breakpoints, and starts anew.
    """
    return None if machine.temperature else _rough(K, machine, coef, None)


def _within(candidates: Sequence[MachineSolution | None], tol: float) -> bool:
    return any(c is not None and c.relative_gap <= tol for c in candidates)


def _by_interior_point(
    K: Array, machine: Machine, settled: MachineSolution | None
) -> list[MachineSolution]:
    """Solutions by one way after the other, until one is exact or an active set comes back.

    `settled` is what an active-set step from elsewhere has found. If this way leads to the same
    set, what is left of the gap is rounding, and no further way will do better.
    """
    candidates: list[MachineSolution] = []
    solve = smallest_hull_distance if machine.homogeneous else interior_points
    for a, multipliers in solve(K, machine):
        found = _exact_or_rough(K, machine, a, multipliers)
        candidates += found
        polished = [c.state for c in found if c.factor is not None]
        known = settled is not None and any(np.array_equal(s, settled.state) for s in polished)
        if known or _within(found, OPTIONS.exact):
            break
    return candidates


def _exact_or_rough(
    K: Array, machine: Machine, a: Array, multipliers: Multipliers
) -> list[MachineSolution]:
    rough = _rough(K, machine, a, multipliers)
    candidates = [] if rough is None else [rough]
    for closeness in OPTIONS.touching:
        # A tolerance decides which coefficients lie at a breakpoint.
        polished = polish(
            K, machine, _snapped(machine, a, closeness), max_iter=OPTIONS.cold_iterations
        )
        if polished is not None:
            candidates.append(polished)
            break
    return candidates


def _rough(
    K: Array, machine: Machine, a: Array, multipliers: Multipliers | None
) -> MachineSolution | None:
    """Pack a solution that could not be made exact; its gap bounds its error."""
    feasible = machine.feasible(a)
    if feasible is None:
        return None
    a = feasible
    state = state_of(machine, a)
    S = np.flatnonzero(state % 2 == 1)
    Ka = K @ a
    if multipliers is None or not machine.homogeneous:
        best = best_multipliers(machine, Ka)
        upper = machine.upper_value(a, Ka, best)
        if multipliers is None or upper < machine.upper_value(a, Ka, multipliers):
            multipliers = best
    return MachineSolution.of(machine, a, Ka, multipliers, state, None, S, machine.rows[:, S])


def _snapped(machine: Machine, a: Array, closeness: float) -> Array:
    """The coefficients, with those that all but touch a breakpoint put on it."""
    points = machine.breakpoints
    nearest = points[np.arange(len(a)), np.abs(points - a[:, None]).argmin(axis=1)]
    return np.where(np.abs(nearest - a) <= closeness * np.abs(a).max(initial=0.0), nearest, a)
