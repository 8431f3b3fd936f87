r"""First-level learning with any convex loss: the trained machine at one θ, and its derivatives.

For given θ, λ and a loss ℓ, the machine of :mod:`kernlearn.quality.machine` with C = 1/λ has the
value :math:`V(K) = \min_f \tfrac12\|f\|^2 + \tfrac1\lambda\sum_i s_i\,\ell(y_i, f(x_i) + b)`, so
that equation (5) of Cawley and Talbot (2014) becomes

.. math:: J(\theta) = \lambda V(K(\theta)) + \mu\,\Omega(\theta), \qquad
          \partial_r J = -\tfrac{\lambda}{2}\alpha^T K_r \alpha + \mu\,\Omega_r .

With :math:`\tau_i = \varphi_i''(\alpha_i)` on the rows S whose coefficients are free, and P the
inverse of :math:`K_{SS} + \operatorname{diag}\tau_S` projected on :math:`1^T\alpha = 0` (zero
elsewhere), :math:`\partial_s\alpha = -P K_s\alpha`. The Hessian is that of
:mod:`kernlearn.solvers.first_level.problem`, where τ = λ/s for all rows. Bounds are proportional to
C, so that

.. math:: \partial_\lambda\alpha = (PK\alpha - \alpha)/\lambda, \qquad
          \partial_\lambda\partial_r J = \tfrac12\alpha^T K_r\alpha - (K_r\alpha)^T P K\alpha .
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.parametric.theta_penalties import ThetaPenalty, penalized_slopes
from kernlearn.quality.held_out import HeldOutLoss
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.machine import Machine, curvature_of, target_size
from kernlearn.quality.multipliers import conjugate_slope
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.solvers.first_level.outside_loss import Outside
from kernlearn.solvers.machine.active_set import MachineSolution
from kernlearn.solvers.machine.least_squares import Bordered
from kernlearn.solvers.machine.solve import solve_machine
from kernlearn.solvers.optimize.descent import QuadraticModel
from kernlearn.typing import Array, Indices

# Added to the diagonal of the free rows, relative to its mean, where these are dependent.
_PROXIMAL = 1e-9
# The curvature of a row at its bound, relative to the diagonal: it does not move.
_HELD = 1e6


@dataclass(frozen=True, eq=False)
class MachineLoss:
    """A loss by the name of its machine."""

    quality: str
    settings: Settings  # ε and q; C and weights are those of the problem

    def machine(self, y: Array, upper: Array) -> Machine:
        """The machine of these targets whose loss is multiplied by ``upper``."""
        settings = replace(self.settings, C=1.0, sample_weight=upper)
        return QUALITIES[self.quality].build(y, settings)

    def values(self, Y: Array, F: Array) -> Array:
        """The losses of predictions of shape (n, k), summed over the targets."""
        ones, total = np.ones(len(Y)), np.zeros(len(Y))
        for y, f in zip(Y.T, F.T, strict=True):
            machine = self.machine(y, ones)
            total += machine.conjugate(machine.linear - f, 0.0)
        return total


class LossProblem(Protocol):
    """The attributes of a first-level problem that a point needs."""

    @property
    def family(self) -> ParametricKernel:
        """The kernels."""

    @property
    def X(self) -> Array:
        """Points."""

    @property
    def Y(self) -> Array:
        """Targets, one column for each machine."""

    @property
    def weight(self) -> Array:
        """Sample weights."""

    @property
    def scale(self) -> Array:
        """The usual size of every parameter."""

    @property
    def low(self) -> Array:
        """The least value of every parameter."""

    @property
    def penalty(self) -> ThetaPenalty:
        """Ω."""

    @property
    def loss(self) -> MachineLoss | None:
        """The loss."""

    def loss_machine(self, target: int, lam: float) -> Machine:
        """The machine of one target whose loss is the problem's over λ."""


@dataclass(frozen=True, eq=False)
class TrainedMachine:
    """One machine at one kernel, in the user's units."""

    machine: Machine
    coef: Array  # α
    intercept: float
    value: float  # V(K)
    tau: Array  # φ''(α), infinite for rows at a bound
    near: MachineSolution  # in the solver's units: where another search may start

    @classmethod
    def at(cls, K: Array, machine: Machine, near: MachineSolution | None) -> TrainedMachine | None:
        """Train it in units where kernel and targets have size one; None if that fails."""
        size = float(np.abs(K.diagonal()).mean()) or 1.0
        unit = target_size(machine) or size
        found = solve_machine(K / size, machine.rescaled(size, unit), near)
        if found is None:
            return None
        coef = found.coef * (unit / size)
        tau = np.where(found.state % 2 == 1, curvature_of(machine, coef), np.inf)
        b = unit * float(found.multipliers.rows[0])
        return cls(machine, coef, b, found.upper * unit**2 / size, tau, found)

    @cached_property
    def free(self) -> Indices:
        """S."""
        return np.flatnonzero(np.isfinite(self.tau))

    def factor(self, K: Array) -> Bordered | None:
        """The matrix of the free rows; None if there are none."""
        S = self.free
        if len(S) == 0:
            return None
        block, tau = K[np.ix_(S, S)], self.tau[S]
        least = _PROXIMAL * float(np.abs(block.diagonal()).mean())
        found = None
        while found is None:
            found = Bordered.of(block, tau)
            tau, least = tau + least, 100.0 * least
        return found


