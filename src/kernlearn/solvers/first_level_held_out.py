r"""The loss on held-out points and its derivatives by λ and μ, through the learned kernel.

With e the weighted residuals f - y on the held-out points and q the solution of (3) for the right
side :math:`(K_{\rm out}^T e, 1^Te)`, the loss :math:`E = \tfrac12\sum s\,(f - y)^2` has

.. math::

    \partial E/\partial\theta_r &= e^T K_{{\rm out},r}\alpha - q^T K_r\alpha, \qquad
    \partial E/\partial\lambda = -q^T S^{-1}\alpha, \\
    \mathrm{d}\theta/\mathrm{d}\log\mu &= -H^{-1}\mu\theta, \qquad
    \mathrm{d}\theta_r/\mathrm{d}\log\lambda = -\lambda H^{-1}\bigl(-\tfrac12\alpha^TK_r\alpha
    + \lambda (K_r\alpha)^T P S^{-1}\alpha\bigr),

by implicit differentiation of ∂J/∂θ = 0, H being the Hessian of J over the parameters that are
not at their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.bounded_newton import Descent
from kernlearn.solvers.first_level import FirstLevelPoint, FirstLevelProblem

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The loss of one fold.

    Attributes
    ----------
    loss : float
        The sum over the held-out points, corrected to first order for the last Newton step.
    slope : ndarray of shape (2,)
        Its derivatives by log λ and log μ.
    theta : ndarray of shape (p,)
        The fold's parameters.
    drift : ndarray of shape (p, 2)
        Their derivatives by log λ and log μ.
    """

    loss: float
    slope: Array
    theta: Array
    drift: Array


def held_out_loss(descent: Descent[FirstLevelPoint], outside: FirstLevelProblem) -> HeldOut:
    """The loss on the points of `outside` of the machine that the descent ended with."""
    point, step = descent.point, descent.step
    family, X = point.problem.family, point.problem.X
    K_out = family.matrix(outside.X, X, point.theta)
    residual = K_out @ point.dual_coef + point.intercept - outside.Y
    weighted = outside.weight[:, None] * residual
    q = point.factor.solve(K_out.T @ weighted, weighted.sum(axis=0))[0]
    by_theta = np.zeros(len(point.theta))
    for k, alpha in enumerate(point.dual_coef.T):
        moved = family.jacobian_products(outside.X, point.theta, K_out, alpha, X)
        by_theta += weighted[:, k] @ moved - q[:, k] @ point.images[k]
    by_lam = -np.vdot(q, point.dual_coef / point.problem.weight[:, None])
    drift = _drift(point, point.theta + step > outside.low)
    slope = by_theta @ drift + np.array([point.lam * by_lam, 0.0])
    loss = 0.5 * float(np.vdot(weighted, residual)) + float(by_theta @ step)
    return HeldOut(loss, slope, np.maximum(point.theta + step, outside.low), drift)


def _drift(point: FirstLevelPoint, free: NDArray[np.bool_]) -> Array:
    """dθ by (log λ, log μ)."""
    scaled = point.dual_coef / point.problem.weight[:, None]
    mixed = -0.5 * point.forms
    P_scaled = point.factor.solve(scaled)[0]
    for k, image in enumerate(point.images):
        mixed = mixed + point.lam * (P_scaled[:, k] @ image)
    right = np.column_stack([point.lam * mixed, point.mu * point.theta])
    drift = np.zeros_like(right)
    if free.any():
        # In units of their usual size, since parameters may differ by many orders of magnitude.
        size = np.maximum(point.theta, point.problem.scale)[free]
        H = point.hessian[np.ix_(free, free)] * np.outer(size, size)
        scaled_drift = np.linalg.lstsq(H, size[:, None] * right[free], rcond=None)[0]
        drift[free] = -size[:, None] * scaled_drift
    return drift
