"""The hyperkernel k̲((x, z), (s, t)), and the kernels that are sums of its sections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn.hyperkernels._validation import (
    check_one_pair,
    check_pairs,
    check_points,
    check_same_features,
    check_weights,
    quiet,
)
from kernlearn.kernels._matrices import exactly_symmetric
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._validation import check_real, check_rows, is_finite
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, Indices, Rows


@dataclass(frozen=True)
class GridOptions:
    """Number of pairs of points that are handled together when sections are filled."""

    # Enough for vectorised passes, while what is known of the pairs takes a few megabytes
    most_pairs: int = 32768
    fewest_pairs: int = 4096  # the least number of pairs, where there are many sections
    most_values: int = 4_000_000  # values of the hyperkernel held beside the result
    # Most numbers for which what is known of the points is found once for a whole call
    most_shared: int = 4_000_000


class Hyperkernel(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no type information
    r"""A kernel between pairs of points, every section of which is a kernel (Ong 2005, Def. 5).

    It is the family F of the formula: kernels are learned as sums of its sections.
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

    grid_options = GridOptions()

    takes_things = False
    """Whether points may be other things than numbers: strings, graphs, sets."""

    takes_sparse = False

    def __call__(self, pairs: ArrayLike, other: ArrayLike | None = None) -> Array:
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
        rows = check_pairs(pairs, "pairs", self.takes_things)
        columns = rows
        if not same and other is not None:
            columns = check_pairs(other, "other", self.takes_things)
        check_same_features(columns, rows, "other")
        with quiet():
            table = self._table(rows[:, 0], rows[:, 1])
            against = table if same else self._table(columns[:, 0], columns[:, 1])
            K = self._evaluate(table, against)
        self._check_values(K)
        return exactly_symmetric(K, f"The matrix of {type(self).__name__}") if same else K

    def diag(self, pairs: ArrayLike) -> Array:
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
        rows = check_pairs(pairs, "pairs", self.takes_things)
        with quiet():
            values = self._diag(self._table(rows[:, 0], rows[:, 1]))
        self._check_values(values)
        return values

    def section(self, pair: ArrayLike) -> Expansion:
        r"""Return the kernel :math:`k(x, z) = \underline k((x, z), \text{pair})`.

        Parameters
        ----------
        pair : array-like of shape (2, n_features)
            The two points that fix the section.
        """
        return self.expansion(check_one_pair(pair, self.takes_things), [1.0])

    def expansion(self, pairs: ArrayLike, weights: ArrayLike) -> Expansion:
        r"""Return the kernel :math:`k(x, z) = \sum_p w_p \underline k((x, z), \text{pair}_p)`.

        With non-negative weights it is positive semidefinite (Ong 2005, Proposition 8).

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            The pairs of the expansion; copied.
        weights : array-like of shape (n_pairs,)
            A non-negative weight for each; pairs of weight zero cost nothing.
        """
        points = check_pairs(pairs, "pairs", self.takes_things).copy()
        return Expansion(self, points, check_weights(weights, len(points)).copy())

    def sections(self, X: ArrayLike, pairs: ArrayLike, Y: ArrayLike | None = None) -> Array:
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
            The sections. Work for each pair of points is done once for all sections.
        """
        self._check_parameters()
        fixed = check_pairs(pairs, "pairs", self.takes_things)
        rows = check_points(X, "X", self.takes_things)
        columns = rows if Y is None or Y is X else check_points(Y, "Y", self.takes_things)
        check_same_features(rows, fixed, "X")
        check_same_features(columns, fixed, "Y")
        grams: Array = np.empty((len(fixed), len(rows), len(columns)))
        with quiet():
            self._fill(grams, rows, columns, self._table(fixed[:, 0], fixed[:, 1]))
        self._check_values(grams)
        return grams

    def _fill(
        self, out: Array, X: Array, Y: Array, fixed: Array, weights: Array | None = None
    ) -> None:
        """Fill `out` with the sections of the `fixed` pairs, or with their sum under `weights`.

        `out` has shape (n_fixed, n, m), or (n, m) with weights. For ``Y is X`` every pair of points
        is computed once, and the result is exactly symmetric.
        """
        same = Y is X
        options = self.grid_options
        shares = len(X) * len(Y) * (X.shape[1] if X.ndim > 1 else 1) <= options.most_shared
        fitting = max(options.fewest_pairs, options.most_values // len(fixed))
        n_grid = min(options.most_pairs, fitting)
        step = max(1, n_grid // len(Y))
        for start in range(0, len(X), step):
            stop = min(start + step, len(X))
            columns = slice(start if same else 0, len(Y))
            known = partial(self._grid_table, X[start:stop], Y[columns])
            table = shared(("grid", start, stop), known, self, X, Y) if shares else known()
            values = self._evaluate(fixed, table)
            if weights is not None:
                values = weights @ values
            block = values.reshape(*values.shape[:-1], stop - start, -1)
            if same:
                corner = block[..., : stop - start]
                block[..., : stop - start] = 0.5 * corner + 0.5 * np.swapaxes(corner, -1, -2)
                out[..., columns, start:stop] = np.swapaxes(block, -1, -2)
            out[..., start:stop, columns] = block

    def _table(self, left: Array, right: Array) -> Array:
        """Compute what is needed of each pair (left_p, right_p), one row each; inputs checked."""
        return np.stack([left, right], axis=1)

    def _grid_table(self, X: Array, Y: Array) -> Array:
        """Compute `_table` of all pairs (x, z), those of the first x first; inputs are checked."""
        return self._table(np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1)))

    def _table_of_rows(self, X: Array, pairs: Indices) -> Array:
        """Compute `_table` of pairs of rows of one table, given by their numbers (n_pairs, 2)."""
        return self._table(X[pairs[:, 0]], X[pairs[:, 1]])

    def fitted_to(self, X: Rows) -> Hyperkernel:
        """Return this hyperkernel with all that its kernels take from data taken from `X`.

        Parameters
        ----------
        X : array-like, data frame, or list of things
            The training rows.
        """
        return self

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


class Expansion(Kernel):
    r"""An expansion in a hyper-RKHS (Ong 2005, (7)), :math:`\sum_p w_p \underline k((x, z), p)`.

    Made by `Hyperkernel.section` and `Hyperkernel.expansion`. Pairs of weight zero are skipped,
    so that a learned kernel costs as much as the pairs it kept.

    Parameters
    ----------
    hyperkernel : Hyperkernel
        The hyperkernel.
    pairs : array-like of shape (n_pairs, 2, n_features)
        The pairs p.
    weights : array-like of shape (n_pairs,)
        A non-negative weight for each.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Harmonic
    >>> pairs = [[[0.0], [0.0]], [[0.0], [1.0]]]
    >>> Harmonic().expansion(pairs, [2.0, 1.0])([[0.0], [0.5]]).round(3)
    array([[2.513, 1.985],
           [1.985, 2.513]])
    """

    def __init__(self, hyperkernel: Hyperkernel, pairs: Array, weights: Array) -> None:
        self.hyperkernel = hyperkernel
        self.pairs = pairs
        self.weights = weights

    def _check_parameters(self) -> None:
        if not isinstance(self.hyperkernel, Hyperkernel):
            raise ValueError(
                f"Expansion must be built from a hyperkernel object, got {self.hyperkernel!r}; "
                "pass for example kernlearn.hyperkernels.Harmonic()."
            )
        self.hyperkernel._check_parameters()
        check_weights(self.weights, len(self._checked_pairs()))

    @property
    def takes_things(self) -> bool:  # type: ignore[override]  # by its hyperkernel
        """Whether the points may be other things than numbers."""
        return self.hyperkernel.takes_things

    def _check_table(self, X: object, name: str) -> Rows:
        return check_rows(X, name) if self.takes_things else super()._check_table(X, name)

    def _check_data(self, X: Rows, name: str) -> Rows:
        return check_points(X, name, self.takes_things)

    def _checked_pairs(self) -> Array:
        return check_pairs(self.pairs, "pairs", self.takes_things)

    def _evaluate(self, X: Array, Y: Array) -> Array:
        table, weights = self._used(X)
        K: Array = np.zeros((len(X), len(Y)))
        if len(weights):
            self.hyperkernel._fill(K, X, Y, table, weights)
        return K

    def _diag(self, X: Array) -> Array:
        table, weights = self._used(X)
        if len(weights) == 0:
            return np.zeros(len(X))
        return weights @ self.hyperkernel._evaluate(table, self.hyperkernel._table(X, X))

    def _used(self, X: Array) -> tuple[Array, Array]:
        """The table of the pairs with weight, and their weights."""
        pairs, weights = self._checked_pairs(), np.asarray(self.weights, dtype=float)
        check_same_features(X, pairs, "X")
        kept = pairs[weights > 0]
        if len(kept) == 0:
            return kept, weights[:0]
        return self.hyperkernel._table(kept[:, 0], kept[:, 1]), weights[weights > 0]
