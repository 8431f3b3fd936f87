"""The hyperkernel k̲((x, z), (s, t)): what every hyperkernel can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.hyperkernels._grid import fill_grid
from kernlearn.hyperkernels._validation import (
    check_one_pair,
    check_pairs,
    check_same_features,
    check_weights,
    quiet,
)
from kernlearn.kernels._symmetry import exactly_symmetric
from kernlearn.kernels._validation import check_numbers, check_real, is_finite
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array

if TYPE_CHECKING:
    from kernlearn.hyperkernels.expansion import Expansion


class Hyperkernel(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no type information
    r"""A kernel between pairs of points, every section of which is a kernel (Ong 2005, Def. 5).

    It is symmetric in each pair, positive semidefinite as a kernel on pairs, and for any fixed
    pair :math:`(s, t)` the section :math:`k(x, z) = \underline k((x, z), (s, t))` is a kernel.

    A new hyperkernel stores its parameters in ``__init__`` and defines `_evaluate` and `_diag`.
    Both take tables with one row for each pair, as `_table` makes them: the pairs themselves,
    unless a hyperkernel needs to know less of a pair than its two points.
    `kernlearn.testing.check_hyperkernel` tests it.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Harmonic
    >>> hk = Harmonic(lambda_h=0.6, gamma=1.0)
    >>> hk([[[0.0], [0.0]], [[0.0], [1.0]]]).round(3)
    array([[1.   , 0.513],
           [0.513, 0.435]])
    >>> hk.section([[0.0], [1.0]])([[0.0], [1.0]]).round(3)
    array([[0.513, 0.435],
           [0.435, 0.513]])
    """

    def __call__(self, pairs: Any, other: Any = None) -> Array:
        """Return the matrix of the hyperkernel between `pairs` and `other` pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs of points.
        other : array-like of shape (n_other, 2, n_features), optional
            The other pairs; `pairs` when not given, and then the result is exactly symmetric.

        Returns
        -------
        K : ndarray of shape (n_pairs, n_other)
            Finite float64 numbers; an overflow is an error.
        """
        self._check_parameters()
        same = other is None or other is pairs
        rows = check_pairs(pairs, "pairs")
        columns = rows if same else check_pairs(other, "other")
        check_same_features(columns.shape[2], rows.shape[2], "other")
        with quiet():
            table = self._table(rows[:, 0], rows[:, 1])
            against = table if same else self._table(columns[:, 0], columns[:, 1])
            K = self._evaluate(table, against)
        self._check_values(K)
        return exactly_symmetric(K, f"The matrix of {type(self).__name__}") if same else K

    def diag(self, pairs: Any) -> Array:
        """Return the diagonal of ``self(pairs)``, without the rest of the matrix.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs of points.

        Returns
        -------
        values : ndarray of shape (n_pairs,)
            The hyperkernel of every pair with itself.
        """
        self._check_parameters()
        rows = check_pairs(pairs, "pairs")
        with quiet():
            values = self._diag(self._table(rows[:, 0], rows[:, 1]))
        self._check_values(values)
        return values

    def section(self, pair: Any) -> Expansion:
        r"""Return the kernel :math:`k(x, z) = \underline k((x, z), \text{pair})`.

        Parameters
        ----------
        pair : array-like of shape (2, n_features)
            The two points that fix the section.
        """
        return self.expansion(check_one_pair(pair), [1.0])

    def expansion(self, pairs: Any, weights: Any) -> Expansion:
        r"""Return the kernel :math:`k(x, z) = \sum_p w_p \underline k((x, z), \text{pair}_p)`.

        With non-negative weights it is positive semidefinite (Ong 2005, Proposition 8).

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            The pairs of the expansion; copied.
        weights : array-like of shape (n_pairs,)
            A non-negative weight for each; pairs of weight zero cost nothing.
        """
        from kernlearn.hyperkernels.expansion import Expansion

        points = check_pairs(pairs, "pairs").copy()
        return Expansion(self, points, check_weights(weights, len(points)).copy())

    def sections(self, X: Any, pairs: Any, Y: Any = None) -> Array:
        r"""Return the Gram matrices of all sections, :math:`\underline k((x_i, z_j), pair_p)`.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            The points in the rows.
        pairs : array-like of shape (n_pairs, 2, n_features)
            The pairs that fix the sections.
        Y : array-like or data frame of shape (m, n_features), optional
            The points in the columns; `X` when not given, and then every matrix is exactly
            symmetric.

        Returns
        -------
        grams : ndarray of shape (n_pairs, n, m)
            What is computed for each pair of points is computed once for all sections.
        """
        self._check_parameters()
        fixed = check_pairs(pairs, "pairs")
        rows = check_numbers(X, "X")
        columns = rows if Y is None or Y is X else check_numbers(Y, "Y")
        check_same_features(rows.shape[1], fixed.shape[2], "X")
        check_same_features(columns.shape[1], fixed.shape[2], "Y")
        grams: Array = np.empty((len(fixed), len(rows), len(columns)))
        with quiet():
            fill_grid(grams, self, rows, columns, self._table(fixed[:, 0], fixed[:, 1]))
        self._check_values(grams)
        return grams

    def _table(self, left: Array, right: Array) -> Array:
        """Compute what is needed of each pair (left_p, right_p), one row each; inputs checked."""
        return np.stack([left, right], axis=1)

    def _grid_table(self, X: Array, Y: Array) -> Array:
        """Compute `_table` of all pairs (x, z), those of the first x first; inputs are checked."""
        return self._table(np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1)))

    @abstractmethod
    def _evaluate(self, table: Array, other: Array) -> Array:
        """Compute the matrix between two tables made by `_table`."""

    @abstractmethod
    def _diag(self, table: Array) -> Array:
        """Compute the value of every row of a table with itself."""

    def _check_parameters(self) -> None:
        """Refuse parameters that give no hyperkernel; called before every evaluation."""

    def _check_values(self, values: Array) -> None:
        check_real(values, f"The values of {type(self).__name__}")
        if not is_finite(values):
            raise NumericalError(
                f"{type(self).__name__} must give finite values, got an overflow on these data; "
                "rescale the columns first, for example with sklearn.preprocessing.StandardScaler."
            )
