r"""The one form that every kernel machine of the library takes.

A machine is a polytope and a linear term,

.. math::

    V(K) = \max_a \; p^\top a - \sum_i \varphi_i(a_i) - \tfrac12 a^\top K a
    \quad\text{subject to}\quad E a = d, \quad \lVert a\rVert_1 \le B,

where every :math:`\varphi_i` is convex and separable: piecewise linear between breakpoints
(infinite outside them) plus a ridge :math:`\tfrac12\tau_i a_i^2`.  A box is one segment, the
:math:`\varepsilon`-insensitive loss is two.  The logistic loss has the entropy of
:math:`s_i = |a_i|/C_i` in a box of width :math:`C_i` from zero,
:math:`\varphi_i = t\,C_i\,(s_i\log s_i + (1 - s_i)\log(1 - s_i))`.  Weak duality gives, for *any*
``a`` and ``b``,

.. math::

    V(K) \le \tfrac12 a^\top K a + \sum_i \varphi_i^*\bigl((p - K a - E^\top b)_i\bigr)
    + b^\top d + \varepsilon B,

so that both sides of the certificate are sums that anyone can recompute. Cox's partial likelihood
is the one loss whose φ is no sum over points (:mod:`kernlearn.quality.risk_flow`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kernlearn.numerics.sums import blocked_sum, exact_sum
from kernlearn.quality.entropy import entropy, entropy_conjugate, entropy_curvature
from kernlearn.quality.risk_flow import RiskFlow, repaired, shortfall
from kernlearn.quality.risk_sets import RiskSets
from kernlearn.typing import Array, Indices, Mask, Scalar

# Relative to the size of the coefficients: what summing them in another order may change.
FEASIBLE = 1e-14


class Multipliers(NamedTuple):
    """Lagrange multipliers of a machine: of ``E a = d`` and of ``‖a‖₁ ≤ B``."""

    rows: Array
    budget: float


@dataclass(frozen=True, eq=False)
class Machine:
    r"""A kernel machine on ``n`` points: its concave objective and its polytope.

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
    temperature : float
        The t of the entropy, in units of the function; zero without one. One needs a box that ends
        at zero, no slopes and no ridge.
    risk_sets : RiskSets, optional
        Coupling of the φᵢ of Cox's partial likelihood.
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
    temperature: float = 0.0
    risk_sets: RiskSets | None = None
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
    def is_box(self) -> bool:
        """Whether every φᵢ is zero in a bounded box."""
        is_flat = self.slopes.shape[1] == 1 and not self.slopes.any() and not self.has_ridge
        is_flat = is_flat and not self.temperature
        return is_flat and bool(np.isfinite(self.breakpoints).all())

    @cached_property
    def edges(self) -> Array:
        """The slopes, and before and after them infinite ones."""
        pad = np.full((self.n_points, 1), np.inf)
        return np.concatenate([-pad, self.slopes, pad], axis=1)

    @property
    def may_vanish(self) -> bool:
        """Whether the zero function has a value of zero, above which no optimum lies.

        So it is where the norm alone is weighed against a threshold: for one class and the ν-SVM.
        """
        has_terms = self.linear.any() or self.slopes.any() or self.ridge.any()
        return not (has_terms or self.offset or self.temperature)

    def lower_value(self, a: Array, Ka: Array) -> float:
        r"""The value of the maximand at a feasible ``a``: a lower bound on V(K).

        ``Ka`` is the kernel used in training, offset included, times ``a``.
        """
        return float(self.linear @ a - phi(self, a).sum()) - 0.5 * float(a @ Ka)

    def linear_value(self, a: Array) -> float:
        r"""The part of the maximand that is free of the kernel, ℓ(a) = pᵀa − Σφᵢ(aᵢ)."""
        return blocked_sum(self.linear * a - phi(self, a)) - _offset_value(self, a)

    def linear_size(self, a: Array) -> float:
        """Sum of the sizes of the terms of ℓ(a): what its rounding is relative to."""
        size = np.abs(self.linear * a).sum() + np.abs(phi(self, a)).sum()
        if self.risk_sets is not None:  # whose flow is a sum of as many terms as there are stages
            size += len(self.risk_sets.totals) * self.risk_sets.totals.sum()
        return float(size) + _offset_value(self, a)

    def upper_value(
        self, a: Array, Ka: Array, multipliers: Multipliers, stretch: bool = True
    ) -> float:
        """The value of the primal problem at the function ``K a + b``: an upper bound on V(K).

        With ``stretch``, at a multiple of the function where that has no loss.
        """
        b, epsilon = multipliers.rows, multipliers.budget
        fitted = Ka + self.rows.T @ b
        quadratic = 0.5 * (a @ Ka)
        stretched: Scalar = np.inf
        if self.stretchable and (stretch or self.homogeneous):
            margin = (fitted / self.linear).min()
            stretched = quadratic / margin**2 if margin > 0 else np.inf
        if self.homogeneous:
            return float(stretched)
        extra = epsilon * self.budget if np.isfinite(self.budget) else 0.0
        loss = self.conjugate(self.linear - fitted, epsilon).sum()
        # One rounding at the end: arguments in long double give a value that is exact.
        return float(min(quadratic + loss + b @ self.rhs + extra, stretched))

    def feasible(self, a: Array) -> Array | None:
        """The coefficients, moved into the polytope as little as may be; None if that fails.

        The coefficients are put into the box, and the shortfall of an equality is given to
        coefficients with room. The remaining violation is the rounding of a sum.
        """
        low, high = self.breakpoints[:, 0], self.breakpoints[:, -1]
        a = np.minimum(np.maximum(a, low), high)
        # Coefficients at a breakpoint stay there, if the others can make up for them.
        rests = a == low
        for point in self.breakpoints.T[1:]:
            rests |= a == point
        if self.risk_sets is not None:
            a = repaired(self.risk_sets, a)
        for members, total in self.sums:
            a[members] = _with_sum(a[members], total, low[members], high[members], rests[members])
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
        flow = 0.0 if self.risk_sets is None else shortfall(self.risk_sets, a)
        return float(max(box, equality, flow, length - self.budget, 0.0)) / size

    @cached_property
    def sums(self) -> list[tuple[Mask | slice, float]]:
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
            temperature=self.temperature / target_scale,
            risk_sets=self.risk_sets
            and replace(self.risk_sets, events=self.risk_sets.events / unit),
        )

    def conjugate(self, g: Array, epsilon: float) -> Array:
        """φ*(g): the best of the segments, each a clipped parabola (or a line if no ridge)."""
        if self.risk_sets is not None:
            return self.risk_sets.losses(-g)
        if self.temperature:
            return entropy_conjugate(g, signed_widths(self), self.temperature)
        # The budget's multiplier acts as an ε-insensitive tube of that width.
        tube = 0.0 if np.isinf(self.budget) else epsilon
        if self.is_box:
            return np.maximum(g * self.breakpoints[:, 0], g * self.breakpoints[:, 1])
        best = np.full(g.shape, -np.inf)
        for j in range(self.slopes.shape[1]):
            low, high = self.breakpoints[:, j], self.breakpoints[:, j + 1]
            slope = g - (self.slopes[:, j] + (tube if j else -tube))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                if self.has_ridge:
                    t = np.clip(slope / self.ridge, low, high)
                    t = np.where(np.isnan(t), np.clip(0.0, low, high), t)
                    value = slope * t - 0.5 * self.ridge * t**2
                else:
                    value = np.maximum(slope * low, slope * high)
            best = np.maximum(best, np.where(np.isnan(value), 0.0, value))
        return best


