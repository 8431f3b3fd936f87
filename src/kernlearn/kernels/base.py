"""The kernel k(x, z): what every kernel can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kernlearn._device import beside, is_elsewhere, namespace, to_host
from kernlearn.kernels._matrices import exactly_symmetric
from kernlearn.kernels._parameters import Check, check_declared, non_negative, positive_integer
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import (
    check_numbers,
    check_real,
    check_same_columns,
    check_sparse,
    check_table,
    is_finite,
)
from kernlearn.runtime.memory import require_matrices
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, Matrix, Rows, Table


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

    takes_things = False
    """Whether the rows may be other things than numbers: text, graphs, arrays of any length."""

    takes_sparse = False
    """Whether the rows may come as a sparse matrix, which is then never made dense."""

    follows_arrays = False
    """Whether `_evaluate` takes arrays of any library; others are evaluated on the host."""

    is_product = False
    """Whether k is the product of its values on single columns, which `_by_column` gives."""

    parameter_checks: tuple[tuple[str, Check], ...] = ()
    """A check for each parameter that one function of `_parameters` can judge."""

    _cure_of_overflow = (
        "rescale the columns first, for example with sklearn.preprocessing.StandardScaler"
    )

    def __call__(self, X: object, Y: object = None) -> Array:
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
            Finite float64 numbers; an overflow is an error. For an array of PyTorch or CuPy it
            is one like it, computed where that is.
        """
        same = Y is None or Y is X
        if is_elsewhere(X):
            return _evaluate_elsewhere(self, X, X if same else Y)  # type: ignore[arg-type]  # an array there
        with sharing(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self._check_parameters()
            table_X = self._check_table(X, "X")
            table_Y = table_X if same else self._check_table(Y, "Y")
            if not self.takes_things:
                check_same_columns(table_X, table_Y)
            require_matrices(1, table_X.shape[0], table_Y.shape[0])
            rows = self._check_data(table_X, "X")
            columns = rows if same else self._check_data(table_Y, "Y")
            K = self._evaluate(rows, columns)
        check_values(self, K)
        return exactly_symmetric(K, f"The matrix of {type(self).__name__}") if same else K

    def diag(self, X: object) -> Array:
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
        if is_elsewhere(X):
            there: Array = beside(self.diag(to_host(X)), X)
            return there
        with sharing(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self._check_parameters()
            values = self._diag(self._check_data(self._check_table(X, "X"), "X"))
        check_values(self, values)
        return values

    def fitted_to(self, X: object) -> Kernel:
        """Return this kernel with all that it takes from data taken from the rows of `X`.

        Estimators call it on their training rows, so that a vocabulary or the rarity of a category
        is never learned from others. The returned kernel holds them as parameters: a clone of it is
        fitted too. A kernel that takes nothing from data is returned itself, and none is changed.

        Parameters
        ----------
        X : array-like, data frame, or list of things
            The training rows, as the kernel is called with them.

        Returns
        -------
        kernel : Kernel
            The kernel to be called on these rows and on new ones.
        """
        with sharing():
            self._check_parameters()
            return self._fitted(self._check_table(X, "X"))

    def _fitted(self, X: Table) -> Kernel:
        """Return the fitted kernel; parts are fitted to their columns of `X`."""
        return self

    @abstractmethod
    def _evaluate(self, X: Rows, Y: Rows) -> Array:
        """Compute the matrix; inputs are checked, and ``Y is X`` for the square matrix."""

    @abstractmethod
    def _diag(self, X: Rows) -> Array:
        """Compute the diagonal; inputs are checked."""

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The rows of `X` as sparse features whose inner products k is; None if it is none."""
        return None

    def _by_column(self, x: Array, z: Array) -> Array:
        """The factor κ of k(x, z) = Π κ(x_r, z_r), entry by entry of two arrays that broadcast."""
        raise NotImplementedError(f"{type(self).__name__} is no product over columns")

    def _check_parameters(self) -> None:
        """Refuse parameters that give no kernel; called before every evaluation."""
        check_declared(self, self.parameter_checks)

    def _check_table(self, X: object, name: str) -> Rows:
        """Return `X` as a table with rows and columns; the entries are not looked at."""
        return check_table(X, name, sparse=self.takes_sparse)

    def _check_data(self, X: Rows, name: str) -> Rows:
        """Return the table as `_evaluate` takes it: an array of finite numbers by default."""
        return check_sparse(X, name) if issparse(X) else check_numbers(X, name)

    def _overflow(self) -> str:
        return (
            f"{type(self).__name__} must give finite values, got an overflow on these data; "
            f"{self._cure_of_overflow}."
        )

    # A circle of imports that stays: operators of a class make objects of its subclasses.

    def __add__(self, other: object) -> Kernel:
        from kernlearn.kernels.arithmetic import Sum

        return Sum([self, other]) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Kernel:
        from kernlearn.kernels.arithmetic import Product, Scaled

        if isinstance(other, Kernel):
            return Product([self, other])
        if isinstance(other, Real):
            return Scaled(self, non_negative(other, "The factor of a kernel"))
        return NotImplemented

    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> Kernel:
        from kernlearn.kernels.arithmetic import Power

        return Power(self, positive_integer(exponent, "The exponent of a kernel"))


class _UnitDiagonal(Kernel):
    """A kernel with k(x, x) = 1 for every x."""

    def _diag(self, X: Rows) -> Array:
        return np.ones(X.shape[0])


def check_values(kernel: Kernel, values: Array) -> None:
    """Refuse values of a kernel that are complex or not finite."""
    check_real(values, f"The values of {type(kernel).__name__}")
    if not is_finite(values):
        raise NumericalError(kernel._overflow())


def _evaluate_elsewhere(kernel: Kernel, X: Matrix, Y: object) -> Array:
    """The matrix where `X` is, on a device say; its numbers were checked on the way there."""
    if not kernel.follows_arrays:
        host = to_host(X)
        there: Array = beside(kernel(host, host if Y is X else Y), X)
        return there
    with sharing(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
        kernel._check_parameters()
        K = kernel._evaluate(X, Y if Y is X else beside(Y, X))
    xp = namespace(X)
    if not bool(xp.all(xp.isfinite(K))):
        raise NumericalError(kernel._overflow())
    return K
