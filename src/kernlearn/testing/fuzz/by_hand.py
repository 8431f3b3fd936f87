"""A machine trained by the judge's own interior-point method: an upper bound at any kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernlearn.testing.fuzz.definitions import Definition
from kernlearn.testing.fuzz.interior_point import solve_box

Array = NDArray[np.float64]

WIDE = 1e7  # a hard margin's box, in units where K has size one


def best_value(machine: Definition, K: NDArray[np.longdouble]) -> float:
    """The primal value of a function trained at ``K``: no machine's value there is above it."""
    a, b = train(machine, K.astype(float))
    if not np.isfinite(a).all():
        return np.inf
    value = float(machine.primal(K, a.astype(np.longdouble), b))
    return value if np.isfinite(value) else np.inf


def train(machine: Definition, K: Array) -> tuple[Array, float]:
    """Coefficients and intercept, in units where the kernel and the targets have size one."""
    size = float(np.abs(K.diagonal()).mean()) or 1.0
    y = machine.y.astype(float)
    spread = 1.0
    centre = 0.0
    if machine.quality in ("epsilon_svr", "nu_svr", "least_squares"):
        centre = float(np.median(y))
        spread = float(np.abs(y - centre).max()) or 1.0
    unit = spread / size
    if machine.quality in ("nu_svm", "one_class"):
        unit = 1.0
    Q = K / size
    diagonal = machine.diagonal.astype(float) / size
    upper = machine.upper.astype(float) / unit
    target = (y - centre) / spread
    if machine.quality in ("least_squares", "alignment"):
        a, b = _linear_system(Q + np.diag(diagonal), target, machine.quality == "least_squares")
    elif machine.quality in ("epsilon_svr", "nu_svr"):
        a, b = _two_sided(machine, Q, target, upper, machine.epsilon / spread)
    else:
        if machine.quality == "lagrangian":
            Q = Q + 1.0 / size  # the squared intercept, as part of the kernel
        a, b = _one_sided(machine, Q + np.diag(diagonal), y, upper)
        if machine.quality == "lagrangian":
            return np.asarray(a * unit, dtype=float), b * unit
    return np.asarray(a * unit, dtype=float), b * (unit * size) + centre


def _linear_system(Q: Array, y: Array, intercept: bool) -> tuple[Array, float]:
    n = len(y)
    if not intercept:
        return np.asarray(np.linalg.lstsq(Q, y, rcond=1e-15)[0], dtype=float), 0.0
    bordered = np.block([[Q, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.lstsq(bordered, np.append(y, 0.0), rcond=1e-15)[0]
    return np.asarray(solution[:n], dtype=float), float(solution[n])


def _one_sided(machine: Definition, Q: Array, y: Array, upper: Array) -> tuple[Array, float]:
    n = len(y)
    sign = np.ones(n) if machine.quality == "one_class" else y
    Q = Q * np.outer(sign, sign)
    q = -np.ones(n)
    rows, rhs = sign[None, :], np.zeros(1)
    if machine.quality == "lagrangian":
        rows, rhs = np.zeros((0, n)), np.zeros(0)
    if machine.quality == "nu_svm":
        q, rows, rhs = np.zeros(n), np.stack([sign, np.ones(n)]), np.array([0.0, machine.nu])
    if machine.quality == "one_class":
        q, rhs = np.zeros(n), np.ones(1)
    if machine.quality == "hard_margin" and not machine.diagonal.any():
        upper = np.full(n, WIDE)
    x, multipliers = solve_box(Q, q, rows, rhs, upper)
    a = sign * x
    if machine.quality == "lagrangian":
        return a, float(a.sum())
    return a, -float(multipliers[0])


def _two_sided(
    machine: Definition, Q: Array, y: Array, upper: Array, epsilon: float
) -> tuple[Array, float]:
    n = len(y)
    Q2 = np.block([[Q, -Q], [-Q, Q]])
    rows = np.append(np.ones(n), -np.ones(n))[None, :]
    rhs, bounds = np.zeros(1), np.append(upper, upper)
    if machine.quality == "epsilon_svr":
        q = np.append(epsilon - y, epsilon + y)
    else:
        # The budget gets a slack variable of its own.
        q = np.append(np.append(-y, y), 0.0)
        Q2 = np.pad(Q2, ((0, 1), (0, 1)))
        rows = np.vstack([np.append(rows, 0.0), np.ones(2 * n + 1)])
        rhs = np.array([0.0, machine.nu * upper.sum()])
        bounds = np.append(bounds, np.inf)
    x, multipliers = solve_box(Q2, q, rows, rhs, bounds)
    return x[:n] - x[n : 2 * n], -float(multipliers[0])
