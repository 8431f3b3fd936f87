"""The linear system of the least-squares machine, factorised once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn._device import lower_factor, namespace, solve_lower, turned
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class Bordered:
    r"""The matrix :math:`\begin{bmatrix} A & 1 \\ 1^T & 0 \end{bmatrix}` of equation (3), A = LLᵀ.

    P denotes the upper left block of its inverse: with :math:`h = L^{-1} 1`,
    :math:`P = L^{-T}(I - hh^T/h^Th)L^{-1}`.

    It may be a stack of such matrices, on any device.
    """

    factor: Array
    """L; what is above its diagonal is not read."""

    @classmethod
    def of(cls, K: Array, ridge: Array) -> Bordered | None:
        """Factorise A = K + diag(ridge), or None if it is not positive definite."""
        A = K.copy()
        A[np.diag_indices_from(A)] += ridge
        try:
            return cls(lower_factor(A))
        except np.linalg.LinAlgError:
            return None

    def solve(self, right: Array, total: Array | float = 0.0) -> tuple[Array, Array]:
        """The a of shape (n, k) and b of shape (k,) with Aa + b = right and 1ᵀa = total."""
        half = solve_lower(self.factor, right)
        one = self._half_of_one
        b = (turned(one) @ half - total) / self._inner
        return solve_lower(self.factor, half - one * b, transposed=True), b[..., 0, :]

    def half(self, right: Array) -> Array:
        """A square root of P: V of the shape of right with VᵀV = rightᵀ P right."""
        half: Array = solve_lower(self.factor, right)
        one = self._half_of_one
        half -= one * (turned(one) @ half / self._inner)
        return half

    @cached_property
    def _half_of_one(self) -> Array:
        ones = namespace(self.factor).ones_like(self.factor[..., :1])
        h: Array = solve_lower(self.factor, ones)
        return h

    @cached_property
    def _inner(self) -> Array:
        """hᵀh, as a matrix of one entry."""
        inner: Array = turned(self._half_of_one) @ self._half_of_one
        return inner
