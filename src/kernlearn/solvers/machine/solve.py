"""Solve one machine at one kernel: from the last solution, from libsvm, or by interior point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.runtime.memory import INTERIOR_LIMIT
from kernlearn.solvers.machine.active_set import MachineSolution, polish, state_of
from kernlearn.solvers.machine.interior import interior_points, smallest_hull_distance
from kernlearn.typing import Array

WARM_ITERATIONS = 6
COLD_ITERATIONS = 15
TOUCHING = (1e-7, 1e-4)
EXACT = 1e-9
# A step from the last solution that ends so near is taken, if so much is enough: near a flat
# optimum less would be noise in the search for the weights.
SETTLED = 1e-7
# What to ask of libsvm: a guess if it is made exact anyway, and if it is to stand so much of the
# gap that will do, since its gap is about twice what it is asked for.
GUESS, SHARE, FINEST = 1e-3, 0.3, 1e-6
# Above this size factorising the free points for each exchange costs more than a fit by libsvm.
LARGE = 800


def solve_machine(
    K: Array, machine: Machine, warm: MachineSolution | None = None, tol: float = EXACT
) -> MachineSolution | None:
    """Solution of ``machine`` at ``K``, or None if it has none (inputs are checked).

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite.
    machine : Machine
        The machine.
    warm : MachineSolution, optional
        A solution at a neighbouring kernel.
    tol : float
        Relative gap that will do. Small problems are solved exactly all the same, because that
        costs no more.
    """
    large, enough = machine.n_points > LARGE, max(tol, EXACT)
    if warm is not None:
        solution = polish(K, machine, warm.coef, warm.state, max_iter=WARM_ITERATIONS)
        if _within([solution], enough if large else min(enough, SETTLED)):
            return solution
    candidates: list[MachineSolution | None] = []
    ask = float(np.clip(SHARE * enough, FINEST, GUESS)) if large else GUESS
    start = _cold_start(K, machine, ask)
    if large:
        candidates.append(_rough(K, machine, start, None))
    if not _within(candidates, enough):
        candidates.append(polish(K, machine, start, max_iter=COLD_ITERATIONS))
    if not _within(candidates, enough) and machine.n_points <= INTERIOR_LIMIT:
        candidates.extend(_by_interior_point(K, machine, candidates[-1]))
    finite = [c for c in candidates if c is not None and np.isfinite(c.upper)]
    return min(finite, key=lambda c: c.gap, default=None)


def _within(candidates: Sequence[MachineSolution | None], tol: float) -> bool:
    return any(c is not None and c.relative_gap <= tol for c in candidates)


def _cold_start(K: Array, machine: Machine, tol: float) -> Array:
    if machine.cold_start is None:
        return np.zeros(machine.n_points)
    return machine.cold_start(machine, K, tol)


def _by_interior_point(
    K: Array, machine: Machine, settled: MachineSolution | None
) -> list[MachineSolution]:
    """Solutions by one way after the other, until one is exact or an active set comes back.

    Parameters
    ----------
    K, machine
        As in :func:`solve_machine`.
    settled : MachineSolution or None
        What an active-set step from elsewhere has found. If this way leads to the same set, what
        is left of the gap is rounding, and no further way will do better.
    """
    candidates: list[MachineSolution] = []
    solve = smallest_hull_distance if machine.homogeneous else interior_points
    for a, multipliers in solve(K, machine):
        found = _exact_or_rough(K, machine, a, multipliers)
        candidates += found
        if _within(found, EXACT) or (settled is not None and _same_set(found, settled)):
            break
    return candidates


def _same_set(found: Sequence[MachineSolution], settled: MachineSolution) -> bool:
    return any(c.factor is not None and np.array_equal(c.state, settled.state) for c in found)


def _exact_or_rough(
    K: Array, machine: Machine, a: Array, multipliers: Multipliers
) -> list[MachineSolution]:
    rough = _rough(K, machine, a, multipliers)
    candidates = [] if rough is None else [rough]
    for closeness in TOUCHING:
        # Which coefficients are meant to touch a breakpoint is a matter of degree.
        polished = polish(K, machine, _snapped(machine, a, closeness), max_iter=COLD_ITERATIONS)
        if polished is not None:
            candidates.append(polished)
            break
    return candidates


def _rough(
    K: Array, machine: Machine, a: Array, multipliers: Multipliers | None
) -> MachineSolution | None:
    """Pack a solution that could not be made exact; its gap says how good it is."""
    feasible = machine.feasible(a)
    if feasible is None:
        return None
    a = feasible
    state = state_of(machine, a)
    S = np.flatnonzero(state % 2 == 1)
    Ka = K @ a
    rows = machine.rows[:, S]
    if multipliers is None or not machine.homogeneous:
        best = machine.best_multipliers(Ka)
        upper = machine.upper_value(a, Ka, best)
        if multipliers is None or upper < machine.upper_value(a, Ka, multipliers):
            multipliers = best
    return MachineSolution(
        coef=a,
        multipliers=multipliers,
        K_coef=Ka,
        state=state,
        factor=None,
        free=S,
        free_rows=rows,
        lower=machine.lower_value(a, Ka),
        upper=machine.upper_value(a, Ka, multipliers),
    )


def _snapped(machine: Machine, a: Array, closeness: float) -> Array:
    """The coefficients, with those that all but touch a breakpoint put on it."""
    points = machine.breakpoints
    nearest = points[np.arange(len(a)), np.abs(points - a[:, None]).argmin(axis=1)]
    return np.where(np.abs(nearest - a) <= closeness * np.abs(a).max(initial=0.0), nearest, a)