def signed_widths(machine: Machine) -> Array:
    """The widths of the boxes of an entropy, negative for boxes below zero."""
    return np.asarray(machine.breakpoints[:, 0] + machine.breakpoints[:, -1])


def curvature_of(machine: Machine, a: Array) -> Array:
    """φ''(a): the ridge, or that of an entropy, which is infinite at the ends of its box.

    That of risk sets is a matrix.
    """
    if machine.risk_sets is not None:
        return RiskFlow.of(machine.risk_sets, a).curvature()
    if not machine.temperature:
        return machine.ridge
    return entropy_curvature(a, signed_widths(machine), machine.temperature)


def target_size(machine: Machine) -> float:
    """The size of the function: that of the largest target, or of the temperature."""
    return max(float(np.abs(machine.linear).max(initial=0.0)), machine.temperature)


def steepness(machine: Machine, distance: float) -> float:
    """Bound on how fast ℓ(a) changes within a distance: an entropy is steep near the ends."""
    if machine.risk_sets is not None:  # each stage has a logarithm
        stages = machine.risk_sets.totals
        reach = float(np.log1p(stages.sum() / max(distance, 1e-300)))
        reach += float(np.log(machine.risk_sets.number.max()))
        return (len(stages) + 1.0) * (1.0 + reach)
    linear = float(np.abs(machine.linear).max(initial=0.0))
    if not machine.temperature:
        return linear
    widest = float(np.abs(signed_widths(machine)).max(initial=0.0))
    return linear + machine.temperature * (1.0 + float(np.log1p(widest / max(distance, 1e-300))))


