"""Machines trained without one fold each, at a kernel that is kept: held-out values of the rows.

Learning weights takes several machine solves; training once more on four fifths of the rows, five
times, with the kernel as it was learned, takes a quarter of that. The few weights of the kernel
depend on the held-out rows; the machine does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.factor_rows import FactorRows
from kernlearn.quality.held_out import LeaveOneOut
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.machine import Machine, target_size
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.machine.solve import solve_machine
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.machines import WARM, FactorObjective, first_delta
from kernlearn.solvers.nystroem.moments import trained
from kernlearn.solvers.nystroem.proximal import ProximalNewton
from kernlearn.solvers.nystroem.rank import FactorLimits, FactorStatistics
from kernlearn.typing import Array, Indices, Mask

N_FOLDS = 5
LIMITS = FactorLimits()
# Probabilities and residuals need no more digits than this.
_TOL = 1e-3

# Coefficients (p, k) and intercepts (k,) of the machines without the fold of this number.
Train = Callable[[int], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class HeldOutValues:
    """Decision values of rows, by machines trained without them."""

    rows: Indices  # (l,): which rows: all of them, or a sample
    values: Array  # (l, k): held-out decision values; NaN where there are none


@dataclass(frozen=True, eq=False)
class FoldMachines(HeldOutValues):
    """The machines that were trained without one fold each."""

    fold: Indices  # (l,): the machine that was trained without this row
    # (n_folds, p, k): coefficients of the p columns of the kernel matrix, or of its factor
    coef: Array
    # (n_folds, k): intercepts; NaN where a machine has no solution, or was not trained any more
    intercept: Array


def refit_machines(
    K: Array,
    targets: Sequence[Array],
    quality: str,
    settings: Settings,
    folds: Sequence[Indices],
    stopping: StoppingControl,
) -> FoldMachines:
    """Train every machine without each of the folds, on a kernel matrix (inputs are checked).

    Every row is in one of the folds. An interrupt, or the end of the time after the first fold,
    ends the training; the folds done by then are kept.
    """
    n, k = len(K), len(targets)
    fold = np.empty(n, dtype=np.intp)
    for i, rows in enumerate(folds):
        fold[rows] = i
    # In units where the kernel has size one, as tolerances expect.
    size = float(K.diagonal().mean()) or 1.0
    scaled = K / size

    def train(i: int) -> tuple[Array, Array]:
        rows = np.flatnonzero(fold != i)
        inside = scaled.take(rows, axis=0).take(rows, axis=1)
        part = replace(settings, sample_weight=settings.sample_weight[rows])
        coef, intercept = np.zeros((n, k)), np.empty(k)
        for j, target in enumerate(targets):
            coef[rows, j], intercept[j] = _trained(inside, size, target[rows], quality, part)
        return coef, intercept

    with threads_for(n):
        coefs, intercepts = _each_fold(train, (len(folds), n, k), stopping)
        values = np.full((n, k), np.nan)
        for i, rows in enumerate(folds):
            values[rows] = K[rows] @ coefs[i] + intercepts[i]
    return FoldMachines(np.arange(n), values, fold, coefs, intercepts)


def leave_one_out_values(K: Array, targets: Sequence[Array], settings: Settings) -> Array:
    """Held-out values of the least-squares machine in closed form, of shape (n, k)."""
    Y = np.column_stack(targets)
    with threads_for(len(K)):
        fit = fit_ls_svm(K, Y, 1.0 / settings.upper)
    return np.asarray(Y - LeaveOneOut(settings.sample_weight).residuals(fit))


def least_squares_refits(
    rows: FactorRows,
    statistics: FactorStatistics,
    weights: Array,
    coef_of_all: Array,
    ridge: float,
    limits: FactorLimits = LIMITS,
) -> FoldMachines:
    """From the moments without each fold; a machine that has no solution is the one of all rows."""
    moments, membership, shift = (
        statistics.moments,
        statistics.factors.membership,
        statistics.factors.shift,
    )

    def train(i: int) -> tuple[Array, Array]:
        rest = moments - statistics.folds[i]
        coef = trained(rest, membership, weights, ridge)
        coef = coef_of_all if coef is None else coef
        return coef, rest.intercept(coef) - shift @ coef

    return _factor_machines(
        rows, statistics.fold, train, coef_of_all.shape[1], limits.held_out_rows
    )


def machine_refits(
    rows: FactorRows,
    fold: Indices,
    traces: Array,
    solution: LowRankSolution,
    machines: Sequence[Machine],
    limits: FactorLimits = LIMITS,
    stopping: StoppingControl | None = None,
) -> FoldMachines:
    """Without the rows of each fold, from the function learned on all rows.

    A step or more always follows, which forgets what the held-out rows have said.
    """
    # In units where K(w) and the targets have size one, as tolerances expect.
    size = float(traces[1] @ solution.weights) / rows.n_rows
    weights = solution.weights / size
    triangle = rows.triangle() if weights.min() < 0 else None
    objective = FactorObjective(rows, machines, triangle)
    root = objective.root(weights)
    intercept, dual_coef = np.atleast_1d(np.asarray(solution.intercept)), solution.dual_coef
    assert dual_coef is not None
    units = [target_size(machine) or size for machine in machines]
    scaled = [machine.rescaled(size, unit) for machine, unit in zip(machines, units, strict=True)]
    # They make the function to start from: that of all rows, which is near.
    cs = [rows.transposed_times(a) for a in dual_coef]

    def train(i: int) -> tuple[Array, Array]:
        held_out = fold == i
        coefs, intercepts = np.empty((rows.n_columns, len(units))), np.empty(len(units))
        for j, (machine, unit) in enumerate(zip(scaled, units, strict=True)):
            part = _without(machine, held_out)
            if part.risk_sets is not None and not part.risk_sets.tied.any():
                coefs[:, j], intercepts[j] = 0.0, 0.0  # without events nothing is known
                continue
            a = np.where(held_out, 0.0, dual_coef[j] * (size / unit))
            start = a, cs[j] * (size / unit), intercept[j] / unit, WARM * first_delta(part)
            found = ProximalNewton(part, objective.systems(j), root).solve(*start, tol=_TOL)
            coefs[:, j], intercepts[j] = unit * found.columns, unit * found.intercept
        return coefs, intercepts

    return _factor_machines(rows, fold, train, len(machines), limits.held_out_rows, stopping)


def _without(machine: Machine, held_out: Mask) -> Machine:
    """The machine without some rows, whose boxes get no width."""
    box = np.where(held_out[:, None], 0.0, machine.breakpoints)
    risk_sets = machine.risk_sets
    if risk_sets is not None:
        risk_sets = risk_sets.without(held_out)
        box = risk_sets.box
    return replace(machine, breakpoints=box, risk_sets=risk_sets)


def _factor_machines(
    rows: FactorRows,
    fold: Indices,
    train: Train,
    k: int,
    most: int,
    stopping: StoppingControl | None = None,
) -> FoldMachines:
    """Train, and take held-out values from one more pass over the rows or over a sample of them."""
    n_folds, R = int(fold.max()) + 1, rows.n_columns
    coefs, intercepts = _each_fold(train, (n_folds, R, k), stopping)
    chosen: Indices = np.arange(rows.n_rows)
    if rows.n_rows > most:
        chosen = np.sort(np.random.RandomState(0).choice(rows.n_rows, most, replace=False))
    everything = rows.times(coefs.transpose(1, 0, 2).reshape(R, n_folds * k), chosen)
    fold = fold[chosen]
    values = everything.reshape(-1, n_folds, k)[np.arange(len(chosen)), fold] + intercepts[fold]
    return FoldMachines(chosen, values, fold, coefs, intercepts)


def _each_fold(
    train: Train, shape: tuple[int, int, int], stopping: StoppingControl | None = None
) -> tuple[Array, Array]:
    """Coefficients (n_folds, p, k) and intercepts (n_folds, k), NaN after an end.

    When the time is over, one fold has to do: its rows are held out as well as others.
    """
    coefs, intercepts = np.zeros(shape), np.full((shape[0], shape[2]), np.nan)
    try:
        for i in range(shape[0]):
            if i > 0 and stopping is not None and stopping.seconds_left < 0:
                break
            coefs[i], intercepts[i] = train(i)
    except KeyboardInterrupt as stop:
        if stopping is None:
            raise
        stopping.accept(stop)
    return coefs, intercepts


def _trained(
    K: Array, size: float, target: Array, quality: str, settings: Settings
) -> tuple[Array, float]:
    """Coefficients and intercept at K times `size`; NaN where there is no solution."""
    kind = QUALITIES[quality]
    if kind.targets == "labels" and np.ptp(target) == 0:
        return np.zeros(len(K)), float(target[0])  # one class alone has no margin to learn
    if kind.targets == "times" and np.signbit(target).all():
        return np.zeros(len(K)), 0.0  # without events nothing is known
    machine = kind.build(target, settings)
    unit = target_size(machine) or size
    scaled = machine.rescaled(size, unit)
    found = solve_machine(K + scaled.offset if scaled.offset else K, scaled, tol=_TOL)
    if found is None or scaled.infeasibility(found.coef) > _TOL:
        return np.zeros(len(K)), np.nan
    coef = found.coef * (unit / size)
    return coef, _intercept(machine, coef, unit * found.multipliers.rows)


def _intercept(machine: Machine, coef: Array, multipliers: Array) -> float:
    """The multiplier of 1ᵀa = 0; a penalised intercept is the offset's share of the kernel."""
    return float(multipliers[0] if len(multipliers) else machine.offset * coef.sum())
