r"""The loss on held-out points and its derivatives by λ and μ, through the learned kernel.

The loss E of a machine outside has slopes by λ and θ (`FirstLevelPoint.outside`), and θ moves as

.. math::

    \mathrm{d}\theta/\mathrm{d}\log\mu = -H^{-1}\mu\theta, \qquad
    \mathrm{d}\theta/\mathrm{d}\log\lambda = -\lambda H^{-1} \partial_\lambda\nabla J,

by implicit differentiation of ∂J/∂θ = 0, H being the Hessian of J over the parameters that are
not at their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.first_level.point import Trained
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.solvers.optimize.bounded_newton import Descent
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class FoldLoss:
    """The loss of one fold."""

    # The sum over the held-out points, corrected to first order for the last Newton step
    loss: float
    slope: Array  # Its derivatives by log λ and log μ, of shape (2,)
    theta: Array  # The fold's parameters, of shape (p,)
    drift: Array  # Their derivatives by log λ and log μ, of shape (p, 2)


def held_out_loss(descent: Descent[Trained], others: FirstLevelProblem) -> FoldLoss:
    """The loss on other points of the machine that the descent ended with."""
    point, step = descent.point, descent.step
    outside = point.outside(others)
    right = np.column_stack([point.lam * outside.mixed, point.mu * point.theta])
    drift = _drift(point, right, point.theta + step > others.low)
    slope = outside.by_theta @ drift + np.array([point.lam * outside.by_lam, 0.0])
    loss = float(outside.loss) + float(outside.by_theta @ step)
    return FoldLoss(loss, slope, np.maximum(point.theta + step, others.low), drift)


def _drift(point: Trained, right: Array, free: NDArray[np.bool_]) -> Array:
    """dθ by (log λ, log μ)."""
    drift = np.zeros_like(right)
    if free.any():
        # In units of their usual size, since parameters may differ by many orders of magnitude.
        size = np.maximum(point.theta, point.problem.scale)[free]
        H = point.hessian[np.ix_(free, free)] * np.outer(size, size)
        scaled_drift = np.linalg.lstsq(H, size[:, None] * right[free], rcond=None)[0]
        drift[free] = -size[:, None] * scaled_drift
    return drift
