r"""First-level kernel learning for given λ and μ: the criterion, its derivatives, its descent.

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
A family, or the user, may have another penalty Ω(θ) in place of :math:`\tfrac12\|\theta\|^2`, and
any convex loss may take the place of squares (:mod:`kernlearn.solvers.first_level.loss_point`).

Everything here is written for one problem and for a stack of them: axes before those of a matrix
are carried along. Arrays of the size of the rows stay on the device of the rows; arrays of the size
of θ are on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from kernlearn._device import matrix_transpose, namespace, to_host
from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.parametric.theta_penalties import (
    AlongRay,
    ThetaPenalty,
    penalized_slopes,
)
from kernlearn.quality.machine import Machine
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.first_level.loss_point import LossPoint, MachineLoss, TrainedMachine
from kernlearn.solvers.first_level.outside_loss import Outside
from kernlearn.solvers.machine.least_squares import Bordered
from kernlearn.solvers.optimize.coroutines import drive
from kernlearn.solvers.optimize.descent import Descent, QuadraticModel, bounded_newton
from kernlearn.typing import Array, DeviceArray, Indices, Scalar

# Ridges below these shares of the mean diagonal of K drown in rounding; the next one is tried
# where a factorisation fails, which happens with duplicated points and nearly constant kernels.
LEAST_RIDGES = (1e-11, 1e-9, 1e-7, 1e-5)


@dataclass(frozen=True, eq=False)
class FirstLevelProblem:
    """Data and family; λ, μ and θ are still free."""

    family: ParametricKernel  # The kernels to choose from
    X: Array  # Points, of shape (n, d)
    Y: Array  # Targets, one column for each machine; of shape (n, k)
    weight: Array  # Positive sample weights, of shape (n,)
    # The usual size of every parameter: the family's start for all data, of shape (p,)
    scale: Array
    given_penalty: ThetaPenalty | None = None  # Ω in place of the family's
    loss: MachineLoss | None = None  # None for squares

    @property
    def low(self) -> Array:
        """The least θ allowed."""
        if self.family.signed:
            return np.full(len(self.scale), -np.inf)
        return self.family.floor * self.scale

    @property
    def start(self) -> Array:
        """Start of a search for θ: its usual size, unless the size leaves its signs open."""
        return np.asarray(self.family.start(self.X)) if self.family.signed else self.scale

    def rows(self, chosen: Indices) -> FirstLevelProblem:
        """The same problem on some of the points."""
        return replace(self, X=self.X[chosen], Y=self.Y[chosen], weight=self.weight[chosen])

    def along(self, direction: Array) -> FirstLevelProblem:
        """The same problem with θ = c · direction, and so ‖θ‖ = c where that has length one."""
        family = self.family.along(direction)
        penalty = self.given_penalty
        penalty = None if penalty is None else AlongRay(penalty, direction)
        return replace(self, family=family, scale=family.start(self.X), given_penalty=penalty)

    @property
    def penalty(self) -> ThetaPenalty:
        """Ω(θ)."""
        return self.family.penalty if self.given_penalty is None else self.given_penalty

    def loss_machine(self, target: int, lam: float) -> Machine:
        """The machine of one target whose loss is the problem's over λ."""
        assert self.loss is not None
        return self.loss.machine(self.Y[:, target], self.weight / lam)

    def minimise(
        self, start: Array, lam: float, mu: float, tol: float, max_iter: int
    ) -> Descent[Trained] | None:
        """Minimise J from a start, by itself; see `descent`."""
        return alone(self.descent(start, lam, mu, tol, max_iter))

    def descent(
        self,
        start: Array,
        lam: float,
        mu: float,
        tol: float,
        max_iter: int,
        stopping: StoppingControl | None = None,
        check: Callable[[], None] | None = None,
        others: FirstLevelProblem | None = None,
    ) -> TrainingSearch[Descent[Trained] | None]:
        """Minimise J from a start, or from the usual size where no machine can be trained there.

        None if none can be trained at either. `stopping` may end it early with the best point;
        `check` is called before every machine, and what it raises passes through. The loss on
        `others` is computed at the end.
        """
        near: LossPoint | None = None

        def train(theta: Array) -> TrainingSearch[Trained | None]:
            nonlocal near
            (point,) = yield [TrainingRequest(self, theta, lam, mu, others, near)]
            near = point if isinstance(point, LossPoint) else None
            return point

        def evaluate(theta: Array) -> TrainingSearch[Trained | None]:
            if check is not None:
                check()
            return (yield from train(theta))

        first = yield from train(np.maximum(start, self.low))
        if first is None:
            first = yield from train(self.start)
        if first is None:
            return None
        newton = bounded_newton(evaluate, first, self.low, tol, max_iter, stopping)
        return (yield from newton)

    def at(
        self, theta: Array, lam: float, mu: float, near: LossPoint | None = None
    ) -> FirstLevelPoint | LossPoint | None:
        """Train the machine at θ; None where the kernel overflows or no ridge would do.

        Machines of other losses than squares start from a point that is near.
        """
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                K = self.family.matrix(self.X, None, theta)
        except BREAKDOWNS:
            # Kernels of the library refuse to overflow: a step that was too long.
            return None
        mean = float(K.diagonal().mean())
        if not np.isfinite(mean):
            return None
        if self.loss is not None:
            used = max(lam, LEAST_RIDGES[0] * mean)
            return self._with_loss(theta, used, mu, K, near)
        for share in LEAST_RIDGES:
            used = max(lam, share * mean)
            factor = Bordered.of(K, used / self.weight)
            if factor is not None:
                dual_coef, intercept = factor.solve(self.Y)
                point = FirstLevelPoint(self, theta, used, mu, K, factor, dual_coef, intercept)
                return point if np.isfinite(point.objective) else None
        return None

    def _with_loss(
        self, theta: Array, lam: float, mu: float, K: Array, near: LossPoint | None
    ) -> LossPoint | None:
        machines = []
        for j in range(self.Y.shape[1]):
            start = None if near is None else near.machines[j].near
            found = TrainedMachine.at(K, self.loss_machine(j, lam), start)
            if found is None:
                return None
            machines.append(found)
        point = LossPoint(self, theta, lam, mu, K, machines)
        return point if np.isfinite(point.objective) else None


