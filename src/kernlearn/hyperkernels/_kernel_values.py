"""Values of ordinary kernels on pairs, for the hyperkernels that are built from kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.kernels import Kernel
from kernlearn.typing import Array

# A kernel gives matrices; the diagonals of blocks of this size hold the values for pairs. Smaller
# blocks compute fewer values in vain, larger ones need fewer calls (measured).
_BLOCK = 64


def check_kernel_object(kernel: Any, owner: str) -> None:
    """Refuse anything that is not a kernel object as a part of the hyperkernel `owner`."""
    if not isinstance(kernel, Kernel):
        raise ValueError(
            f"{owner} must be built from kernel objects, got {kernel!r}; pass for example "
            "kernlearn.kernels.Gaussian(gamma=1.0)."
        )


def values_of_pairs(kernel: Kernel, left: Array, right: Array) -> Array:
    """Return k(left_p, right_p) for every p, in time and memory proportional to their number."""
    values: Array = np.empty(len(left))
    for start in range(0, len(left), _BLOCK):
        rows = slice(start, start + _BLOCK)
        values[rows] = kernel(left[rows], right[rows]).diagonal()
    return values


def check_not_negative(values: Array, kernel: Kernel, owner: str) -> None:
    """Refuse a base kernel that goes negative: its sections need not be kernels."""
    if values.min() < 0:
        raise ValueError(
            f"{owner} needs a kernel that is never negative, got {values.min():.3g} from "
            f"{kernel!r}; choose a Gaussian, or square it with kernel ** 2."
        )
