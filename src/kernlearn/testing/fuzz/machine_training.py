"""Machines trained by the judge's own interior-point method: upper bounds at any kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.testing.fuzz.definitions import Definition
from kernlearn.testing.fuzz.interior_point import solve_boxes
from kernlearn.typing import Array, LongArray

WIDE = 1e7  # a hard margin's box, in units where K has size one


def best_values(machines: Sequence[Definition], K: LongArray) -> list[float]:
    """Primal values of functions trained at each K: no machine's value there is above its own.

    The machines may differ in their ridge, and in nothing else.
    """
    coefficients, intercepts = train(machines, K.astype(float))
    values = []
    for machine, gram, a, b in zip(machines, K, coefficients, intercepts, strict=True):
        value = np.inf
        if np.isfinite(a).all():
            value = float(machine.primal(gram, a.astype(np.longdouble), float(b)))
        values.append(value if np.isfinite(value) else np.inf)
    return values


def train(machines: Sequence[Definition], K: Array) -> tuple[Array, Array]:
    """Coefficients and intercepts, in units where kernels and targets have size one."""
    machine = machines[0]
    y = machine.y.astype(float)
    size = np.abs(np.diagonal(K, axis1=1, axis2=2)).mean(axis=1, keepdims=True)
    size[size == 0] = 1.0
    spread = 1.0
    centre = 0.0
    if machine.quality in ("epsilon_svr", "nu_svr", "least_squares"):
        centre = float(np.median(y))
        spread = float(np.abs(y - centre).max()) or 1.0
    unit = spread / size
    if machine.quality in ("nu_svm", "one_class"):
        unit = np.ones_like(size)
    Q = K / size[:, None]
    if machine.quality == "lagrangian":
        Q = Q + 1.0 / size[:, None]  # the squared intercept, as part of the kernel
    ridge = np.array([each.diagonal for each in machines]).astype(float) / size
    points = np.arange(len(y))
    Q[:, points, points] += ridge
    upper = machine.upper.astype(float) / unit
    if machine.quality == "hard_margin":
        upper = np.where(ridge.any(axis=1, keepdims=True), upper, WIDE)
    target = (y - centre) / spread
    if machine.quality in ("least_squares", "alignment"):
        a, b = _linear_systems(Q, target, machine.quality == "least_squares")
    elif machine.quality in ("epsilon_svr", "nu_svr"):
        a, b = _two_sided(machine, Q, target, upper, machine.epsilon / spread)
    else:
        a, b = _one_sided(machine, Q, y, upper)
    if machine.quality == "lagrangian":
        return a * unit, b * unit[:, 0]
    return a * unit, b * (unit * size)[:, 0] + centre


def _linear_systems(Q: Array, y: Array, intercept: bool) -> tuple[Array, Array]:
    m, n = Q.shape[:2]
    if not intercept:
        return np.array([np.linalg.lstsq(A, y, rcond=1e-15)[0] for A in Q]), np.zeros(m)
    bordered = np.ones((m, n + 1, n + 1))
    bordered[:, :n, :n], bordered[:, n, n] = Q, 0.0
    right = np.append(y, 0.0)
    solution = np.array([np.linalg.lstsq(A, right, rcond=1e-15)[0] for A in bordered])
    return solution[:, :n], solution[:, n]


def _one_sided(machine: Definition, Q: Array, y: Array, upper: Array) -> tuple[Array, Array]:
    m, n = upper.shape
    sign = np.ones(n) if machine.quality == "one_class" else y
    q = -np.ones(n)
    rows, rhs = sign[None, :], np.zeros(1)
    if machine.quality == "lagrangian":
        rows, rhs = np.zeros((0, n)), np.zeros(0)
    if machine.quality == "nu_svm":
        q, rows, rhs = np.zeros(n), np.stack([sign, np.ones(n)]), np.array([0.0, machine.nu])
    if machine.quality == "one_class":
        q, rhs = np.zeros(n), np.ones(1)
    q, rhs = np.tile(q, (m, 1)), np.tile(rhs, (m, 1))
    x, multipliers = solve_boxes(Q * np.outer(sign, sign), q, rows, rhs, upper)
    a = sign * x
    if machine.quality == "lagrangian":
        return a, a.sum(axis=1)
    return a, -multipliers[:, 0]


def _two_sided(
    machine: Definition, Q: Array, y: Array, upper: Array, epsilon: float
) -> tuple[Array, Array]:
    m, n = upper.shape
    Q2 = np.concatenate([np.concatenate([Q, -Q], axis=1), np.concatenate([-Q, Q], axis=1)], axis=2)
    rows = np.append(np.ones(n), -np.ones(n))[None, :]
    rhs, bounds = np.zeros((m, 1)), np.tile(upper, 2)
    if machine.quality == "epsilon_svr":
        q = np.append(epsilon - y, epsilon + y)
    else:
        # The budget gets a slack variable of its own.
        q = np.append(np.append(-y, y), 0.0)
        Q2 = np.pad(Q2, ((0, 0), (0, 1), (0, 1)))
        rows = np.vstack([np.append(rows, 0.0), np.ones(2 * n + 1)])
        rhs = np.column_stack([np.zeros(m), machine.nu * upper.sum(axis=1)])
        bounds = np.column_stack([bounds, np.full(m, np.inf)])
    x, multipliers = solve_boxes(Q2, np.tile(q, (m, 1)), rows, rhs, bounds)
    return x[:, :n] - x[:, n : 2 * n], -multipliers[:, 0]
