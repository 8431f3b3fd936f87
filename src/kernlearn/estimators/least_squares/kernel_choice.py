"""The kernel of a least-squares machine as users name it, and its parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.families.parametric import PARAMETRIC_KERNELS, ParametricKernel, parametric_kernel
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import check_real
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


def kernel_family(kernel: object) -> ParametricKernel:
    """The family that a name, a parametric kernel, or a kernel of the library stands for."""
    if isinstance(kernel, Kernel):
        return FixedKernel(kernel)
    if isinstance(kernel, ParametricKernel):
        return kernel
    if isinstance(kernel, str) and kernel in PARAMETRIC_KERNELS:
        return parametric_kernel(kernel)
    raise ValueError(
        f"expected kernel to be one of {', '.join(PARAMETRIC_KERNELS)}, a kernel of "
        f"kernlearn.kernels or a parametric kernel, got {kernel!r}; try kernel='rbf'"
    )


def check_theta(theta: ArrayLike | None, family: ParametricKernel, X: Array) -> Array | None:
    """The kernel parameters to be kept, or None if they are to be selected."""
    if theta is None:
        return None
    n_parameters = len(family.start(X))
    if n_parameters == 0:
        raise ValueError(
            f"expected theta=None with a kernel that has no parameters to select, got {theta!r}; "
            "set the parameters of that kernel itself"
        )
    check_real(theta, "theta")
    try:
        values = np.atleast_1d(np.array(theta, dtype=float))
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n_parameters,) or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            f"expected theta to hold {n_parameters} non-negative, finite numbers for this "
            f"kernel, got {theta!r}; pass theta=None to have them selected"
        )
    return values
