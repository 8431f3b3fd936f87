r"""The size of residuals as a function of the columns.

The logarithms of absolute held-out residuals are learned by a machine of least squares, linear,
Gaussian or additive, chosen with its ridge by leave-one-out error. If that error is not clearly
less than that of their mean, residuals are of one size everywhere. The size at x is
:math:`e^{g(x)}` up to a factor, and a residual :math:`r_i` counts
:math:`e^{g(x) - g^{(-i)}(x_i)}` times at x: conformal inference with normalised residuals (Lei,
G'Sell, Rinaldo, Tibshirani and Wasserman 2018, section 5.2), whose machine is also trained
without the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.kernels import ANOVA, Gaussian, Kernel, Linear
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.machine.least_squares import CentredMatrix
from kernlearn.typing import Array, Indices

# Fewest rows from which sizes are learned, and most rows, beyond which little is gained.
_FEWEST, _MOST = 40, 500
# Residuals count as this part of their median at least: the logarithm of a tiny one is noise.
_LEAST = 0.05
# λ, relative to the mean variance that the kernel gives to a row, and widths of Gaussian kernels.
_RIDGES = np.logspace(-2.0, 4.0, 13)
_WIDTHS = (0.3, 1.0)
# Widths of sums over columns, and most columns: more take too long.
_COLUMN_WIDTHS, _COLUMNS = (0.3, 1.0, 3.0), 30
# Standard errors by which the leave-one-out error must be below that of the mean.
_CLEAR = 2.0


@dataclass(frozen=True, eq=False)
class ResidualSizes:
    """Logarithms of the size of residuals, as a function of the row."""

    kernel: Kernel
    rows: Array  # of shape (n, p)
    coef: Array  # of shape (n,)
    intercept: float
    held_out: Array  # at the rows of all residuals, by machines without the row, of shape (m,)

    @classmethod
    def fit(
        cls, X: Array, residuals: Array, blocks: Sequence[Indices] = ()
    ) -> ResidualSizes | None:
        """From residuals of rows held out, of shape (m,); None if their size is one everywhere.

        `blocks` are rows that are left out together.
        """
        size = np.abs(residuals)
        middle = float(np.median(size))
        if len(size) < _FEWEST or not middle > 0.0:
            return None
        z = np.log(np.maximum(size, _LEAST * middle))
        some = np.arange(len(z))
        if len(z) > _MOST:
            some = np.sort(np.random.RandomState(0).choice(len(z), _MOST, replace=False))
        within = (np.searchsorted(some, np.intersect1d(block, some)) for block in blocks)
        left_out = [block for block in within if len(block) > 1]
        rows, y = X[some], z[some]
        best, lam, left = Linear(), np.inf, y - y.mean()
        for kernel in _kernels(rows):
            path = RidgePath.of(kernel(rows), y[:, None], np.ones(len(y)))
            for ridge in (_RIDGES * float(path.values.mean() or 1.0)).tolist():
                tried = path.residuals(ridge, left_out)[:, 0]
                if tried @ tried < left @ left:
                    best, lam, left = kernel, ridge, tried
        gain = (y - y.mean()) ** 2 - left**2
        if not gain.mean() > _CLEAR * gain.std() / np.sqrt(len(gain)):
            return None
        coef, intercept = CentredMatrix.of(best(rows)).solve(y[:, None], np.full(len(y), lam))
        own = best(X, rows) @ coef[:, 0] + intercept[0]
        own[some] = y - left
        return cls(best, rows, coef[:, 0], float(intercept[0]), own)

    def ratios(self, X: Array) -> Array:
        """Factors of the residuals at new rows, of shape (n_new, m)."""
        found = self.kernel(X, self.rows) @ self.coef + self.intercept
        found = np.clip(found, self.held_out.min(), self.held_out.max())
        return np.asarray(np.exp(found[:, None] - self.held_out))


def _kernels(X: Array) -> list[Kernel]:
    square = 2.0 * float((standard_deviation(X) ** 2).sum()) or 1.0
    kernels = [Linear(), *(Gaussian(width / square) for width in _WIDTHS)]
    n_columns = X.shape[1]
    if 1 < n_columns <= _COLUMNS:
        column = square / (2.0 * n_columns)
        kernels += [ANOVA(width / column, 1) for width in _COLUMN_WIDTHS]
    return kernels
