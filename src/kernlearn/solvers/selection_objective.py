"""A selection criterion as a function of log λ and log θ, with its gradient."""

from __future__ import annotations

import numpy as np

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.quality.ls_svm import Array, LSSVMFit, fit_ls_svm
from kernlearn.quality.selection_criterion import SelectionCriterion


class SelectionObjective:
    r"""The logarithmic criterion at z = (log λ, log θ).

    With W the derivative of the criterion with respect to K (and so to K + Λ),

    .. math::

        \frac{\partial}{\partial \log\lambda} = \sum_i W_{ii} \frac{\lambda}{s_i}, \qquad
        \frac{\partial}{\partial \log\theta_r}
            = \theta_r \sum_{ij} W_{ij} \frac{\partial K_{ij}}{\partial \theta_r} .

    Parameters
    ----------
    kernel : ParametricKernel
        The family K(θ).
    X : array or data frame of n rows
        Points.
    Y : ndarray of shape (n, k)
        Targets.
    criterion : SelectionCriterion
        What is minimised.
    """

    def __init__(
        self, kernel: ParametricKernel, X: Array, Y: Array, criterion: SelectionCriterion
    ) -> None:
        self.kernel = kernel
        self.X = X
        self.Y = Y
        self.criterion = criterion
        self.n_evaluations = 0
        self._last: tuple[Array, Array] | None = None

    def matrix(self, theta: Array) -> Array:
        """K(θ); the last one is kept, since several λ are tried with it."""
        if self._last is None or not np.array_equal(self._last[0], theta):
            K = self.kernel.matrix(self.X, None, theta)
            self._last = (theta.copy(), K)
        return self._last[1]

    def machine(self, z: Array) -> LSSVMFit:
        """The machine trained at z."""
        self.n_evaluations += 1
        weight = self.criterion.loss.weight
        return fit_ls_svm(self.matrix(np.exp(z[1:])), self.Y, np.exp(z[0]) / weight)

    def value(self, z: Array) -> float:
        """The criterion; infinite where no machine can be trained."""
        try:
            value = self.criterion.log_value(self.machine(z), np.exp(z[1:]))
        except (ValueError, np.linalg.LinAlgError):
            # A kernel refuses an overflow, a factorisation breaks down: step back from there.
            return float("inf")
        return value if np.isfinite(value) else float("inf")

    def value_and_gradient(self, z: Array) -> tuple[float, Array]:
        """The criterion and its gradient; infinite and zero where no machine can be trained."""
        theta = np.exp(z[1:])
        gradient = np.zeros(len(z))
        try:
            fit = self.machine(z)
            value = self.criterion.log_value(fit, theta)
            W = self.criterion.log_slope(fit)
            # Where the ridge was raised, λ has no say.
            asked = np.exp(z[0]) / self.criterion.loss.weight
            gradient[0] = W.diagonal() @ np.where(fit.ridge > asked, 0.0, asked)
            slope = self.kernel.gradient(self.X, theta, self.matrix(theta), W)
            gradient[1:] = theta * slope + self.criterion.penalty_slope(fit, theta)
        except (ValueError, np.linalg.LinAlgError):
            return float("inf"), np.zeros(len(z))
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return float("inf"), np.zeros(len(z))
        return value, gradient
