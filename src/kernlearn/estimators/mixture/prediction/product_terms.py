"""Functions of inner products with points, and kernels of which nothing is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.estimators.mkl.low_rank import landmark_values
from kernlearn.kernels import Kernel, Stretched
from kernlearn.typing import Array, Rows


@dataclass(frozen=True, eq=False)
class LinearTerm:
    """Inner products with rows."""

    coef: Array  # of shape (p, q)

    @classmethod
    def of(cls, term: Term) -> LinearTerm:
        """From the linear kernel, whose points collapse into one vector for each output."""
        scales = np.ones(term.points.shape[1]) if term.scales is None else term.scales
        return cls(scales[:, None] ** 2 * (term.points.T @ term.coef))

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        out += X @ self.coef


@dataclass(frozen=True, eq=False)
class QuadraticTerm:
    """A quadratic form of rows for each output."""

    constant: Array  # of shape (q,)
    linear: Array  # of shape (p, q)
    form: Array  # of shape (p, p q)

    @classmethod
    def of(cls, term: Term) -> QuadraticTerm:
        """From the polynomial kernel of degree two."""
        offset, Z, coef = float(term.kernel.offset), term.points, term.coef
        form = np.einsum("mi,mj,mq->ijq", Z, Z, coef, optimize=True)
        return cls(
            offset**2 * coef.sum(axis=0), 2.0 * offset * (Z.T @ coef), form.reshape(Z.shape[1], -1)
        )

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        out += X @ self.linear + self.constant
        p, q = self.linear.shape
        size = max(1, options.products // (p * q))
        for start in range(0, len(X), size):
            rows = X[start : start + size]
            turned = (rows @ self.form).reshape(len(rows), p, q)
            out[start : start + size] += np.einsum("np,npq->nq", rows, turned)


@dataclass(frozen=True, eq=False)
class PolynomialTerm:
    """Powers of inner products with points."""

    points: Array  # of shape (m, p)
    coef: Array  # of shape (m, q)
    offset: float  # what is added before the power
    degree: int  # the power

    @classmethod
    def of(cls, term: Term) -> PolynomialTerm:
        """From a polynomial kernel."""
        return cls(term.points, term.coef, float(term.kernel.offset), int(term.kernel.degree))

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        size = max(1, options.products // len(self.points))
        for start in range(0, len(X), size):
            inner = X[start : start + size] @ self.points.T
            inner += self.offset
            power = inner.copy()
            for _ in range(self.degree - 1):
                power *= inner
            out[start : start + size] += power @ self.coef


@dataclass(frozen=True, eq=False)
class DirectTerm:
    """A kernel of which nothing is known, or sparse features."""

    kernel: Kernel
    points: Rows  # of shape (m, p); None for sparse features
    coef: Array  # of shape (m, q)

    @classmethod
    def of(cls, term: Term) -> DirectTerm:
        """From any term."""
        kernel = term.kernel if term.scales is None else Stretched(term.kernel, term.scales)
        return cls(kernel, term.points, term.coef)

    def add(self, X: Rows, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        out += landmark_values([self.kernel], [self.points], [self.coef], X)
