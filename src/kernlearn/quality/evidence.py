r"""The evidence of a least-squares machine: how likely the targets are, whatever its weights.

Let the errors have the variance :math:`1/(\beta s_i)`, the weights of the machine the prior
:math:`N(0, I/(\beta\lambda))`, and the intercept a flat one. Then the criterion
:math:`\tfrac12 \sum_i s_i (y_i - f(x_i))^2 + \tfrac{\lambda}{2} \|w\|^2` is the negative logarithm
of the posterior, in units of β (Cawley and Talbot 2014, section 2.3), and the targets less their
mean are normal with the covariance :math:`(K + \lambda S^{-1})/(\beta\lambda)`. With P of
:mod:`kernlearn.quality.ls_svm`, of which :math:`|P|_+` is the product of the eigenvalues that are
not zero, k targets and :math:`N = (n - 1) k`,

.. math:: -\log p(y \mid \beta) = \tfrac{\beta\lambda}{2} \operatorname{tr} Y^\top P Y
          - \tfrac{N}{2} \log \frac{\beta\lambda}{2\pi} - \tfrac{k}{2} \log |P|_+ + \text{const},

least for :math:`\beta\lambda = N / \operatorname{tr} Y^\top P Y`. There it is
:math:`\tfrac{N}{2} \log V` up to a constant, with

.. math:: V = \operatorname{tr}(Y^\top P Y)\; |P|_+^{-1/(n - 1)}, \qquad
          \frac{\partial \log V}{\partial K} = \frac{P}{n - 1}
          - \frac{\alpha\alpha^\top}{\operatorname{tr} Y^\top P Y} .

Model selection minimises V over (λ, θ): no point is held out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.quality.held_out import LeastSquaresLoss
from kernlearn.quality.ls_svm import LSSVMFit
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class Evidence(LeastSquaresLoss):
    """V, the scale of the targets that the evidence leaves.

    >>> import numpy as np
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> Y = np.array([[1.0], [2.0], [6.0]])
    >>> evidence = Evidence(np.ones(3), Y)
    >>> round(evidence.value(fit_ls_svm(np.eye(3), Y, np.ones(3))), 6)  # 14/2 times √(2²)
    14.0
    """

    targets: Array  # Y, of shape (n, k)

    def value(self, fit: LSSVMFit) -> float:
        """V of a machine."""
        return self._misfit(fit) * self._mean(fit.log_volume)

    def value_at(self, lam: float, path: RidgePath) -> float:
        """V at a λ of a decomposed matrix."""
        shifted = path.values + lam
        misfit = float(((path.projected**2).sum(axis=1) / shifted).sum())
        # That matrix has √s on both sides.
        weights = np.log(self.weight).sum() - np.log(self.weight.mean())
        return misfit * self._mean(float(np.log(shifted).sum() - weights))

    def slope(self, fit: LSSVMFit) -> Array:
        """The derivative of V with respect to K."""
        share = self._misfit(fit) / (len(self.weight) - 1)
        outer = fit.dual_coef @ fit.dual_coef.T
        return np.asarray(self._mean(fit.log_volume) * (share * fit.inverse - outer))

    def log_slope(self, fit: LSSVMFit, negligible: float) -> Array:
        """The same over V plus a constant, without the squares of large coefficients."""
        misfit, value = self._misfit(fit), self.value(fit)
        if misfit <= 0.0:
            return np.zeros_like(fit.inverse)
        coef = fit.dual_coef / np.sqrt(misfit)
        relative = fit.inverse / (len(self.weight) - 1) - coef @ coef.T
        return np.asarray(value / (value + negligible) * relative)

    def subset(self, rows: Indices) -> Evidence:
        """The evidence of some points."""
        return Evidence(self.weight[rows], self.targets[rows])

    def reported(self, fit: LSSVMFit) -> float:
        """The negative logarithm of the evidence, with the β that makes it least."""
        n, k = self.targets.shape
        size = int((n - 1) * k)
        scale = max(2.0 * np.pi / size * self.value(fit), float(np.finfo(float).tiny))
        return 0.5 * size * (float(np.log(scale)) + 1.0)

    def _misfit(self, fit: LSSVMFit) -> float:
        """The trace of YᵀPY."""
        centred = self.targets - self.targets.mean(axis=0)
        return float((fit.dual_coef * centred).sum())

    def _mean(self, log_volume: float) -> float:
        """The geometric mean of n − 1 eigenvalues from the logarithm of their product."""
        return float(np.exp(log_volume / (len(self.weight) - 1)))
