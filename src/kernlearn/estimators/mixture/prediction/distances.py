"""Functions of distances to points: one table of distances for all kernels that read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.spatial.distance import cdist

from kernlearn._device import row_dots
from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.kernels import Gaussian
from kernlearn.numerics.positions import complement
from kernlearn.typing import Array, Indices, Mask

Key = TypeVar("Key")

# ‖x‖² + ‖z‖² − 2⟨x, z⟩ loses about 4·eps·max‖x‖²: below this norm, in units of a kernel's width,
# its values err by 1e-12.
_SAFE = 1000.0
# Pairs with a square below this part of max‖x‖² are subtracted if a root is taken of it.
_NEAR = 1e-4
# Beyond this distance a Matérn kernel is zero; the limit keeps ∞·0 away.
_FAR = 1e3
# An exponential is a power of another one up to this exponent: five products at most.
_LARGEST_POWER = 12
# Columns of two values that take less time in one product than one by one.
_FEWEST_COLUMNS = 4
# Largest share of distinct points for which equal points are merged.
_FEW = 0.5


@dataclass(frozen=True, eq=False)
class EuclideanTerms:
    """Gaussian and Matérn kernels of the distances to the same points."""

    term: Term  # one of them, for its columns of rows
    middle: Array  # what is subtracted from rows, of shape (p,)
    points: Array  # the points, less the middle, of shape (m, p)
    right: Array  # what rows are multiplied by for squared distances, of shape (p + 2, m)
    gammas: list[float]  # of the Gaussians, increasing
    # Orders and length scales of the Matérn kernels.
    materns: list[tuple[float, float]]
    coefs: list[Array]  # of all these, in this order, each of shape (m, q)

    @classmethod
    def of(cls, terms: Sequence[Term]) -> EuclideanTerms:
        """Terms whose points are equal in the kernels' columns."""
        gaussians: dict[float, Array] = {}
        materns: dict[tuple[float, float], Array] = {}
        for term in terms:
            if isinstance(term.kernel, Gaussian):
                _add_to(gaussians, float(term.kernel.gamma), term.coef)
            elif np.isinf(term.kernel.nu):
                _add_to(gaussians, 0.5 / float(term.kernel.length_scale) ** 2, term.coef)
            else:
                _add_to(materns, (term.kernel.nu, term.kernel.length_scale), term.coef)
        seen = terms[0].rows(terms[0].points)
        gammas = sorted(gaussians)
        coefs = [gaussians[gamma] for gamma in gammas] + list(materns.values())
        seen, coefs = _merged(seen, coefs)
        middle = 0.5 * seen.min(axis=0) + 0.5 * seen.max(axis=0)
        points = seen - middle
        right = np.vstack([-2.0 * points.T, np.ones(len(points)), row_dots(points, points)])
        return cls(terms[0], middle, points, right, gammas, list(materns), coefs)

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        rows = self.term.rows(X) - self.middle
        lengths = row_dots(rows, rows)
        largest = max(float(self.right[-1].max()), 0.0)
        units = [*self.gammas, *(2.0 * nu / scale**2 for nu, scale in self.materns)]
        is_safe = max(units) * np.maximum(lengths, largest) <= _SAFE
        left = np.column_stack([rows, lengths, np.ones(len(rows))])
        size = max(1, options.distances // len(self.points))
        squares = np.empty((min(size, len(X)), len(self.points)))
        room = np.empty((2 + len(self.gammas), *squares.shape))
        for start in range(0, len(X), size):
            block = slice(start, start + size)
            n = len(rows[block])
            D, longest = squares[:n], max(float(lengths[block].max()), largest)
            np.matmul(left[block], self.right, out=D)
            self._correct(D, rows[block], longest, is_safe[block])
            farthest = 2.0 * np.sqrt(longest)
            for K, coef in zip(self._kernels(D, room[:, :n], farthest), self.coefs, strict=True):
                out[block] += K @ coef

    def _correct(self, D: Array, rows: Array, largest: float, is_safe: Mask) -> None:
        """Squares that lost digits are computed from differences."""
        np.abs(D, out=D)  # a negative square is a rounding error, and so is what it becomes
        if not is_safe.all():
            D[~is_safe] = cdist(rows[~is_safe], self.points, "sqeuclidean")
        if self.materns:
            near = _NEAR * largest > D
            if near.any():
                i, j = np.nonzero(near)
                apart = rows[i] - self.points[j]
                D[i, j] = row_dots(apart, apart)

    def _kernels(self, D: Array, room: Array, farthest: float) -> Iterator[Array]:
        """Gaussians, then Matérn kernels; the squares `D` may be overwritten by the last ones.

        No distance is larger than `farthest`.
        """
        known: list[Array] = []
        for gamma, K in zip(self.gammas, room[2:], strict=True):
            power = _as_power(gamma, self.gammas[: len(known)])
            if power is None:
                np.exp(np.multiply(D, -gamma, out=K), out=K)
            else:
                _power(known[power[0]], power[1], K, room[0])
            known.append(K)
            yield K
        if self.materns:
            distances = np.sqrt(D, out=D)
        for nu, scale in self.materns:
            r, K = distances, room[1]
            if not farthest <= _FAR * scale:  # nor where it is no number
                r = np.minimum(distances, _FAR * scale, out=room[0])
            unit = np.sqrt(2.0 * nu) / scale
            np.exp(np.multiply(r, -unit, out=K), out=K)
            if nu == 2.5:
                r = np.multiply(r, unit, out=room[0])
                K *= 1.0 + r * (1.0 + r / 3.0)
            elif nu == 1.5:
                r = np.multiply(r, unit, out=room[0])
                r += 1.0
                K *= r
            yield K


@dataclass(frozen=True, eq=False)
class TwoLevelColumns:
    """Columns in which points have two values at most: their distances are one matrix product.

    For x between the values a and b of a column, :math:`|x - z|` is x − a where z = a, and
    x − a + (a + b − 2x) where z = b. Beyond them, the distance to the nearer one is added.
    """

    columns: Indices
    low: Array  # a, of shape (number of columns,)
    high: Array  # b, of the same shape
    right: Array  # ones, then whether z = b, of shape (1 + number of columns, m)

    @classmethod
    def of(cls, points: Array) -> TwoLevelColumns:
        """Those of some points; none where they are too few to be worth a product."""
        low, high = points.min(axis=0), points.max(axis=0)
        columns = np.flatnonzero(((points == low) | (points == high)).all(axis=0))
        if len(columns) < _FEWEST_COLUMNS:
            columns = columns[:0]
        low, high = low[columns], high[columns]
        is_high = (points[:, columns] == high).T.astype(float)
        return cls(columns, low, high, np.vstack([np.ones(len(points)), is_high]))

    def left(self, rows: Array) -> Array:
        """What rows are multiplied by, of shape (n, 1 + number of columns)."""
        x = rows[:, self.columns]
        inside = np.clip(x, self.low, self.high)
        above = inside - self.low
        total = (above + np.abs(x - inside)).sum(axis=1)
        return np.column_stack([total, (self.high - inside) - above])


@dataclass(frozen=True, eq=False)
class CityBlockTerms:
    """Laplacian kernels of the distances to the same points."""

    term: Term  # one of them, for its columns of rows
    points: Array  # the points, in the columns that have many values, of shape (m, p)
    others: Indices  # which columns these are
    levels: TwoLevelColumns  # the other columns
    gammas: list[float]  # their inverse widths
    coefs: list[Array]  # each of shape (m, q)

    @classmethod
    def of(cls, terms: Sequence[Term]) -> CityBlockTerms:
        """Terms whose points are equal in the kernels' columns."""
        coefs: dict[float, Array] = {}
        for term in terms:
            _add_to(coefs, float(term.kernel.gamma), term.coef)
        points, merged = _merged(terms[0].rows(terms[0].points), list(coefs.values()))
        levels = TwoLevelColumns.of(points)
        others = complement(points.shape[1], levels.columns)
        return cls(terms[0], points[:, others], others, levels, list(coefs), merged)

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        seen = self.term.rows(X)
        rows = np.ascontiguousarray(seen[:, self.others])
        left = self.levels.left(seen) if len(self.levels.columns) else None
        size = max(1, options.distances // len(self.points))
        room = np.empty((2, min(size, len(X)), len(self.points)))
        for start in range(0, len(X), size):
            block = slice(start, start + size)
            D, K = room[:, : len(rows[block])]
            cdist(rows[block], self.points, "cityblock", out=D)
            if left is not None:
                D += np.matmul(left[block], self.levels.right, out=K)
            for gamma, coef in zip(self.gammas, self.coefs, strict=True):
                np.exp(np.multiply(D, -gamma, out=K), out=K)
                out[block] += K @ coef


def _add_to(coefs: dict[Key, Array], key: Key, coef: Array) -> None:
    coefs[key] = coefs[key] + coef if key in coefs else coef


def _merged(points: Array, coefs: list[Array]) -> tuple[Array, list[Array]]:
    """Points without repetitions where many are equal, with the sums of their coefficients."""
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    if len(distinct) > _FEW * len(points):
        return points, coefs
    sums = []
    for coef in coefs:
        total = np.zeros((len(distinct), coef.shape[1]))
        np.add.at(total, place.ravel(), coef)
        sums.append(total)
    return distinct, sums


def _as_power(gamma: float, known: Sequence[float]) -> tuple[int, int] | None:
    """Which known number goes into γ a whole number of times, and how often.

    >>> _as_power(0.3, [0.1, 0.2])
    (0, 3)
    """
    for place in reversed(range(len(known))):
        ratio = gamma / known[place]
        whole = round(ratio)
        if whole <= _LARGEST_POWER and abs(ratio - whole) <= 1e-13 * ratio:
            return place, whole
    return None


def _power(base: Array, exponent: int, out: Array, room: Array) -> None:
    """The power of an array by repeated squaring; `room` is overwritten."""
    np.copyto(room, base)
    is_first = True
    while exponent:
        if exponent & 1:
            if is_first:
                np.copyto(out, room)
            else:
                out *= room
            is_first = False
        exponent >>= 1
        if exponent:
            room *= room
