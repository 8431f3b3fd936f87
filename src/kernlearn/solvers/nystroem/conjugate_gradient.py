r"""Least squares over explicit features of any number, by conjugate gradients in the space of rows.

Features of text are sparse and many: Zᵀ Z is out of the question, a product with Z or Zᵀ is cheap.
With Θ the sample weights, τ = 1/C, Q the projection off :math:`q \propto \Theta^{1/2}1`, which is
the intercept, :math:`a = \Theta^{1/2}v` and :math:`t = Q\Theta^{1/2}y`, the machine at K(w) is

.. math::

    V(w) = \max_{v = Qv}\; t^\top v - \tfrac12 v^\top A v, \qquad
    A = Q \Theta^{1/2} K(w) \Theta^{1/2} Q + \tau I .

*Any* v, whatever is left of :math:`r = t - Av`, makes a plane below V,
:math:`t^\top v - \tfrac\tau2\lVert v\rVert^2 - \tfrac12\sum_i w_i\lVert Z_i^\top a\rVert^2`, and a
function, whose value is above it by just :math:`\lVert r\rVert^2 / 2\tau`: that is when to stop.
The curvature is :math:`p_i^\top A^{-1} p_j` with :math:`p_i = Q\Theta^{1/2}K_i a`; from approximate
:math:`S \approx A^{-1}P` with residuals R, :math:`P^\top S + S^\top R` is known up to an error of
second order.

Rows are left out by a weight of zero, so that all folds are columns of one system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import column_dots
from kernlearn.families.factor_rows import ExplicitRows, FactorCorner
from kernlearn.numerics.sums import EPS, rounding
from kernlearn.solvers.core.oracle import Evaluation, Plane
from kernlearn.typing import Array

# Products with A at most; with more, rounding has the better of it.
MOST_STEPS = 2000
# Relative residuals for curvatures, held-out values and bounds; a value loses its square.
CURVED, HELD_OUT, PROVED = 0.1, 1e-2, 1e-6
# Part of a value's tolerance that is used, so that successive steps stay distinguishable.
SPARE = 0.1


# Z, however it is kept.
Design: TypeAlias = ExplicitRows | FactorCorner


class RowSystems:
    """The matrices A of one kernel, a column of right sides each, or one for all."""

    def __init__(
        self,
        rows: Design,  # Z
        half: Array,  # (n, 1) or (n, l): Θ½, zero for rows that are left out
        ridge: float,  # τ
    ) -> None:
        self.rows, self.half, self.ridge = rows, half, ridge
        self._q = half / np.sqrt((half**2).sum(axis=0))

    def projected(self, V: Array) -> Array:
        """QV."""
        return np.asarray(V - self._q * (self._q * V).sum(axis=0))

    def right(self, Y: Array) -> Array:
        """QΘ½Y."""
        return self.projected(self.half * Y)

    def solve(
        self, weights: Array, right: Array, start: Array | None, enough: float, of_value: bool
    ) -> tuple[Array, Array]:
        """V and what is left, R, in all columns.

        Until ‖r‖ is a part ``enough`` of the right side in every column; or, ``of_value``, until
        Σ‖r‖²/2τ is that part of the value of all columns together.
        """
        V = np.zeros_like(right) if start is None else self.projected(start)
        R = right - self._product(weights, V) if V.any() else right.copy()
        P, squares = R.copy(), column_dots(R, R)
        sizes = column_dots(right, right)
        for _ in range(MOST_STEPS):
            if of_value:
                value = 0.5 * float((column_dots(right, V) + column_dots(V, R)).sum())
                done = float(squares.sum()) <= 2.0 * self.ridge * enough * value
            else:
                done = bool((squares <= enough**2 * sizes).all())
            if done or not squares.any():
                break
            AP = self._product(weights, P)
            lengths = column_dots(P, AP)
            step = np.divide(squares, lengths, out=np.zeros_like(squares), where=lengths > 0)
            V += step * P
            R -= step * AP
            before, squares = squares, column_dots(R, R)
            P *= np.divide(squares, before, out=np.zeros_like(squares), where=before > 0)
            P += R
        return self.projected(V), R

    def _product(self, weights: Array, V: Array) -> Array:
        """AV, for V = QV."""
        found = self.projected(self.half * self.rows.applied(weights, self.half * V))
        found += self.ridge * V
        return found


@dataclass(frozen=True, eq=False)
class FoldsLeftOut:
    """Machines that miss a fold each: in columns, one fold and target after the other."""

    a: Array  # (n, n_folds * k): their coefficients
    intercept: Array  # (n_folds, k): their intercepts
    values: Array  # (n, k): their predictions for the rows of the fold that they lack
    loss: float  # the mean squared error there, all targets together


def leave_out_folds(
    rows: Design, weights: Array, Y: Array, theta: Array, fold: NDArray[np.intp], ridge: float
) -> FoldsLeftOut:
    """Least squares at K(w) without each fold."""
    (n, k), n_folds = Y.shape, int(fold.max()) + 1
    mean = (theta @ Y) / theta.sum()
    # Every column has a fold and a target of its own.
    left = np.repeat(fold[:, None] != np.arange(n_folds), k, axis=1)
    off = np.tile(Y - mean, (1, n_folds))
    systems = RowSystems(rows, np.sqrt(theta)[:, None] * left, ridge)
    V, _ = systems.solve(weights, systems.right(off), None, HELD_OUT, of_value=False)
    a = systems.half * V
    values = rows.applied(weights, a)
    intercept = (theta @ (left * (off - values))) / (theta @ left)
    values += intercept
    own = values[np.arange(n)[:, None], fold[:, None] * k + np.arange(k)]
    loss = float((theta @ (off[:, :k] - own) ** 2).sum() / theta.sum())
    return FoldsLeftOut(a, intercept.reshape(n_folds, k) + mean, own + mean, loss)


class RowObjective:
    """The sum over targets of V(K(w)), for positive weights."""

    def __init__(
        self,
        rows: ExplicitRows,  # Z
        Y: Array,  # (n, k): targets
        half: Array,  # (n, 1): Θ½
        ridge: float,  # τ
    ) -> None:
        self.rows, self.half, self.ridge = rows, half, ridge
        self.systems = RowSystems(rows, half, ridge)
        self.T = self.systems.right(Y)
        self.n_solves = 0

    def evaluate(self, weights: Array, warm: Evaluation | None, tol: float) -> RowEvaluation:
        """Solve for all targets at K(w), to a part ``tol`` of their value."""
        self.n_solves += self.T.shape[1]
        start = warm.V if isinstance(warm, RowEvaluation) else None
        V, _ = self.systems.solve(weights, self.T, start, SPARE * tol, of_value=True)
        return RowEvaluation(self, weights, V, min(CURVED, tol**0.25))

    def plane(self, V: Array, cs: list[Array]) -> Plane:
        """The plane below the objective of the coefficients Θ½V, where Zᵢᵀa are known."""
        terms, squares = float((self.T * V).sum()), float((V**2).sum())
        lengths = np.array([float((c**2).sum()) for c in cs])
        relative, size = rounding(len(V)), float(((self.half * V) ** 2).sum())
        slack = relative * (float(np.abs(self.T * V).sum()) + self.ridge * squares)
        return Plane(
            terms - 0.5 * self.ridge * squares - slack,
            -0.5 * lengths,
            relative * size * self.rows.sizes,
            coefs=((1.0, (V,)),),
        )


class RowEvaluation:
    """The machines of all targets at K(w); ``V`` of shape (n, k) are their coefficients.

    The curvature is made of solutions that leave a part ``curved`` of their right sides.
    """

    def __init__(self, objective: RowObjective, weights: Array, V: Array, curved: float) -> None:
        self.objective, self.weights, self.V, self._curved = objective, weights, V, curved
        self.cs = objective.rows.transposed_times(objective.half * V)
        self.plane = objective.plane(V, self.cs)
        pairs = zip(weights, self._images, strict=True)
        fitted = sum((weight * image for weight, image in pairs), start=np.zeros_like(V))
        norm = -float(self.plane.gradient @ weights)  # ½aᵀK(w)a
        residual = objective.T - fitted
        self.upper = norm + 0.5 * float((residual**2).sum()) / objective.ridge
        noise = float(np.asarray(self.plane.noise) @ weights)
        self.resolution = noise + EPS * float((objective.T**2).sum()) / objective.ridge
        self.vanishing = np.inf
        self.noise = abs(self.upper - self.plane.constant - float(self.plane.gradient @ weights))

    @cached_property
    def _images(self) -> list[Array]:
        """QΘ½Kᵢa, for each kernel."""
        objective = self.objective
        return [objective.systems.right(image) for image in objective.rows.times(self.cs)]

    @cached_property
    def _responses(self) -> tuple[Array, Array]:
        """A⁻¹pⱼ for each kernel j, of shape (n, k, m), and the curvature."""
        P = np.stack(self._images, axis=2)
        right = P.reshape(len(P), -1)
        solved = self.objective.systems.solve(
            self.weights, right, None, self._curved, of_value=False
        )
        S, R = (array.reshape(P.shape) for array in solved)
        H = np.einsum("nki,nkj->ij", P, S) + np.einsum("nki,nkj->ij", S, R)
        return S, 0.5 * (H + H.T)

    @property
    def hessian(self) -> Array:
        """Sum of the curvatures of the targets."""
        return self._responses[1]

    def predicted_plane(self, step: Array) -> Plane:
        """The plane of the coefficients moved along the solution path."""
        objective = self.objective
        V = objective.systems.projected(self.V - self._responses[0] @ step)
        return objective.plane(V, objective.rows.transposed_times(objective.half * V))
