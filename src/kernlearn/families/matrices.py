"""K(w) = Σ wᵢKᵢ: stacks of Gram matrices, rank-one matrices, and the identity beside a family.

Stacks are on the host or on a device. Rank-one families Kᵢ = vᵢvᵢᵀ are those of Lanckriet et al.
(2004), eqs. (32), (37), (42), (46), (54); the identity is one more matrix where τ = 1/C is learned,
section 4.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

from kernlearn._device import beside, minor, namespace, to_host
from kernlearn.families.base import Family
from kernlearn.kernels._validation import check_real
from kernlearn.numerics.sums import blocked_product, inner_product
from kernlearn.typing import Array, Indices, LongArray, Matrix

# Up to this share of matrices with weight, adding them piece by piece beats one pass over the
# stack.
SPARSE_SHARE = 0.6
SMALL_FORMS = 1e8  # products that small combinations of rank-one matrices may take
ROWS_AT_A_TIME = 64
# From this ratio on between the sizes of the terms and of their sum, digits are lost.
CANCELLING = 1e3


class GramStack:
    """A stack of Gram matrices (m, N, N), the first rows of which carry labels, by default all.

    They are symmetric and C-contiguous, and kept as they are. With `psd_to_rounding`, none has an
    eigenvalue that is negative by more than half of what is rounding.
    """

    psd_means_positive = False
    piece = 2**15
    """Numbers that stay in cache while they are added to."""

    def __init__(
        self, grams: Array, n_labelled: int | None = None, psd_to_rounding: bool = False
    ) -> None:
        self.grams, self._psd_to_rounding = grams, psd_to_rounding
        self.n_matrices, self.n_points = grams.shape[:2]
        self.n_labelled = self.n_points if n_labelled is None else n_labelled

    @cached_property
    def norms(self) -> Array:
        """Frobenius norms over all points."""
        return np.array([np.linalg.norm(K) for K in self.grams])

    @cached_property
    def traces(self) -> Array:
        """Traces over all points, labelled or not."""
        with np.errstate(over="ignore"):  # is refused in words
            return np.asarray(np.trace(self.grams, axis1=1, axis2=2))

    def combine(self, weights: Array, labelled_only: bool = True) -> Array:
        """The matrix K(w), on the labelled points or on all of them.

        Large terms that cancel are added up in long double.
        """
        n = self.n_labelled if labelled_only else self.n_points
        if self.cancels(weights):
            return self._added_exactly(weights, np.empty((n, n)))
        support = np.flatnonzero(weights)
        if n == self.n_points:
            flat = self.grams.reshape(self.n_matrices, -1)
            if len(support) > SPARSE_SHARE * self.n_matrices:
                return (weights @ flat).reshape(n, n)
            return _added(flat, weights, support, self.piece).reshape(n, n)
        K = np.zeros((n, n))
        for i in support:
            K += weights[i] * self.grams[i, :n, :n]
        return K

    def is_psd(self, weights: Array, K: Array) -> bool:
        """Whether K(w) is known to be positive semidefinite up to rounding, as its terms are.

        Rounding of the terms is relative to their largest diagonal entries.
        """
        if not self._psd_to_rounding or weights.min() < 0:
            return False
        largest = self.grams.diagonal(axis1=1, axis2=2).max(axis=1)
        return bool(weights @ largest <= 2.0 * K.diagonal().max())

    def cancels(self, weights: Array) -> bool:
        """Whether the terms of K(w) are so much larger than their sum that digits are lost."""
        return bool(np.abs(weights) @ self.norms > CANCELLING * np.abs(weights @ self.traces))

    def combine_exactly(self, weights: Array, labelled_only: bool = True) -> LongArray:
        """The matrix K(w) in long double."""
        n = self.n_labelled if labelled_only else self.n_points
        return self._added_exactly(weights, np.empty((n, n), dtype=np.longdouble))

    def _added_exactly(self, weights: Array, out: NDArray[Any], first: int = 0) -> NDArray[Any]:
        """K(w) on the first points, added in long double a few rows at a time, from a row on."""
        n = len(out)
        for start in range(first, n, ROWS_AT_A_TIME):
            rows = slice(start, min(start + ROWS_AT_A_TIME, n))
            part = np.zeros((rows.stop - start, n), dtype=np.longdouble)
            for i in np.flatnonzero(weights):
                part += np.longdouble(weights[i]) * self.grams[i, rows, :n]
            out[rows] = part
        return out

    def combined(self, transform: Array, known: GramStack | None = None) -> GramStack:
        """The family of the combinations in the columns of ``transform``.

        `known` has the same combinations on the first points, which are copied.
        """
        stack = np.empty((transform.shape[1], self.n_points, self.n_points))
        n = 0 if known is None else known.n_points
        for i, (weights, combined) in enumerate(zip(transform.T, stack, strict=True)):
            self._added_exactly(weights, combined, n)
            if known is not None:
                combined[:n, :n], combined[:n, n:] = known.grams[i], combined[n:, :n].T
        return GramStack(stack, self.n_labelled)

    def leading(self, n_points: int) -> GramStack:
        """The family on the first points: a copy."""
        grams = np.ascontiguousarray(self.grams[:, :n_points, :n_points])
        return GramStack(grams, min(self.n_labelled, n_points))

    def apply(self, coef: Array, labelled_only: bool = True) -> Array:
        """The vectors Kᵢa on the labelled points (or on all of them), of shape (m, n)."""
        n = self.n_labelled if labelled_only else self.n_points
        return np.asarray(blocked_product(coef, self.grams[:, :n, :n]))

    def forms(self, left: Array, right: Array) -> Array:
        """The small matrices LᵀKᵢR over all points, of shape (m, l, r)."""
        on_right = blocked_product(right.T, self.grams)
        return np.asarray(blocked_product(on_right, left).transpose(0, 2, 1))

    def products(self, K: Array) -> Array:
        """Frobenius inner products ⟨Kᵢ, K⟩ over all points."""
        return np.array([inner_product(gram, K) for gram in self.grams])

    def subset(self, rows: Indices, matrices: Indices | None = None) -> GramStack:
        """The family, or these matrices of it, on some of the labelled points: a small copy."""
        chosen = range(self.n_matrices) if matrices is None else matrices
        grams = np.empty((len(chosen), len(rows), len(rows)))
        for i, part in zip(chosen, grams, strict=True):
            minor(self.grams[i], rows, out=part)
        return GramStack(grams)

    def inner_products(self, basis: Array, blocked: bool = False) -> Array:
        """Frobenius inner products ⟨K(bᵢ), K(bⱼ)⟩ over all points, for columns b of ``basis``.

        The combinations are formed before they are multiplied, a few rows at a time: they may be
        small differences of large matrices.
        """
        p, size = basis.shape[1], ROWS_AT_A_TIME * self.n_points
        S, grams = np.zeros((p, p)), self.grams.reshape(self.n_matrices, -1)
        for start in range(0, grams.shape[1], size):
            flat = basis.T @ grams[:, start : start + size]
            S += blocked_product(flat, flat.T) if blocked else flat @ flat.T
        return S


def _added(rows: Array, weights: Array, support: Indices, size: int) -> Array:
    """The sum of some rows under their weights."""
    total = np.zeros(rows.shape[1])
    for start in range(0, len(total), size):
        piece = slice(start, start + size)
        for i in support:
            daxpy(rows[i, piece], total[piece], a=weights[i])
    return total


class PlacedStack(GramStack):
    """Gram matrices elsewhere: sums of them and products with vectors are computed there.

    All other operations copy the stack to the host first.
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

    @cached_property
    def _triangle(self) -> Array:
        """R of the vectors V = QR: lengths and angles of the vectors in few rows."""
        return np.asarray(np.linalg.qr(self.vectors, mode="r"))

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
        """Frobenius inner products of combinations, which may be small differences.

        With V = QR, the products of V diag(b) Vᵀ are those of R diag(b) Rᵀ, which are small. If
        there are too many, they come from ⟨vᵢvᵢᵀ, vⱼvⱼᵀ⟩ = (vᵢᵀvⱼ)² in long double, which has half
        as many digits for small differences.
        """
        R = self._triangle
        if not blocked and basis.shape[1] * R.size * len(R) <= SMALL_FORMS:
            flat = ((R * basis.T[:, None, :]) @ R.T).reshape(basis.shape[1], -1)
            return np.asarray(flat @ flat.T)
        V = self.vectors.astype(np.longdouble)
        return np.asarray(basis.T @ (V.T @ V) ** 2 @ basis).astype(float)


