r"""Kernels as products over columns, and the Shapley values of functions of such kernels.

With a truncated power series :math:`\kappa_j(s)` for every column j and weights r, the kernels of
this module are

.. math:: k(x, z) = \sum_q r_q \, [s^q] \prod_j \kappa_j(x_j, z_j; s)

A product kernel has series of one coefficient. The series of other kernels are:

- linear: :math:`1 + x_j z_j s`, with the coefficient of s;
- polynomial, :math:`(o + \sum_j x_j z_j)^p`: :math:`e^{x_j z_j s}`, with
  :math:`r_q = o^{p - q} p! / (p - q)!`;
- ANOVA: :math:`1 + \kappa(x_j, z_j) s`, with the weights of the degrees.

The game of a set S of columns is :math:`v(S) = f(x_S, b_{-S})`, with the other cells from a
background row b. It is linear in the series of every column. The expected value of a set which
holds each column with probability t therefore has the series
:math:`\kappa_j(t) = (1 - t) \kappa_j(b_j) + t \kappa_j(x_j)`. The Shapley value is the integral of
its derivative (Owen 1972),

.. math:: \varphi_j = \int_0^1 [\kappa_j(x_j) - \kappa_j(b_j)] \prod_{l \ne j} \kappa_l(t) \, dt

a polynomial of degree d − 1 in t, which ⌈d/2⌉ nodes of Gauss and Legendre integrate exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.kernels import ANOVA, ARDGaussian, Gaussian, Kernel, Laplacian, Linear, Polynomial
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class ColumnFactors:
    """A term of a function whose kernel is a product of series of single columns."""

    term: Term
    origins: Indices
    """Number of the user's column of every prepared column."""
    readout: Array
    """The weights r, of shape (L,)."""

    @classmethod
    def of(cls, term: Term, origins: Indices) -> ColumnFactors | None:
        """Factors of a term; None if its kernel is no product over columns."""
        kernel, n_columns = term.kernel, term.points.shape[1]
        if type(kernel) is ARDGaussian and term.scales is None:
            scales = np.sqrt(np.asarray(kernel.gammas, dtype=float) * np.ones(n_columns))
            term = Term(term.table, Gaussian(1.0), term.points, term.coef, scales)
            return cls(term, origins, np.ones(1))
        if type(kernel) in (Gaussian, Laplacian):
            return cls(term, origins, np.ones(1))
        if type(kernel) is Linear:
            return cls(term, origins, np.array([0.0, 1.0]))
        if type(kernel) is Polynomial and term.scales is None:
            p = int(kernel.degree)
            powers = [float(kernel.offset) ** (p - q) for q in range(p + 1)]
            weights = [factorial(p) // factorial(p - q) for q in range(p + 1)]
            return cls(term, origins, np.multiply(powers, weights))
        if type(kernel) is ANOVA and term.scales is None:
            p = min(int(kernel.degree), n_columns)
            shares = [0.0, *(1.0 / (p * comb(n_columns, q)) for q in range(1, p + 1))]
            return cls(term, origins, np.array(shares))
        return None

    def series(self, X: Array, player: int) -> Array:
        """The series of one column of the user, for rows and all points, of shape (n, m, L)."""
        kernel, points, scales = self.term.kernel, self.term.points, self.term.scales
        places = np.flatnonzero(self.origins == player)
        x, z = X[:, places], points[:, places]
        if scales is not None:
            x, z = x * scales[places], z * scales[places]
        length = len(self.readout)
        if length == 1:
            product = np.ones((len(x), len(z), 1))
            for j in range(len(places)):
                product[..., 0] *= _by_column(kernel, x[:, j, None], z[:, j])
            return product
        if isinstance(kernel, ANOVA):
            found = np.zeros((len(x), len(z), length))
            found[..., 0] = 1.0
            for j in range(len(places)):
                single = _by_column(Gaussian(kernel.gamma), x[:, j, None], z[:, j])[..., None]
                found[..., 1:] += found[..., :-1] * single
            return found
        inner = (x @ z.T)[..., None]
        powers = np.arange(length)
        return np.asarray(inner**powers / np.array([factorial(q) for q in range(length)]))

    def values(self, X: Array) -> Array:
        """The function itself, of shape (n, outputs)."""
        used = self.term.rows(X), self.term.rows(self.term.points)
        return np.asarray(self.term.kernel(*used) @ self.term.coef)

    def shapley(self, X: Array, background: Array, n_players: int) -> Array:
        """Shapley values in the mean over the background rows, of shape (n, players, outputs)."""
        nodes, weights = np.polynomial.legendre.leggauss((n_players + 1) // 2)
        nodes, weights = (nodes + 1.0) / 2.0, weights / 2.0
        out = np.zeros((len(X), n_players, self.term.coef.shape[1]))
        used = [j for j in range(n_players) if (self.origins == j).any()]
        before = [self.series(background, j) for j in used]
        for row in range(len(X)):
            after = [self.series(X[row : row + 1], j) for j in used]
            change = [new - old for new, old in zip(after, before, strict=True)]
            for t, weight in zip(nodes, weights, strict=True):
                mixed = [old + t * each for old, each in zip(before, change, strict=True)]
                for place, rest in enumerate(_without_each(mixed)):
                    found = (_times(rest, change[place]) @ self.readout).mean(axis=0)
                    out[row, used[place]] += weight * (found @ self.term.coef)
        return out


def _by_column(kernel: Kernel, x: Array, z: Array) -> Array:
    return np.asarray(kernel._by_column(x, z))


def _times(first: Array, second: Array) -> Array:
    """The product of series, cut off."""
    length = first.shape[-1]
    if length == 1:
        return first * second
    parts = [sum(first[..., r] * second[..., q - r] for r in range(q + 1)) for q in range(length)]
    return np.stack(parts, axis=-1)


def _without_each(factors: list[Array]) -> list[Array]:
    """The product of all factors but one, for each."""
    one = np.zeros_like(factors[0])
    one[..., 0] = 1.0
    found, product = [], one
    for factor in factors:
        found.append(product)
        product = _times(product, factor)
    product = one
    for place in range(len(factors) - 1, -1, -1):
        found[place] = _times(found[place], product)
        product = _times(product, factors[place])
    return found
