"""Scales of the columns of a sparse matrix."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.kernels._validation import is_frame
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Rows

# A scale that is estimated from c cells counts as having the variance 5 / c in its logarithm.
_CELL_VARIANCE = 5.0
# A variance below this part of the squared mean is that of rounding.
_CONSTANT = 1e-20


@dataclass(frozen=True, eq=False, repr=False)
class SparsePreparation:
    r"""Scales of the columns of a sparse matrix, which are not centred.

    The scale of a column is :math:`s_j = \sqrt{v_j n / c_j}` with its variance v and its c cells
    that are not zero: about their size, or the standard deviation if no cell is zero. In logarithms
    the scale is shrunk to the mean of all columns, as strongly as by :math:`5 / \tau^2` cells,
    where :math:`\tau^2` is the variance of the logarithms over all cells. Words, whose cells differ
    by small factors, so keep about the weights that the user gave them, rare ones above all. With
    variance one, rare words would count most, and more in held-out rows, which have a part in the
    variance, than in new rows. Columns in different units lose their units.
    """

    names: list[str]  # the columns of the user's table
    factors: Array  # the factor of each column, of shape (p,)

    @classmethod
    def fit(cls, X: csr_array, names: Sequence[str], scale: bool) -> SparsePreparation:
        """From training rows; a column whose cells are all equal has the mean scale."""
        return cls(list(names), np.exp(-_log_scales(X)) if scale else np.ones(X.shape[1]))

    def __repr__(self) -> str:
        return f"Preparation of {counted(len(self.names), 'sparse column')}"

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds of the columns, in words."""
        return dict.fromkeys(self.names, "number of a sparse matrix")

    @property
    def tables(self) -> tuple[str, ...]:
        """Name of the only table, of the scaled columns."""
        return (STANDARD,)

    @property
    def origins(self) -> Indices:
        """Numbers of the columns, each of which comes from itself."""
        return np.arange(len(self.names))

    def origins_of(self, table: str) -> Indices:
        """Numbers of the columns of the only table."""
        return self.origins

    def apply_all(self, X: Rows, tables: Collection[str]) -> dict[str, csr_array]:
        """The scaled columns, by the name of their table."""
        return {table: self.apply(X, table) for table in tables}

    def apply(self, X: Rows, table: str) -> csr_array:
        """The scaled columns of sparse or dense rows."""
        if is_frame(X) or not (issparse(X) or np.isfinite(X).all()):
            raise ValueError(
                "expected a sparse matrix or an array of finite numbers, as fit was given a sparse "
                "matrix, got a data frame or missing cells; pass the rows in the form of fit"
            )
        rows = csr_array(X, dtype=np.float64)
        return csr_array(
            (rows.data * self.factors[rows.indices], rows.indices, rows.indptr), shape=rows.shape
        )


def _log_scales(X: csr_array) -> Array:
    """Logarithms of the scales of sparse columns."""
    n, d = X.shape
    largest = abs(X).max(axis=0).toarray().ravel() if n else np.zeros(d)
    largest = np.where(largest > 0.0, largest, 1.0)
    parts = csr_array((X.data / largest[X.indices], X.indices, X.indptr), shape=X.shape)
    means, variances = mean_variance_axis(parts, axis=0)
    varies = variances > _CONSTANT * means**2
    counts = np.where(varies, np.bincount(X.indices[X.data != 0.0], minlength=d), 0)
    log_largest = np.log(largest)
    log_largest[varies] += 0.5 * np.log(variances[varies] * n / counts[varies])
    if not varies.any():
        return log_largest
    mean = np.average(log_largest, weights=counts)
    spread = np.average((log_largest - mean) ** 2, weights=counts)
    kept = counts * spread / (counts * spread + _CELL_VARIANCE)
    found: Array = mean + kept * (log_largest - mean)
    return found
