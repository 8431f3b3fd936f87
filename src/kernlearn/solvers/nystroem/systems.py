r"""Systems of a machine at a fixed kernel: Newton steps, and the answer to a change of the kernel.

With :math:`\tilde Z = Z T` on the rows S inside a segment, steps of (v, b) and the answer of the
coefficients to a change of the kernel are

.. math::

    \begin{bmatrix} I + \tilde Z^\top\Theta\tilde Z & \tilde Z^\top\theta \\
        \theta^\top\tilde Z & 1^\top\theta \end{bmatrix}
    \begin{bmatrix} \Delta v \\ \Delta b \end{bmatrix} = \begin{bmatrix} g \\ h \end{bmatrix},
    \qquad P = (\Theta^{-1} + \tilde Z\tilde Z^\top)^{-1} \text{ projected on } 1^\top a = 0.

Both follow from either of two factorisations, and the smaller one is taken.

The :math:`\Theta` of Cox's partial likelihood is a matrix with :math:`\Theta 1 = 0`, so that the
intercept is free and stays where it is. With the means :math:`\bar z_s` of the rows of Z over the
risk set of every step s (:mod:`kernlearn.quality.risk_sets`),

.. math:: Z^\top\Theta Z = \sum_j r_j z_j z_j^\top - \sum_s c_s \bar z_s \bar z_s^\top ,

where :math:`r_j = C_j\delta_j - a_j`: a sum over blocks of rows, from the last stage to the first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, lu_factor, lu_solve

from kernlearn._device import (
    lower_factor,
    lower_outer_products,
    lower_products,
    minor,
    to_host,
)
from kernlearn.families.factor_rows import FactorRows, used_columns
from kernlearn.quality.ls_svm import mirrored
from kernlearn.quality.risk_sets import RiskCurvature
from kernlearn.typing import Array, Indices, Mask

# Rows of Z that are looked at together, at least.
BLOCK_ROWS = 2048


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

    def outer_products(self, rows: FactorRows, inside: Indices) -> Array:
        """The lower triangle of Z T Tᵀ Zᵀ over some rows."""
        if self._matrix is None:
            return rows.outer_products(inside, self.diagonal)
        return np.asarray(lower_outer_products(to_host(rows.some(inside)) @ self._matrix))

    def sandwich(self, products: Array) -> Array:
        """TᵀGT, for G on the chosen columns."""
        if self._matrix is not None:
            return np.asarray(self._matrix.T @ products @ self._matrix)
        return np.asarray(self._half[:, None] * products * self._half)


class System(Protocol):
    """The factorised system of a Newton step."""

    def step(self, g: Array, h: float) -> tuple[Array, float]:
        """The step (Δv, Δb) of a right-hand side."""

    def project(self, images: Array) -> Array:
        """P times columns on the rows S."""


class Curvature(Protocol):
    """Θ, the change of the coefficients with the function, less its sign."""

    inside: Indices  # S
    movable: Mask  # (n,): the rows whose coefficients change
    sums: Array  # (len(S),): Θ1
    is_smooth: bool  # whether Θ is a continuous function of f

    def system(self, rows: FactorRows, root: Root) -> System:
        """The system at a kernel."""

    def products(self, rows: FactorRows, columns: Indices) -> Array:
        """The lower triangle of ZᵀΘZ on some columns."""

    def times(self, values: Array) -> Array:
        """Θ times columns on the rows S."""


@dataclass(frozen=True, eq=False)
class CurvedProducts:
    """All that a system needs of the rows."""

    columns: Indices  # (p,): columns of Z
    products: Array  # (p, p): ZᵀΘZ on these
    border: Array  # (R,): ZᵀΘ1
    corner: float  # 1ᵀΘ1, or one where that is zero

    @classmethod
    def of(cls, rows: FactorRows, curvature: Curvature, columns: Indices) -> CurvedProducts:
        """One pass over the rows."""
        sums, products = curvature.sums, mirrored(curvature.products(rows, columns))
        border = np.zeros(rows.n_columns)
        if sums.any():
            border = rows.transposed_times(sums, curvature.inside)
        return cls(columns, products, border, intercept_curvature(curvature))

    def factor(self, root: Root) -> Array:
        """The lower Cholesky factor of a system whose T needs no other columns."""
        q, products = root.rank, self.products
        if len(root.columns) < len(self.columns):
            products = minor(products, np.searchsorted(self.columns, root.columns))
        A = np.empty((q + 1, q + 1))
        A[:q, :q] = root.sandwich(products)
        A[:q, q] = A[q, :q] = root.gather(self.border)
        A[q, q] = self.corner
        A[np.arange(q), np.arange(q)] += 1.0
        return np.asarray(lower_factor(A))


def intercept_curvature(curvature: Curvature) -> float:
    """1ᵀΘ1, so much larger that a factor is sure to exist; one where the intercept is free."""
    return float(curvature.sums.sum()) * (1.0 + 1e-14) or 1.0


class ColumnSystem(ABC):
    """The system of the size of the factors."""

    def __init__(self, rows: FactorRows, root: Root, curvature: Curvature) -> None:
        self.rows, self.root, self.curvature = rows, root, curvature

    @abstractmethod
    def solve(self, right: Array) -> Array:
        """The solution of shape (q + 1, l) of so many right-hand sides."""

    def step(self, g: Array, h: float) -> tuple[Array, float]:
        """The step (Δv, Δb) of a right-hand side."""
        move = self.solve(np.append(g, h)[:, None])[:, 0]
        return move[:-1], float(move[-1])

    def project(self, images: Array) -> Array:
        """P times columns on the rows S."""
        inside, stiff = self.curvature.inside, self.curvature.times(images)
        against = self.root.gather(self.rows.transposed_times(stiff, inside))
        back = self.solve(np.vstack([against, stiff.sum(axis=0)]))
        f = self.rows.times(self.root.spread(back[:-1]), inside) + back[-1]
        return np.asarray(stiff - self.curvature.times(f))


class PrimalSystem(ColumnSystem):
    """By a factorisation."""

    def __init__(self, rows: FactorRows, root: Root, curvature: Curvature) -> None:
        super().__init__(rows, root, curvature)
        self.products = CurvedProducts.of(rows, curvature, root.columns)
        self.factor = self.products.factor(root)

    def solve(self, right: Array) -> Array:
        """The solution of shape (q + 1, l) of so many right-hand sides."""
        return np.asarray(cho_solve((self.factor, True), right, check_finite=False))


class DualSystem:
    """By a factorisation of the size of the rows S: that of N = I + Θ½Z̃Z̃ᵀΘ½."""

    def __init__(self, rows: FactorRows, root: Root, inside: Indices, theta: Array) -> None:
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


class CoupledDualSystem:
    """By a factorisation of N = I + ΘZ̃Z̃ᵀ, for a matrix Θ."""

    def __init__(self, rows: FactorRows, root: Root, curvature: CoupledCurvature) -> None:
        self.rows, self.root, self.curvature = rows, root, curvature
        N = curvature.times(mirrored(root.outer_products(rows, curvature.inside)))
        N[np.diag_indices(len(N))] += 1.0
        if not np.isfinite(N).all():
            raise LinAlgError("a kernel matrix that holds no numbers")
        self.factor = lu_factor(N, overwrite_a=True, check_finite=False)

    def step(self, g: Array, h: float) -> tuple[Array, float]:
        """The step (Δv, Δb) of a right-hand side."""
        answer = self.project(self.rows.times(self.root.spread(g))[:, None])[:, 0]
        return g - self.root.gather(self.rows.transposed_times(answer)), 0.0

    def project(self, images: Array) -> Array:
        """P times columns."""
        stiff = self.curvature.times(images)
        return np.asarray(lu_solve(self.factor, stiff, check_finite=False))


class DiagonalCurvature:
    """Θ of a loss that is a sum over rows."""

    def __init__(self, theta: Array, is_smooth: bool = False) -> None:
        self.is_smooth = is_smooth
        self.theta, self.movable = theta, np.asarray(theta > 0)
        self.inside = np.flatnonzero(theta)
        self.sums = theta[self.inside]

    def system(self, rows: FactorRows, root: Root) -> System:
        """The smaller of the two; there is at least one row inside a segment."""
        if len(self.inside) <= root.rank:
            return DualSystem(rows, root, self.inside, self.sums)
        return PrimalSystem(rows, root, self)

    def products(self, rows: FactorRows, columns: Indices) -> Array:
        """The lower triangle of ZᵀΘZ."""
        return rows.products(self.inside, self.sums, columns)

    def times(self, values: Array) -> Array:
        """Θ times columns on the rows S."""
        return np.asarray(self.sums[:, None] * values)


class CoupledCurvature:
    """Θ of Cox's partial likelihood."""

    is_smooth = True

    def __init__(self, curvature: RiskCurvature, block_rows: int = BLOCK_ROWS) -> None:
        self._curvature, self._block_rows = curvature, block_rows
        self.inside = np.arange(len(curvature.received))
        self.movable = np.asarray(curvature.received > 0)
        self.sums = np.zeros(len(self.inside))

    def system(self, rows: FactorRows, root: Root) -> System:
        """The smaller of the two."""
        kind = CoupledDualSystem if len(self.inside) <= root.rank else PrimalSystem
        return kind(rows, root, self)

    def products(self, rows: FactorRows, columns: Indices) -> Array:
        """The lower triangle of ZᵀΘZ."""
        own, risk_sets = self._curvature, self._curvature.risk_sets
        steps, ends = risk_sets.steps, np.append(risk_sets.first, len(risk_sets.order))
        inside = np.sort(risk_sets.order)
        total = rows.products(inside, own.received[inside], columns)
        after, stop = np.zeros((1, len(columns))), len(risk_sets.first)
        while stop > 0:
            start = int(np.searchsorted(ends, ends[stop] - self._block_rows, side="right")) - 1
            start = max(start, 0)
            block = risk_sets.order[ends[start] : ends[stop]]
            Z = np.asarray(to_host(used_columns(rows.some(block), columns)))
            values = own.sizes[block][:, None] * Z
            of_block = slice(*np.searchsorted(steps.stage, [start, stop]))
            means = own.at_steps(values, start, after)
            means *= (np.sqrt(steps.mass) / own.sums)[of_block, None]
            total -= lower_products(means)
            after += values.sum(axis=0)
            stop = start
        return np.asarray(total)

    def times(self, values: Array) -> Array:
        """Θ times columns."""
        return self._curvature.times(values)
