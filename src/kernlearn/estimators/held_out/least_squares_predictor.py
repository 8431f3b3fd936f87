"""How sure a trained least-squares machine is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.held_out.intervals import in_blocks, plus_interval
from kernlearn.estimators.held_out.smoother import Smoother
from kernlearn.kernels import Kernel
from kernlearn.typing import Array, Rows


@dataclass(frozen=True, eq=False)
class LeastSquaresPredictor:
    """A machine f(x) = Σ αᵢ k(xᵢ, x) + b for every target, taken apart when it is asked.

    That takes one factorisation, as long as training it at a given kernel; new points are then
    looked at in blocks.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    points : array or data frame of n rows
        All points that it was trained with.
    ridge : ndarray of shape (n,)
        λ divided by their weights.
    dual_coef : ndarray of shape (k, n)
        α, one row for each target.
    intercept : ndarray of shape (k,)
        b.
    """

    kernel: Kernel
    points: Rows
    ridge: Array
    dual_coef: Array
    intercept: Array

    def std(self, rows: Rows, lam: float) -> Array:
        """Standard deviations of new observations with noise s²λ, of shape (n_new, k)."""
        smoother = self._smoother()
        variance = in_blocks(
            rows,
            len(self.ridge),
            lambda some: smoother.variance(self.kernel(some, self.points), self.kernel.diag(some)),
        )
        return np.asarray(np.sqrt(np.outer(variance + lam, smoother.scale(self.dual_coef.T))))

    def interval(self, rows: Rows, coverage: float) -> Array:
        """Jackknife+ intervals of shape (n_new, k, 2)."""
        smoother = self._smoother()
        residuals = smoother.residuals(self.dual_coef.T)

        def ends(some: Rows) -> Array:
            K_new = self.kernel(some, self.points)
            f = K_new @ self.dual_coef.T + self.intercept
            h = smoother.weights(K_new)
            targets = zip(f.T, residuals.T, strict=True)
            return np.stack([plus_interval(v[:, None] - h * r, r, coverage) for v, r in targets], 1)

        return in_blocks(rows, len(self.ridge), ends)

    def _smoother(self) -> Smoother:
        try:
            return Smoother.of(self.kernel(self.points), self.ridge)
        except np.linalg.LinAlgError as broken:
            raise ValueError(
                "expected a positive semidefinite kernel matrix of the training points, got one "
                f"that cannot be factorised ({broken}); repair a precomputed matrix by "
                "kernlearn.gram.check_gram before fitting"
            ) from broken
