r"""The linear systems of a machine over factors, of the size of the factors or of the free rows.

With :math:`\tilde Z = Z T` on the rows S inside a segment and Θ their stiffness, steps of (v, b)
and the answer of the coefficients to a change of the kernel are

.. math::

    \begin{bmatrix} I + \tilde Z^\top\Theta\tilde Z & \tilde Z^\top\theta \\
        \theta^\top\tilde Z & 1^\top\theta \end{bmatrix}
    \begin{bmatrix} \Delta v \\ \Delta b \end{bmatrix} = \begin{bmatrix} g \\ h \end{bmatrix},
    \qquad P = (\Theta^{-1} + \tilde Z\tilde Z^\top)^{-1} \text{ projected on } 1^\top a = 0.

Both follow from either of two factorisations, and the smaller one is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve

from kernlearn._device import lower_factor, lower_outer_products, to_host
from kernlearn.families.factor_rows import FactorRows
from kernlearn.quality.ls_svm import mirrored
from kernlearn.typing import Array


class Root:
    """T for a choice of weights: K(w) = Z T Tᵀ Zᵀ."""

    def __init__(
        self,
        diagonal: Array,  # (R,): the weights, repeated over the columns of their kernels
        # (R, q): T, where weights have both signs; by default the roots of the positive ones
        matrix: Array | None = None,
    ) -> None:
        self.diagonal, self._matrix = diagonal, matrix
        used = np.flatnonzero(diagonal)
        self.columns = used if matrix is None else np.arange(len(diagonal))
        self._half = np.sqrt(diagonal[used]) if matrix is None else np.zeros(0)
        self.rank = len(used) if matrix is None else matrix.shape[1]

    def spread(self, v: Array) -> Array:
        """T v."""
        if self._matrix is not None:
            return np.asarray(self._matrix @ v)
        u = np.zeros((len(self.diagonal), *v.shape[1:]))
        u[self.columns] = (self._half * v.T).T
        return u

    def gather(self, c: Array) -> Array:
        """Tᵀc, for c of shape (R,) or (R, l)."""
        if self._matrix is not None:
            return np.asarray(self._matrix.T @ c)
        return np.asarray((self._half * c[self.columns].T).T)

    def outer_products(self, rows: FactorRows, inside: NDArray[np.intp]) -> Array:
        """The lower triangle of Z T Tᵀ Zᵀ over some rows."""
        if self._matrix is None:
            return rows.outer_products(inside, self.diagonal)
        return np.asarray(lower_outer_products(to_host(rows.some(inside)) @ self._matrix))

    def sandwich(self, products: Array) -> Array:
        """TᵀGT, for G on the chosen columns."""
        if self._matrix is not None:
            return np.asarray(self._matrix.T @ products @ self._matrix)
        return np.asarray(self._half[:, None] * products * self._half)


class PrimalSystem:
    """By a factorisation of the size of the factors."""

    def __init__(
        self, rows: FactorRows, root: Root, inside: NDArray[np.intp], theta: Array
    ) -> None:
        self.rows, self.root, self.inside, self.theta = rows, root, inside, theta
        q = root.rank
        A = np.empty((q + 1, q + 1))
        A[:q, :q] = root.sandwich(mirrored(rows.products(inside, theta, root.columns)))
        A[:q, q] = A[q, :q] = root.gather(rows.transposed_times(theta, inside))
        A[q, q] = float(theta.sum()) * (1.0 + 1e-14)
        A[np.arange(q), np.arange(q)] += 1.0
        self.factor = lower_factor(A)

    def step(self, g: Array, h: float) -> tuple[Array, float]:
        """The step (Δv, Δb) of a right-hand side."""
        move = cho_solve((self.factor, True), np.append(g, h), check_finite=False)
        return move[:-1], float(move[-1])

    def project(self, images: Array) -> Array:
        """P times columns on the rows S."""
        stiff = self.theta[:, None] * images
        against = self.root.gather(self.rows.transposed_times(stiff, self.inside))
        cross = np.vstack([against, stiff.sum(axis=0)])
        back = cho_solve((self.factor, True), cross, check_finite=False)
        f = self.rows.times(self.root.spread(back[:-1]), self.inside) + back[-1]
        return np.asarray(stiff - self.theta[:, None] * f)


class DualSystem:
    """By a factorisation of the size of the rows S: that of N = I + Θ½Z̃Z̃ᵀΘ½."""

    def __init__(
        self, rows: FactorRows, root: Root, inside: NDArray[np.intp], theta: Array
    ) -> None:
        self.rows, self.root, self.inside, self.half = rows, root, inside, np.sqrt(theta)
        N = root.outer_products(rows, inside)
        N *= self.half
        N *= self.half[:, None]
        N[np.diag_indices(len(N))] += 1.0
        self.factor = lower_factor(N.T)  # in C order, the triangle that it reads
        self.border = cho_solve((self.factor, True), self.half, check_finite=False)
        self.schur = float(self.half @ self.border)

    def step(self, g: Array, h: float) -> tuple[Array, float]:
        """The step (Δv, Δb) of a right-hand side."""
        # With W = Θ½Z̃: (I + WᵀW)⁻¹(g − Wᵀθ½Δb), where WᵀN⁻¹ takes the place of (I + WᵀW)⁻¹Wᵀ.
        Wg = self.half * self.rows.times(self.root.spread(g), self.inside)
        db = (h - float(self.border @ Wg)) / self.schur
        inner = cho_solve((self.factor, True), Wg + db * self.half, check_finite=False)
        back = self.rows.transposed_times(self.half * inner, self.inside)
        return g - self.root.gather(back), db

    def project(self, images: Array) -> Array:
        """P times columns on the rows S."""
        weighted = self.half[:, None] * images
        inner = cho_solve((self.factor, True), weighted, check_finite=False)
        inner -= np.outer(self.border, self.border @ weighted) / self.schur
        return np.asarray(self.half[:, None] * inner)


def system_of(
    rows: FactorRows, root: Root, inside: NDArray[np.intp], theta: Array
) -> PrimalSystem | DualSystem:
    """The smaller of the two; there is at least one row inside a segment."""
    kind = DualSystem if len(inside) <= root.rank else PrimalSystem
    return kind(rows, root, inside, theta)
