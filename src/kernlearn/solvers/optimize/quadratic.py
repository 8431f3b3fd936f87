r"""Quadratic programs, by the package that this file alone talks to, or by working sets of it.

With hundreds of kernels nearly all weights are zero. So a program of many variables is solved for a
working set of them, the others held at zero; those whose reduced cost
:math:`(Px + q + A^\top y + G^\top z)_i` is negative join the working set, until there is none. That
is then the solution of the whole program: its multipliers are those found, and the reduced costs
those of the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import piqp

from kernlearn.typing import Array, Mask

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


@dataclass(frozen=True)
class ActiveSetOptions:
    """Conditions for solving a program by working sets, and the growth of these."""

    # Variables at a bound of zero; with fewer, one program takes less time than several
    smallest: int = 150
    first: int = 50  # variables of the first working set, and the fewest that may join in a round
    max_rounds: int = 20
    zero: float = 1e-9  # reduced costs above minus this, relative to the largest, count as zero


def active_set_program(
    P: Array,
    q: Array,
    A: Array,
    b: Array,
    low: Array,
    high: Array,
    G: Array,
    h: Array,
    options: ActiveSetOptions = ActiveSetOptions(),
    solve: Callable[..., QuadraticSolution | None] = quadratic_program,
) -> QuadraticSolution | None:
    """`quadratic_program`, by working sets where many variables have zero as their lower bound."""
    at_zero = low == 0.0
    if at_zero.sum() < options.smallest:
        return solve(P, q, A, b, low, high, G, h)
    # As if every inequality were of the same importance: a guess that any other may replace.
    guess = q + G.mean(axis=0)
    used: Mask = ~at_zero | (guess < np.partition(guess[at_zero], options.first)[options.first])
    for _ in range(options.max_rounds):
        part = solve(
            P[np.ix_(used, used)], q[used], A[:, used], b, low[used], high[used], G[:, used], h
        )
        if part is None:
            break
        costs = P[:, used] @ part.x + q + A.T @ part.equality + G.T @ part.inequality
        wrong = ~used & (costs < -options.zero * max(1.0, float(np.abs(costs).max())))
        if not wrong.any():
            x, lower = np.zeros(len(q)), np.maximum(costs, 0.0)
            x[used], lower[used] = part.x, part.lower
            return QuadraticSolution(x, part.equality, part.inequality, lower, part.exact)
        joining = np.flatnonzero(wrong)
        order = np.argsort(costs[joining], kind="stable")
        used[joining[order[: max(options.first, int(used.sum()) // 2)]]] = True
    return solve(P, q, A, b, low, high, G, h)
