r"""Quadratic programs of many variables, most of which are zero in the solution.

With hundreds of kernels nearly all weights are zero. So the program is solved in a few of its
variables, the others held at zero; those whose reduced cost

.. math:: (Px + q + A^\top y + G^\top z)_i

is negative join them, until there is none. That is then the solution of the whole program: its
multipliers are those found, and the reduced costs those of the bounds.
"""

from __future__ import annotations

import numpy as np

from kernlearn.solvers.optimize.quadratic import QuadraticSolution, quadratic_program
from kernlearn.typing import Array

# From so many variables on; below, one program takes less time than a few smaller ones.
MANY = 150
# How many variables are looked at first, and join at most in a round.
FEW = 50
MAX_ROUNDS = 20
# Reduced costs above minus this, relative to the largest, are what the solver leaves of zero.
ZERO = 1e-9


def sifted_quadratic_program(
    P: Array, q: Array, A: Array, b: Array, low: Array, high: Array, G: Array, h: Array
) -> QuadraticSolution | None:
    """`quadratic_program`, by sifting where many variables have zero as their lower bound."""
    at_zero = low == 0.0
    if at_zero.sum() >= MANY:
        # As if every inequality were of the same importance: a guess that any other may replace.
        guess = q + G.mean(axis=0)
        most = np.partition(guess[at_zero], FEW)[FEW]
        solution = _sifted(P, q, A, b, low, high, G, h, ~at_zero | (guess < most))
        if solution is not None:
            return solution
    return quadratic_program(P, q, A, b, low, high, G, h)


def _sifted(
    P: Array,
    q: Array,
    A: Array,
    b: Array,
    low: Array,
    high: Array,
    G: Array,
    h: Array,
    used: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> QuadraticSolution | None:
    """The solution from these variables and those that join them; None if there is none so."""
    for _ in range(MAX_ROUNDS):
        part = quadratic_program(
            P[np.ix_(used, used)], q[used], A[:, used], b, low[used], high[used], G[:, used], h
        )
        if part is None:
            return None
        x = np.zeros(len(q))
        x[used] = part.x
        costs = P[:, used] @ part.x + q + A.T @ part.equality + G.T @ part.inequality
        wrong = ~used & (costs < -ZERO * max(1.0, float(np.abs(costs).max())))
        if not wrong.any():
            lower = np.maximum(costs, 0.0)
            lower[used] = part.lower
            return QuadraticSolution(x, part.equality, part.inequality, lower, part.exact)
        joining = np.flatnonzero(wrong)
        order = np.argsort(costs[joining], kind="stable")
        used[joining[order[: max(FEW, int(used.sum()) // 2)]]] = True
    return None
