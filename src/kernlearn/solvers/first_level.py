r"""The training criterion of first-level kernel learning, with its first two derivatives.

Cawley and Talbot (2014) minimise over the machine and the kernel parameters together

.. math:: \tfrac12 \sum_i s_i\,(y_i - f(x_i))^2 + \tfrac{\lambda}{2}\|w\|^2
          + \tfrac{\mu}{2}\|\theta\|^2 \tag{5}

(sample weights s are ones in the paper; several targets add up). For given θ the machine solves
(3), :math:`(K + \lambda S^{-1})\alpha + b = y,\ 1^T\alpha = 0`, so :math:`\alpha = Py` and what
remains is a function of θ alone,

.. math::

    J(\theta) &= \tfrac{\lambda}{2}\alpha^T y + \tfrac{\mu}{2}\|\theta\|^2 \\
    \partial_r J &= -\tfrac{\lambda}{2}\alpha^T K_r \alpha + \mu\theta_r \\
    \partial_{rs} J &= \lambda\,(K_r\alpha)^T P (K_s\alpha) - \tfrac{\lambda}{2}
    \alpha^T K_{rs}\alpha + \mu\delta_{rs},

with :math:`K_r = \partial K/\partial\theta_r`, since :math:`\partial_s\alpha = -PK_s\alpha`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernlearn._patience import Patience
from kernlearn.families.parametric import ParametricKernel
from kernlearn.solvers.bordered import Bordered
from kernlearn.solvers.bounded_newton import Descent, bounded_newton

Array = NDArray[np.float64]

# Ridges below these shares of the mean diagonal of K drown in rounding; the next one is tried
# where a factorisation fails, which happens with duplicated points and nearly constant kernels.
_LEAST_RIDGES = (1e-11, 1e-9, 1e-7, 1e-5)


@dataclass(frozen=True, eq=False)
class FirstLevelProblem:
    """Data and family; λ, μ and θ are still free.

    Parameters
    ----------
    family : ParametricKernel
        The kernels to choose from.
    X : ndarray of shape (n, d)
        Points.
    Y : ndarray of shape (n, k)
        Targets, one column for each machine.
    weight : ndarray of shape (n,)
        Positive sample weights.
    scale : ndarray of shape (p,)
        The usual size of every parameter: the family's start for all data.
    """

    family: ParametricKernel
    X: Array
    Y: Array
    weight: Array
    scale: Array

    @property
    def low(self) -> Array:
        """The least θ allowed."""
        return self.family.floor * self.scale

    def rows(self, chosen: NDArray[np.intp]) -> FirstLevelProblem:
        """The same problem on some of the points."""
        return replace(self, X=self.X[chosen], Y=self.Y[chosen], weight=self.weight[chosen])

    def along(self, direction: Array) -> FirstLevelProblem:
        """The same problem with θ = c · direction, and so ‖θ‖ = c where that has length one."""
        family = self.family.along(direction)
        return replace(self, family=family, scale=family.start(self.X))

    def minimise(
        self,
        start: Array,
        lam: float,
        mu: float,
        tol: float,
        max_iter: int,
        patience: Patience | None = None,
        check: Callable[[], None] | None = None,
    ) -> Descent[FirstLevelPoint] | None:
        """Minimise J from a start, or from the usual size where no machine can be trained there.

        None if none can be trained at either. `patience` may end it early with the best point;
        `check` is called before every machine, and what it raises passes through.
        """

        def evaluate(theta: Array) -> FirstLevelPoint | None:
            if check is not None:
                check()
            return self.at(theta, lam, mu)

        first = self.at(np.maximum(start, self.low), lam, mu)
        first = first or self.at(self.scale, lam, mu)
        if first is None:
            return None
        return bounded_newton(evaluate, first, self.low, self.scale, tol, max_iter, patience)

    def at(self, theta: Array, lam: float, mu: float) -> FirstLevelPoint | None:
        """Train the machine at θ; None where the kernel overflows or no ridge would do."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                K = self.family.matrix(self.X, None, theta)
        except ValueError:
            # Kernels of the library refuse to overflow: a step that was too long.
            return None
        mean = float(K.diagonal().mean())
        if not np.isfinite(mean):
            return None
        for share in _LEAST_RIDGES:
            used = max(lam, share * mean)
            factor = Bordered.of(K, used / self.weight)
            if factor is not None:
                return self._trained(theta, used, mu, K, factor)
        return None

    def _trained(
        self, theta: Array, lam: float, mu: float, K: Array, factor: Bordered
    ) -> FirstLevelPoint | None:
        dual_coef, intercept = factor.solve(self.Y)
        objective = 0.5 * lam * np.vdot(dual_coef, self.Y) + 0.5 * mu * theta @ theta
        if not np.isfinite(objective):
            return None
        return FirstLevelPoint(
            self, theta, lam, mu, K, factor, dual_coef, intercept, float(objective)
        )


@dataclass(frozen=True, eq=False)
class FirstLevelPoint:
    """The trained machine at one θ; derivatives are computed when they are asked for.

    ``lam`` is λ as it was used, raised where it would drown in rounding.
    """

    problem: FirstLevelProblem
    theta: Array
    lam: float
    mu: float
    K: Array
    factor: Bordered
    dual_coef: Array
    intercept: Array
    objective: float

    @cached_property
    def images(self) -> list[Array]:
        """K_r α for all r as columns of shape (n, p), one array for each target."""
        family, X = self.problem.family, self.problem.X
        return [family.jacobian_products(X, self.theta, self.K, a) for a in self.dual_coef.T]

    @cached_property
    def forms(self) -> Array:
        """αᵀ K_r α for all r, summed over the targets."""
        pairs = zip(self.dual_coef.T, self.images, strict=True)
        return np.asarray(np.sum([alpha @ image for alpha, image in pairs], axis=0))

    @property
    def gradient(self) -> Array:
        """∂J/∂θ, of shape (p,)."""
        return -0.5 * self.lam * self.forms + self.mu * self.theta

    @cached_property
    def hessian(self) -> Array:
        """∂²J/∂θ∂θ, of shape (p, p)."""
        family, X = self.problem.family, self.problem.X
        outer = self.dual_coef @ self.dual_coef.T
        H = -0.5 * self.lam * family.second(X, self.theta, self.K, outer)
        for image in self.images:
            half = self.factor.half(image)
            H += self.lam * (half.T @ half)
        H[np.diag_indices_from(H)] += self.mu
        return H
