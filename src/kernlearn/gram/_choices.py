r"""Pivots other than the greedy ones: drawn at random, or taken in a given order.

Random pivoting (Chen, Epperly, Tropp and Webber, 2025, "Randomly pivoted Cholesky") draws each
pivot with a probability proportional to its residual. The residuals change with each pivot, so
that a block of pivots cannot be drawn at once; but since they only fall, a block drawn from the
present ones can be thinned: a proposal i is kept with probability (its residual when its turn
comes) / (its residual when it was drawn), which gives the distribution of one draw at a time.
"""

from __future__ import annotations

import numpy as np

from kernlearn.gram._greedy import ROUNDING, Choice, Growing
from kernlearn.typing import Array, Indices


def at_random(generator: np.random.RandomState) -> Choice:
    """Each pivot is drawn with probability proportional to its residual."""

    def choose(state: Growing) -> tuple[Indices, Array]:
        shares = state.residual / state.residual.sum()
        # As many for any rank, so that a smaller one is the beginning of a larger one.
        positions = generator.choice(len(shares), state.options.block, p=shares)
        return _thinned(state, positions, generator.uniform(size=len(positions)))

    return choose


def in_order(state: Growing) -> tuple[Indices, Array]:
    """Each row is a pivot in its turn, unless those before it leave only rounding of it."""
    positions = np.flatnonzero(state.residual)[: state.options.block]
    return _thinned(state, positions, np.zeros(len(positions)))


def _thinned(state: Growing, positions: Indices, thresholds: Array) -> tuple[Indices, Array]:
    """Eliminate the proposals one by one, those that have lost too much left out."""
    corner = state.corner(positions)
    drawn, rounding = corner.diagonal().copy(), ROUNDING * state.diagonal[positions]
    columns: list[Array] = []
    kept: list[int] = []
    for i in range(len(positions)):
        left = corner[i, i]
        # A row drawn twice has nothing left at its second turn.
        if left <= rounding[i] or left < thresholds[i] * drawn[i]:
            continue
        column = corner[:, i] / np.sqrt(left)
        corner -= np.outer(column, column)
        columns.append(column)
        kept.append(i)
        if len(kept) == state.room():
            break
    return positions[kept], np.tril(np.array(columns).T[kept])
