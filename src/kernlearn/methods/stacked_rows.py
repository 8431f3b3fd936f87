"""Sparse rows, one in each cell, as one sparse matrix."""

from __future__ import annotations

from typing import Any

from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, TransformerMixin

__all__ = ["StackedRows"]


class StackedRows(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """From a list of sparse matrices of one row each to one of all rows.

    Columns beyond those of the rows that it was fitted to are left out, and missing ones are zero,
    so that the rows of another file may have more columns or fewer.
    """

    def fit(self, X: Any, y: Any = None) -> StackedRows:
        """Learn how many columns there are."""
        self.n_columns_ = max(row.shape[1] for row in X)
        return self

    def transform(self, X: Any) -> csr_array:
        """Stack the rows."""
        return csr_array(vstack([self._fitting(row) for row in X], format="csr"))

    def _fitting(self, row: Any) -> csr_array:
        if row.shape[1] >= self.n_columns_:
            return csr_array(row[:, : self.n_columns_])
        return csr_array((row.data, row.indices, row.indptr), shape=(1, self.n_columns_))

    def __sklearn_tags__(self) -> Any:
        """It reads one thing a row."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags
