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
from functools import cached_property

import numpy as np

from kernlearn.numerics.sums import EPS, blocked_sum, exact_sum
from kernlearn.quality.multipliers import (
    Multipliers,
    balancing_constant,
    weighted_quantile,
    with_sum,
)
from kernlearn.typing import Array, Indices, Mask, Scalar

LARGE = 1e30  # in place of infinity, where infinities of both signs are added up
# Relative to the size of the coefficients: what summing them in another order may change.
FEASIBLE = 1e-14


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
    shift : float
        A constant that was taken off the targets; the intercept gets it back.
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
    shift: float = 0.0
    budget: float = np.inf
    stretchable: bool = False
    cold_start: Callable[[Machine, Array, float], Array] | None = field(default=None, repr=False)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.linear.shape[0])

    @cached_property
    def homogeneous(self) -> bool:
        """Whether no loss is allowed, as for the hard margin."""
        return self.stretchable and bool(np.isinf(self.breakpoints).any()) and not self.has_ridge

    @cached_property
    def has_ridge(self) -> bool:
        """Whether any τᵢ is not zero."""
        return bool(self.ridge.any())

    @cached_property
    def edges(self) -> Array:
        """The slopes, and before and after them infinite ones."""
        pad = np.full((self.n_points, 1), np.inf)
        return np.concatenate([-pad, self.slopes, pad], axis=1)

    @cached_property
    def largest_target(self) -> float:
        """The largest entry of p, whatever its sign."""
        return float(np.abs(self.linear).max())

    @property
    def may_vanish(self) -> bool:
        """Whether the zero function has a value of zero, above which no optimum lies.

        So it is where the norm alone is weighed against a threshold: for one class and the ν-SVM.
        """
        return not (self.linear.any() or self.slopes.any() or self.ridge.any() or self.offset)

    def lower_value(self, a: Array, Ka: Array) -> float:
        r"""The value of the maximand at a feasible ``a``: a lower bound on V(K).

        ``Ka`` is the kernel used in training, offset included, times ``a``.
        """
        return float(self.linear @ a - self._phi(a).sum()) - 0.5 * float(a @ Ka)

    def linear_value(self, a: Array) -> float:
        r"""The part of the maximand that is free of the kernel, ℓ(a) = pᵀa − Σφᵢ(aᵢ)."""
        return blocked_sum(self.linear * a - self._phi(a)) - self._offset_value(a)

    def linear_size(self, a: Array) -> float:
        """Sum of the sizes of the terms of ℓ(a): what its rounding is relative to."""
        size = np.abs(self.linear * a).sum() + np.abs(self._phi(a)).sum()
        return float(size) + self._offset_value(a)

    def _offset_value(self, a: Array) -> float:
        return 0.5 * self.offset * exact_sum(a) ** 2 if self.offset else 0.0

    def upper_value(
        self, a: Array, Ka: Array, multipliers: Multipliers, stretch: bool = True
    ) -> float:
        """The value of the primal problem at the function ``K a + b``: an upper bound on V(K).

        With ``stretch``, at a multiple of the function where that has no loss.
        """
        b, epsilon = multipliers.rows, multipliers.budget
        fitted = Ka + self.rows.T @ b
        quadratic = 0.5 * (a @ Ka)
        may = self.stretchable and (stretch or self.homogeneous)
        stretched = self._stretched_value(fitted, quadratic) if may else np.inf
        if self.homogeneous:
            return float(stretched)
        extra = epsilon * self.budget if np.isfinite(self.budget) else 0.0
        loss = self._conjugate(self.linear - fitted, epsilon).sum()
        # One rounding at the end: arguments in long double give a value that is exact.
        return float(min(quadratic + loss + b @ self.rhs + extra, stretched))

    def value_noise(self, a: Array, Ka: Array, multipliers: Multipliers, error: Array) -> float:
        """Rounding of :meth:`upper_value` where ``Ka`` is known up to ``error``.

        A loss changes with the function no faster than its steepest slope within the error, which
        is the largest coefficient that answers to it.
        """
        fitted = Ka + self.rows.T @ multipliers.rows
        relative = 8.0 * EPS
        in_sums = len(a) * EPS  # in whatever order the points are added up
        quadratic = float(np.abs(a) @ (error + (relative + in_sums) * np.abs(Ka)))
        if self.homogeneous:
            margin = float((fitted / self.linear).min())
            value = float(a @ Ka) / max(margin, 1e-300) ** 2
            return quadratic + 2.0 * value * float(error.max()) / max(margin, 1e-300)
        error = error + relative * (np.abs(Ka) + np.abs(self.rows.T @ multipliers.rows))
        steepest = np.zeros(len(a))
        for shift in (-error, error):
            slopes = self.linear - fitted + shift
            tube = [0.0] if np.isinf(self.budget) else [-multipliers.budget, multipliers.budget]
            for epsilon in tube:
                answer = self._answer(None)(slopes + epsilon)
                steepest = np.maximum(steepest, np.abs(answer))
        steepest = np.minimum(steepest, np.abs(self.breakpoints).max(axis=1))
        loss = float(self._conjugate(self.linear - fitted, multipliers.budget).sum())
        changed = float(np.maximum(steepest, np.abs(a)) @ error)
        return (quadratic + changed) * (1.0 + in_sums) + in_sums * abs(loss)

    def stretch(self, Ka: Array, multipliers: Multipliers) -> float | None:
        """By what a function is to be multiplied until every margin is one; None if that fails."""
        if not self.stretchable:
            return None
        margin = float(((Ka + self.rows.T @ multipliers.rows) / self.linear).min())
        return 1.0 / margin if margin > 0 else None

    def tightened(self, Ka: Array, multipliers: Multipliers) -> Multipliers:
        """The multipliers with the best width of a tube, or margin, for the same intercept."""
        upper = np.abs(self.breakpoints).max(axis=1)
        if len(self.rows) == 1 and self.rhs[0] > 0:  # of one class: the intercept is the margin
            return Multipliers(np.array([weighted_quantile(-Ka, upper, float(self.rhs[0]))]), 0.0)
        fitted = Ka + multipliers.rows[:1].sum()
        if np.isfinite(self.budget):
            width = weighted_quantile(np.abs(self.linear - fitted), upper, self.budget)
            return Multipliers(multipliers.rows, max(width, 0.0))
        if len(self.rows) == 2:
            # Beyond the function's own values an intercept changes nothing but the rounding.
            reach = float(np.abs(Ka).max())
            intercept = float(np.clip(multipliers.rows[0], -reach, reach))
            margin = weighted_quantile(-self.rows[1] * (Ka + intercept), upper, float(self.rhs[1]))
            return Multipliers(np.array([intercept, margin]), 0.0)
        return multipliers

    def best_multipliers(self, Ka: Array) -> Multipliers:
        """The multipliers with the smallest primal value for a given function ``K a``.

        They are constants added to the function: one for all points, one for each class, or one
        for either end of a tube. Each is found where the coefficients that answer to it have the
        sum they should have, which falls as the constant rises.
        """
        residual = self.linear - Ka
        if np.isfinite(self.budget):
            above = balancing_constant(residual, self._answer(1), 0.5 * self.budget)
            below = balancing_constant(residual, self._answer(0), -0.5 * self.budget)
            middle, half = 0.5 * (above + below), max(0.5 * (above - below), 0.0)
            return Multipliers(np.array([middle]), half)
        found = [
            balancing_constant(residual[members], self._answer(None, members), total)
            for members, total in self._sums
        ]
        if len(found) == 2:  # b + ρ for one class, b − ρ for the other
            return Multipliers(
                np.array([0.5 * (found[0] + found[1]), 0.5 * (found[0] - found[1])]), 0.0
            )
        return Multipliers(np.array(found), 0.0)

    def _answer(
        self, segment: int | None, members: Mask | slice = slice(None)
    ) -> Callable[[Array], Array]:
        """The coefficients that answer to slopes g: where g·t − φ(t) is largest."""
        segments = range(self.slopes.shape[1]) if segment is None else [segment]
        points = self.breakpoints[members]
        # A box or a ridge bounds the answer, which may well be larger than what is large here.
        endless = np.isinf(points) & (self.ridge[members][:, None] == 0)
        points = np.where(endless, np.copysign(LARGE, points), points)
        pieces = [(self.slopes[members, j], points[:, j], points[:, j + 1]) for j in segments]
        ridge = self.ridge[members]

        def answer(g: Array) -> Array:
            t = np.zeros(len(g))
            for slope, low, high in pieces:
                excess = g - slope
                with np.errstate(divide="ignore", invalid="ignore"):
                    step = excess / ridge
                step[excess == 0.0] = 0.0
                t += np.minimum(np.maximum(step, low), high)
            return t

        return answer

    def feasible(self, a: Array) -> Array | None:
        """The coefficients, moved into the polytope as little as may be; None if that fails.

        They are put into the box, and what the equalities miss is given to those with room. What
        is left is the rounding of a sum.
        """
        low, high = self.breakpoints[:, 0], self.breakpoints[:, -1]
        a = np.minimum(np.maximum(a, low), high)
        # What rests at a breakpoint stays there, if the others can make up for it.
        rests = a == low
        for point in self.breakpoints.T[1:]:
            rests |= a == point
        for members, total in self._sums:
            a[members] = with_sum(a[members], total, low[members], high[members], rests[members])
        size = float(np.abs(a).sum())
        if size > self.budget:  # shrinking keeps a sum of zero and the box around it
            a = a * (self.budget / size)
        return a if np.isfinite(size) and self.infeasibility(a) <= FEASIBLE else None

    def infeasibility(self, a: Array) -> float:
        """Largest violation of the constraints, relative to the size of ``a``."""
        length = float(np.abs(a).sum())
        size = max(length, float(np.abs(self.rhs).max(initial=0.0)), 1e-300)
        box = np.maximum(self.breakpoints[:, 0] - a, a - self.breakpoints[:, -1]).max(initial=0.0)
        # Rows of ±1 and sums that are rounded once: no violation hides in their rounding.
        sums = zip(self.rows, self.rhs, strict=True)
        equality = max((abs(exact_sum(row * a, -d)) for row, d in sums), default=0.0)
        return float(max(box, equality, length - self.budget, 0.0)) / size

    @cached_property
    def _sums(self) -> list[tuple[Mask | slice, float]]:
        """The equalities as sums over groups of points: all of them, or every class for itself."""
        if len(self.rows) == 0:
            return []
        if len(self.rows) == 1:
            return [(slice(None), float(self.rhs[0]))]
        first, second = float(self.rhs[0]), float(self.rhs[1])
        above = self.rows[1] > 0
        return [(above, 0.5 * (first + second)), (~above, 0.5 * (first - second))]

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
            shift=self.shift / target_scale,
            budget=self.budget / unit,
        )

    def subset(self, rows: Indices) -> Machine:
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
            slope = g - (self.slopes[:, j] + self._budget_slope(j, epsilon))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                if self.has_ridge:
                    t = np.clip(slope / self.ridge, low, high)
                    t = np.where(np.isnan(t), np.clip(0.0, low, high), t)
                    value = slope * t - 0.5 * self.ridge * t**2
                else:
                    value = np.maximum(slope * low, slope * high)
            best = np.maximum(best, np.where(np.isnan(value), 0.0, value))
        return best

    def _budget_slope(self, segment: int, epsilon: float) -> float:
        """The budget's multiplier acts as an ε-insensitive tube of that width."""
        if np.isinf(self.budget):
            return 0.0
        return -epsilon if segment == 0 else epsilon

    def _stretched_value(self, fitted: Array, quadratic: Scalar) -> Scalar:
        margin = (fitted / self.linear).min()
        return quadratic / margin**2 if margin > 0 else np.inf


def boxed(
    linear: Array,
    low: Array,
    high: Array,
    *,
    ridge: Array | None = None,
    rows: Array | None = None,
    rhs: Array | None = None,
    offset: float = 0.0,
    stretchable: bool = False,
    cold_start: Callable[[Machine, Array, float], Array] | None = None,
) -> Machine:
    """A machine whose φ is a plain box; with 1ᵀa = 0, unless other rows are given."""
    n = len(linear)
    return Machine(
        linear=linear,
        breakpoints=np.stack([low, high], axis=1),
        slopes=np.zeros((n, 1)),
        rows=np.ones((1, n)) if rows is None else rows,
        rhs=np.zeros(1) if rhs is None else rhs,
        ridge=np.zeros(n) if ridge is None else ridge,
        offset=offset,
        stretchable=stretchable,
        cold_start=cold_start,
    )
