"""Sums, products, multiples and powers of kernels, as ``+``, ``*`` and ``**`` make them."""

from __future__ import annotations

import numpy as np

from kernlearn._device import copied
from kernlearn.kernels._composite import _Combination, _Wrapper
from kernlearn.kernels._parameters import non_negative, positive_integer
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Table


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

    def _evaluate(self, X: Table, Y: Table) -> Array:
        total: Array = copied(self.kernels[0](X, Y))
        for kernel in self.kernels[1:]:
            total += kernel(X, Y)
        return total

    def _diag(self, X: Table) -> Array:
        return np.asarray(np.sum([kernel.diag(X) for kernel in self.kernels], axis=0))


class Product(_Combination):
    r"""The product of kernels, :math:`k(x, z) = \prod_i k_i(x, z)`; also written ``k1 * k2``.

    It is a kernel by Schur's product theorem.

    Parameters
    ----------
    kernels : list of Kernel
        The factors, at least one.

    Examples
    --------
    >>> from kernlearn.kernels import Linear, Polynomial
    >>> (Linear() * Polynomial(degree=1))([[2.0]])
    array([[20.]])
    """

    passes_arrays = True

    def _evaluate(self, X: Table, Y: Table) -> Array:
        total: Array = copied(self.kernels[0](X, Y))
        for kernel in self.kernels[1:]:
            total *= kernel(X, Y)
        return total

    def _diag(self, X: Table) -> Array:
        return np.asarray(np.prod([kernel.diag(X) for kernel in self.kernels], axis=0))


class Scaled(_Wrapper):
    r"""A multiple of a kernel, :math:`s \, k(x, z)`; also written ``s * k``.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    scale : float, default=1.0
        The factor s, not negative.

    Examples
    --------
    >>> from kernlearn.kernels import Linear
    >>> (0.5 * Linear())([[2.0]])
    array([[2.]])
    """

    passes_arrays = True

    def __init__(self, kernel: Kernel, scale: float = 1.0) -> None:
        self.kernel = kernel
        self.scale = scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        non_negative(self.scale, "Scaled's scale")

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The rows, longer or shorter."""
        rows = self.kernel.sparse_rows(X)
        if rows is None:
            return None
        return rows.rescaled(np.full(rows.features.shape[0], np.sqrt(self.scale)))

    def _evaluate(self, X: Table, Y: Table) -> Array:
        return self.scale * self.kernel(X, Y)

    def _diag(self, X: Table) -> Array:
        return self.scale * self.kernel.diag(X)


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

    def _evaluate(self, X: Table, Y: Table) -> Array:
        # A bank may hold several powers of one kernel.
        base = shared("base of a power", lambda: self.kernel(X, Y), self.kernel, X, Y)
        powered: Array = base**self.exponent
        return powered

    def _diag(self, X: Table) -> Array:
        return self.kernel.diag(X) ** self.exponent