@dataclass(frozen=True, eq=False)
class LossPoint:
    """The trained machines at one θ, one for each target."""

    problem: LossProblem
    theta: Array
    lam: float
    mu: float
    K: Array
    machines: list[TrainedMachine]

    @cached_property
    def dual_coef(self) -> Array:
        """α, of shape (n, k)."""
        return np.column_stack([each.coef for each in self.machines])

    @cached_property
    def intercept(self) -> Array:
        """b, of shape (k,)."""
        return np.array([each.intercept for each in self.machines])

    @cached_property
    def objective(self) -> float:
        """J(θ)."""
        value = self.lam * sum(each.value for each in self.machines)
        return float(value + self.mu * self.problem.penalty.value(self.theta))

    @cached_property
    def images(self) -> list[Array]:
        """K_r α for all r as columns of shape (n, p), one array for each target."""
        family, X = self.problem.family, self.problem.X
        return [family.jacobian_products(X, self.theta, self.K, a) for a in self.dual_coef.T]

    @cached_property
    def forms(self) -> Array:
        """αᵀ K_r α for all r, summed over the targets."""
        return self._sum(self.dual_coef.T)

    @cached_property
    def gradient(self) -> Array:
        """∂J/∂θ, of shape (p,)."""
        slopes = -0.5 * self.lam * self.forms
        return penalized_slopes(self.problem.penalty, self.theta, slopes, self.mu)

    @cached_property
    def hessian(self) -> Array:
        """∂²J/∂θ∂θ, of shape (p, p)."""
        family, X, p = self.problem.family, self.problem.X, len(self.theta)
        inner = np.zeros((p, p))
        for each, factor, image in zip(self.machines, self.factors, self.images, strict=True):
            if factor is not None:
                half = factor.half(image[each.free])
                inner += half.T @ half
        curved = family.second(X, self.theta, self.K, self.dual_coef @ self.dual_coef.T)
        penalty = self.problem.penalty.hessian(self.theta)
        return np.asarray(self.lam * (inner - 0.5 * curved) + self.mu * penalty)

    @cached_property
    def factors(self) -> list[Bordered | None]:
        """The matrices of the free rows, one for each target."""
        return [each.factor(self.K) for each in self.machines]

    @cached_property
    def model(self) -> QuadraticModel:
        """J around θ."""
        scale = self.problem.scale
        return QuadraticModel.of(self.theta, self.objective, self.gradient, self.hessian, scale)

    @cached_property
    def mixed(self) -> Array:
        """∂²J/∂λ∂θ, of shape (p,)."""
        found = 0.5 * self.forms
        for j, each in enumerate(self.machines):
            found = found - self._times_projection(j, self.K @ each.coef, 0.0) @ self.images[j]
        return np.asarray(found)

    def outside(self, others: LossProblem) -> Outside:
        r"""The loss on other points, and how it changes.

        With e the slopes :math:`s\,\ell'` there, q = P K_outᵀe with 1ᵀq = 1ᵀe,

        .. math::

            \partial E/\partial\theta_r = e^T K_{{\rm out},r}\alpha - q^T K_r\alpha, \qquad
            \partial E/\partial\lambda = (q^T K\alpha - e^T K_{\rm out}\alpha)/\lambda .
        """
        family, X = self.problem.family, self.problem.X
        K = family.matrix(others.X, X, self.theta)
        loss, by_lam = 0.0, 0.0
        by_theta = np.zeros(len(self.theta))
        for j, each in enumerate(self.machines):
            outer = others.loss_machine(j, 1.0)
            f = K @ each.coef
            g = outer.linear - f - each.intercept
            e = -conjugate_slope(outer)(g)
            inner = self.K @ each.coef
            q = self._times_projection(j, K.T @ e, float(e.sum()))
            loss += float(outer.conjugate(g, 0.0).sum())
            by_lam += float(q @ inner - e @ f) / self.lam
            images = family.jacobian_products(others.X, self.theta, K, each.coef, X)
            by_theta = by_theta + e @ images - q @ self.images[j]
        return Outside(loss, by_theta, by_lam, self.mixed)

    def left_out(self, rule: HeldOutLoss) -> Array:
        r"""Values of every row by the machine without it, of shape (n, k), to one Newton step.

        The machine is that of least squares for the targets :math:`z = f + \tau\alpha` and the
        ridges τ, whose held-out residuals have a closed form; for squares z = y.
        """
        values = np.empty_like(self.problem.Y)
        size = float(np.abs(self.K.diagonal()).mean())
        for j, each in enumerate(self.machines):
            tau = np.where(np.isfinite(each.tau), each.tau, np.inf)
            tau = np.minimum(tau, _HELD * max(size, float(tau[each.free].max(initial=0.0))))
            z = self.K @ each.coef + each.intercept + tau * each.coef
            values[:, j] = z - rule.residuals(fit_ls_svm(self.K, z[:, None], tau))[:, 0]
        return values

    def _times_projection(self, j: int, right: Array, total: float) -> Array:
        """P times a right-hand side of one machine, with this sum: zero for held rows."""
        found, factor = np.zeros(len(right)), self.factors[j]
        if factor is not None:
            S = self.machines[j].free
            found[S] = factor.solve(right[S][:, None], total)[0][:, 0]
        return found

    def _sum(self, columns: Array) -> Array:
        pairs = zip(columns, self.images, strict=True)
        return np.asarray(sum((each @ image for each, image in pairs), start=np.zeros(())))
