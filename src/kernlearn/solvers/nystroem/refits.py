"""Machines trained without one fold each, at the learned kernel: held-out values of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.factor_rows import FactorRows
from kernlearn.quality.machine import Machine
from kernlearn.solvers.nystroem.held_out import trained
from kernlearn.solvers.nystroem.machines import WARM, FactorObjective, first_delta
from kernlearn.solvers.nystroem.proximal import ProximalNewton
from kernlearn.solvers.nystroem.rank import FactorStatistics
from kernlearn.solvers.nystroem.solution import LowRankSolution
from kernlearn.typing import Array

# Probabilities and residuals need no more digits than this.
_TOL = 1e-3
_MOST_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class FoldMachines:
    """The machines, and what they say of the rows that they did not see.

    Attributes
    ----------
    rows : ndarray of integers, shape (l,)
        The rows that were looked at: all of them, or a sample that is large enough for quantiles
        and for the two numbers of a sigmoid.
    fold : ndarray of integers, shape (l,)
        The machine that was trained without this row.
    coef : ndarray of shape (n_folds, R, k)
        Coefficients of the columns of Z.
    intercept : ndarray of shape (n_folds, k)
        Intercepts.
    values : ndarray of shape (l, k)
        Held-out decision values.
    """

    rows: NDArray[np.intp]
    fold: NDArray[np.intp]
    coef: Array
    intercept: Array
    values: Array


def without_folds(
    rows: FactorRows, fold: NDArray[np.intp], coefs: Array, intercepts: Array
) -> FoldMachines:
    """Held-out values, from one more pass over the rows or over a sample of them."""
    F, R, k = coefs.shape
    chosen: NDArray[np.intp] = np.arange(rows.n_rows)
    if rows.n_rows > _MOST_ROWS:
        chosen = np.sort(np.random.RandomState(0).choice(rows.n_rows, _MOST_ROWS, replace=False))
    everything = rows.times(coefs.transpose(1, 0, 2).reshape(R, F * k), chosen)
    fold = fold[chosen]
    values = everything.reshape(-1, F, k)[np.arange(len(chosen)), fold] + intercepts[fold]
    return FoldMachines(chosen, fold, coefs, intercepts, values)


def least_squares_refits(
    rows: FactorRows, seen: FactorStatistics, weights: Array, coef_of_all: Array, ridge: float
) -> FoldMachines:
    """From the moments without each fold; a machine that has no solution is the one of all rows."""
    moments, membership = seen.moments, seen.factors.membership
    coefs, intercepts = [], []
    for part in seen.folds:
        rest = moments - part
        coef = trained(rest, membership, weights, ridge)
        coef = coef_of_all if coef is None else coef
        coefs.append(coef)
        intercepts.append(rest.intercept(coef) - seen.factors.shift @ coef)
    return without_folds(rows, seen.fold, np.array(coefs), np.array(intercepts))


def machine_refits(
    rows: FactorRows,
    fold: NDArray[np.intp],
    traces: Array,
    solution: LowRankSolution,
    machines: Sequence[Machine],
) -> FoldMachines:
    """By a box of no width for the rows of each fold, from the solution on all of them."""
    # In units where K(w) and the targets have size one, as tolerances expect.
    size = float(traces[1] @ solution.weights) / rows.n_rows
    weights = solution.weights / size
    triangle = rows.triangle() if weights.min() < 0 else None
    root = FactorObjective(rows, machines, triangle).root(weights)
    intercept, dual_coef = np.atleast_1d(np.asarray(solution.intercept)), solution.dual_coef
    assert dual_coef is not None
    n_folds = int(fold.max()) + 1
    coefs = np.empty((n_folds, rows.n_columns, len(machines)))
    intercepts = np.empty((n_folds, len(machines)))
    for j, machine in enumerate(machines):
        unit = float(np.abs(machine.linear).max()) or size
        scaled = machine.rescaled(size, unit)
        for i in range(n_folds):
            held_out = fold == i
            box = np.where(held_out[:, None], 0.0, scaled.breakpoints)
            part = replace(scaled, breakpoints=box)
            a = np.where(held_out, 0.0, dual_coef[j] * (size / unit))
            start = a, rows.transposed_times(a), intercept[j] / unit, WARM * first_delta(part)
            found = ProximalNewton(part, rows, root).solve(*start, tol=_TOL)
            coefs[i, :, j] = unit * found.columns
            intercepts[i, j] = unit * found.intercept
    return without_folds(rows, fold, coefs, intercepts)
