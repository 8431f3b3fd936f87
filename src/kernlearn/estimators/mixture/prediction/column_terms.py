"""Sums over columns and over pairs of columns, collapsed into features of single columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from kernlearn.estimators.mixture.prediction.chebyshev import (
    ColumnFeatures,
    Interval,
    chebyshev,
    features,
    within,
)
from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
from kernlearn.estimators.mixture.prediction.product_terms import DirectTerm
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.estimators.mkl.low_rank import landmark_values
from kernlearn.kernels import Gaussian
from kernlearn.typing import Array, Indices

# Room for new rows beside those that were seen, in widths; rows beyond it are computed directly.
_ROOM = 0.5
# Polynomials of one block that are in cache together: each is made of the two before it.
_TOGETHER = 4
# A product of two features takes this part of the time of a Gaussian of two numbers.
_COST = 1.0 / 150.0


@dataclass(frozen=True, eq=False)
class AdditiveTerms:
    """Gaussians of single columns, added up."""

    columns: Indices  # those that count
    intervals: list[Interval]  # where each is a polynomial
    coef: Array  # of the polynomials, of shape (n_terms, number of columns, q)
    terms: Sequence[Term]  # for rows that lie beyond the intervals

    @classmethod
    def of(cls, terms: Sequence[Term]) -> AdditiveTerms | None:
        """From ANOVA kernels of degree one and Gaussians of one column.

        None where a column would take too many polynomials.
        """
        pieces = [piece for term in terms for piece in _single_columns(term)]
        columns = np.unique([j for j, *_ in pieces])
        intervals, sums = [], []
        for column in columns:
            column_pieces = [piece for piece in pieces if piece[0] == column]
            margin = _ROOM / np.sqrt(min(gamma for _, gamma, _, _ in column_pieces))
            interval = Interval.around(
                np.concatenate([z for _, _, z, _ in column_pieces]), float(margin)
            )
            parts = []
            for _, gamma, z, weight in column_pieces:
                coefs = interval.gaussians(z, gamma)
                if coefs is None:
                    return None
                parts.append(coefs @ weight)
            intervals.append(interval)
            sums.append(_padded_sum(parts))
        coef = np.zeros((max(map(len, sums)), len(columns), sums[0].shape[1]))
        for j, total in enumerate(sums):
            coef[: len(total), j] = total
        return cls(columns, intervals, coef, terms)

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        size = max(1, options.polynomials // (_TOGETHER * self.coef.shape[1]))
        for start in range(0, len(X), size):
            rows = X[start : start + size]
            x, inside = within(rows[:, self.columns], self.intervals)
            total = np.zeros((len(rows), out.shape[1]))
            for T, coef in zip(chebyshev(x, len(self.coef)), self.coef, strict=True):
                total += T @ coef
            beyond = ~inside.all(axis=1)
            if beyond.any():
                values = np.zeros((int(beyond.sum()), out.shape[1]))
                for term in self.terms:
                    DirectTerm.of(term).add(rows[beyond], values, options)
                total[beyond] = values
            out[start : start + size] += total


@dataclass(frozen=True, eq=False)
class PairTerms:
    """An ANOVA kernel of degree two as a quadratic form of features of single columns."""

    columns: list[ColumnFeatures]
    linear: Array  # of all features, of shape (R, q)
    forms: list[Array]  # for each column but the last, of shape (features behind it, r q)
    term: Term  # for rows that lie beyond the features

    @classmethod
    def of(cls, term: Term) -> PairTerms | None:
        """None if the form would take longer than the kernel."""
        points, gamma = term.points, float(term.kernel.gamma)
        d, q = points.shape[1], term.coef.shape[1]
        columns: list[ColumnFeatures] = []
        for z in points.T:
            column = ColumnFeatures.of(z, gamma, _ROOM / float(np.sqrt(gamma)))
            if column is None:
                return None
            columns.append(column)
        values = [column.values for column in columns]
        if sum(map(len, values)) ** 2 * q * _COST > len(points) * d:
            return None
        weight = term.coef / (2.0 * comb(d, 2))
        forms = []
        for j in range(d - 1):
            weighted = values[j][:, None] * weight.T  # of shape (r, q, m)
            forms.append(np.vstack(values[j + 1 :]) @ weighted.reshape(-1, len(points)).T)
        return cls(columns, np.vstack(values) @ (term.coef / (2.0 * d)), forms, term)

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        if len(X) < options.few_rows:
            for row, values in zip(X, out, strict=True):
                values += self._one_row(row) @ self.term.coef
            return
        n_terms = max(len(column.matrix) for column in self.columns)
        size = max(1, options.polynomials // (n_terms * X.shape[1]))
        for start in range(0, len(X), size):
            block = slice(start, start + size)
            parts, inside = features(X[block], self.columns)
            together = np.hstack(parts)
            total, first = together @ self.linear, 0
            for part, form in zip(parts[:-1], self.forms, strict=True):
                first += part.shape[1]
                behind = together[:, first:] @ form
                total += np.einsum("nr,nrq->nq", part, behind.reshape(*part.shape, -1))
            beyond = ~inside.all(axis=1)
            if beyond.any():
                term = self.term
                total[beyond] = landmark_values(
                    [term.kernel], [term.points], [term.coef], X[block][beyond]
                )
            out[block] += total

    def _one_row(self, row: Array) -> Array:
        """The kernel between a row and the points, of shape (m,)."""
        single = np.exp(-float(self.term.kernel.gamma) * (row - self.term.points) ** 2)
        d, total = single.shape[1], single.sum(axis=1)
        pairs = 0.5 * (total**2 - (single**2).sum(axis=1))
        return np.asarray(0.5 * (total / d + pairs / comb(d, 2)))


def _single_columns(term: Term) -> list[tuple[int, float, Array, Array]]:
    """Columns, γ, points and coefficients of the Gaussians of single columns."""
    if isinstance(term.kernel, Gaussian):
        assert term.scales is not None
        (column,) = term.used
        gamma = float(term.kernel.gamma) * float(term.scales[column]) ** 2
        return [(int(column), gamma, term.points[:, column], term.coef)]
    d = term.points.shape[1]
    return [(j, float(term.kernel.gamma), term.points[:, j], term.coef / d) for j in range(d)]


def _padded_sum(parts: Sequence[Array]) -> Array:
    """The sum of arrays of different lengths."""
    total = np.zeros((max(map(len, parts)), parts[0].shape[1]))
    for part in parts:
        total[: len(part)] += part
    return total
