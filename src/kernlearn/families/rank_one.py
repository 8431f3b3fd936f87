"""Rank-one families Kᵢ = vᵢvᵢᵀ: Lanckriet et al. (2004), eqs. (32), (37), (42), (46), (54)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kernlearn.families.stack import GramStack
from kernlearn.kernels._validation import check_real
from kernlearn.numerics.sums import blocked_product
from kernlearn.typing import Array, Indices, LongArray


class RankOneStack:
    """The matrices vᵢvᵢᵀ, kept as their vectors: memory N·m instead of N²·m.

    The vectors are columns (N, m), for example the eigenvectors of a kernel matrix; the first
    `n_labelled` points carry labels, by default all.
    """

    def __init__(self, vectors: Array, n_labelled: int | None = None) -> None:
        check_real(vectors, "The vectors of a RankOneStack")
        self.vectors = np.asarray(vectors, dtype=float)
        if self.vectors.ndim != 2:
            raise ValueError(
                "expected vectors of shape (N, m), one column per matrix, got shape "
                f"{self.vectors.shape}; use vector[:, None] for a single one"
            )
        self.n_points, self.n_matrices = self.vectors.shape
        self.n_labelled = self.n_points if n_labelled is None else n_labelled

    @cached_property
    def psd_means_positive(self) -> bool:
        """True for orthogonal vectors, whose weights are the eigenvalues of K(w)."""
        products = self.vectors.T @ self.vectors
        lengths = np.sqrt(np.diagonal(products))
        off_diagonal = products - np.diag(np.diagonal(products))
        return bool((np.abs(off_diagonal) <= 1e-10 * np.outer(lengths, lengths)).all())

    @property
    def norms(self) -> Array:
        """Frobenius norms, which are the traces."""
        return self.traces

    @cached_property
    def traces(self) -> Array:
        """Squared lengths of the vectors."""
        with np.errstate(over="ignore"):  # is refused in words
            return np.asarray((self.vectors**2).sum(axis=0))

    def combine(self, weights: Array, labelled_only: bool = True) -> Array:
        """The matrix V diag(w) Vᵀ, on the labelled points or on all of them."""
        V = self.vectors[: self.n_labelled] if labelled_only else self.vectors
        return np.asarray((V * weights) @ V.T)

    def combine_exactly(self, weights: Array, labelled_only: bool = True) -> LongArray:
        """The matrix K(w) in long double."""
        V = self.vectors[: self.n_labelled] if labelled_only else self.vectors
        exact = V.astype(np.longdouble)
        return np.asarray((exact * weights) @ exact.T)

    def combined(self, transform: Array) -> GramStack:
        """The family of the combinations in the columns of ``transform``."""
        stack = [self.combine_exactly(t, labelled_only=False).astype(float) for t in transform.T]
        return GramStack(np.array(stack), self.n_labelled)

    def apply(self, coef: Array, labelled_only: bool = True) -> Array:
        """The vectors vᵢ(vᵢᵀa) on the labelled points (or on all of them), of shape (m, n)."""
        V = self.vectors[: self.n_labelled] if labelled_only else self.vectors
        return np.asarray((V * blocked_product(coef, V)).T)

    def forms(self, left: Array, right: Array) -> Array:
        """The small matrices (Lᵀvᵢ)(vᵢᵀR), of shape (m, l, r)."""
        on_left = blocked_product(left.T, self.vectors).T
        on_right = blocked_product(right.T, self.vectors).T
        return np.asarray(on_left[:, :, None] * on_right[:, None, :])

    def products(self, K: Array) -> Array:
        """Frobenius inner products ⟨vᵢvᵢᵀ, K⟩ = vᵢᵀKvᵢ."""
        V = self.vectors
        return np.asarray(blocked_product(np.ones(len(V)), V * blocked_product(V.T, K).T))

    def subset(self, rows: Indices) -> RankOneStack:
        """The same family on some of the labelled points."""
        return RankOneStack(self.vectors[rows])

    def inner_products(self, basis: Array, blocked: bool = False) -> Array:
        """Frobenius inner products, from ⟨vᵢvᵢᵀ, vⱼvⱼᵀ⟩ = (vᵢᵀvⱼ)², in long double.

        Combinations may be small differences of large matrices.
        """
        V = self.vectors.astype(np.longdouble)
        return np.asarray(basis.T @ (V.T @ V) ** 2 @ basis).astype(float)
