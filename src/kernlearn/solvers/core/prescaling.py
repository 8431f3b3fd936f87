"""Matrices whose squares are no numbers, brought to unit size before anything is squared.

Sizes are powers of two, so that going there and back changes no digit. Matrices of ordinary sizes
are left where they are: solvers measure each by its own norm, and a copy would cost memory.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.identity import WithIdentity
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import WeightSet
from kernlearn.solvers.core.units import RescaledPenalty, Units, check_kernel_size
from kernlearn.typing import Array

SQUARABLE = 2.0**200  # and as small: fourth powers are numbers
LARGEST_WEIGHT = 2.0**960  # and as small: beyond, its digits would be lost


def check_sizes(family: Family, weight_set: WeightSet) -> None:
    """Refuse matrices whose traces or weights, or whose combinations when squared, are no numbers.

    A weight is largest where its matrix takes all of the total.
    """
    traces, total = family.traces, weight_set.total
    used = (weight_set.normaliser > 0) & (traces > 0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        alone = total / weight_set.normaliser[used]
        kernel = weight_set.kernel_size(family)
    if not (np.isfinite(traces).all() and np.isfinite(kernel)):
        alone = np.array([np.inf])
    if (alone > LARGEST_WEIGHT).any() or (alone < 1.0 / LARGEST_WEIGHT).any():
        raise ValueError(
            "expected matrices whose traces are numbers, and so are their weights if one takes all "
            f"of the total, got traces from {traces.min():.3g} to {traces.max():.3g} and a total "
            f"of {total:.3g}; rescale the data, or normalise the kernels"
        )
    check_kernel_size(kernel)


def extreme_sizes(family: Family) -> Array | None:
    """Powers of two near the traces if squares of some are out of range, else None."""
    traces = family.traces
    sized = traces[traces > 0]
    if ((sized < SQUARABLE) & (sized > 1.0 / SQUARABLE)).all():
        return None
    sizes = 2.0 ** np.round(np.log2(np.where(traces > 0, traces, 1.0)))
    if isinstance(family, WithIdentity):  # which stays what it is
        sizes[-1] = 1.0
    return np.asarray(sizes)


def at_unit_size(
    family: Family, weight_set: WeightSet, penalty: Penalty | None, sizes: Array
) -> tuple[Family, WeightSet, Penalty | None]:
    """The same problem in matrices Kᵢ/sᵢ, whose weights are wᵢsᵢ."""
    shrink = np.diag(1.0 / sizes)
    if penalty is not None:
        penalty = RescaledPenalty(penalty, Units(1.0, 1.0), shrink)
    start = None if weight_set.start is None else weight_set.start * sizes
    moved = replace(weight_set, normaliser=weight_set.normaliser / sizes, start=start)
    return family.combined(shrink), moved, penalty
