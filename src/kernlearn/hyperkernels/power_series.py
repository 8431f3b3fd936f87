"""Hyperkernels by power series."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.hyperkernels._kernel_values import (
    check_kernel_object,
    check_not_negative,
    values_of_pairs,
)
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.hyperkernels.series import TABLE_2, Series
from kernlearn.kernels import Kernel
from kernlearn.typing import Array


class PowerSeries(Hyperkernel):
    r"""A power series in the product of two kernel values (Ong 2005, (11) and Table 2).

    .. math:: \underline k((x, z), (s, t)) = g(k(x, z)\, k(s, t)),
              \quad g(\xi) = \sum_i c_i \xi^i, \quad c_i \ge 0

    The kernel must be non-negative and stay below √R, R being the radius of convergence; values
    outside are refused. A Gaussian kernel reaches 1, so for "arctanh" and "log" (R = 1) scale it
    down: ``PowerSeries("log", 0.9 * Gaussian())``.

    Parameters
    ----------
    series : {"exp", "sinh", "cosh", "arctanh", "log"} or Series
        The function g; "log" stands for −ln(1 − ξ).
    kernel : Kernel
        The kernel k.

    Examples
    --------
    >>> from kernlearn.hyperkernels import PowerSeries
    >>> from kernlearn.kernels import Gaussian
    >>> PowerSeries("exp", Gaussian())([[[0.0], [0.0]], [[0.0], [1.0]]]).round(4)
    array([[2.7183, 1.4447],
           [1.4447, 1.1449]])
    """

    def __init__(self, series: str | Series, kernel: Kernel) -> None:
        self.series = series
        self.kernel = kernel

    def _check_parameters(self) -> None:
        self._chosen()
        check_kernel_object(self.kernel, "PowerSeries")

    def _table(self, left: Array, right: Array) -> Array:
        return self._in_range(values_of_pairs(self.kernel, left, right))

    def _grid_table(self, X: Array, Y: Array) -> Array:
        return self._in_range(self.kernel(X, Y).ravel())

    def _evaluate(self, table: Array, other: Array) -> Array:
        values: Any = self._chosen().function(np.multiply.outer(table, other))
        return np.asarray(values, dtype=np.float64)

    def _diag(self, table: Array) -> Array:
        return np.asarray(self._chosen().function(table**2), dtype=np.float64)

    def _chosen(self) -> Series:
        if isinstance(self.series, Series):
            return self.series
        name: object = self.series
        if not isinstance(name, str) or name not in TABLE_2:
            raise ValueError(
                f"PowerSeries' series must be one of {', '.join(TABLE_2)} or a Series object, got "
                f"{self.series!r}; choose one of these names."
            )
        return TABLE_2[self.series]

    def _in_range(self, values: Array) -> Array:
        check_not_negative(values, self.kernel, "PowerSeries")
        series = self._chosen()
        bound = series.largest_value()
        if values.max() >= bound:
            raise ValueError(
                f"PowerSeries needs kernel values below {bound:.4g}, the root of the radius of "
                f"convergence of {series.name}, got {values.max():.6g} from {self.kernel!r}; scale "
                "the kernel down, for example 0.9 * kernel for one that reaches 1."
            )
        return values
