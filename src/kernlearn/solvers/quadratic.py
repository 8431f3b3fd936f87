"""The one place that talks to the quadratic-programming package."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import piqp
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOLERANCE = 1e-11


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
    solver = piqp.DenseSolver()
    settings = solver.settings
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
    return QuadraticSolution(
        x=np.clip(x, low, high),
        equality=np.array(result.y),
        inequality=np.array(result.z_u) if h is not None else np.zeros(0),
        lower=np.array(result.z_bl),
        exact=status == piqp.PIQP_SOLVED,
    )