@dataclass(frozen=True, eq=False)
class FirstLevelPoint:
    """The trained machine at one θ; derivatives are computed at their first use.

    ``lam`` is λ as it was used, raised where it would drown in rounding.
    """

    problem: FirstLevelProblem
    theta: Array
    lam: Scalar
    mu: Scalar
    K: Array
    factor: Bordered
    dual_coef: Array
    intercept: Array

    @cached_property
    def objective(self) -> Scalar:
        """J(θ)."""
        fit = to_host(_total(self.dual_coef, self.problem.Y))
        return 0.5 * self.lam * fit + self.mu * self.problem.penalty.value(self.theta)

    @cached_property
    def images(self) -> list[Array]:
        """K_r α for all r as columns of shape (n, p), one array for each target."""
        family, X = self.problem.family, self.problem.X
        return [
            family.jacobian_products(X, self.theta, self.K, a) for a in _columns_of(self.dual_coef)
        ]

    @cached_property
    def forms(self) -> Array:
        """αᵀ K_r α for all r, summed over the targets."""
        return _products(self.dual_coef, self.images)

    @cached_property
    def mixed(self) -> Array:
        r"""The derivatives of the slopes by λ, apart from that of μ‖θ‖²/2, of shape (p,).

        .. math:: \partial_\lambda \partial_r J = -\tfrac12\alpha^TK_r\alpha
                  + \lambda (K_r\alpha)^T P S^{-1}\alpha
        """
        scaled = self.dual_coef / self.problem.weight[..., None]
        moved = _products(self.factor.solve(scaled)[0], self.images)
        return np.asarray(-0.5 * self.forms + np.asarray(self.lam)[..., None] * moved)

    @property
    def gradient(self) -> Array:
        """∂J/∂θ, of shape (p,)."""
        lam, mu = np.asarray(self.lam)[..., None], np.asarray(self.mu)[..., None]
        slopes = -0.5 * lam * self.forms
        return np.asarray(penalized_slopes(self.problem.penalty, self.theta, slopes, mu))

    @cached_property
    def hessian(self) -> Array:
        """∂²J/∂θ∂θ, of shape (p, p)."""
        family, X = self.problem.family, self.problem.X
        outer = self.dual_coef @ matrix_transpose(self.dual_coef)
        half = [self.factor.half(image) for image in self.images]
        inner = to_host(sum(matrix_transpose(each) @ each for each in half))
        curved = to_host(family.second(X, self.theta, self.K, outer))
        lam, mu = (np.asarray(value)[..., None, None] for value in (self.lam, self.mu))
        penalty = self.problem.penalty.hessian(self.theta)
        return np.asarray(lam * (inner - 0.5 * curved) + mu * penalty)

    @property
    def lower_bound(self) -> float | None:
        r"""A bound from below of J over all θ, by the coefficients; None where there is none known.

        The fit is the largest :math:`\lambda(a^Ty - \tfrac{\lambda}{2}a^TS^{-1}a
        - \tfrac12a^TK(\theta)a)` over all a of sum zero, and so at least its value at tα.
        """
        problem, alpha = self.problem, self.dual_coef
        if problem.given_penalty is not None:
            return None
        found = problem.family.dual_minimum(problem.X, np.sqrt(self.lam) * alpha, float(self.mu))
        if found is None:
            return None
        t, least = found
        ridge = self.lam / problem.weight[:, None]
        linear, square = np.vdot(alpha, problem.Y), np.vdot(alpha, ridge * alpha)
        bound = float(self.lam * (t * linear - 0.5 * t**2 * square) + least)
        return min(bound, float(self.objective))  # rounding may lift it above

    @cached_property
    def model(self) -> QuadraticModel:
        """J around θ."""
        scale = self.problem.scale
        return QuadraticModel.of(self.theta, self.objective, self.gradient, self.hessian, scale)

    def outside(self, others: FirstLevelProblem) -> Outside:
        r"""The loss on other points, and how it changes.

        With e the weighted residuals f - y there and q the solution of (3) for the right side
        :math:`(K_{\rm out}^T e, 1^Te)`,

        .. math::

            \partial E/\partial\theta_r &= e^T K_{{\rm out},r}\alpha - q^T K_r\alpha, \qquad
            \partial E/\partial\lambda = -q^T S^{-1}\alpha, \\
            \partial_\lambda \partial_r J &= -\tfrac12\alpha^TK_r\alpha
            + \lambda (K_r\alpha)^T P S^{-1}\alpha .
        """
        family, X, alpha = self.problem.family, self.problem.X, self.dual_coef
        xp = namespace(X)
        K = family.matrix(others.X, X, self.theta)
        residual = K @ alpha + self.intercept[..., None, :] - others.Y
        weighted = others.weight[..., None] * residual
        scaled = alpha / self.problem.weight[..., None]
        right = xp.concat([matrix_transpose(K) @ weighted, scaled], axis=-1)
        sums = xp.sum(weighted, axis=-2, keepdims=True)
        solved = self.factor.solve(right, xp.concat([sums, xp.zeros_like(sums)], axis=-1))[0]
        q, P_scaled = solved[..., : alpha.shape[-1]], solved[..., alpha.shape[-1] :]
        moved = [
            family.jacobian_products(others.X, self.theta, K, each, X)
            for each in _columns_of(alpha)
        ]
        lam = np.asarray(self.lam)[..., None]
        return Outside(
            0.5 * to_host(_total(weighted, residual)),
            _products(weighted, moved) - _products(q, self.images),
            -to_host(_total(q, scaled)),
            -0.5 * self.forms + lam * _products(P_scaled, self.images),
        )


