"""Hyperkernels that are series in kernel values: power series (Table 2), and finite sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels._validation import check_not_negative, check_positive_semidefinite
from kernlearn.hyperkernels.of_kernels import _OfKernels
from kernlearn.kernels import Kernel
from kernlearn.kernels._composite import check_part
from kernlearn.kernels._validation import is_finite
from kernlearn.typing import Array


@dataclass(frozen=True)
class Series:
    r"""A function :math:`g(\xi) = \sum_i c_i \xi^i` with all :math:`c_i \ge 0`.

    Parameters
    ----------
    name : str
        Name of the series in messages.
    function : callable
        g, applied to every entry of an array. A function that has a name can be pickled.
    radius : float
        The radius of convergence R.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.hyperkernels import TABLE_2, Series
    >>> sorted(TABLE_2)
    ['arctanh', 'cosh', 'exp', 'log', 'sinh']
    >>> TABLE_2["log"].radius
    1.0
    >>> Series("squared", np.square, np.inf).function(np.array([1.0, 3.0]))
    array([1., 9.])
    """

    name: str
    function: Callable[[Array], Array]
    radius: float


def minus_log(xi: Array) -> Array:
    """−ln(1 − ξ), accurate near zero."""
    return -np.log1p(-xi)


#: The power series of Table 2 of Ong et al. (2005), by the names that :class:`PowerSeries` takes.
TABLE_2: dict[str, Series] = {
    "exp": Series("exp", np.exp, math.inf),
    "sinh": Series("sinh", np.sinh, math.inf),
    "cosh": Series("cosh", np.cosh, math.inf),
    "arctanh": Series("arctanh", np.arctanh, 1.0),
    "log": Series("log", minus_log, 1.0),
}


class PowerSeries(_OfKernels):
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
        check_part(self.kernel, "PowerSeries")

    def _parts(self) -> Sequence[Kernel]:
        return [self.kernel]

    def _with_parts(self, parts: Sequence[Kernel]) -> Self:
        return self._copied(kernel=parts[0])

    def _of_values(self, values: list[Array]) -> Array:
        return self._in_range(values[0])

    def _evaluate(self, table: Array, other: Array) -> Array:
        values = self._chosen().function(np.multiply.outer(table, other))
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
        bound = math.sqrt(series.radius)
        if values.max() >= bound:
            raise ValueError(
                f"PowerSeries needs kernel values below {bound:.4g}, the root of the radius of "
                f"convergence of {series.name}, got {values.max():.6g} from {self.kernel!r}; scale "
                "the kernel down, for example 0.9 * kernel for one that reaches 1."
            )
        return values


class Explicit(_OfKernels):
    r"""The hyperkernel of finitely many kernels (Ong 2005, (15); Example 6 is (16)).

    .. math:: \underline k((x, z), (s, t)) = \sum_{ij} h_{ij}\, k_i(x, z)\, k_j(s, t)

    with h diagonal, :math:`h_{ii} = c_i \ge 0`; or a full matrix, positive semidefinite and without
    negative entries: (4) of Kondor and Jebara (2007, Lemma 1) with a sum for the integral. The
    section at (s, t) gives kernel i the weight :math:`\sum_j h_{ij} k_j(s, t)`, so the kernels must
    be non-negative: Gaussians, or even powers such as those of Example 6. With a full h, a pair
    for which one kernel is large adds weight to similar kernels too.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels k_i, at least one, never negative: on numbers, or on any other points.
    coefs : array-like of shape (n_kernels,) or (n_kernels, n_kernels)
        The coefficients c_i, not negative, or the matrix h.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Explicit
    >>> from kernlearn.kernels import Gaussian, Polynomial
    >>> hk = Explicit([Polynomial(degree=2, offset=1.0), Gaussian()], [0.5, 2.0])
    >>> hk([[[0.0], [0.0]], [[1.0], [1.0]]])
    array([[ 2.5,  4. ],
           [ 4. , 10. ]])
    >>> narrow_and_wide = Explicit([Gaussian(1.0), Gaussian(0.1)], [[1.0, 0.5], [0.5, 1.0]])
    >>> narrow_and_wide([[[0.0], [0.0]], [[0.0], [2.0]]]).round(3)
    array([[3.   , 1.033],
           [1.033, 0.462]])
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
        coefs, m = np.asarray(self.coefs), len(self.kernels)
        is_known = coefs.shape in ((m,), (m, m)) and coefs.dtype.kind in "biuf"
        if not (is_known and is_finite(coefs) and coefs.min() >= 0):
            raise ValueError(
                f"Explicit's coefs must be {m} non-negative finite numbers, one for each kernel, "
                f"or a matrix of {m} times as many, got {self.coefs!r}; choose zero or more for "
                "every kernel."
            )
        if coefs.ndim == 2:
            check_positive_semidefinite(coefs.astype(np.float64), "Explicit's coefs")

    def _parts(self) -> Sequence[Kernel]:
        return self.kernels

    def _with_parts(self, parts: Sequence[Kernel]) -> Self:
        return self._copied(kernels=list(parts))

    def _of_values(self, values: list[Array]) -> Array:
        """The values of the kernels, one column each."""
        for one, kernel in zip(values, self.kernels, strict=True):
            check_not_negative(one, kernel, "Explicit")
        return np.column_stack(values)

    def _evaluate(self, table: Array, other: Array) -> Array:
        if len(table) < len(other):
            return self._weighted(table) @ other.T
        return table @ self._weighted(other).T

    def _diag(self, table: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", self._weighted(table), table))

    def _weighted(self, table: Array) -> Array:
        coefs = np.asarray(self.coefs, dtype=np.float64)
        return np.asarray(table @ coefs if coefs.ndim == 2 else table * coefs)
