"""A kernel without parameters to select, where a parametric family is expected."""

from __future__ import annotations

import numpy as np

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.kernels import Kernel
from kernlearn.typing import Array


class FixedKernel(ParametricKernel):
    """The family that holds one kernel."""

    follows_arrays = True

    def __init__(self, fixed: Kernel) -> None:
        self.fixed = fixed

    def start(self, X: Array) -> Array:
        """No parameters."""
        return np.empty(0)

    def kernel(self, theta: Array) -> Kernel:
        """The kernel itself."""
        return self.fixed
