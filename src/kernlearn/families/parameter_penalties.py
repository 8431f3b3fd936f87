r"""Penalties Ω(θ) on the parameters of a kernel: their sum, and the distance from a prior.

They are the last term of equation (5) of Cawley and Talbot (2014), which has ½‖θ‖², for any convex
Ω. Norms over groups of parameters are those of weights (:mod:`kernlearn.families.penalties`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.families.penalties import Strength, WeightPenalty, checked_strength
from kernlearn.typing import Array


class L1Norm(WeightPenalty):
    r"""The sum of the sizes, :math:`\lambda\lVert\theta\rVert_1`: many parameters become zero.

    Parameters of kernels are not negative, so that the norm is linear there and its kink is at the
    bound. If Σ wᵢ of positive weights is held, it is a constant.

    Parameters
    ----------
    strength : float or "auto", default="auto"
        The λ, positive. In the first-level estimators μ multiplies it, and "auto" counts as one.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.L1Norm(strength=2.0).value(np.array([0.5, 1.0]))
    3.0
    """

    def __init__(self, strength: Strength = "auto") -> None:
        self.strength = checked_strength(strength)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        return self._lambda * float(np.abs(weights).sum())

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty; at zero, the slope towards positive numbers."""
        return np.asarray(self._lambda * np.where(weights < 0, -1.0, 1.0))

    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, which is zero."""
        return np.zeros((len(weights), len(weights)))


class NearTheta(WeightPenalty):
    r"""The distance from a prior, :math:`\tfrac{\lambda}{2}\lVert\theta - \theta_0\rVert^2`.

    θ₀ may be what was learned from another study. With θ₀ = 0 it is the penalty of (5).

    Parameters
    ----------
    theta0 : array-like of shape (p,)
        The prior, one number for each parameter, none of them negative.
    strength : float or "auto", default="auto"
        The λ, positive. In the first-level estimators μ multiplies it, and "auto" counts as one.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.NearTheta([1.0, 0.0], strength=1.0).value(np.array([0.0, 1.0]))
    1.0
    """

    def __init__(self, theta0: ArrayLike, strength: Strength = "auto") -> None:
        try:
            prior = np.atleast_1d(np.array(theta0, dtype=float))
        except (TypeError, ValueError):
            prior = np.array([np.nan])
        if prior.ndim != 1 or not np.isfinite(prior).all() or (prior < 0).any():
            raise ValueError(
                f"expected theta0 to hold finite numbers that are not negative, got {theta0!r}; "
                "pass for example the theta_ of another model"
            )
        self.theta0: Array = prior
        self.strength = checked_strength(strength)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        away = self._away(weights)
        return 0.5 * self._lambda * float(away @ away)

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty, λ(θ − θ₀)."""
        return np.asarray(self._lambda * self._away(weights))

    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, λ times the identity."""
        return np.asarray(self._lambda * np.eye(len(weights)))

    def _away(self, weights: Array) -> Array:
        if len(weights) != len(self.theta0):
            raise ValueError(
                f"expected theta0 to hold {len(weights)} numbers, one for each parameter of the "
                f"kernel, got {len(self.theta0)}; pass the theta_ of a model on the same columns"
            )
        return np.asarray(weights - self.theta0)
