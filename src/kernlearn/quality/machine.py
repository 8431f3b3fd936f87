r"""The one form that every kernel machine of the library takes.

A machine is a polytope and a linear term,

.. math::

    V(K) = \max_a \; p^\top a - \sum_i \varphi_i(a_i) - \tfrac12 a^\top K a
    \quad\text{subject to}\quad E a = d, \quad \lVert a\rVert_1 \le B,

where every :math:`\varphi_i` is convex and separable: piecewise linear between breakpoints
(infinite outside them) plus a ridge :math:`\tfrac12\tau_i a_i^2`.  A box is one segment, the
:math:`\varepsilon`-insensitive loss is two.  Weak duality gives, for *any* ``a`` and ``b``,

.. math::

    V(K) \le \tfrac12 a^\top K a + \sum_i \varphi_i^*\bigl((p - K a - E^\top b)_i\bigr)
    + b^\top d + \varepsilon B,

so that both sides of the certificate are sums that anyone can recompute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Multipliers(NamedTuple):
    """Lagrange multipliers of a machine: of ``E a = d`` and of ``‖a‖₁ ≤ B``."""

    rows: Array
    budget: float


@dataclass(frozen=True, eq=False)
class Machine:
    r"""A kernel machine on ``n`` points, as the module's docstring writes it.

    Parameters
    ----------
    linear : ndarray of shape (n,)
        The vector :math:`p`.
    breakpoints : ndarray of shape (n, k + 1)
        Increasing per row; the first and last are the box and may be infinite.
    slopes : ndarray of shape (n, k)
        Slope of :math:`\varphi_i` between consecutive breakpoints, increasing per row.
    rows : ndarray of shape (r, n)
        The matrix :math:`E`.
    rhs : ndarray of shape (r,)
        The vector :math:`d`.
    ridge : ndarray of shape (n,)
        The :math:`\tau_i`; added to the diagonal of K in training only.
    offset : float
        Added to every entry of K in training: the weight of a regularised intercept.
    budget : float
        The bound :math:`B` on :math:`\lVert a\rVert_1`; infinite if there is none. A finite one
        needs breakpoints ``(-C, 0, C)`` and slopes of zero.
    stretchable : bool
        True if an upper bound is to be had by stretching ``(a, b)`` until every margin is one, so
        that there is no loss: for margins, with a box so wide that rounding would be a loss.
    cold_start : callable
        ``cold_start(machine, K, tol) -> a``: a first guess, from libsvm where it has the machine,
        which takes ``tol``. It reads the machine it is given, which may be a rescaled one.
    """

    linear: Array
    breakpoints: Array
    slopes: Array
    rows: Array
    rhs: Array
    ridge: Array
    offset: float = 0.0
    budget: float = np.inf
    stretchable: bool = False
    cold_start: Callable[[Machine, Array, float], Array] | None = field(default=None, repr=False)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.linear.shape[0])

    @property
    def homogeneous(self) -> bool:
        """Whether no loss is allowed, as for the hard margin."""
        return self.stretchable and bool(np.isinf(self.breakpoints).any() and not self.ridge.any())

    def lower_value(self, a: Array, Ka: Array) -> float:
        r"""The value of the maximand at a feasible ``a``: a lower bound on V(K).

        ``Ka`` is the kernel used in training, offset included, times ``a``.
        """
        return float(self.linear @ a - self._phi(a).sum()) - 0.5 * float(a @ Ka)

    def linear_value(self, a: Array) -> float:
        r"""The part of the maximand that is free of the kernel, ℓ(a) = pᵀa − Σφᵢ(aᵢ)."""
        offset = 0.5 * self.offset * float(a.sum()) ** 2
        return float(self.linear @ a - self._phi(a).sum()) - offset

    def upper_value(self, a: Array, Ka: Array, multipliers: Multipliers) -> float:
        """The value of the primal problem at the function ``K a + b``: an upper bound on V(K)."""
        b, epsilon = multipliers.rows, multipliers.budget
        fitted = Ka + self.rows.T @ b
        quadratic = 0.5 * float(a @ Ka)
        stretched = self._stretched_value(fitted, quadratic) if self.stretchable else np.inf
        if self.homogeneous:
            return stretched
        extra = epsilon * self.budget if np.isfinite(self.budget) else 0.0
        loss = float(self._conjugate(self.linear - fitted, epsilon).sum())
        return min(quadratic + loss + float(b @ self.rhs) + extra, stretched)

    def infeasibility(self, a: Array) -> float:
        """Largest violation of the constraints, relative to the size of ``a``."""
        size = max(float(np.abs(a).sum()), float(np.abs(self.rhs).max(initial=0.0)), 1e-300)
        box = np.maximum(self.breakpoints[:, 0] - a, a - self.breakpoints[:, -1]).max(initial=0.0)
        equality = np.abs(self.rows @ a - self.rhs).max(initial=0.0)
        budget = np.abs(a).sum() - self.budget
        return float(max(box, equality, budget, 0.0)) / size

    def rescaled(self, kernel_scale: float, target_scale: float) -> Machine:
        r"""The same machine in units where K has size one and the targets have size one.

        With :math:`K = \kappa\hat K` and :math:`p = \sigma\hat p`, the coefficients are
        :math:`a = (\sigma/\kappa)\hat a` and the values :math:`V = (\sigma^2/\kappa)\hat V`.
        """
        unit = target_scale / kernel_scale
        return replace(
            self,
            linear=self.linear / target_scale,
            breakpoints=self.breakpoints / unit,
            slopes=self.slopes / target_scale,
            rhs=self.rhs / unit,
            ridge=self.ridge / kernel_scale,
            offset=self.offset / kernel_scale,
            budget=self.budget / unit,
        )

    def subset(self, rows: NDArray[np.intp]) -> Machine:
        """The machine on some of the points, each standing for as many as were left out."""
        copies = self.n_points / len(rows)
        return replace(
            self,
            linear=self.linear[rows],
            breakpoints=self.breakpoints[rows] * copies,
            slopes=self.slopes[rows],
            rows=self.rows[:, rows],
            ridge=self.ridge[rows] / copies,
        )

    def _phi(self, a: Array) -> Array:
        """Values of φ, taking ``a`` to lie inside the box."""
        value = 0.5 * self.ridge * a**2
        if self.slopes.any():
            # Two segments around zero is the only sloped case: φ(a) = slope · a on either side.
            value = value + np.where(a < 0, self.slopes[:, 0], self.slopes[:, -1]) * a
        return value

    def _conjugate(self, g: Array, epsilon: float) -> Array:
        """φ*(g): the best of the segments, each a clipped parabola (or a line if no ridge)."""
        best = np.full(g.shape, -np.inf)
        for j in range(self.slopes.shape[1]):
            low, high = self.breakpoints[:, j], self.breakpoints[:, j + 1]
            slope = self.slopes[:, j] + self._budget_slope(j, epsilon)
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.clip((g - slope) / self.ridge, low, high)
            t = np.where(np.isnan(t), np.clip(0.0, low, high), t)
            with np.errstate(invalid="ignore", over="ignore"):
                value = (g - slope) * t - 0.5 * self.ridge * t**2
            best = np.maximum(best, np.where(np.isnan(value), 0.0, value))
        return best

    def _budget_slope(self, segment: int, epsilon: float) -> float:
        """The budget's multiplier acts as an ε-insensitive tube of that width."""
        if np.isinf(self.budget):
            return 0.0
        return -epsilon if segment == 0 else epsilon

    def _stretched_value(self, fitted: Array, quadratic: float) -> float:
        margin = float((fitted / self.linear).min())
        return quadratic / margin**2 if margin > 0 else np.inf


def box(low: Array, high: Array) -> tuple[Array, Array]:
    """Breakpoints and slopes of a plain box."""
    return np.stack([low, high], axis=1), np.zeros((low.shape[0], 1))


def ones_row(n: int) -> Array:
    """The row of the intercept, 1ᵀa."""
    return np.ones((1, n))
