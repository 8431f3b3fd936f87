r"""Sections of harmonic hyperkernels: products over the columns, in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.mixture.prediction.chebyshev import ColumnFeatures, features
from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.typing import Array

# Room for new rows beside those that were seen, as a part of their range.
_ROOM = 0.1
# Most features for which a product takes less time than an exponential.
_MOST_FEATURES = 40
# A product below this changes no digit of one; one below the second is not divided by.
_NEGLIGIBLE, _SMALL = 1e-18, 1e-3


@dataclass(frozen=True, eq=False)
class SectionTerm:
    r"""The kernel :math:`\sum_p w_p \prod_j (1 - \lambda) / (1 - \lambda o_{pj} t_j)`.

    Here :math:`t_j = e^{-\gamma_j (x_j - z_j)^2}` for a row x and a point z, and o is the same for
    the pair p.
    """

    points: Array  # z, of shape (m, d)
    coef: Array  # of shape (m, q)
    gammas: Array  # γ, of shape (d,)
    products: Array  # λ o, of shape (P, d)
    weights: Array  # w, times all factors 1 − λ, of shape (P,)
    # Features of the columns whose inner products are the exponentials, where these are few.
    columns: dict[int, ColumnFeatures]

    @classmethod
    def of(cls, term: Term) -> SectionTerm:
        """From an expansion in an ARD harmonic hyperkernel."""
        hyperkernel = term.kernel.hyperkernel
        weights = np.asarray(term.kernel.weights, dtype=float)
        pairs = np.asarray(term.kernel.pairs, dtype=float)[weights > 0]
        gammas = np.asarray(hyperkernel.gammas, dtype=float)
        lambda_h = float(hyperkernel.lambda_h)
        products = lambda_h * np.exp(-gammas * (pairs[:, 0] - pairs[:, 1]) ** 2)
        share = (1.0 - lambda_h) ** len(gammas)
        columns = {}
        for j, (z, gamma) in enumerate(zip(term.points.T, gammas, strict=True)):
            found = ColumnFeatures.of(z, float(gamma), max(_ROOM * float(np.ptp(z)), 1e-3))
            if found is not None and len(found.values) <= _MOST_FEATURES:
                columns[j] = found
        weights = weights[weights > 0] * share
        return cls(term.points, term.coef, gammas, products, weights, columns)

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        if len(X) < options.few_rows:
            for row, values in zip(X, out, strict=True):
                values += self._one_row(row) @ self.coef
            return
        together = options.section_rows
        size = min(together, max(1, options.sections // len(self.points)))
        room = np.empty((2 + len(self.products), min(size, len(X)), len(self.points)))
        used = list(self.columns)
        for begin in range(0, len(X), together):
            rows = X[begin : begin + together]
            found, inside = (
                features(rows[:, used], list(self.columns.values())) if used else ([], rows)
            )
            for start in range(0, len(rows), size):
                block = slice(start, start + size)
                known = {
                    j: part[block]
                    for place, (j, part) in enumerate(zip(used, found, strict=True))
                    if inside[block, place].all()
                }
                K = self._kernel(rows[block], known, room[:, : len(rows[block])])
                out[begin : begin + together][block] += K @ self.coef

    def _one_row(self, row: Array) -> Array:
        """The kernel between a row and the points, of shape (m,)."""
        t = np.exp(-self.gammas * (row - self.points) ** 2)
        totals = [np.multiply.reduce(1.0 - product * t, axis=1) for product in self.products]
        return np.asarray(self.weights @ (1.0 / np.array(totals)))

    def _kernel(self, rows: Array, known: dict[int, Array], room: Array) -> Array:
        """The matrix of the kernel between rows and points, in one of the arrays of `room`."""
        t, factor, *totals = room
        scales = self.weights.copy()
        for j, gamma in enumerate(self.gammas):
            if j in known:
                np.matmul(known[j], self.columns[j].values, out=t)
            else:
                np.subtract(rows[:, j, None], self.points[:, j], out=t)
                t *= t
                t *= -gamma
                np.exp(t, out=t)
            for p, total in enumerate(totals):
                scales[p] /= _multiply(total, t, float(self.products[p, j]), factor, j == 0)
        K: Array = np.divide(scales[0], totals[0], out=totals[0])
        for scale, total in zip(scales[1:], totals[1:], strict=True):
            K += np.divide(scale, total, out=total)
        return K


def _multiply(total: Array, t: Array, product: float, room: Array, is_first: bool) -> float:
    """Multiply a total by (1 − λot) / f, and return f."""
    if product < _NEGLIGIBLE:
        if is_first:
            total[:] = 1.0
        return 1.0
    target = total if is_first else room
    if product < _SMALL:
        np.multiply(t, -product, out=target)
        target += 1.0
    else:
        np.subtract(1.0 / product, t, out=target)
    if not is_first:
        total *= room
    return 1.0 if product < _SMALL else product
