r"""What model selection minimises over (λ, θ): a held-out loss, with or without a prior on θ.

The conventional criteria are the loss Q itself: PRESS for leave-one-out, the k-fold squared loss
for cross-validation. Bayesian regularisation (Cawley and Talbot 2007) adds
:math:`\tfrac{\xi}{2} \|\theta\|^2` to the loss and integrates both factors out under Jeffreys'
prior:

.. math:: L(\lambda, \theta) = \tfrac{n}{2} \log Q + \tfrac{p}{2} \log \tfrac12 \|\theta\|^2 ,

n the number of residuals and p the number of kernel parameters. L falls without end as θ → 0: a
Gaussian kernel becomes a linear one, which Q can tell no more, while the second term goes on
rewarding it. What is minimised has ‖θ‖² + ε² in place of ‖θ‖², with an ε so small that the kernel
is linear for θ of that size; elsewhere it is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernlearn.quality.held_out import HeldOutLoss
from kernlearn.quality.ls_svm import LSSVMFit
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class SelectionCriterion:
    """A criterion, and the logarithmic form of it that is minimised.

    The logarithm does not depend on the units of the targets, so that one tolerance suits all.
    """

    loss: HeldOutLoss  # Which points are held out
    regularised: bool = False  # Whether to add the term in θ
    # Added to the loss under the logarithm: far below it, losses count as equal
    negligible: float = np.finfo(float).tiny
    small_theta: float = 0.0  # The ε of the regularised criterion

    def value(self, fit: LSSVMFit, theta: Array) -> float:
        """The criterion as it is written above: Q, or L without ε."""
        if not self.regularised:
            return self.loss.value(fit)
        return 0.5 * fit.dual_coef.size * replace(self, small_theta=0.0).log_value(fit, theta)

    def log_value(self, fit: LSSVMFit, theta: Array) -> float:
        """Log Q, or 2L/n with ε."""
        return self.logarithm(self.loss.value(fit), fit.dual_coef.size, theta)

    def logarithm(self, loss: float, n_residuals: int, theta: Array) -> float:
        """The same from Q."""
        logarithm = float(np.log(loss + self.negligible))
        if self._penalises(theta):
            square = float(theta @ theta) + self.small_theta**2
            logarithm += len(theta) / n_residuals * float(np.log(0.5 * square))
        return logarithm

    def log_slope(self, fit: LSSVMFit) -> Array:
        """The derivative of log Q with respect to every entry of K."""
        return self.loss.slope(fit) / (self.loss.value(fit) + self.negligible)

    def penalty_slope(self, n_residuals: int, theta: Array) -> Array:
        """The derivative of the term in θ with respect to log θ."""
        if not self._penalises(theta):
            return np.zeros(len(theta))
        squares = theta**2
        share = squares / (squares.sum() + self.small_theta**2)
        return np.asarray(2.0 * len(theta) / n_residuals * share)

    def _penalises(self, theta: Array) -> bool:
        return self.regularised and len(theta) > 0
