"""K(w) = Σ wᵢZᵢZᵢᵀ on rows that are all here: sparse features as they are, others as factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class DenseRows:
    """A factor through landmarks, of shape (n, r)."""

    Z: Array

    @property
    def n_columns(self) -> int:
        """How many columns there are, R."""
        return int(self.Z.shape[1])

    def times(self, u: Array) -> Array:
        """Zu."""
        return np.asarray(self.Z @ u)

    def transposed_times(self, a: Array) -> Array:
        """Zᵀa."""
        return np.asarray(self.Z.T @ a)

    def squared_lengths(self) -> Array:
        """The diagonal of ZZᵀ."""
        return np.asarray(np.einsum("ij,ij->i", self.Z, self.Z))

    def size(self) -> float:
        """The trace of ZZᵀ."""
        return float(self.squared_lengths().sum())


class ExplicitRows:
    """Z = [Z₁ … Z_m], each as it is kept."""

    def __init__(
        self,
        parts: Sequence[SparseRows | DenseRows],  # the Zᵢ
        traces: Array,  # (2, m): the traces of the exact kernels and of ZᵢZᵢᵀ
        dense: Array,  # (n, R): all dense parts, which are views of it: one product serves them all
    ) -> None:
        self.parts, self.traces, self._dense = list(parts), traces, dense
        self.sizes = np.array([part.size() for part in parts])
        self._is_dense = np.array([isinstance(part, DenseRows) for part in parts])
        self._n_columns = [part.n_columns for part in parts]

    def applied(self, weights: Array, a: Array) -> Array:
        """K(w)a, for a of shape (n, l) and weights without sign."""
        of_dense = np.repeat(weights * self._is_dense, self._n_columns * self._is_dense)
        if of_dense.any():
            found = np.asarray(self._dense @ (of_dense[:, None] * (self._dense.T @ a)))
        else:
            found = np.zeros_like(a)
        for weight, part, is_dense in zip(weights, self.parts, self._is_dense, strict=True):
            if weight and not is_dense:
                found += weight * part.times(part.transposed_times(a))
        return found

    def transposed_times(self, a: Array) -> list[Array]:
        """Zᵢᵀa for each kernel."""
        return [part.transposed_times(a) for part in self.parts]

    def times(self, us: Sequence[Array]) -> list[Array]:
        """Zᵢuᵢ for each kernel."""
        return [part.times(u) for part, u in zip(self.parts, us, strict=True)]
