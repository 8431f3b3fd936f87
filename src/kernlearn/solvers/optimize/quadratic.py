"""The one place that talks to the quadratic-programming package."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import piqp

from kernlearn.typing import Array

TOLERANCE = 1e-11
UNBOUNDED = 1e20
MAX_STEPS = 100  # what is not solved by then makes no progress any more


@dataclass(frozen=True, eq=False)
class QuadraticSolution:
    """Minimiser and multipliers (``lower`` and ``inequality`` are non-negative)."""

    x: Array
    equality: Array
    inequality: Array
    lower: Array
    exact: bool


def quadratic_program(
    P: Array,
    q: Array,
    A: Array,
    b: Array,
    low: Array,
    high: Array,
    G: Array | None = None,
    h: Array | None = None,
) -> QuadraticSolution | None:
    """Minimise ½xᵀPx + qᵀx, Ax = b, Gx ≤ h, low ≤ x ≤ high; None if there is no solution."""
    bounding = None
    if G is not None and h is not None:
        # The package complains aloud of inequalities that no x can violate.
        bounding = h < UNBOUNDED * np.minimum(np.abs(G).max(axis=1, initial=0.0), 1.0)
        if not bounding.all():
            G, h = G[bounding], h[bounding]
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.max_iter = MAX_STEPS
    settings.eps_abs = settings.eps_rel = TOLERANCE
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = TOLERANCE
    h_low = None if h is None else np.full(len(h), -np.inf)
    solver.setup(P, q, A, b, G, h_low, h, low, high)
    status = solver.solve()
    if status in (piqp.PIQP_PRIMAL_INFEASIBLE, piqp.PIQP_DUAL_INFEASIBLE):
        return None
    result = solver.result
    x = np.array(result.x)
    if not np.isfinite(x).all():
        return None
    inequality = np.zeros(0 if bounding is None else len(bounding))
    if bounding is not None:
        inequality[bounding] = result.z_u
    return QuadraticSolution(
        x=np.minimum(np.maximum(x, low), high),
        equality=np.array(result.y),
        inequality=inequality,
        lower=np.array(result.z_bl),
        exact=status == piqp.PIQP_SOLVED,
    )
