"""The sum of kernels."""

from __future__ import annotations

from typing import Any

from kernlearn._device import copied
from kernlearn.kernels._composite import _Combination
from kernlearn.typing import Array


class Sum(_Combination):
    r"""The sum of kernels, :math:`k(x, z) = \sum_i k_i(x, z)`; also written ``k1 + k2``.

    Parameters
    ----------
    kernels : list of Kernel
        The terms, at least one.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> (Linear() + Gaussian())([[1.0]])
    array([[2.]])
    """

    passes_arrays = True

    def _evaluate(self, X: Any, Y: Any) -> Array:
        total: Array = copied(self.kernels[0](X, Y))
        for kernel in self.kernels[1:]:
            total += kernel(X, Y)
        return total

    def _diag(self, X: Any) -> Array:
        total = self.kernels[0].diag(X).copy()
        for kernel in self.kernels[1:]:
            total += kernel.diag(X)
        return total
