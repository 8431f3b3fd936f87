r"""Prices of kernels whose weights have further limits.

Over :math:`w \ge 0,\ r^\top w = c,\ Lw \ge 0` a plane is smallest at a vertex, which a linear
program finds, with few kernels of weight: as many as there are limits, and one more. If all of
these are in the master problem, the bound of the master holds for all kernels. Else they join it.
The bound takes the multipliers ζ of the program, and holds for any
(:mod:`kernlearn.families.weight_limits`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.families.weight_limits import WeightLimits, smallest_over_shares
from kernlearn.numerics.sums import EPS
from kernlearn.solvers.core.oracle import Plane
from kernlearn.solvers.core.problem import WeightSet
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class LimitedCorner:
    """Vertex at which a plane is smallest within the limits."""

    bound: float  # the value there, or something below it
    kernels: Indices  # those with weight, the largest share first


def limited_corner(plane: Plane, weight_set: WeightSet) -> LimitedCorner:
    """The vertex of the smallest value; every kernel of the limits has an effect."""
    assert weight_set.limits is not None
    r, used = weight_set.normaliser, np.flatnonzero(weight_set.normaliser > 0)
    limits = _of_shares(weight_set.limits, r, used)
    slopes = weight_set.total * plane.gradient[used] / r[used]
    noise = (plane.noise + 4 * EPS * np.abs(plane.gradient))[used] * (weight_set.total / r[used])
    found = smallest_over_shares(slopes, limits)
    if found is None:
        return LimitedCorner(plane.constant + float((slopes - noise).min()), used[:0])
    size = np.abs(found.multipliers)
    noise += size @ limits.noise
    noise += (len(size) + 4) * EPS * (np.abs(slopes) + size @ np.abs(limits.rows))
    reduced = slopes - found.multipliers @ limits.rows
    order = np.argsort(-found.shares, kind="stable")
    with_weight = order[: int(np.count_nonzero(found.shares))]
    return LimitedCorner(plane.constant + float((reduced - noise).min()), used[with_weight])


def limits_of(limits: WeightLimits | None, kernels: Indices) -> WeightLimits | None:
    """The limits of some kernels, if no others have weight."""
    if limits is None:
        return None
    rows, sizes = limits.rows[:, kernels], limits.sizes[:, kernels]
    is_nonzero = rows.any(axis=1)
    return (
        WeightLimits(rows[is_nonzero], sizes[is_nonzero], limits.is_tie[is_nonzero])
        if is_nonzero.any()
        else None
    )


def _of_shares(limits: WeightLimits, normaliser: Array, used: Indices) -> WeightLimits:
    """The limits of wᵢrᵢ/c, each row of a size of one."""
    rows, sizes = limits.rows[:, used] / normaliser[used], limits.sizes[:, used] / normaliser[used]
    unit = np.maximum(np.abs(rows).max(axis=1), 1e-300)
    return WeightLimits(rows, sizes, limits.is_tie).scaled(unit)
