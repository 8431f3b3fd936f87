r"""Systems of a smooth loss, solved with the factor of an earlier one.

Most of the time of a system goes to :math:`Z^\top\Theta Z`, a number for each pair of columns. A
smooth loss has a :math:`\Theta` that changes little from one step to the next, or with the weights
of the kernels, or where a fold of rows is left out. So an earlier :math:`\Theta` makes a matrix
:math:`M \approx A`, and a few conjugate gradients with its factor solve the system of a later one.
Each of them takes two passes over Z.

A step is solved to a part of its right side only. It leads downhill all the same, and the gap of
the machine is that of its coefficients, whatever steps have led to them.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from kernlearn._device import column_dots
from kernlearn.families.factor_rows import FactorRows
from kernlearn.solvers.nystroem.systems import (
    ColumnSystem,
    Curvature,
    CurvedProducts,
    PrimalSystem,
    Root,
    System,
    intercept_curvature,
)
from kernlearn.typing import Array

# Parts of the right sides, in the norm of M⁻¹, that steps and answers may leave.
STEPPED, ANSWERED = 0.1, 1e-2
# A system of q columns takes as long as some q / 32 products of A with a vector, and is worth half
# of them.
COLUMNS_PER_PRODUCT = 64


class NearbySystem(ColumnSystem):
    """By conjugate gradients with the factor of M."""

    def __init__(
        self,
        rows: FactorRows,
        root: Root,
        curvature: Curvature,
        factor: Array,  # of M
        part: float,  # of the right sides, which may be left
        most: int,  # products with A
    ) -> None:
        super().__init__(rows, root, curvature)
        self.factor, self.part, self.most = factor, part, most
        self.n_products = 0
        self.is_near = True  # whether so many products were enough

    def solve(self, right: Array) -> Array:
        """The solution of shape (q + 1, l) of so many right-hand sides, or nearly so."""
        X, R = np.zeros_like(right), right
        P = Y = self._before(R)
        squares = column_dots(R, Y)
        enough = self.part**2 * squares
        for _ in range(self.most):
            AP = self._product(P)
            self.n_products += 1
            step = _quotients(squares, column_dots(P, AP))
            X, R = X + step * P, R - step * AP
            Y = self._before(R)
            earlier, squares = squares, column_dots(R, Y)
            if (squares <= enough).all():
                break
            P = Y + _quotients(squares, earlier) * P
        else:
            self.is_near = False
        return X

    def _before(self, R: Array) -> Array:
        """M⁻¹R."""
        return np.asarray(cho_solve((self.factor, True), R, check_finite=False))

    def _product(self, X: Array) -> Array:
        """AX; where Θ1 = 0 the intercept has a one of its own."""
        rows, root, curvature = self.rows, self.root, self.curvature
        F = rows.times(root.spread(X[:-1]))[curvature.inside]
        stiff = np.zeros((rows.n_rows, X.shape[1]))
        stiff[curvature.inside] = curvature.times(F) + np.outer(curvature.sums, X[-1])
        top = X[:-1] + root.gather(rows.transposed_times(stiff))
        return np.vstack([top, curvature.sums @ F + intercept_curvature(curvature) * X[-1]])


class NearbySystems:
    """The systems of one machine, one after another."""

    def __init__(self, rows: FactorRows, columns_per_product: int = COLUMNS_PER_PRODUCT) -> None:
        self.rows, self._columns_per_product = rows, columns_per_product
        self._known: CurvedProducts | None = None
        self._factor: tuple[Root, Array] | None = None  # of M, at a kernel
        self._per_digit = 0.0  # products that the last step took for each digit

    def step(self, root: Root, curvature: Curvature, g: Array, h: float) -> tuple[Array, float]:
        """The step (Δv, Δb) of a right-hand side, or nearly so."""
        near = self._near(root, curvature, STEPPED, 1)
        if near is None:
            return self._factorised(root, curvature).step(g, h)
        step = near.step(g, h)
        self._per_digit = near.n_products / _digits(STEPPED)
        if not near.is_near:
            self._known = None
        return step

    def project(self, root: Root, curvature: Curvature, images: Array) -> Array:
        """P times columns on the rows S, or nearly so."""
        near = self._near(root, curvature, ANSWERED, images.shape[1])
        if near is not None:
            answers = near.project(images)
            if near.is_near:
                return answers
        return self._factorised(root, curvature).project(images)

    def _factorised(self, root: Root, curvature: Curvature) -> System:
        """The system with a factor of its own, by which later ones are solved."""
        self._known = self._factor = None  # there is room for one
        self._per_digit = 0.0
        system = curvature.system(self.rows, root)
        if isinstance(system, PrimalSystem) and curvature.is_smooth and self.rows.is_at_hand:
            self._known, self._factor = system.products, (root, system.factor)
        return system

    def _near(
        self, root: Root, curvature: Curvature, part: float, n_sides: int
    ) -> NearbySystem | None:
        """The system of an M with all of its columns, where that saves time."""
        known, most = self._known, root.rank // (self._columns_per_product * n_sides)
        expected = max(self._per_digit * _digits(part), 2)
        if known is None or most < expected or not np.isin(root.columns, known.columns).all():
            return None
        if self._factor is None or self._factor[0] is not root:
            try:
                self._factor = root, known.factor(root)
            except LinAlgError:
                return None
        return NearbySystem(self.rows, root, curvature, self._factor[1], part, most)


def _digits(part: float) -> float:
    return float(-np.log10(part))


def _quotients(above: Array, below: Array) -> Array:
    """Quotients, zero for columns that are solved."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
