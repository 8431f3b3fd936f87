"""A family with the identity as one more matrix: learning τ = 1/C, Lanckriet's section 4.6."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kernlearn.families.base import Family
from kernlearn.typing import Array, Indices, LongArray


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
        """Those of the family; the identity stands apart from it."""
        return np.append(self.family.products(K), 0.0)

    def subset(self, rows: Indices) -> WithIdentity:
        """The same family on some of the labelled points."""
        return WithIdentity(self.family.subset(rows), self.diagonal[rows])

    def inner_products(self, basis: Array, blocked: bool = False) -> Array:
        """Inner products of the family; the identity stands apart from it, with length N."""
        own = float(self.n_points) ** 2 * np.outer(basis[-1], basis[-1])
        return self.family.inner_products(basis[:-1], blocked) + own
