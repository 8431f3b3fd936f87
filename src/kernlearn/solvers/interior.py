"""A machine solved by a general interior-point method: slow, but deaf to bad conditioning.

Each segment of the piecewise-linear term becomes one block of variables,
``a = t₀ + z₁ + … + z_k`` with ``0 ≤ z_j ≤ t_j − t_{j−1}``; convexity fills them in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.quality.machine import Array, Machine, Multipliers
from kernlearn.solvers.quadratic import quadratic_program


def interior_point(K: Array, machine: Machine) -> tuple[Array, Multipliers] | None:
    """Coefficients and multipliers of ``machine`` at ``K``, or None if it has no solution."""
    n, k = machine.slopes.shape
    P = K.copy()
    P.flat[:: n + 1] += machine.ridge
    start = machine.breakpoints[:, 0] if k > 1 else np.zeros(n)
    linear = P @ start - machine.linear
    program: dict[str, Any] = {
        "P": np.tile(P, (k, k)),
        "q": np.concatenate([linear + machine.slopes[:, j] for j in range(k)]),
        "A": np.tile(machine.rows, (1, k)),
        "b": machine.rhs - machine.rows @ start,
    }
    if k == 1:
        low, high = machine.breakpoints.T
    else:
        width = np.diff(machine.breakpoints, axis=1)
        low, high = np.zeros(k * n), width.T.ravel()
    if np.isfinite(machine.budget):
        # |a| = (C − z₁) + z₂ for breakpoints (−C, 0, C).
        program["G"] = np.concatenate([-np.ones(n), np.ones(n)])[None, :]
        program["h"] = np.array([machine.budget - machine.breakpoints[:, -1].sum()])
    solution = quadratic_program(**program, low=low, high=high)
    if solution is None:
        return None
    a = start + solution.x.reshape(k, n).sum(axis=0)
    budget = float(solution.inequality[0]) if np.isfinite(machine.budget) else 0.0
    return a, Multipliers(solution.equality, budget)


def smallest_hull_distance(K: Array, machine: Machine) -> tuple[Array, Multipliers] | None:
    r"""The hard margin as the distance between the classes' convex hulls, which always exists.

    With u the two convex combinations and d² = uᵀKu the squared distance between them, the hard
    margin's coefficients are :math:`a = 2u/d^2`; the classes can be separated just if a function
    is found that separates them, which is checked on the function itself.
    """
    y = np.sign(machine.linear)
    positive = y > 0
    rows = np.stack([positive, ~positive]).astype(float)
    low, high = machine.breakpoints.T
    solution = quadratic_program(
        P=K, q=np.zeros(len(y)), A=rows, b=np.array([1.0, -1.0]), low=low, high=high
    )
    if solution is None:
        return None
    u = solution.x
    f = K @ u
    lowest, highest = f[positive].min(), f[~positive].max()
    distance = float(u @ f)
    # Between the rounding of f and zero, no margin can be told from none.
    if lowest - highest <= 1e-11 * max(np.abs(f).max(), float(K.diagonal().max())):
        return None
    a = u * (2.0 / distance)
    b = -(lowest + highest) / distance
    return a, Multipliers(np.array([b]), 0.0)
