"""Machines trained without one fold each, at a kernel that is kept: what held-out values cost.

Learning weights takes several machine solves; training once more on four fifths of the points, five
times, with the kernel as it was learned, takes a quarter of that. The kernel has seen the points
that are held out, through its few weights; the machine has not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.quality.leave_one_out import LeaveOneOut
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.machine import Machine
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.machine.solve import solve_machine
from kernlearn.typing import Array, Indices

N_FOLDS = 5
# Probabilities and residuals need no more digits than this.
_TOL = 1e-3


@dataclass(frozen=True, eq=False)
class Refits:
    """The machines, and what they say of the points that they did not see.

    Attributes
    ----------
    fold : ndarray of integers, shape (n,)
        The machine that was trained without this point.
    dual_coef : ndarray of shape (n_folds, k, n)
        Coefficients, zero for points held out.
    intercept : ndarray of shape (n_folds, k)
        Intercepts; NaN where a machine has no solution, or was not trained any more.
    values : ndarray of shape (n, k)
        Held-out decision values.
    """

    fold: Indices
    dual_coef: Array
    intercept: Array
    values: Array


def refit_machines(
    K: Array,
    targets: Sequence[Array],
    quality: str,
    settings: Settings,
    folds: Sequence[Indices],
    stopping: StoppingControl,
) -> Refits:
    """Train every machine without each of the folds (inputs are checked).

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The learned kernel's matrix.
    targets : sequence of k ndarrays of shape (n,)
        What the machines learn.
    quality : str
        Which machine, one of ``QUALITIES``.
    settings : Settings
        Its parameters.
    folds : sequence of ndarray
        Rows that are held out together; every row is in one of them.
    stopping : StoppingControl
        Asked what to do about an interrupt; the folds done by then are kept.
    """
    n, k = len(K), len(targets)
    fold = np.empty(n, dtype=np.intp)
    dual_coef = np.zeros((len(folds), k, n))
    intercept = np.full((len(folds), k), np.nan)
    values = np.full((n, k), np.nan)
    for i, rows in enumerate(folds):
        fold[rows] = i
    # In units where the kernel has size one, as tolerances expect.
    size = float(K.diagonal().mean()) or 1.0
    scaled = K / size
    try:
        with threads_for(n):
            for i, held_out in enumerate(folds):
                rows = np.flatnonzero(fold != i)
                inside = scaled.take(rows, axis=0).take(rows, axis=1)
                part = replace(settings, sample_weight=settings.sample_weight[rows])
                for j, target in enumerate(targets):
                    coef, b = _trained(inside, size, target[rows], quality, part)
                    dual_coef[i, j, rows], intercept[i, j] = coef, b
                values[held_out] = K[held_out] @ dual_coef[i].T + intercept[i]
    except KeyboardInterrupt as stop:
        stopping.accept(stop)
    return Refits(fold, dual_coef, intercept, values)


def leave_one_out_values(K: Array, targets: Sequence[Array], settings: Settings) -> Array:
    """Held-out values of the least-squares machine in closed form, of shape (n, k)."""
    Y = np.column_stack(targets)
    with threads_for(len(K)):
        fit = fit_ls_svm(K, Y, 1.0 / settings.upper)
    return np.asarray(Y - LeaveOneOut(settings.sample_weight).residuals(fit))


def _trained(
    K: Array, size: float, target: Array, quality: str, settings: Settings
) -> tuple[Array, float]:
    """Coefficients and intercept at K times `size`; NaN where there is no solution."""
    kind = QUALITIES[quality]
    if kind.targets == "labels" and np.ptp(target) == 0:
        return np.zeros(len(K)), float(target[0])  # one class alone has no margin to learn
    machine = kind.build(target, settings)
    unit = float(np.abs(machine.linear).max()) or size
    scaled = machine.rescaled(size, unit)
    found = solve_machine(K + scaled.offset if scaled.offset else K, scaled, tol=_TOL)
    if found is None or scaled.infeasibility(found.coef) > _TOL:
        return np.zeros(len(K)), np.nan
    coef = found.coef * (unit / size)
    return coef, _intercept(machine, coef, unit * found.multipliers.rows)


def _intercept(machine: Machine, coef: Array, multipliers: Array) -> float:
    """The multiplier of 1ᵀa = 0; a penalised intercept is the offset's share of the kernel."""
    return float(multipliers[0] if len(multipliers) else machine.offset * coef.sum())
