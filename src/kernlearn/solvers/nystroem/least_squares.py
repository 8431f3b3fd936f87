r"""Least squares over factors: the objective from second moments, whatever the number of rows.

With :math:`G = Z^\top\Theta H Z`, :math:`B = Z^\top\Theta H Y`, :math:`s = \mathrm{diag}\,
Y^\top\Theta H Y` (H the centring, Θ the sample weights), D the weights repeated over the columns of
their kernels, and τ = 1/C, the machine's coefficients are :math:`a = \Theta H(y - Zu)/\tau` with

.. math::

    c = Z^\top a = (\tau I + G D)^{-1} b, \qquad u = D c, \qquad
    \frac{\partial V}{\partial w_i} = -\tfrac12\lVert c_i\rVert^2, \qquad
    \frac{\partial^2 V}{\partial w_i\partial w_j}
        = c_i^\top \bigl[(\tau I + G D)^{-1} G\bigr]_{ij} c_j.

*Any* u gives feasible coefficients a (1ᵀa = 0 by the centring), hence a plane below V, from
:math:`\lVert\tau\Theta^{-1/2} a\rVert^2 = s - 2 b^\top u + u^\top G u` and
:math:`Z^\top a = (b - G u)/\tau`; and a function, hence a value above V.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from kernlearn._device import lower_factor
from kernlearn.families.factors import root, root_of_products
from kernlearn.numerics.sums import EPS
from kernlearn.solvers.core.oracle import Evaluation, Plane
from kernlearn.typing import Array

SUMS = 16 * EPS  # relative rounding of a moment, made of blocks of rows


class LeastSquaresObjective:
    """The sum over targets of V(K(w)), for kernels that are factors."""

    def __init__(
        self,
        # (R, R) or (R, k) or (k,): the centred moments
        G: Array,
        B: Array,
        s: Array,
        membership: Array,  # (R, m): ones where a column belongs to a kernel
        ridge: float,  # τ
        # (q, R): the triangular factor of G, for weights of both signs; without it they are known
        # to half of the digits
        triangle: Array | None = None,
    ) -> None:
        self.G, self.B, self.s = G, B, s
        self.membership, self.ridge, self._triangle = membership, ridge, triangle
        self.n_solves = 0

    @cached_property
    def root(self) -> tuple[Array, Array]:
        """F with FFᵀ = G, and its pseudoinverse; only weights of both signs need it."""
        F = root_of_products(self.G) if self._triangle is None else root(self._triangle)
        return F, (F / (F**2).sum(axis=0)).T  # the columns of F are orthogonal

    def evaluate(
        self, weights: Array, warm: Evaluation | None, tol: float
    ) -> LeastSquaresEvaluation | None:
        """Solve for all targets at K(w), exactly whatever ``tol``; None if K(w) is indefinite."""
        self.n_solves += self.B.shape[1]
        try:
            system = (Positive if weights.min() >= 0 else Signed)(self, self.membership @ weights)
        except LinAlgError:
            return None
        return LeastSquaresEvaluation(self, weights, system)

    def plane(self, U: Array, GU: Array) -> Plane:
        """The plane below the objective of the coefficients that U defines."""
        c = (self.B - GU) / self.ridge
        residual = self.squared_residuals(U, GU)
        constant = float(((self.s - (self.B * U).sum(axis=0)) - 0.5 * residual).sum()) / self.ridge
        gradient = -0.5 * (self.membership.T @ (c**2).sum(axis=1))
        # The moments are sums over all rows, and cancel where the fit is good.
        sizes = self.s.sum() + np.abs(self.B * U).sum() + np.abs(U * GU).sum()
        slack = SUMS * float(sizes) / self.ridge
        noise = SUMS * (self.membership.T @ ((np.abs(self.B) + np.abs(GU)) * np.abs(c)).sum(axis=1))
        return Plane(constant - slack, gradient, noise / self.ridge, coefs=((1.0, (U,)),))

    def squared_residuals(self, U: Array, GU: Array) -> Array:
        """‖Θ½H(y − Zu)‖² for each target."""
        return np.asarray(self.s - 2.0 * (self.B * U).sum(axis=0) + (U * GU).sum(axis=0))


class Positive:
    """(τI + GD)⁻¹ for weights without sign: one factorisation of the columns with weight.

    Equal to (I − G D½(τI + D½GD½)⁻¹D½)/τ.
    """

    def __init__(self, objective: LeastSquaresObjective, diagonal: Array) -> None:
        self.ridge = objective.ridge
        used = np.flatnonzero(diagonal)
        self.used, self.half = used, np.sqrt(diagonal[used])[:, None]
        # Copies of arrays as large as G are avoided.
        every = len(used) == len(diagonal)
        self.columns = objective.G if every else objective.G[:, used]
        A = self.columns.copy() if every else self.columns[used]
        A *= self.half
        A *= self.half.T
        A[np.diag_indices(len(used))] += self.ridge
        self.factor = lower_factor(A)

    def solve(self, M: Array) -> Array:
        """The product with M."""
        inner = cho_solve((self.factor, True), self.half * M[self.used], check_finite=False)
        return np.asarray((M - self.columns @ (self.half * inner)) / self.ridge)


class Signed:
    """(τI + GD)⁻¹ on the range of G for weights of any sign: F(τI + FᵀDF)⁻¹F⁺."""

    def __init__(self, objective: LeastSquaresObjective, diagonal: Array) -> None:
        self.F, self.inverse = objective.root
        A = (self.F.T * diagonal) @ self.F
        A[np.diag_indices(len(A))] += objective.ridge
        self.factor = lower_factor(A)

    def solve(self, M: Array) -> Array:
        """The product with M, whose columns lie in the range of G."""
        inner = cho_solve((self.factor, True), self.inverse @ M, check_finite=False)
        return np.asarray(self.F @ inner)


class LeastSquaresEvaluation:
    """The machines of all targets at K(w).

    ``coef`` are the coefficients (R, k) of the columns of Z.
    """

    def __init__(
        self, objective: LeastSquaresObjective, weights: Array, system: Positive | Signed
    ) -> None:
        self.objective, self.weights, self._system = objective, weights, system
        self._diagonal = (objective.membership @ weights)[:, None]
        self._c = system.solve(objective.B)
        self.coef = self._diagonal * self._c
        products = objective.G @ self.coef
        self.plane = objective.plane(self.coef, products)
        residual = objective.squared_residuals(self.coef, products)
        norm = 0.5 * float((self.coef * self._c).sum())
        self.upper = norm + 0.5 * float(residual.sum()) / objective.ridge
        self.resolution = SUMS * float(objective.s.sum()) / objective.ridge
        self.vanishing = np.inf
        self.noise = abs(self.upper - self.plane.constant - float(self.plane.gradient @ weights))

    @cached_property
    def _responses(self) -> Array:
        """(τI + GD)⁻¹ G cⱼ for each kernel j, in columns, of shape (k, R, m)."""
        spread = self.objective.membership * self._c.T[:, :, None]
        k, R, m = spread.shape
        products = self.objective.G @ spread.transpose(1, 0, 2).reshape(R, k * m)
        return self._system.solve(products).reshape(R, k, m).transpose(1, 0, 2)

    @cached_property
    def hessian(self) -> Array:
        """Sum of the curvatures of the targets."""
        spread = self.objective.membership * self._c.T[:, :, None]
        H = np.einsum("kri,krj->ij", spread, self._responses)
        return np.asarray(0.5 * (H + H.T))

    def predicted_plane(self, step: Array) -> Plane:
        """The plane of the coefficients moved along the solution path."""
        moved = self._c - (self._responses @ step).T
        U = (self.objective.membership @ (self.weights + step))[:, None] * moved
        return self.objective.plane(U, self.objective.G @ U)
