"""The same K(w) = Σ wᵢKᵢ with the matrices on a device."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from kernlearn._device import beside, namespace, to_host
from kernlearn.families.stack import GramStack
from kernlearn.numerics.sums import blocked_product
from kernlearn.typing import Array, Indices, LongArray, Matrix


class PlacedStack(GramStack):
    """Gram matrices elsewhere: sums of them and products with vectors are computed there.

    Whatever else is asked of a stack, it brings to the host first.
    """

    def __init__(self, matrices: Sequence[Matrix], n_labelled: int) -> None:
        self.matrices, self.n_matrices = matrices, len(matrices)
        self.n_points, self.n_labelled = matrices[0].shape[0], n_labelled
        self._psd_to_rounding = False  # nobody has looked

    @property
    def grams(self) -> Array:  # type: ignore[override]
        """The stack on the host: a copy."""
        return np.stack([to_host(K) for K in self.matrices])

    @cached_property
    def norms(self) -> Array:
        """Frobenius norms over all points."""
        xp = namespace(self.matrices[0])
        return self._gathered([xp.sum(K * K) for K in self.matrices]) ** 0.5

    @cached_property
    def traces(self) -> Array:
        """Traces over all points, labelled or not."""
        xp = namespace(self.matrices[0])
        return self._gathered([xp.linalg.trace(K) for K in self.matrices])

    def combine(self, weights: Array, labelled_only: bool = True) -> Array:
        """The matrix K(w), on the labelled points or on all of them."""
        if self.cancels(weights):
            return self.combine_exactly(weights, labelled_only).astype(float)
        n = self.n_labelled if labelled_only else self.n_points
        K = 0.0 * self.matrices[0][:n, :n]
        for i in np.flatnonzero(weights):
            K = K + float(weights[i]) * self.matrices[int(i)][:n, :n]
        return np.array(to_host(K))

    def combine_exactly(self, weights: Array, labelled_only: bool = True) -> LongArray:
        """The matrix K(w) in long double."""
        n = self.n_labelled if labelled_only else self.n_points
        K = np.zeros((n, n), dtype=np.longdouble)
        for i in np.flatnonzero(weights):
            K += np.longdouble(weights[i]) * to_host(self.matrices[int(i)])[:n, :n]
        return K

    def apply(self, coef: Array, labelled_only: bool = True) -> Array:
        """The vectors Kᵢa on the labelled points (or on all of them), of shape (m, n)."""
        n = self.n_labelled if labelled_only else self.n_points
        a = beside(coef, self.matrices[0])
        return self._gathered([blocked_product(a, K[:n, :n]) for K in self.matrices])

    def subset(self, rows: Indices, matrices: Indices | None = None) -> GramStack:
        """The family, or these matrices of it, on some of the labelled points, on the host."""
        chosen = range(self.n_matrices) if matrices is None else matrices
        parts = [to_host(self.matrices[int(i)])[np.ix_(rows, rows)] for i in chosen]
        return GramStack(np.stack(parts))

    def _gathered(self, parts: list[Array]) -> Array:
        """Results for all matrices, on the host."""
        return np.asarray(to_host(namespace(parts[0]).stack(parts)))
