r"""The leave-one-out loss through landmarks as a function of log λ and log θ, with exact slopes.

With :math:`B = [Z, 1]`, :math:`Z = K(X, S; \theta) L(\theta)^{-\top}`, weights s, and
:math:`M = B^\top \mathrm{diag}(s) B + \lambda\,\mathrm{diag}(I, 0)`,

.. math::

    f = B\beta, \quad \beta = M^{-1}B^\top s y, \qquad h_i = s_i b_i^\top M^{-1} b_i, \qquad
    e_i = \frac{y_i - f_i}{1 - h_i}, \qquad Q = \sum_i s_i e_i^2 .

Backwards, with :math:`g_i = -2 s_i e_i/(1-h_i)`, :math:`q_i = 2 s_i^2 e_i^2/(1-h_i)`,
:math:`\gamma = M^{-1}B^\top g` and :math:`T = M^{-1}(B^\top q B)M^{-1}`,

.. math::

    \frac{\partial Q}{\partial B} = (g - sB\gamma)\beta^\top + s(y-f)\gamma^\top
        + 2 q B M^{-1} - 2 s B T, \qquad
    \frac{\partial Q}{\partial\lambda} = -\gamma_Z^\top\beta_Z - \mathrm{tr}\,T_{ZZ} .

Q depends on Z through ZZᵀ = K_{XS} K_{SS}⁻¹ K_{SX} only, so that with W = ∂Q/∂Z the kernel's share
is :math:`\partial Q/\partial K_{XS} = W L^{-1}` and
:math:`\partial Q/\partial K_{SS} = -\tfrac12 L^{-\top} Z^\top W L^{-1}`. All in O(nr² + nrd).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import (
    add_to_diagonal,
    all_rows,
    beside,
    copied,
    lower_factor,
    namespace,
    row_dots,
    solve_factored,
    solve_lower,
    to_host,
)
from kernlearn._patience import Patience
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.quality.leave_one_out import LeaveOneOut
from kernlearn.quality.selection_criterion import SelectionCriterion
from kernlearn.solvers.selection_objective import SelectionObjective

Array = NDArray[np.float64]

# Added to the diagonal of K(S, S), relative to its mean, so that it has a factor at every θ.
JITTER = 1e-8
# Held-out errors of a millionth of the targets' spread are as good as none.
_NEGLIGIBLE = 1e-12


class LandmarkSelection(SelectionObjective):
    """Log Q at z = (log λ, log θ).

    Parameters
    ----------
    kernel : ParametricKernel
        The family K(θ).
    X : array or data frame of n rows
        Points; where they are, the work is done if the family can do it there.
    Y : ndarray of shape (n, k)
        Targets.
    weight : ndarray of shape (n,)
        The s.
    points : array or data frame of r rows
        The landmarks S, the same for all θ.
    patience : Patience, optional
        May end the selection early.
    """

    def __init__(
        self,
        kernel: ParametricKernel,
        X: Any,
        Y: Array,
        weight: Array,
        points: Any,
        patience: Patience | None = None,
    ) -> None:
        spread = float(weight @ ((Y - Y.mean(axis=0)) ** 2).sum(axis=1))
        negligible = max(_NEGLIGIBLE * spread, np.finfo(float).tiny)
        criterion = SelectionCriterion(LeaveOneOut(weight), False, negligible)
        super().__init__(kernel, to_host(X), Y, criterion, patience)
        self.points, self.weight = points, weight
        self.rows = all_rows(X) if kernel.follows_arrays else self.X
        self._there = [beside(part, self.rows) for part in (points, Y, weight)]

    def matrix(self, theta: Array) -> Array:
        """K(S, S), which tells the size of K."""
        return self.kernel.matrix(self.points, None, theta)

    def value(self, z: Array) -> float:
        """Log Q; infinite where no machine can be trained."""
        value, _ = self._value_and_gradient(z)
        self._note(z, value)
        return value

    def _value_and_gradient(self, z: Array) -> tuple[float, Array]:
        self.n_evaluations += 1
        try:
            value, gradient = self._computed(float(np.exp(z[0])), np.exp(z[1:]))
        except (ValueError, np.linalg.LinAlgError):
            return float("inf"), np.zeros(len(z))
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return float("inf"), np.zeros(len(z))
        return value, gradient

    def _computed(self, lam: float, theta: Array) -> tuple[float, Array]:
        points, Y, weight = self._there
        square = self.kernel.matrix(points, None, theta)
        xp = namespace(square)
        jitter = JITTER * float(xp.mean(xp.linalg.diagonal(square)))
        L = lower_factor(add_to_diagonal(copied(square), jitter))
        cross = self.kernel.matrix(self.rows, points, theta)
        Z = solve_lower(L, cross.T).T
        value, W, slope = press(Z, Y, weight, lam)
        negligible = self.criterion.negligible
        back = solve_lower(L, W.T, transposed=True).T
        inner = solve_lower(L, Z.T @ back, transposed=True)
        gradient = np.empty(1 + len(theta))
        gradient[0] = lam * slope
        slopes = self.kernel.cross_gradient(self.rows, points, theta, cross, back)
        slopes += self.kernel.gradient(points, theta, square, -0.25 * (inner + inner.T))
        gradient[1:] = theta * to_host(slopes)
        return float(np.log(value + negligible)), gradient / (value + negligible)


def press(Z: Any, Y: Any, weight: Any, lam: float) -> tuple[float, Any, float]:
    """Q, and its derivatives with respect to Z and to λ; all arrays are in one place."""
    xp = namespace(Z)
    n, r = Z.shape
    B = xp.concat([Z, beside(np.ones((n, 1)), Z)], axis=1)
    weighted = weight[:, None] * B
    M = B.T @ weighted
    factor = lower_factor(add_to_diagonal(M, beside(np.append(np.full(r, lam), 0.0), Z)))
    beta = solve_factored(factor, weighted.T @ Y)
    residual = Y - B @ beta
    half = solve_factored(factor, B.T).T  # B M⁻¹
    left = 1.0 - weight * row_dots(half, B)
    e = residual / left[:, None]
    squares = xp.sum(e**2, axis=1)
    g = -2.0 * weight[:, None] * e / left[:, None]
    q = 2.0 * weight**2 * squares / left
    gamma = solve_factored(factor, B.T @ g)
    T = half.T @ (q[:, None] * half)
    W = (g - weighted @ gamma) @ beta.T + (weight[:, None] * residual) @ gamma.T
    W += 2.0 * q[:, None] * half - 2.0 * weighted @ T
    slope = -float(xp.sum(gamma[:r, :] * beta[:r, :]))
    slope -= float(xp.sum(xp.linalg.diagonal(T)[:r]))
    return float(weight @ squares), W[:, :r], slope
