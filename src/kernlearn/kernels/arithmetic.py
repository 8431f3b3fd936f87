"""Sums, products, multiples and powers of kernels, and sums with learned weights."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from kernlearn._device import beside, copied
from kernlearn.kernels._composite import _Combination, _Wrapper
from kernlearn.kernels._parameters import non_negative, positive_integer
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import check_real
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Table


class _EntryByEntry(_Combination):
    """Values of all parts joined by one operation, which may write into its first argument."""

    passes_arrays = True
    in_place: Callable[[Array, Array], Array]

    def _evaluate(self, X: Table, Y: Table) -> Array:
        parts = (kernel(X, Y) for kernel in self.kernels)
        return reduce(self.in_place, parts, copied(next(parts)))

    def _diag(self, X: Table) -> Array:
        parts = (kernel.diag(X) for kernel in self.kernels)
        return reduce(self.in_place, parts, copied(next(parts)))


class Sum(_EntryByEntry):
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

    in_place = staticmethod(operator.iadd)


class Product(_EntryByEntry):
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

    in_place = staticmethod(operator.imul)


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
    parameter_checks = (("scale", non_negative),)

    def __init__(self, kernel: Kernel, scale: float = 1.0) -> None:
        self.kernel = kernel
        self.scale = scale

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
    parameter_checks = (("exponent", positive_integer),)

    def __init__(self, kernel: Kernel, exponent: int = 2) -> None:
        self.kernel = kernel
        self.exponent = exponent

    def _evaluate(self, X: Table, Y: Table) -> Array:
        # A bank may hold several powers of one kernel.
        base = shared("base of a power", lambda: self.kernel(X, Y), self.kernel, X, Y)
        return base**self.exponent

    def _diag(self, X: Table) -> Array:
        return self.kernel.diag(X) ** self.exponent


class WeightedSum(_Combination):
    r"""The combination :math:`k(x, z) = \sum_i w_i k_i(x, z)`; kernels of weight zero are skipped.

    A negative weight is allowed, as free-sign learning gives them. The result is then positive
    semidefinite on the points where that was imposed, which need not be all points.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels, at least one.
    weights : array-like of shape (m,)
        One finite weight for each.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian, Linear, WeightedSum
    >>> WeightedSum([Linear(), Gaussian()], [0.5, 2.0])([[1.0], [2.0]]).round(3)
    array([[2.5  , 1.736],
           [1.736, 4.   ]])
    """

    passes_arrays = True

    def __init__(self, kernels: Sequence[Kernel], weights: Sequence[float] | Array) -> None:
        self.kernels = kernels
        self.weights = weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real(self.weights, "The weights of WeightedSum")
        weights = np.asarray(self.weights, dtype=float)
        if weights.shape != (len(self.kernels),) or not np.isfinite(weights).all():
            raise ValueError(
                f"WeightedSum must be given one finite weight for each of its {len(self.kernels)} "
                f"kernels, got {self.weights!r}; pass a list of that many numbers."
            )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the parts when `deep`."""
        return {**super().get_params(deep), "weights": self.weights}

    def _evaluate(self, X: Table, Y: Table) -> Array:
        total: Array = beside(np.zeros((X.shape[0], Y.shape[0])), X)
        for kernel, weight in zip(self.kernels, self.weights, strict=True):
            if weight != 0:
                # ``Y is X`` marks the square matrix for the parts.
                total += float(weight) * kernel(X, Y)
        return total

    def _diag(self, X: Table) -> Array:
        total: Array = np.zeros(X.shape[0])
        for kernel, weight in zip(self.kernels, self.weights, strict=True):
            if weight != 0:
                total += weight * kernel.diag(X)
        return total
