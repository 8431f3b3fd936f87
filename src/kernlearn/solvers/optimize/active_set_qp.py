r"""Quadratic programs of many variables, most of which are zero in the solution.

With hundreds of kernels nearly all weights are zero. So the program is solved for a working set of
its variables, the others held at zero; those whose reduced cost

.. math:: (Px + q + A^\top y + G^\top z)_i

is negative join the working set, until there is none. That is then the solution of the whole
program: its multipliers are those found, and the reduced costs those of the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernlearn.solvers.optimize.quadratic import QuadraticSolution, quadratic_program
from kernlearn.typing import Array, Mask


@dataclass(frozen=True)
class ActiveSetOptions:
    """When a program is solved by working sets, and how these grow."""

    smallest: int = 150
    """Variables at a bound of zero; with fewer, one program takes less time than several."""
    first: int = 50
    """Variables of the first working set, and the fewest that may join in a round."""
    max_rounds: int = 20
    zero: float = 1e-9
    """Reduced costs above minus this, relative to the largest, count as zero."""


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
