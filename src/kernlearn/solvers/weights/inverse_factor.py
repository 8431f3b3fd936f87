r"""Inverses of Cholesky factors, with inner products whose rounding is known.

For :math:`K = L L^\top` and :math:`W = L^{-1}`, :math:`\log\det K = -2\sum_a \log W_{aa}` and
:math:`\langle K^{-1}, M\rangle = \langle W^\top W, M\rangle`. The computed value of the second is
off by at most a few roundings of the same sum with all entries taken positive,
:math:`\langle |W|^\top |W|, |M|\rangle`, whatever W is. Arithmetic is that of the matrix: double,
or long double for one that asks for more digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dtrtri

from kernlearn._device import lower_factor
from kernlearn.families.base import Family
from kernlearn.typing import AnyFloatArray, Array


@dataclass(frozen=True, eq=False)
class InverseFactor:
    """L and W = L⁻¹, both lower triangular, in double or long double."""

    L: AnyFloatArray
    W: AnyFloatArray

    @property
    def log_det(self) -> float:
        """−2 Σ log Wₐₐ: the logarithm of the determinant of (WᵀW)⁻¹."""
        return -2.0 * float(np.log(self.W.diagonal()).sum())

    @property
    def log_size(self) -> float:
        """2 Σ |log Wₐₐ|: the size to which the rounding of ``log_det`` is relative."""
        return 2.0 * float(np.abs(np.log(self.W.diagonal())).sum())

    @cached_property
    def inverse(self) -> AnyFloatArray:
        """WᵀW."""
        return np.asarray(self.W.T @ self.W)

    @cached_property
    def without_signs(self) -> AnyFloatArray:
        """|W|ᵀ|W|."""
        W = np.abs(self.W)
        return np.asarray(W.T @ W)

    @property
    def inverse_norm(self) -> float:
        """Frobenius norm of WᵀW, or a little more."""
        largest = float(self.without_signs.max())  # whose square may not be a number
        return largest * float(np.linalg.norm((self.without_signs / largest).astype(float)))

    @property
    def eps(self) -> float:
        """Bound on the relative error of two sums of n products each, added in any order."""
        return float(np.finfo(self.W.dtype).eps) * (4.0 + len(self.W))

    def products(self, family: Family) -> tuple[Array, Array]:
        """⟨WᵀW, Kᵢ⟩ for every matrix, and bounds on their rounding."""
        exact = self.W.dtype != np.float64
        combine = family.combine_exactly if exact else family.combine
        values, sizes = np.zeros(family.n_matrices), np.zeros(family.n_matrices)
        for i in range(family.n_matrices):
            K = combine(np.eye(1, family.n_matrices, i)[0], labelled_only=False)
            values[i] = float((self.inverse * K).sum(axis=1).sum())
            sizes[i] = float((self.without_signs * np.abs(K)).sum())
        return values, self.eps * sizes

    def noise(self, family: Family, weights: Array) -> float:
        """Bound on the rounding of ``log_det``, from K = Σ wᵢKᵢ and from its factor.

        To first order a change E of K changes ``log_det`` by ⟨K⁻¹, E⟩. Factors are those of a
        matrix that is off by roundings of |L||L|ᵀ, and sums of the |wᵢ||Kᵢ|.
        """
        summed = float(np.abs(weights) @ self.products(family)[1])
        L = np.abs(self.L)
        factored = self.eps * float((self.without_signs * (L @ L.T)).sum())
        logs = 4.0 * float(np.finfo(float).eps) * self.log_size
        return 2.0 * (summed + factored) + logs


def inverse_factor(K: AnyFloatArray) -> InverseFactor | None:
    """The factors of a matrix, which may be overwritten; None if it is not positive definite."""
    if K.dtype == np.float64:
        try:
            L = np.tril(lower_factor(K))
        except LinAlgError:
            return None
        W, failed = dtrtri(L, lower=1)
        W = np.tril(W)
        return None if failed or not np.isfinite(W).all() else InverseFactor(L, W)
    return _by_columns(K)


def _by_columns(K: AnyFloatArray) -> InverseFactor | None:
    """The same in a precision that LAPACK does not know."""
    n = len(K)
    L, W = np.zeros_like(K), np.zeros_like(K)
    for j in range(n):
        column = K[j:, j] - L[j:, :j] @ L[j, :j]
        if not column[0] > 0:
            return None
        L[j:, j] = column / np.sqrt(column[0])
        W[j, :j] = -(L[j, :j] @ W[:j, :j]) / L[j, j]
        W[j, j] = 1.0 / L[j, j]
    return InverseFactor(L, W)
