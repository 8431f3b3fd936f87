r"""K(w) ≈ Σ wᵢZᵢZᵢᵀ: kernels kept as the maps to their factors, for any number of rows.

Z = [Z₁ … Z_m] has R columns in all. It is made for a block of rows at a time; what is done with it
is a sum over blocks (:mod:`kernlearn.gram.rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from kernlearn._device import empty_beside, is_elsewhere, to_host
from kernlearn.families.matrices import GramStack
from kernlearn.gram.landmarks import NystroemMap, SparseMap, choose_landmarks
from kernlearn.kernels import Kernel
from kernlearn.runtime.threads import share_out
from kernlearn.typing import Array, DeviceArray, Indices, RandomState, Rows, Table

# Singular values of Z, or eigenvalues of ZᵀZ, below this part of the largest are rounding.
ROUNDING = 1e-13


class Factors:
    """The factors of several kernels side by side, as the maps from rows to each."""

    worth_threads = 2**20
    """Numbers of a block that several threads make."""

    def __init__(self, maps: Sequence[NystroemMap | SparseMap]) -> None:
        self.maps: list[Any] = list(maps)
        self.n_matrices = len(self.maps)

    @classmethod
    def through_landmarks(
        cls,
        kernels: Sequence[Kernel],
        X: Table,
        rank: int | Sequence[int],
        method: str,
        random_state: RandomState,
    ) -> Factors:
        """Factors of at most `rank` columns for each kernel, through landmarks of its own."""
        ranks = [rank] * len(kernels) if isinstance(rank, int) else rank
        chosen = [
            choose_landmarks(kernel, X, each, method=method, random_state=random_state)
            for kernel, each in zip(kernels, ranks, strict=True)
        ]
        return cls([marks.map(kernel) for marks, kernel in zip(chosen, kernels, strict=True)])

    @cached_property
    def owner(self) -> Indices:
        """Number of the kernel to which each column belongs."""
        return np.repeat(np.arange(self.n_matrices), [each.rank for each in self.maps])

    @cached_property
    def place(self) -> Indices:
        """Position of each column in its own factor: columns below r make the rank r."""
        return np.concatenate([np.arange(each.rank) for each in self.maps])

    @cached_property
    def membership(self) -> Array:
        """Ones where a column belongs to a kernel, of shape (R, m): adds up over columns."""
        return np.asarray(self.owner[:, None] == np.arange(self.n_matrices), dtype=float)

    @property
    def n_columns(self) -> int:
        """Number of columns, R."""
        return len(self.owner)

    @cached_property
    def shift(self) -> Array:
        """Means of the columns over the landmarks: near the means over the rows."""
        return np.concatenate([each.centre for each in self.maps])

    def __call__(self, X: Rows) -> DeviceArray:
        """The block of Z on the rows of `X`, where these are.

        A new C-contiguous array of shape (n, R).
        """
        Z = empty_beside((X.shape[0], self.n_columns), X)
        stops = np.cumsum([each.rank for each in self.maps])
        parts = [
            partial(each.fill, Z[:, stop - each.rank : stop], X)
            for each, stop in zip(self.maps, stops, strict=True)
        ]
        if is_elsewhere(Z) or Z.size < self.worth_threads:
            for part in parts:
                part()
        else:
            share_out(parts)
        return Z

    def diagonals(self, X: Rows) -> Array:
        """The exact kᵢ(x, x) of every row, of shape (n, m), on the host."""
        rows = to_host(X)
        return np.column_stack([each.kernel.diag(rows) for each in self.maps])

    def expansion(self, coef: Array) -> list[Array]:
        """From coefficients of the columns (R, k) to those of kᵢ(x, landmark), one (rᵢ, k) each."""
        parts, start = [], 0
        for each in self.maps:
            parts.append(each.expansion(coef[start : start + each.rank]))
            start += each.rank
        return parts

    def small_stack(self, triangle: Array) -> GramStack:
        r"""Matrices of size R that stand for ZᵢZᵢᵀ: a rotation of them, without the empty rest.

        With :math:`Z^\top Z = F F^\top`, Z is :math:`Q F^\top` for orthonormal columns Q. In this
        basis, ZᵢZᵢᵀ is :math:`F_i^\top F_i`. Traces, inner products and K(w) ⪰ 0 are those of the
        whole matrices. `triangle` is the triangular factor of Z over all rows.
        """
        F = root(triangle)
        own = [F[self.owner == i] for i in range(self.n_matrices)]
        return GramStack(np.stack([rows.T @ rows for rows in own]))


def root(triangle: Array) -> Array:
    """F of as many columns as the rank, which are orthogonal, with FFᵀ = `triangle`ᵀ`triangle`.

    Columns of Z that are equal have rows of F that are, to the last digits.
    """
    vectors, sizes, _ = np.linalg.svd(triangle, full_matrices=False)
    kept = sizes > ROUNDING * sizes[:1].sum()
    return np.asarray(triangle.T @ vectors[:, kept])


def root_of_products(products: Array) -> Array:
    """The same from FFᵀ itself, with half of the digits."""
    values, vectors = np.linalg.eigh(products)
    kept = values > ROUNDING * max(float(values[-1]), 0.0)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
