r"""λ and μ of first-level learning by the evidence, without a point held out.

The criterion J of :mod:`kernlearn.solvers.first_level.problem` is the negative logarithm of a
posterior (Cawley and Talbot 2014, section 2.3), in units of β, the inverse variance of the errors:
the weights have the prior :math:`N(0, I/(\beta\lambda))`, and every :math:`\theta_r \ge 0` half of
:math:`N(0, 1/(\beta\mu))`. Laplace's approximation around its minimum, which is exact for the
weights and the intercept, integrates it (their section 4). With n points, k targets, p parameters,
:math:`N = (n - 1)k`, P of equation (3) and H the Hessian of J,

.. math::

    -\log Z = \beta J - \tfrac{N}{2}\log\frac{\beta\lambda}{2\pi} - \tfrac{k}{2}\log|P|_+
    - \tfrac{p}{2}\log\frac{2\beta\mu}{\pi} - \log I, \qquad
    I = \Bigl(\frac{2\pi}{\beta}\Bigr)^{f/2} |H_{FF}|^{-1/2} \prod_{r \in F} \Phi(\theta_r/\sigma_r)
    \prod_{r \notin F} \sqrt{\frac{\pi}{2\beta H_{rr}}}\;
    \mathrm{erfcx}\Bigl(g_r \sqrt{\tfrac{\beta}{2H_{rr}}}\Bigr),

where F are the f parameters inside their range, σ their standard errors, the roots of the diagonal
of :math:`(\beta H_{FF})^{-1}`, and the others are at zero with a slope :math:`g_r > 0`. The best β
is :math:`N/2J`. The criterion of the search for λ and μ is :math:`Z^{-2/N}`, which has the units
of a squared target. Its slope counts how the minimum moves with λ and μ
(:mod:`kernlearn.solvers.first_level.search`): :math:`|P|_+` falls and rises with θ, which is not a
minimum of it. MacKay's updates, :math:`\beta\mu\|\theta\|^2 = p - \mu\operatorname{tr} H^{-1}` and
their like, leave that out, and led the wrong way.

With the logistic loss the errors have no variance: β = 1, and N = nk. The weights are integrated by
Laplace's approximation, too, as in :mod:`kernlearn.quality.logistic_evidence`. With W the second
derivatives of the loss and an intercept of variance τ²,

.. math::

    -\log Z = J + \tfrac12 \log|I + WK/\lambda|
    + \tfrac12 \log\bigl(1 + \tau^2\, 1^\top (K/\lambda + W^{-1})^{-1} 1\bigr)
    + \tfrac{b^2}{2\tau^2} - \tfrac{p}{2}\log\frac{2\mu}{\pi} - \log I,

summed over the targets where it depends on them. The mode is that of J, which has no prior of b.

With squares the posterior of θ makes no test of θ = 0: J does not count that kernels which can fit
more are less likely. :mod:`kernlearn.solvers.first_level.parameter_tests` has a test that does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import erfcx, ndtr

from kernlearn.quality.logistic_evidence import INTERCEPT_VARIANCE
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.solvers.first_level.loss_point import LossPoint
from kernlearn.solvers.first_level.parameter_tests import parameter_p_values
from kernlearn.solvers.first_level.problem import FirstLevelPoint
from kernlearn.typing import Array, Mask


@dataclass(frozen=True, eq=False)
class LaplaceEvidence:
    """Laplace's approximation at the end of a training."""

    value: float  # −log Z, with the best β
    size: int  # N
    std: Array  # Standard deviations of θ, of shape (p,)
    below_zero: Array  # The probabilities of θ < 0, were it allowed; of shape (p,)
    point: FirstLevelPoint | LossPoint  # The trained point

    @cached_property
    def p_values(self) -> Array:
        """P-values of θ = 0, of shape (p,); those of the normal posterior for the logistic loss."""
        if isinstance(self.point, LossPoint):
            return self.below_zero
        return parameter_p_values(self.point)

    @property
    def loss(self) -> float:
        """The criterion of the search."""
        return float(np.exp(2.0 * self.value / self.size))


def evidence_at(point: FirstLevelPoint | LossPoint) -> LaplaceEvidence | None:
    """The evidence around a minimum of J; None where rounding leaves none."""
    if isinstance(point, LossPoint):
        return _evidence_of_classes(point)
    n, k = point.problem.Y.shape
    size, p = (n - 1) * k, len(point.theta)
    lam, mu, J = float(point.lam), float(point.mu), float(point.objective)
    beta = size / (2.0 * J) if J > 0.0 else np.inf
    posterior = _posterior(point, beta) if np.isfinite(beta) else None
    if posterior is None:
        return None
    value = beta * J + 0.5 * k * point.factor.log_volume
    value -= 0.5 * size * _log(0.5 * beta * lam / np.pi) + 0.5 * p * _log(2.0 * beta * mu / np.pi)
    value -= posterior.log_integral
    return LaplaceEvidence(value, size, posterior.std, posterior.below_zero, point)


def _evidence_of_classes(point: LossPoint) -> LaplaceEvidence | None:
    posterior = _posterior(point, 1.0)
    if posterior is None:
        return None
    value = point.objective - posterior.log_integral
    value -= 0.5 * len(point.theta) * _log(2.0 * point.mu / np.pi)
    for machine, factor in zip(point.machines, point.factors, strict=True):
        if factor is None:
            return None
        value += 0.5 * (factor.log_determinant - float(np.log(machine.tau[machine.free]).sum()))
        value += 0.5 * _log(1.0 + INTERCEPT_VARIANCE * point.lam * factor.sum_of_inverse)
        value += 0.5 * machine.intercept**2 / INTERCEPT_VARIANCE
    size = point.problem.Y.size
    return LaplaceEvidence(value, size, posterior.std, posterior.below_zero, point)


@dataclass(frozen=True, eq=False)
class _Posterior:
    """Laplace's approximation of the posterior of θ around its maximum."""

    log_integral: float  # log I
    std: Array
    below_zero: Array


def _posterior(point: FirstLevelPoint | LossPoint, beta: float) -> _Posterior | None:
    theta, g = point.theta, point.gradient
    free: Mask = (theta > point.problem.low) | (g <= 0.0)
    H, h = point.hessian, np.maximum(point.hessian.diagonal(), float(point.mu))
    try:
        factor = np.linalg.cholesky(H[np.ix_(free, free)])
        inverse = np.linalg.inv(factor)
    except BREAKDOWNS:
        return None
    variances = 1.0 / (beta * h)
    variances[free] = (inverse**2).sum(axis=0) / beta
    # A parameter at zero would be least at a negative number, were it allowed.
    middle, std = np.where(free, theta, -g / h), np.sqrt(variances)
    z = middle / std
    log_integral = 0.5 * int(free.sum()) * _log(2.0 * np.pi / beta)
    log_integral -= float(np.log(factor.diagonal()).sum())
    log_integral += float(np.log(ndtr(z[free])).sum())
    at_zero = std[~free] * erfcx(-z[~free] / np.sqrt(2.0))
    log_integral += float(np.log(np.sqrt(0.5 * np.pi) * at_zero).sum())
    return _Posterior(log_integral, _truncated(middle, std), ndtr(-z))


def _truncated(middle: Array, std: Array) -> Array:
    """Standard deviations of normal variables that are not negative."""
    z = middle / std
    ratio = np.sqrt(2.0 / np.pi) / erfcx(-z / np.sqrt(2.0))  # density over probability at zero
    return np.asarray(std * np.sqrt(np.maximum(1.0 - ratio * (z + ratio), 0.0)))


def _log(value: float) -> float:
    return float(np.log(value))
