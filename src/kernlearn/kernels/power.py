"""A kernel raised to a positive integer."""

from __future__ import annotations

from typing import Any

from kernlearn.kernels._composite import _Wrapper
from kernlearn.kernels._parameters import positive_integer
from kernlearn.kernels._sharing import shared
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array


class Power(_Wrapper):
    r"""A power of a kernel, :math:`k(x, z)^p`; also written ``k ** p``.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    exponent : int, default=2
        The power p, at least one.

    Examples
    --------
    >>> from kernlearn.kernels import Linear
    >>> (Linear() ** 3)([[1.0], [2.0]])
    array([[ 1.,  8.],
           [ 8., 64.]])
    """

    passes_arrays = True

    def __init__(self, kernel: Kernel, exponent: int = 2) -> None:
        self.kernel = kernel
        self.exponent = exponent

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive_integer(self.exponent, "Power's exponent")

    def _evaluate(self, X: Any, Y: Any) -> Array:
        # A bank may hold several powers of one kernel.
        base = shared("base of a power", lambda: self.kernel(X, Y), self.kernel, X, Y)
        powered: Array = base**self.exponent
        return powered

    def _diag(self, X: Any) -> Array:
        return self.kernel.diag(X) ** self.exponent
