r"""The part of a conic pair program that a round of sifting solves.

.. math::

    \min_{\alpha_S \ge 0,\, b}\ \tfrac12 \alpha_S^\top K_{SS} \alpha_S
    + C \sum_{p \in E} [1 - t_p f_p]_+ + C \sum_{p \in L} (1 - t_p f_p),
    \qquad f = K_{\cdot S}\,\alpha_S + b

Columns outside of S have no coefficient. Rows in L are taken to have a loss whatever happens, and
those that are neither in E nor in L to have none.
"""

from __future__ import annotations

import numpy as np

from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.solvers.pairs.program import PairProgram
from kernlearn.typing import Array, Indices, Mask

# A coefficient whose share of w is below this part of the largest is zero.
_DUST = 1e-10


def solve_part(
    program: PairProgram, units: Array, columns: Indices, rows: Indices, lost: Mask
) -> tuple[Array, float, Array] | None:
    """Return α, b and the multipliers a of all rows; None if there is no minimiser.

    Parameters
    ----------
    program : PairProgram
        A conic program.
    units : ndarray of shape (n_pairs,)
        The coefficients that make sections of one length.
    columns, rows : ndarray of int
        S and E.
    lost : ndarray of bool, of shape (n_pairs,)
        L, which has no row in common with E.
    """
    labels, C, space = program.labels, program.C, program.space
    k, scale = len(columns), units[columns]
    both = space.block(columns, np.concatenate([columns, rows])) * scale[:, None]
    signed = np.where(lost, labels, 0.0)
    pull = scale * space.values(space.lift(signed), columns)
    solution = _minimise(both[:, :k] * (scale / C), both[:, k:], pull, labels[rows], signed.sum())
    if solution is None:
        return None
    x, b, multipliers = solution
    coef = np.zeros(len(labels))
    coef[columns] = scale * np.where(x > _DUST * x.max(initial=0.0), x, 0.0)
    a = np.where(lost, C, 0.0)
    a[rows] = C * multipliers
    return coef, b, a


def _minimise(
    P: Array, at_rows: Array, pull: Array, labels: Array, balance: float
) -> tuple[Array, float, Array] | None:
    """Solve it as a quadratic program over x, b and the losses ξ of E, divided by C."""
    k, e = at_rows.shape
    n = k + 1 + e
    quadratic, G = np.zeros((n, n)), np.zeros((e, n))
    quadratic[:k, :k] = P
    G[:, :k] = -labels[:, None] * at_rows.T
    G[:, k] = -labels
    G[np.arange(e), np.arange(k + 1, n)] = -1.0
    linear = np.concatenate([-pull, [-balance], np.ones(e)])
    low = np.zeros(n)
    low[k] = -np.inf
    nothing = np.zeros((0, n))
    solution = quadratic_program(
        quadratic, linear, nothing, nothing[:, 0], low, np.full(n, np.inf), G, np.full(e, -1.0)
    )
    if solution is None:
        return None
    return solution.x[:k], float(solution.x[k]), solution.inequality
