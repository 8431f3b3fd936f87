"""The linear system of the least-squares machine, and its solution at several ridges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn._device import lower_factor, matrix_transpose, namespace, solve_lower
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.typing import Array, DeviceArray


@dataclass(frozen=True, eq=False)
class Bordered:
    r"""The matrix :math:`\begin{bmatrix} A & 1 \\ 1^T & 0 \end{bmatrix}` of equation (3), A = LLᵀ.

    P denotes the upper left block of its inverse: with :math:`h = L^{-1} 1`,
    :math:`P = L^{-T}(I - hh^T/h^Th)L^{-1}`.

    It may be a stack of such matrices, on any device.
    """

    factor: Array  # L; what is above its diagonal is not read

    @classmethod
    def of(cls, K: Array, ridge: Array) -> Bordered | None:
        """Factorise A = K + diag(ridge), or None if it is not positive definite."""
        A = K.copy()
        A.reshape(-1)[:: len(A) + 1] += ridge  # half of the time of looking up the diagonal
        try:
            return cls(lower_factor(A))
        except np.linalg.LinAlgError:
            return None

    def solve(self, right: Array, total: Array | float = 0.0) -> tuple[Array, Array]:
        """The a of shape (n, k) and b of shape (k,) with Aa + b = right and 1ᵀa = total."""
        half = solve_lower(self.factor, right)
        one = self._half_of_one
        b = (matrix_transpose(one) @ half - total) / self._inner
        return solve_lower(self.factor, half - one * b, transposed=True), b[..., 0, :]

    def half(self, right: Array) -> Array:
        """A square root of P: V of the shape of right with VᵀV = rightᵀ P right."""
        half: Array = solve_lower(self.factor, right)
        one = self._half_of_one
        half -= one * (matrix_transpose(one) @ half / self._inner)
        return half

    @property
    def log_volume(self) -> float:
        """Minus the logarithm of the product of the eigenvalues of P that are not zero."""
        n = self.factor.shape[-1]
        return self.log_determinant + float(np.log(self.sum_of_inverse / n))

    @property
    def log_determinant(self) -> float:
        """Log determinant of A."""
        return 2.0 * float(np.log(self.factor.diagonal()).sum())

    @property
    def sum_of_inverse(self) -> float:
        """The sum of all entries of the inverse of A."""
        return float(self._inner.item())

    @cached_property
    def _half_of_one(self) -> DeviceArray:
        ones = namespace(self.factor).ones_like(self.factor[..., :1])
        return solve_lower(self.factor, ones)

    @cached_property
    def _inner(self) -> DeviceArray:
        """hᵀh, as a matrix of one entry."""
        return matrix_transpose(self._half_of_one) @ self._half_of_one


# Ridges below these shares of the mean diagonal are lost in rounding; the next one is tried where
# a factorisation breaks down.
_LEAST_RIDGES = (1e-12, 1e-10, 1e-8, 1e-6)


@dataclass(frozen=True, eq=False)
class CentredMatrix:
    """A kernel matrix less its means.

    Since 1ᵀα = 0, the kernel may be centred first: a wide one, which is nearly constant, would
    otherwise lose the digits that matter.
    """

    values: Array  # (n, n): the centred matrix
    means: Array  # (n,): the column means of the kernel matrix
    size: float  # its mean absolute diagonal entry

    @classmethod
    def of(cls, K: Array) -> CentredMatrix:
        """The decomposition of a symmetric matrix."""
        means = K.mean(axis=0)
        centred = K - means
        centred -= (means - means.mean())[:, None]
        return cls(centred, means, float(np.abs(K.diagonal()).mean()))

    def solve(self, Y: Array, ridge: Array) -> tuple[Array, Array]:
        """α and b of equation (3), with a ridge as large as rounding requires.

        LinAlgError: no ridge will do.
        """
        a, b = self._factorised(ridge)[0].solve(Y)
        return a, b - self.means @ a

    def solve_with_slopes(self, Y: Array, ridge: Array) -> tuple[Array, Array, Array, Array]:
        """The same, and their derivatives by the logarithm of a common factor of the ridges."""
        factor, used = self._factorised(ridge)
        a, b = factor.solve(Y)
        da, db = factor.solve(-used[:, None] * a)
        return a, b - self.means @ a, da, db - self.means @ da

    def _factorised(self, ridge: Array) -> tuple[Bordered, Array]:
        """The factor, and the ridge that it has."""
        for least in _LEAST_RIDGES:
            used = np.maximum(ridge, least * self.size)
            factor = Bordered.of(self.values, used)
            if factor is not None:
                return factor, used
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")


# With more outcomes one eigendecomposition takes less time than a factorisation for each.
_FACTORISED_OUTCOMES = 8


def solve_separable(
    K: Array, Y: Array, lam: float, weight: Array, outputs: Array
) -> tuple[Array, Array]:
    r"""Coefficients C and intercepts b of the machine of the kernel K ⊗ B, :math:`f = K C + 1 b^T`.

    Along the eigenvectors of B it is one machine for each outcome, with the ridge λ over the
    eigenvalue. LinAlgError: no ridge will do.

    >>> Y = np.array([[1.0, 0.5], [2.0, 2.0], [6.0, 7.0]])
    >>> C, b = solve_separable(np.eye(3), Y, 0.5, np.ones(3), np.array([[1.0, 0.4], [0.4, 1.0]]))
    >>> C.round(2).tolist(), b.round(2).tolist()
    ([[-1.54, -1.9], [-0.75, -0.84], [2.29, 2.74]], [3.0, 3.17])
    """
    if len(outputs) > _FACTORISED_OUTCOMES:
        return solve_separable_along(RidgePath.of(K, Y, weight), K, Y, lam, outputs)
    scales, axes = np.linalg.eigh(outputs)
    offset = np.average(Y, axis=0, weights=weight)
    matrix = CentredMatrix.of(K)
    columns = zip(((Y - offset) @ axes).T, lam / scales, strict=True)
    parts = [matrix.solve(column[:, None], ridge / weight) for column, ridge in columns]
    found = np.hstack([a for a, _ in parts])
    intercept = np.concatenate([b for _, b in parts])
    return found @ axes.T, intercept @ axes.T + offset


def solve_separable_along(
    path: RidgePath, K: Array, Y: Array, lam: float, outputs: Array
) -> tuple[Array, Array]:
    """The same by the decomposition of K with the targets Y, which serves every B and λ."""
    scales, axes = np.linalg.eigh(outputs)
    coef = path.rotated(axes).coefficients(lam / scales) @ axes.T
    return coef, np.average(Y - K @ coef, axis=0, weights=path.root**2)