def on_rows(machine: Machine, rows: Indices) -> Machine:
    """The machine on some of the points, each standing for n_points / len(rows) points."""
    copies = machine.n_points / len(rows)
    risk_sets = machine.risk_sets
    breakpoints = machine.breakpoints[rows] * copies
    if risk_sets is not None:
        risk_sets = risk_sets.on_rows(rows, copies)
        breakpoints = risk_sets.box
    return replace(
        machine,
        linear=machine.linear[rows],
        breakpoints=breakpoints,
        risk_sets=risk_sets,
        slopes=machine.slopes[rows],
        rows=machine.rows[:, rows],
        ridge=machine.ridge[rows] / copies,
    )


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


def phi(machine: Machine, a: Array) -> Array:
    """Values of φ, taking ``a`` to lie inside the box."""
    if machine.is_box:
        return np.zeros_like(a)
    if machine.risk_sets is not None:
        return RiskFlow.of(machine.risk_sets, a).entropy()
    if machine.temperature:
        return entropy(a, signed_widths(machine), machine.temperature)
    value = 0.5 * machine.ridge * a**2
    if machine.slopes.any():
        # Two segments around zero is the only sloped case: φ(a) = slope · a on either side.
        value = value + np.where(a < 0, machine.slopes[:, 0], machine.slopes[:, -1]) * a
    return value


def _offset_value(machine: Machine, a: Array) -> float:
    return 0.5 * machine.offset * exact_sum(a) ** 2 if machine.offset else 0.0


def _with_sum(a: Array, total: float, low: Array, high: Array, rests: Mask) -> Array:
    """Coefficients with this sum, each moved in proportion to its room."""
    last = 0.0
    for _ in range(3):  # the first moves, the others mend its rounding
        missing = -exact_sum(a, -total)
        if missing in (0.0, last):  # what is left is too little to change anything
            break
        last = missing
        room = high - a if missing > 0 else a - low
        inside = np.where(rests, 0.0, room)
        space = float(inside.sum())
        if space >= abs(missing):
            room = inside
        else:
            space = float(room.sum())
        if np.isinf(space) and np.isinf(room).any():
            # Unbounded coefficients change in proportion to their size.
            room = np.where(np.isinf(room), np.abs(a) + 1e-3 * np.abs(a).max() + 1e-300, 0.0)
            share = room / room.sum()
        elif space == 0.0:
            break
        else:
            share = room / max(space, abs(missing))
        a = np.minimum(np.maximum(a + missing * share, low), high)
    return a
