r"""Pairs of rows of which the first comes before the second, and the kernel of differences.

With D the matrix whose p-th row is +1 at the first row of pair p and −1 at its second, the kernel
of differences is

.. math:: (D K D^\top)_{pq} = k(a_p, a_q) - k(a_p, c_q) - k(c_p, a_q) + k(c_p, c_q) .
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kernlearn.kernels._validation import as_floats
from kernlearn.numerics.rounding import ranks
from kernlearn.typing import Array, Indices, Rows


@dataclass(frozen=True, eq=False)
class Preferences:
    """Pairs among some of the rows."""

    rows: Indices  # the rows that are in a pair, in increasing order
    pairs: Indices  # places among these rows, the better one first, of shape (n_pairs, 2)
    groups: Indices | None = None  # the group of each pair, of shape (n_pairs,)

    @classmethod
    def of(cls, pairs: Indices, groups: Indices | None = None) -> Self:
        """From pairs of numbers of rows."""
        rows, places = np.unique(pairs, return_inverse=True)
        return cls(rows, places.reshape(-1, 2), groups)

    @property
    def wins(self) -> Array:
        """For every row, the pairs that it wins less those that it loses, as a share of both."""
        n = len(self.rows)
        won, lost = (np.bincount(side, minlength=n).astype(float) for side in self.pairs.T)
        return np.asarray((won - lost) / (won + lost))

    def differences(self, grams: Array) -> Array:
        """The matrices D K Dᵀ of matrices K of the rows, of shape (m, n_pairs, n_pairs)."""
        first, second = self.pairs.T
        halves = grams[:, first] - grams[:, second]
        return np.asarray(halves[:, :, first] - halves[:, :, second])

    def of_rows(self, coef: Array) -> Array:
        """Dᵀa: coefficients of the rows from those of the pairs."""
        n_pairs, numbers = len(self.pairs), self.pairs.ravel()
        signs = np.tile([1.0, -1.0], n_pairs)
        places = (np.repeat(np.arange(n_pairs), 2), numbers)
        D = csr_array((signs, places), shape=(n_pairs, len(self.rows)))
        return np.asarray(D.T @ coef)


def pairs_of_grades(
    y: Array, groups: Indices | None, n_pairs: int | None, random_state: np.random.RandomState
) -> tuple[Indices, Indices | None]:
    """Pairs of rows of one group with unlike grades, the higher one first, and their groups.

    At most `n_pairs`, drawn at random.
    """
    codes = np.zeros(len(y), dtype=np.intp) if groups is None else groups
    found = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        above = y[rows][:, None] > y[rows]
        better, worse = np.nonzero(above)
        found.append(np.column_stack([rows[better], rows[worse]]))
    pairs = np.concatenate(found)
    if n_pairs is not None and len(pairs) > n_pairs:
        pairs = pairs[np.sort(random_state.choice(len(pairs), n_pairs, replace=False))]
    return pairs, None if groups is None else codes[pairs[:, 0]]


def checked_grades(y: Rows, n_rows: int) -> Array:
    """The grades of rows that a ranking is judged by, as finite numbers."""
    grades = as_floats(y, "y")
    if grades.shape not in ((n_rows,), (n_rows, 1)):
        raise ValueError(
            f"expected a grade for each of {n_rows} rows, got y of shape {grades.shape}; pass the "
            "grades of the same rows"
        )
    if not np.isfinite(grades).all():
        raise ValueError(
            "expected finite grades in y, got NaN or infinity; drop the rows without a grade"
        )
    return grades.ravel()


def checked_pairs(pairs: ArrayLike, n_rows: int) -> Indices:
    """Pairs of numbers of rows, of two different rows each."""
    values = np.asarray(pairs)
    if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "iu" or not len(values):
        raise ValueError(
            "expected pairs of row numbers of X, integers of shape (n_pairs, 2) with the better "
            f"row first, got {values.dtype} of shape {values.shape}; pass for example [[0, 3], "
            "[2, 1]]"
        )
    if values.min() < 0 or values.max() >= n_rows:
        raise ValueError(
            f"expected row numbers from 0 to {n_rows - 1} in pairs, got {values.min()} to "
            f"{values.max()}; they count the rows of X from zero"
        )
    same = np.flatnonzero(values[:, 0] == values[:, 1])
    if len(same):
        raise ValueError(
            f"expected pairs of two different rows, got the pair {values[same[0]].tolist()} at "
            f"place {same[0]}; leave it out"
        )
    return values.astype(np.intp)


def pair_accuracy(scores: Array, pairs: Indices) -> float:
    """The share of pairs whose first row has the higher score; equal scores count one half."""
    places = ranks(scores)
    change = places[pairs[:, 0]] - places[pairs[:, 1]]
    return float(np.mean((change > 0) + 0.5 * (change == 0)))


def normalized_gain(scores: Array, grades: Array) -> float | None:
    r"""NDCG of one group with the gains :math:`2^g - 1`; None if all grades are equal.

    Rows of equal scores share their gain.
    """
    if np.ptp(grades) == 0:
        return None
    gains = 2.0**grades - 1.0
    discounts = 1.0 / np.log2(np.arange(2.0, len(grades) + 2.0))
    codes = ranks(-scores)
    shared = (np.bincount(codes, gains) / np.bincount(codes))[np.sort(codes)]
    return float(shared @ discounts / (np.sort(gains)[::-1] @ discounts))
