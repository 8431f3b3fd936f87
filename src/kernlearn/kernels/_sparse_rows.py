r"""Rows whose features are explicit and sparse: the factor of their kernel, as it is.

A kernel that is an inner product of words or counts needs no landmarks. With Φ the sparse features,
its Gram matrix is :math:`ZZ^\top`, and

.. math:: Z = \Phi - t \mu^\top

is never made dense: t is zero but for kernels around a mean μ, whose rows of ones it is until they
are rescaled or left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, dia_array

from kernlearn.kernels._distances import squared_lengths
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The matrix Z of n rows and p features."""

    features: csr_array  # (n, p): Φ
    offset: tuple[Array, Array] | None = None  # (n,) and (p,): t and μ, where they are not zero

    @property
    def n_columns(self) -> int:
        """Number of features, p."""
        return int(self.features.shape[1])

    def times(self, u: Array) -> Array:
        """Zu, for u of shape (p, l)."""
        product: Array = self.features @ u
        if self.offset is not None:
            along, mean = self.offset
            product -= np.multiply.outer(along, mean @ u)
        return product

    def transposed_times(self, a: Array) -> Array:
        """Zᵀa, for a of shape (n, l)."""
        product: Array = self.features.T @ a
        if self.offset is not None:
            along, mean = self.offset
            product -= np.multiply.outer(mean, along @ a)
        return product

    def squared_lengths(self) -> Array:
        """The diagonal of ZZᵀ."""
        lengths = squared_lengths(self.features)
        if self.offset is None:
            return lengths
        along, mean = self.offset
        products = along * (self.features @ mean)
        return np.asarray(np.maximum(lengths - 2.0 * products + along**2 * (mean @ mean), 0.0))

    def term_lengths(self) -> Array:
        """Sum of the lengths of the two terms whose difference each row of Z is."""
        lengths = np.sqrt(squared_lengths(self.features))
        if self.offset is not None:
            along, mean = self.offset
            lengths = lengths + np.abs(along) * float(np.linalg.norm(mean))
        return np.asarray(lengths)

    def size(self) -> float:
        """The sum of the squares of all numbers that products with Z are made of."""
        total = float(self.features.data @ self.features.data)
        if self.offset is not None:
            along, mean = self.offset
            total += float(along @ along) * float(mean @ mean)
        return total

    def around(self, sample: SparseRows) -> SparseRows | None:
        """The same around the mean of a sample; None where they lie around one already."""
        if self.offset is not None or sample.offset is not None:
            return None
        n = sample.features.shape[0]
        mean = sample.transposed_times(np.full(n, 1.0 / n))
        return SparseRows(self.features, (np.ones(self.features.shape[0]), mean))

    def rescaled(self, factors: Array) -> SparseRows:
        """Every row times a factor."""
        n = len(factors)
        features = csr_array(dia_array((factors[None, :], [0]), shape=(n, n)) @ self.features)
        offset = None if self.offset is None else (factors * self.offset[0], self.offset[1])
        return SparseRows(features, offset)

    def scattered(self, n_rows: int, places: Indices) -> SparseRows:
        """The same rows at some places of more, which are zero elsewhere."""
        if len(places) == n_rows:
            return self
        own = self.features
        lengths = np.zeros(n_rows, dtype=own.indptr.dtype)
        lengths[places] = np.diff(own.indptr)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        features = csr_array((own.data, own.indices, starts), shape=(n_rows, own.shape[1]))
        if self.offset is None:
            return SparseRows(features)
        along = np.zeros(n_rows)
        along[places] = self.offset[0]
        return SparseRows(features, (along, self.offset[1]))
