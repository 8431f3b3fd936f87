"""Intervals from machines that were trained without a fold each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.estimators.held_out.intervals import in_blocks, plus_interval
from kernlearn.kernels import Kernel
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.typing import Array, Indices, Rows


@dataclass(frozen=True, eq=False)
class FoldPredictor:
    """The machines at one kernel, and their residuals on the rows that they did not see.

    Parameters
    ----------
    points : array or data frame of m rows
        Points with a coefficient in one of the machines.
    dual_coef : ndarray of shape (n_folds, m)
        Their coefficients.
    intercept : ndarray of shape (n_folds,)
        The intercepts.
    fold : ndarray of integers, shape (n,)
        Which machine has not seen a row.
    residuals : ndarray of shape (n,)
        What that machine is wrong by at the row.
    """

    points: Rows
    dual_coef: Array
    intercept: Array
    fold: Indices
    residuals: Array

    @classmethod
    def of(cls, refits: FoldMachines, rows: Rows, target: Array, offset: float) -> Self:
        """What is to be kept of machines trained on these rows for one target less an offset."""
        residuals = target - refits.values[:, 0]
        known = ~np.isnan(residuals)
        coef = refits.coef[:, :, 0]
        support = np.flatnonzero(coef.any(axis=0))
        return cls(
            _safe_indexing(rows, support),
            coef[:, support],
            refits.intercept[:, 0] + offset,
            refits.fold[known],
            residuals[known],
        )

    def interval(self, kernel: Kernel, rows: Rows, coverage: float) -> Array:
        """CV+ intervals of shape (n_new, 2)."""
        if not len(self.residuals):
            raise ValueError(
                "expected residuals of held-out rows for intervals, got none: no machine could be "
                "trained without some of the rows, or the fit was interrupted before; fit again, "
                "on more rows"
            )

        def ends(some: Rows) -> Array:
            values = np.tile(self.intercept, (int(np.shape(some)[0]), 1))
            if self.dual_coef.size:
                values += kernel(some, self.points) @ self.dual_coef.T
            return plus_interval(values[:, self.fold], self.residuals, coverage)

        return in_blocks(rows, len(self.residuals), ends)
