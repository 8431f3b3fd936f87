"""Hyperkernels by a finite sum of kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels._validation import check_not_negative, values_of_pairs
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels import Kernel
from kernlearn.kernels._composite import check_part
from kernlearn.kernels._validation import is_finite
from kernlearn.typing import Array


class Explicit(Hyperkernel):
    r"""The hyperkernel of finitely many kernels (Ong 2005, (15); Example 6 is (16)).

    .. math:: \underline k((x, z), (s, t)) = \sum_i c_i k_i(x, z)\, k_i(s, t), \quad c_i \ge 0

    The section at (s, t) gives kernel i the weight :math:`c_i k_i(s, t)`, so the kernels must be
    non-negative: Gaussians, or even powers such as those of Example 6.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels k_i, at least one, never negative.
    coefs : array-like of shape (n_kernels,)
        The coefficient c_i of each, not negative.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Explicit
    >>> from kernlearn.kernels import Gaussian, Polynomial
    >>> hk = Explicit([Polynomial(degree=2, offset=1.0), Gaussian()], [0.5, 2.0])
    >>> hk([[[0.0], [0.0]], [[1.0], [1.0]]])
    array([[ 2.5,  4. ],
           [ 4. , 10. ]])
    """

    def __init__(self, kernels: Sequence[Kernel], coefs: ArrayLike) -> None:
        self.kernels = kernels
        self.coefs = coefs

    def _check_parameters(self) -> None:
        kernels: object = self.kernels
        if not isinstance(kernels, Sequence) or len(kernels) == 0:
            raise ValueError(
                "Explicit must be given a list of at least one kernel, got "
                f"{self.kernels!r}; pass for example [Gaussian(0.1), Gaussian(1.0)]."
            )
        for kernel in self.kernels:
            check_part(kernel, "Explicit")
        coefs = np.asarray(self.coefs)
        is_vector = coefs.shape == (len(self.kernels),) and coefs.dtype.kind in "biuf"
        if not (is_vector and is_finite(coefs) and coefs.min() >= 0):
            raise ValueError(
                f"Explicit's coefs must be {len(self.kernels)} non-negative finite numbers, one "
                f"for each kernel, got {self.coefs!r}; choose zero or more for every kernel."
            )

    def _table(self, left: Array, right: Array) -> Array:
        return self._features([values_of_pairs(kernel, left, right) for kernel in self.kernels])

    def _grid_table(self, X: Array, Y: Array) -> Array:
        return self._features([kernel(X, Y).ravel() for kernel in self.kernels])

    def _evaluate(self, table: Array, other: Array) -> Array:
        return table @ other.T

    def _diag(self, table: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", table, table))

    def _features(self, columns: list[Array]) -> Array:
        """The feature map of (15): √c_i k_i of every pair."""
        for values, kernel in zip(columns, self.kernels, strict=True):
            check_not_negative(values, kernel, "Explicit")
        roots = np.sqrt(np.asarray(self.coefs, dtype=np.float64))
        return np.column_stack(columns) * roots