class WithIdentity:
    """The matrices of ``family``, then the identity.

    The identity counts in training only: kernels on new points leave it out, and so does the
    condition K ⪰ 0 of eq. (45), which is why :meth:`combine` leaves it out over all points.
    In place of ones, `diagonal` may hold one over the sample weights: τᵢ = τ/sᵢ.
    """

    def __init__(self, family: Family, diagonal: Array | None = None) -> None:
        self.family = family
        self.diagonal = np.ones(family.n_labelled) if diagonal is None else diagonal
        self.n_matrices = family.n_matrices + 1
        self.n_points, self.n_labelled = family.n_points, family.n_labelled
        self.psd_means_positive = family.psd_means_positive

    @cached_property
    def norms(self) -> Array:
        """Frobenius norms over all points."""
        return np.append(self.family.norms, float(np.linalg.norm(self.diagonal)))

    @cached_property
    def traces(self) -> Array:
        """Traces over all points; the identity's is their number."""
        return np.append(self.family.traces, float(self.n_points))

    def combine(self, weights: Array, labelled_only: bool = True) -> Array:
        """K(w) + τI on the labelled points; K(w) alone on all of them."""
        K = self.family.combine(weights[:-1], labelled_only)
        if labelled_only:
            K.flat[:: K.shape[0] + 1] += weights[-1] * self.diagonal
        return K

    def combine_exactly(self, weights: Array, labelled_only: bool = True) -> LongArray:
        """The same in long double."""
        K = self.family.combine_exactly(weights[:-1], labelled_only)
        if labelled_only:
            K.flat[:: K.shape[0] + 1] += np.longdouble(weights[-1]) * self.diagonal
        return K

    def combined(self, transform: Array) -> WithIdentity:
        """The combinations in the columns of ``transform``, the last of which is the identity."""
        return WithIdentity(self.family.combined(transform[:-1, :-1]), self.diagonal)

    def apply(self, coef: Array, labelled_only: bool = True) -> Array:
        """The vectors Kᵢa, then the diagonal times a."""
        own = self.diagonal * coef if labelled_only else coef
        return np.vstack([self.family.apply(coef, labelled_only), own])

    def forms(self, left: Array, right: Array) -> Array:
        """The small matrices of the family, and nothing for the identity."""
        inner = self.family.forms(left, right)
        return np.concatenate([inner, np.zeros((1, *inner.shape[1:]))])

    def products(self, K: Array) -> Array:
        """Products of the family; zero for the identity, which stands apart from it."""
        return np.append(self.family.products(K), 0.0)

    def subset(self, rows: Indices) -> WithIdentity:
        """The same family on some of the labelled points."""
        return WithIdentity(self.family.subset(rows), self.diagonal[rows])

    def inner_products(self, basis: Array, blocked: bool = False) -> Array:
        """Inner products of the family; the identity stands apart from it, with length N."""
        own = float(self.n_points) ** 2 * np.outer(basis[-1], basis[-1])
        return self.family.inner_products(basis[:-1], blocked) + own
