"""Lagrange multipliers of a machine, and the sums that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernlearn.numerics.sums import exact_sum
from kernlearn.typing import Array, Mask


class Multipliers(NamedTuple):
    """Lagrange multipliers of a machine: of ``E a = d`` and of ``‖a‖₁ ≤ B``."""

    rows: Array
    budget: float


def weighted_quantile(losses: Array, upper: Array, price: float) -> float:
    """The t with the smallest price·t + Σ uᵢ max(0, lossᵢ − t): where their weight meets it."""
    order = np.argsort(-losses, kind="stable")
    beyond = np.searchsorted(np.cumsum(upper[order]), price * (1.0 - 1e-15))
    quantile: float = losses[order[min(int(beyond), len(losses) - 1)]]
    return quantile


def balancing_constant(residual: Array, answer: Callable[[Array], Array], total: float) -> float:
    """The constant c at which Σ answer(residual − c) crosses ``total``, by bisection."""
    spread = float(np.abs(residual).max()) + 1.0
    low, high = -4.0 * spread, 4.0 * spread
    for _ in range(64):
        middle = 0.5 * (low + high)
        ends = low, high
        if float(answer(residual - middle).sum()) > total:
            low = middle
        else:
            high = middle
        if middle in ends:  # there is no number between them
            break
    return 0.5 * (low + high)


def with_sum(a: Array, total: float, low: Array, high: Array, rests: Mask) -> Array:
    """Coefficients with this sum, each moved in proportion to its room."""
    last = 0.0
    for _ in range(3):  # the first moves, the others mend its rounding
        missing = -exact_sum(a, -total)
        if missing in (0.0, last):  # what is left is too little to change anything
            break
        last = missing
        room = high - a if missing > 0 else a - low
        inside = np.where(rests, 0.0, room)
        space = float(inside.sum())
        if space >= abs(missing):
            room = inside
        else:
            space = float(room.sum())
        if np.isinf(space) and np.isinf(room).any():
            # Where nothing bounds them, in proportion to their size.
            room = np.where(np.isinf(room), np.abs(a) + 1e-3 * np.abs(a).max() + 1e-300, 0.0)
            share = room / room.sum()
        elif space == 0.0:
            break
        else:
            share = room / max(space, abs(missing))
        a = np.minimum(np.maximum(a + missing * share, low), high)
    return a
