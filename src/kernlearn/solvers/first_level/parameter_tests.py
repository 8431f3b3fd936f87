r"""Does a parameter of the kernel matter? A likelihood ratio with the distribution that it has.

Given K and λ, the targets of a Gaussian process with a flat prior on the intercept are, but for a
constant, normal with the covariance :math:`\sigma^2 M`, :math:`M = K + \lambda S^{-1}`. With P of
equation (3) of Cawley and Talbot (2014), the likelihood of the best σ² falls with
:math:`y^T P y`. The test of :math:`\theta_r = 0` compares the kernel at θ with the one at θ without
its r-th parameter, by

.. math:: \rho = \frac{y^T P_0 y}{y^T P y}.

If the kernel without it is the right one, ρ has the distribution of :math:`u^Tu / \sum_i s_iu_i^2`,
where u are n − 1 independent normal variables and s the eigenvalues of :math:`P M_0` that are not
zero. So

.. math:: p = \Pr\Bigl[\sum_i (1 - \rho s_i)\, u_i^2 \ge 0\Bigr]

comes from a saddlepoint approximation. λ and the other parameters count as known.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from kernlearn.solvers.first_level.problem import FirstLevelPoint
from kernlearn.typing import Array

INSIDE = 1e-9  # relative distance of the saddlepoint from where the transform is infinite
CENTRAL = 1e-4  # below it the two terms of the approximation all but cancel


def parameter_p_values(point: FirstLevelPoint) -> Array:
    """The p-value of every θ_r = 0: one where θ_r is zero, NaN where there is no test."""
    problem = point.problem
    p_values = np.ones(len(point.theta))
    for r in np.flatnonzero(point.theta > problem.low):
        theta = point.theta.copy()
        theta[r] = problem.low[r]
        null = problem.at(theta, float(point.lam), float(point.mu))
        p_values[r] = _p_value(point, null) if isinstance(null, FirstLevelPoint) else np.nan
    return p_values


def _p_value(point: FirstLevelPoint, null: FirstLevelPoint) -> float:
    Y = point.problem.Y
    ratio = float(np.vdot(null.dual_coef, Y) / np.vdot(point.dual_coef, Y))
    root = point.factor.half(np.tril(null.factor.factor))
    s = np.linalg.eigvalsh(root.T @ root)[1:]  # the least is that of the constant vector
    return chance_of_positive(np.asarray(1.0 - ratio * s, dtype=float), Y.shape[1])


def chance_of_positive(s: Array, n_each: int = 1) -> float:
    r"""The probability that :math:`\sum_i s_i \chi^2_i \ge 0`.

    Each variable has `n_each` degrees of freedom. The approximation is that of Lugannani and Rice:
    with :math:`\kappa(t) = -\tfrac12\sum_i \log(1 - 2ts_i)`, the root t of κ′,
    :math:`w = \operatorname{sign}(t)\sqrt{-2\kappa(t)}` and :math:`v = t\sqrt{\kappa''(t)}`, it is
    :math:`1 - \Phi(w + \log(v/w)/w)`.

    >>> import numpy as np
    >>> s = np.append(np.ones(5) / 5, -3.0 * np.ones(40) / 40)  # F(5, 40) ≥ 3 has 0.0216
    >>> round(chance_of_positive(s), 3)
    0.022
    """
    if not (s > 0.0).any():
        return 0.0
    if not (s < 0.0).any():
        return 1.0
    s = s / np.abs(s).max()

    def slope(t: float) -> float:
        return float((s / (1.0 - 2.0 * t * s)).sum())

    ends = (1.0 - INSIDE) * 0.5 / s.min(), (1.0 - INSIDE) * 0.5 / s.max()
    t = float(brentq(slope, *ends))
    kappa = -0.5 * n_each * float(np.log1p(-2.0 * t * s).sum())
    w = np.sign(t) * np.sqrt(max(-2.0 * kappa, 0.0))
    terms = s / (1.0 - 2.0 * t * s)
    if abs(w) < CENTRAL:
        second, third = n_each * 2.0 * (terms**2).sum(), n_each * 8.0 * (terms**3).sum()
        return float(0.5 - third / (6.0 * np.sqrt(2.0 * np.pi) * second**1.5))
    v = t * np.sqrt(2.0 * n_each * float((terms**2).sum()))
    return float(ndtr(-(w + np.log(v / w) / w)))