@dataclass(frozen=True, eq=False)
class BatchedPoint:
    """One machine of a stack, on the host."""

    problem: FirstLevelProblem
    theta: Array
    lam: float
    mu: float
    objective: float
    gradient: Array
    hessian: Array
    model: QuadraticModel
    dual_coef: Array
    intercept: Array
    judged: Outside | None

    @property
    def K(self) -> Array:
        """The kernel matrix, made again."""
        return self.problem.family.matrix(self.problem.X, None, self.theta)

    def outside(self, others: FirstLevelProblem) -> Outside:
        """The loss on the points that the training request named."""
        if self.judged is None:
            raise ValueError("expected the points when the machine was asked for, got them now")
        return self.judged


# A machine at one θ, whoever has trained it.
Trained: TypeAlias = FirstLevelPoint | LossPoint | BatchedPoint


@dataclass(frozen=True, eq=False)
class TrainingRequest:
    """A machine that is to be trained at θ, and the points it will be judged on, if any."""

    problem: FirstLevelProblem
    theta: Array
    lam: float
    mu: float
    others: FirstLevelProblem | None = None
    warm_start: LossPoint | None = None  # where a machine of another loss than squares may start

    def alone(self) -> FirstLevelPoint | LossPoint | None:
        """Train it by itself."""
        return self.problem.at(self.theta, self.lam, self.mu, self.warm_start)


R = TypeVar("R")
# A search that yields requests for machines, as in `kernlearn.solvers.optimize.coroutines`.
TrainingSearch: TypeAlias = Generator[list[TrainingRequest], list[Trained | None], R]


def alone(search: TrainingSearch[R]) -> R:
    """The result of a search that trains its machines one by one."""
    return drive(search, lambda requests: [request.alone() for request in requests])


def _columns_of(columns: DeviceArray) -> list[DeviceArray]:
    """The columns of a matrix, or of a stack of them."""
    return [columns[..., k] for k in range(columns.shape[-1])]


def _total(A: DeviceArray, B: DeviceArray) -> DeviceArray:
    """The sum of the products of all entries, for each matrix of a stack."""
    return namespace(A).sum(A * B, axis=(-2, -1))


def _products(columns: DeviceArray, images: list[DeviceArray]) -> Array:
    """On the host, the sum over the columns of each times its image, of shape (p,)."""
    pairs = zip(_columns_of(columns), images, strict=True)
    total = sum((each[..., None, :] @ image)[..., 0, :] for each, image in pairs)
    return np.asarray(to_host(total))
