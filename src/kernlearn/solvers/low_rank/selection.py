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
from scipy.linalg import cho_solve, solve_triangular

from kernlearn._patience import Patience
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.quality.leave_one_out import LeaveOneOut
from kernlearn.quality.selection_criterion import SelectionCriterion
from kernlearn.solvers.factor import lower_factor
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
        Points.
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
        super().__init__(kernel, X, Y, criterion, patience)
        self.points, self.weight = points, weight

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
        square = self.matrix(theta)
        jittered = square.copy()
        jittered[np.diag_indices(len(square))] += JITTER * float(square.diagonal().mean())
        L = np.tril(lower_factor(jittered))
        cross = self.kernel.matrix(self.X, self.points, theta)
        Z = solve_triangular(L, cross.T, lower=True, check_finite=False).T
        value, W, slope = press(Z, self.Y, self.weight, lam)
        negligible = self.criterion.negligible
        back = solve_triangular(L, W.T, lower=True, trans=1, check_finite=False).T
        inner = solve_triangular(L, (Z.T @ back), lower=True, trans=1, check_finite=False)
        gradient = np.empty(1 + len(theta))
        gradient[0] = lam * slope
        slopes = self.kernel.cross_gradient(self.X, self.points, theta, cross, back)
        slopes += self.kernel.gradient(self.points, theta, square, -0.25 * (inner + inner.T))
        gradient[1:] = theta * slopes
        return float(np.log(value + negligible)), gradient / (value + negligible)


def press(Z: Array, Y: Array, weight: Array, lam: float) -> tuple[float, Array, float]:
    """Q, and its derivatives with respect to Z and to λ."""
    n, r = Z.shape
    B = np.column_stack([Z, np.ones(n)])
    weighted = weight[:, None] * B
    M = B.T @ weighted
    M[np.arange(r), np.arange(r)] += lam
    factor = lower_factor(M)

    def solve(right: Array) -> Array:
        return np.asarray(cho_solve((factor, True), right, check_finite=False))

    beta = solve(weighted.T @ Y)
    residual = Y - B @ beta
    half = solve(B.T).T  # B M⁻¹
    left = 1.0 - weight * np.einsum("ij,ij->i", half, B)
    e = residual / left[:, None]
    value = float(weight @ (e**2).sum(axis=1))
    g = -2.0 * weight[:, None] * e / left[:, None]
    q = 2.0 * weight**2 * (e**2).sum(axis=1) / left
    gamma = solve(B.T @ g)
    T = half.T @ (q[:, None] * half)
    W = (g - weighted @ gamma) @ beta.T + (weight[:, None] * residual) @ gamma.T
    W += 2.0 * q[:, None] * half - 2.0 * weighted @ T
    slope = -float((gamma[:r] * beta[:r]).sum()) - float(np.trace(T[:r, :r]))
    return value, W[:, :r], slope
