r"""Gaussians of one column as few features of its number.

On an interval, :math:`e^{-\gamma (t - z)^2}` is a sum of few Chebyshev polynomials of t, exact to
the last digits. A sum over many z is then one polynomial.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.fft import dct
from scipy.linalg import svd

from kernlearn.typing import Array, Mask

# Coefficients of the size of rounding errors, and singular values below this part of the largest,
# are left out.
_ROUNDING, _NEGLIGIBLE = 1e-15, 1e-14
_FEWEST_NODES, _MOST_NODES = 32, 1024
# Most numbers for which cosines take less time than a recurrence of small arrays.
_FEW_NUMBERS = 128


@dataclass(frozen=True, eq=False)
class Interval:
    """The interval on which a column's polynomials are used."""

    middle: float
    half: float  # of its length

    @classmethod
    def around(cls, values: Array, margin: float) -> Interval:
        """All values, and a margin on either side."""
        low, high = float(values.min()) - margin, float(values.max()) + margin
        return cls(0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low)

    def gaussians(self, z: Array, gamma: float) -> Array | None:
        """Chebyshev coefficients of the Gaussians around z, of shape (n_terms, m).

        None where there are too many.
        """
        # About twice as many nodes as there will be terms, to begin with.
        n = _FEWEST_NODES
        while n < 36.0 + 7.0 * np.sqrt(gamma) * self.half and n < _MOST_NODES:
            n *= 2
        while n <= _MOST_NODES:
            t = self.middle + self.half * np.cos(np.pi * (np.arange(n) + 0.5) / n)
            coefs = dct(np.exp(-gamma * (t[:, None] - z) ** 2), axis=0) / n
            coefs[0] *= 0.5
            (used,) = np.nonzero(np.abs(coefs).max(axis=1) > _ROUNDING)
            if used[-1] < n // 2:  # the zero coefficients behind it show that the degree suffices
                return np.asarray(coefs[: used[-1] + 1])
            n *= 2
        return None


@dataclass(frozen=True, eq=False)
class ColumnFeatures:
    """Few features of a column whose inner products with `values` are Gaussians."""

    interval: Interval  # where that is so
    matrix: Array  # from Chebyshev polynomials to features, of shape (n_terms, r)
    values: Array  # of shape (r, m)

    @classmethod
    def of(cls, z: Array, gamma: float, margin: float) -> ColumnFeatures | None:
        """For Gaussians around z; None where there are too many."""
        interval = Interval.around(z, margin)
        coefs = interval.gaussians(z, gamma)
        if coefs is None:
            return None
        # The singular vectors on the side of the points are not needed.
        triangle = np.asarray(np.linalg.qr(coefs.T, mode="r"))
        U, s, _ = svd(triangle.T, full_matrices=False)
        kept = s > _NEGLIGIBLE * s[0]
        return cls(interval, U[:, kept], U[:, kept].T @ coefs)


def within(t: Array, intervals: list[Interval]) -> tuple[Array, Mask]:
    """Where the numbers of every column of `t` lie in its interval from −1 to 1, and whether.

    Both are of shape (n, p). Numbers beyond an interval count as its ends.
    """
    x = t - np.array([interval.middle for interval in intervals])
    x /= np.array([interval.half for interval in intervals])
    inside = np.abs(x) <= 1.0
    return np.clip(x, -1.0, 1.0), inside


def chebyshev(x: Array, n_terms: int) -> Iterator[Array]:
    """Chebyshev polynomials of numbers from −1 to 1, one degree after the other."""
    if x.size <= _FEW_NUMBERS:
        yield from np.cos(np.arange(n_terms)[:, None, None] * np.arccos(x))
        return
    before, last, twice = x, np.ones_like(x), 2.0 * x
    for _ in range(n_terms):
        yield last
        following = twice * last
        following -= before
        before, last = last, following


def polynomials(t: Array, intervals: list[Interval], n_terms: int) -> tuple[Array, Mask]:
    """Chebyshev polynomials of every column of `t`, and whether its numbers are in the interval.

    The shapes are (n_terms, n, p) and (n, p). Numbers beyond an interval count as its ends.
    """
    x, inside = within(t, intervals)
    found = np.empty((n_terms, *t.shape))
    for place, T in zip(found, chebyshev(x, n_terms), strict=True):
        place[:] = T
    return found, inside


def features(t: Array, columns: list[ColumnFeatures]) -> tuple[list[Array], Mask]:
    """The features of every column of `t`, each of shape (n, r), and where they hold, (n, p)."""
    n_terms = max(len(one.matrix) for one in columns)
    basis, inside = polynomials(t, [one.interval for one in columns], n_terms)
    found = [basis[: len(one.matrix), :, j].T @ one.matrix for j, one in enumerate(columns)]
    return found, inside
