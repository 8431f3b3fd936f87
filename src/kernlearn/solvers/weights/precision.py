r"""The labelled largest determinant over precision matrices: Newton's method with a dual bound.

Lanckriet et al. (2004), section 7: the divergence D[P‖Q] of a Gaussian process with covariance K
is convex in the precision :math:`R = K^{-1}`. In the formula ``min over k in F of Q(k) + λΩ(k)``,

* F is :math:`\{R(r) = \sum_i r_iR_i + \varepsilon I,\; r \ge 0\}`, of graph Laplacians or other
  positive semidefinite matrices,
* Q is :math:`\tfrac12\langle S, R\rangle - \tfrac12\log\det R` with
  :math:`S = \tfrac1k\sum_c y_cy_c^\top`, for one target :math:`\tfrac12 y^\top R y -
  \tfrac12\log\det R`: minus the log likelihood of the targets, but for a constant,
* Ω is linear, :math:`b^\top r`.

With :math:`c_i = \tfrac12\langle S, R_i\rangle + b_i` the objective is half of
:math:`-\log\det R(r) + 2c^\top r` and a constant. It is self-concordant, as in
:mod:`kernlearn.solvers.weights.determinant`; a step is a least-squares problem over r ≥ 0.

The bound: for any Z ≻ 0, :math:`-\log\det R \ge \log\det Z + n - \langle Z, R\rangle`, so

.. math::

    -\log\det R(r) + 2c^\top r \;\ge\; \log\det Z + n - \varepsilon\operatorname{tr} Z
    \quad\text{if } \langle Z, R_i\rangle \le 2c_i \text{ for all } i,

which is the dual problem. Here :math:`Z = tW^\top W` with W the inverse Cholesky factor found at
R(r), and t as large as the inner products and their rounding allow. At the optimum t is one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, solve_triangular
from scipy.optimize import nnls

from kernlearn.families.matrices import GramStack
from kernlearn.numerics.sums import EPS
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution, Step, report_step
from kernlearn.solvers.weights.inverse_factor import InverseFactor, inverse_factor
from kernlearn.typing import Array

NOTHING = 1e-11  # Newton decrement from which on what is left is rounding
FLAT = 1e-13  # of the largest curvature, added so that a step is unique


@dataclass(frozen=True, eq=False)
class PrecisionProblem:
    """Precision matrices of the labelled points, and the cost of the labels in each of them."""

    family: GramStack  # R₁ … R_m, then the identity
    costs: Array  # (m,): 2cᵢ
    noise: Array  # (m,): bounds on their rounding
    epsilon: float
    constant: float  # ½ε tr S

    @classmethod
    def of(cls, precisions: Array, Y: Array, epsilon: float, linear: Array) -> PrecisionProblem:
        """The problem of k targets in the columns of Y (inputs are checked)."""
        n, k = Y.shape
        forms = np.einsum("nk,inl,lk->i", Y, precisions, Y, optimize=True) / k
        sizes = np.einsum("nk,inl,lk->i", abs(Y), abs(precisions), abs(Y), optimize=True) / k
        noise = (2.0 * n + k + 8.0) * EPS * (sizes + 2.0 * np.abs(linear))
        family = GramStack(np.concatenate([precisions, np.eye(n)[None]]))
        constant = 0.5 * epsilon * float((Y**2).sum()) / k
        return cls(family, forms + 2.0 * linear, noise, epsilon, constant)

    @property
    def unbounded(self) -> list[int]:
        """Matrices whose weight may grow without end: the labels cost nothing in them."""
        used = self.family.traces[:-1] > 0
        return [int(i) for i in np.flatnonzero(used & (self.costs <= self.noise))]

    def at(self, r: Array) -> PrecisionPoint | None:
        """The factor of R(r), or None where it is not positive definite."""
        factor = inverse_factor(self.family.combine(np.append(r, self.epsilon)))
        return None if factor is None else PrecisionPoint(self, r, factor)


@dataclass(frozen=True, eq=False)
class PrecisionPoint:
    """Weights, and the factor of R there."""

    problem: PrecisionProblem
    r: Array
    factor: InverseFactor

    @property
    def value(self) -> float:
        """−log det R(r) + 2cᵀr."""
        return -self.factor.log_det + float(self.problem.costs @ self.r)

    @property
    def rounding(self) -> float:
        """Bound on the rounding error of the value."""
        problem = self.problem
        weights = np.append(self.r, problem.epsilon)
        return self.factor.noise(problem.family, weights) + float(problem.noise @ self.r)

    def bound(self, products: Array, noise: Array) -> float:
        """A value that no weights are below, from ⟨WᵀW, ·⟩ of every matrix and of the identity."""
        problem, n = self.problem, len(self.factor.W)
        high, costs = products + noise, problem.costs - problem.noise
        used = problem.family.traces[:-1] > 0
        t = float((costs[used] / high[:-1][used]).min(initial=np.inf))
        if problem.epsilon > 0:
            t = min(t, n / (problem.epsilon * float(high[-1])))
        if not 0.0 < t < np.inf:
            return -np.inf
        terms = np.array([-self.factor.log_det, n * np.log(t), n, -problem.epsilon * t * high[-1]])
        return float(terms.sum()) - 8.0 * EPS * float(np.abs(terms).sum() + self.factor.log_size)

    def direction(self, products: Array) -> tuple[Array, float]:
        """Newton direction of the quadratic model over r ≥ 0 at r, and its decrement."""
        problem, W = self.problem, self.factor.W
        flat = np.stack([(W @ R @ W.T).ravel() for R in problem.family.grams[:-1]])
        scale = 1.0 / np.maximum(np.linalg.norm(flat, axis=1), 1e-300)
        H = (flat * scale[:, None]) @ (flat * scale[:, None]).T
        H.flat[:: len(H) + 1] += FLAT
        slope = (problem.costs - products[:-1]) * scale
        try:
            L = np.linalg.cholesky(H)
        except LinAlgError:
            return np.zeros_like(self.r), 0.0
        x = self.r / scale
        found, _ = nnls(L.T, solve_triangular(L, H @ x - slope, lower=True))
        d = found - x
        return d * scale, float(np.sqrt(max(float(d @ H @ d), 0.0)))


def learn_precision(problem: PrecisionProblem, control: Control) -> Solution:
    """Minimise over the weights of the precision matrices (inputs are checked)."""
    n, costs = problem.family.n_points, problem.costs
    used = problem.family.traces[:-1] > 0
    # With ε = 0 the optimum has 2cᵀr = n; begin with equal parts of it.
    point = problem.at(np.where(used, n / (used.sum() * np.where(used, costs, 1.0)), 0.0))
    if point is None:
        raise ValueError(
            "expected precision matrices that together are positive definite, got a singular sum; "
            "choose epsilon above zero"
        )
    lower, ended, history = -np.inf, Status.INACCURATE, list[Step]()
    for step in range(control.max_iter):
        products, noise = point.factor.products(problem.family)
        lower = max(lower, point.bound(products, noise))
        objective, bound = _halved(problem, point, lower)
        history.append(Step(0, objective, bound))
        stopped = report_step(control.stopping, history[-1])
        if stopped is not None:
            ended = stopped
            break
        if objective - bound <= 0.1 * control.tol * abs(objective):
            break
        if step == control.max_iter - 1:
            ended = Status.ITERATION_LIMIT
            break
        moved = _moved(point, *point.direction(products))
        if moved is None:
            break  # what is left is rounding
        point = moved
    objective, bound = _halved(problem, point, lower)
    return Solution(
        weights=point.r,
        objective=objective,
        lower_bound=bound,
        dual_coef=None,
        intercept=None,
        n_machine_solves=0,
        status=certified_status(objective, bound, control.tol, ended),
        history=tuple(history),
    )


def _halved(problem: PrecisionProblem, point: PrecisionPoint, lower: float) -> tuple[float, float]:
    """Objective and bound in the user's terms; the rounding is taken off the bound."""
    bound = min(lower, point.value) - point.rounding
    return 0.5 * point.value + problem.constant, 0.5 * bound + problem.constant


def _moved(point: PrecisionPoint, d: Array, decrement: float) -> PrecisionPoint | None:
    """The full step along d if it lowers the value, else a damped one; None if none does."""
    if decrement <= NOTHING:
        return None
    allowed = 4.0 * point.rounding if decrement < 1e-2 else 0.0
    for length in (1.0, 1.0 / (1.0 + decrement), 0.25 / (1.0 + decrement)):
        moved = point.problem.at(np.maximum(point.r + length * d, 0.0))
        if moved is not None and moved.value < point.value + allowed:
            return moved
    return None
