"""The kernel k(x, z): what every kernel can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.kernels._parameters import non_negative, positive_integer
from kernlearn.kernels._symmetry import exactly_symmetric
from kernlearn.kernels._validation import (
    FloatArray,
    check_numbers,
    check_real,
    check_same_columns,
    check_table,
    is_finite,
)

if TYPE_CHECKING:
    from kernlearn.kernels.power import Power
    from kernlearn.kernels.product import Product
    from kernlearn.kernels.scaled import Scaled
    from kernlearn.kernels.sum import Sum


class Kernel(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no type information
    r"""A symmetric positive semidefinite function of two points, :math:`k(x, z)`.

    Calling a kernel gives its Gram matrix. Kernels are added with ``+``, multiplied with ``*``
    (by a kernel or a non-negative number), and raised to a positive integer with ``**``. They have
    scikit-learn's ``get_params``, ``set_params`` and ``clone``, and can be handed to
    ``SVC(kernel=...)``.

    A new kernel stores its parameters in ``__init__`` and defines `_evaluate` and `_diag`;
    `kernlearn.testing.check_kernel` tests it.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> k = 0.5 * Linear() + Gaussian(gamma=2.0)
    >>> k([[0.0], [1.0]]).round(3)
    array([[1.   , 0.135],
           [0.135, 1.5  ]])
    """

    # Lets ``np.float64(2) * kernel`` reach ``__rmul__`` instead of becoming an object array.
    __array_ufunc__ = None

    _cure_of_overflow = (
        "rescale the columns first, for example with sklearn.preprocessing.StandardScaler"
    )

    def __call__(self, X: Any, Y: Any = None) -> FloatArray:
        """Return the matrix of k(x, z) for the rows x of `X` and z of `Y`.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            One point in each row.
        Y : array-like or data frame of shape (m, d), optional
            The other points; `X` itself when not given, and then the result is exactly symmetric.

        Returns
        -------
        K : ndarray of shape (n, m)
            Finite float64 numbers; an overflow is an error.
        """
        self._check_parameters()
        same = Y is None or Y is X
        table_X = check_table(X, "X")
        table_Y = table_X if same else check_table(Y, "Y")
        check_same_columns(table_X, table_Y)
        rows = self._check_data(table_X, "X")
        columns = rows if same else self._check_data(table_Y, "Y")
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            K = self._evaluate(rows, columns)
        self._check_values(K)
        return exactly_symmetric(K, f"The matrix of {type(self).__name__}") if same else K

    def diag(self, X: Any) -> FloatArray:
        """Return k(x, x) for every row x of `X`, without the rest of the matrix.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            One point in each row.

        Returns
        -------
        values : ndarray of shape (n,)
            The diagonal of ``self(X)``.
        """
        self._check_parameters()
        rows = self._check_data(check_table(X, "X"), "X")
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            values = self._diag(rows)
        self._check_values(values)
        return values

    @abstractmethod
    def _evaluate(self, X: Any, Y: Any) -> FloatArray:
        """Compute the matrix; inputs are checked, and ``Y is X`` asks for the square matrix."""

    @abstractmethod
    def _diag(self, X: Any) -> FloatArray:
        """Compute the diagonal; inputs are checked."""

    def _check_parameters(self) -> None:
        """Refuse parameters that give no kernel; called before every evaluation."""

    def _check_data(self, X: Any, name: str) -> Any:
        """Return the 2-D table as `_evaluate` takes it: an array of finite numbers by default."""
        return check_numbers(X, name)

    def _check_values(self, values: FloatArray) -> None:
        check_real(values, f"The values of {type(self).__name__}")
        if not is_finite(values):
            raise ValueError(
                f"{type(self).__name__} must give finite values, got an overflow on these data; "
                f"{self._cure_of_overflow}."
            )

    def __add__(self, other: Any) -> Sum:
        from kernlearn.kernels.sum import Sum

        return Sum([self, other]) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Product | Scaled:
        from kernlearn.kernels.product import Product
        from kernlearn.kernels.scaled import Scaled

        if isinstance(other, Kernel):
            return Product([self, other])
        if isinstance(other, Real):
            return Scaled(self, non_negative(other, "The factor of a kernel"))
        return NotImplemented

    def __rmul__(self, other: Any) -> Product | Scaled:
        return self.__mul__(other)

    def __pow__(self, exponent: Any) -> Power:
        from kernlearn.kernels.power import Power

        return Power(self, positive_integer(exponent, "The exponent of a kernel"))
