"""An objective ½wᵀSw, with no machine behind it."""

from __future__ import annotations

from kernlearn.quality.machine import Array
from kernlearn.solvers.oracle import Evaluation, Plane


class QuadraticObjective:
    """½wᵀSw as the outer method sees it.

    Parameters
    ----------
    hessian : ndarray of shape (m, m)
        The matrix S, positive semidefinite.
    """

    n_solves = 0

    def __init__(self, hessian: Array) -> None:
        self.hessian = hessian

    def evaluate(self, weights: Array, warm: Evaluation | None, tol: float) -> QuadraticEvaluation:
        """Exact, whatever ``tol``."""
        return QuadraticEvaluation(self.hessian, weights)


class QuadraticEvaluation:
    """½wᵀSw at one point."""

    def __init__(self, hessian: Array, weights: Array) -> None:
        self.hessian, self.weights = hessian, weights
        gradient = hessian @ weights
        self.upper = 0.5 * float(weights @ gradient)
        self.plane = Plane(-self.upper, gradient)
        self.resolution = self.noise = 0.0

    def predicted_plane(self, step: Array) -> Plane:
        """The tangent at ``weights + step``."""
        return QuadraticEvaluation(self.hessian, self.weights + step).plane
