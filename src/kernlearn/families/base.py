"""The interface of solvers to a family of kernels that is linear in its weights."""

from __future__ import annotations

from typing import Protocol

from kernlearn.typing import Array, Indices, LongArray


class Family(Protocol):
    """Matrices K₁ … K_m, known by what they do rather than by their entries."""

    n_matrices: int
    n_points: int
    n_labelled: int

    @property
    def psd_means_positive(self) -> bool:
        """Whether K(w) ⪰ 0 is known to be the same as w ≥ 0."""

    @property
    def norms(self) -> Array:
        """Frobenius norms over all points."""

    @property
    def traces(self) -> Array:
        """Traces over all points."""

    def combine(self, weights: Array, labelled_only: bool = True) -> Array:
        """The matrix Σ wᵢKᵢ, a new array that the caller may change."""

    def combine_exactly(self, weights: Array, labelled_only: bool = True) -> LongArray:
        """The same in long double."""

    def combined(self, transform: Array) -> Family:
        """The family of the combinations in the columns of ``transform``."""

    def apply(self, coef: Array, labelled_only: bool = True) -> Array:
        """The vectors Kᵢa on the labelled points (or on all of them), of shape (m, n)."""

    def forms(self, left: Array, right: Array) -> Array:
        """The small matrices LᵀKᵢR over all points, of shape (m, l, r)."""

    def products(self, K: Array) -> Array:
        """Frobenius inner products ⟨Kᵢ, K⟩ over all points."""

    def subset(self, rows: Indices) -> Family:
        """The same family on some of the labelled points."""

    def inner_products(self, basis: Array, blocked: bool = False) -> Array:
        """Frobenius inner products ⟨K(bᵢ), K(bⱼ)⟩ over all points, for columns b of ``basis``.

        With ``blocked`` they are summed in blocks, for a bound on their rounding.
        """
