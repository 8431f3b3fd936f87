r"""One machine at a fixed kernel :math:`K = Z T T^\top Z^\top` by Newton steps in the primal.

The machine of :mod:`kernlearn.quality.machine` with a proximal term around :math:`a_0`,

.. math::

    \max_a \; p^\top a - \sum_i \varphi_i(a_i) - \tfrac{\delta}{2}\lVert a - a_0\rVert^2
    - \tfrac12 a^\top K a, \qquad E a = d,

has the dual of a function :math:`f = Z T v + E^\top b`,

.. math::

    \min_{v, b} \; \tfrac12\lVert v\rVert^2 + b^\top d + \sum_i \psi_i(p_i - f_i), \qquad
    a_i = \psi_i'(p_i - f_i),

which is smooth: a hinge with a rounded corner. Its curvature is
:math:`I + T^\top Z^\top\Theta Z T` with :math:`\theta_i = 1/(\tau_i + \delta)` for the rows whose
:math:`a_i` lies strictly inside a segment and zero for all others, so that a step costs a small
system and a sum over *these* rows. Where the machine has a ridge of its own, δ = 0 and this is
Newton's method. Elsewhere :math:`a_0` follows the solution (the proximal point method), so that δ
rounds the way and not the end: what remains is exact.

Cox's partial likelihood is smooth, and its :math:`\Theta` is a matrix. The systems of both are in
:mod:`kernlearn.solvers.nystroem.systems`. Those of smooth losses are mostly solved with the factor
of an earlier one (:mod:`kernlearn.solvers.nystroem.nearby`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn.quality.machine import Machine, Multipliers, curvature_of
from kernlearn.quality.multipliers import conjugate_slope
from kernlearn.quality.risk_flow import repaired
from kernlearn.quality.risk_sets import RiskCurvature
from kernlearn.solvers.nystroem.nearby import NearbySystems
from kernlearn.solvers.nystroem.systems import (
    CoupledCurvature,
    Curvature,
    DiagonalCurvature,
    Root,
)
from kernlearn.typing import Array, Mask

MAX_STEPS = 40
MAX_CENTRES = 40
SHARPEN = 0.3  # of δ from one centre to the next
SHARPEST = 1e-9  # of the first δ
ENOUGH = 0.1  # of the gap, to which a proximal problem is solved


class Response(NamedTuple):
    """The coefficients at a function, and their derivatives by it."""

    a: Array
    curvature: Curvature


@dataclass(frozen=True, eq=False)
class FactorSolution:
    """A machine at one kernel."""

    coef: Array  # (n,): a, inside the box, with 1ᵀa = d up to rounding
    c: Array  # (R,): zᵀa
    # (R,): u, coefficients of the columns of Z: the function Zu + b has the value ``upper``
    columns: Array
    intercept: float  # b
    curvature: Curvature  # Θ at the solution, zero for coefficients at a breakpoint
    delta: float  # the last δ
    # Bounds on the value
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """Upper minus lower bound."""
        return self.upper - self.lower


class Responses:
    """The maximiser of g·a − φ(a) − ½δ(a − a₀)² as a function of g, for one a₀ and δ."""

    def __init__(self, machine: Machine, centre: Array, delta: float) -> None:
        self.machine = machine
        if machine.temperature:  # has a curvature of its own: δ is zero
            self._smooth = conjugate_slope(machine)
            return
        self._ridge = machine.ridge + delta
        self._towards = (machine.linear + delta * centre) / self._ridge
        self._edges = np.ascontiguousarray(machine.breakpoints.T)
        self._shifts = np.ascontiguousarray(machine.slopes.T) / self._ridge

    def at(self, f: Array) -> Response:
        """Coefficients and derivatives for g = p − f."""
        if self.machine.temperature:
            a = self._smooth(self.machine.linear - f)
            if self.machine.risk_sets is not None:
                return Response(a, CoupledCurvature(RiskCurvature(self.machine.risk_sets, f)))
            theta = 1.0 / curvature_of(self.machine, a)
            return Response(a, DiagonalCurvature(theta, is_smooth=True))
        a = self._inside_segments(self._towards - f / self._ridge)
        inside = np.logical_and.reduce([a != edge for edge in self._edges])
        return Response(a, DiagonalCurvature(np.where(inside, 1.0 / self._ridge, 0.0)))

    def along(self, f: Array, df: Array) -> Callable[[float], Array]:
        """The coefficients for g = p − f − t df, as a function of t."""
        if self.machine.temperature:
            g = self.machine.linear - f
            return lambda t: self._smooth(g - t * df)
        start, step = self._towards - f / self._ridge, df / self._ridge
        return lambda t: self._inside_segments(start - t * step)

    def _inside_segments(self, z: Array) -> Array:
        """The coefficients at g = τz, τ with δ in it."""
        shifts, edges = self._shifts, self._edges
        a: Array = np.clip(z - shifts[0], edges[0], edges[1])
        for shift, low, high in zip(shifts[1:], edges[1:-1], edges[2:], strict=True):
            part = np.clip(z - shift, low, high)
            a = np.where(part > low, part, a)
        return a


class ProximalNewton:
    """The state of one machine's solution."""

    def __init__(
        self,
        machine: Machine,  # with the intercept as its only equality
        systems: NearbySystems,  # its systems so far, and Z
        root: Root,  # T
    ) -> None:
        self.machine, self.systems, self.root = machine, systems, root
        self.rows = systems.rows
        self.plain = replace(machine, stretchable=False)
        self.total = float(machine.rhs[0])
        self.n_steps = 0

    def solve(self, a: Array, c: Array, b: float, delta: float, tol: float) -> FactorSolution:
        """From coefficients, Zᵀ times them, an intercept and a δ, to a relative gap of ``tol``."""
        self.v, self.b, self.delta, self.centre = self.root.gather(c), b, delta, a
        self.f = self.rows.times(self.root.spread(self.v)) + b
        smallest = SHARPEST * delta
        best: FactorSolution | None = None
        stalled = 0
        for _ in range(MAX_CENTRES):
            self._descend(tol)
            found = self._solution()
            stalled = 0 if best is None or found.gap < 0.5 * best.gap else stalled + 1
            best = found if best is None or found.gap < best.gap else best
            size = max(abs(best.lower), abs(best.upper), 1e-300)
            if best.gap <= tol * size or (stalled >= 3 and self.delta == smallest):
                break
            self.centre = found.coef
            self.delta = max(SHARPEN * self.delta, smallest)
        assert best is not None
        return best

    def _descend(self, tol: float) -> None:
        """Newton steps on the proximal problem until its gap is small beside its bias."""
        self.responses = Responses(self.machine, self.centre, self.delta)
        for step in range(MAX_STEPS):
            self.response = self.responses.at(self.f)
            a = self.response.a
            self.c = self.rows.transposed_times(a)
            slope_v, slope_b = self.v - self.root.gather(self.c), self.total - float(a.sum())
            gap = 0.5 * float(slope_v @ slope_v) + abs(self.b * slope_b)
            size = 0.5 * float(self.v @ self.v) + abs(float(self.machine.linear @ a))
            bias = 0.5 * self.delta * float(((a - self.centre) ** 2).sum())
            if step > 0 and gap <= ENOUGH * min(max(bias, tol * size), size):
                return
            if not self._step(slope_v, slope_b):
                return

    def _step(self, slope_v: Array, slope_b: float) -> bool:
        """One step; False if it leads nowhere."""
        self.n_steps += 1
        curvature = self.response.curvature
        # Without a row inside a segment the intercept is free to move, and the search ends it.
        dv, db = -slope_v, -float(np.sign(slope_b))
        if len(curvature.inside):
            try:
                dv, db = self.systems.step(self.root, curvature, -slope_v, -slope_b)
            except LinAlgError:
                return False
        df = self.rows.times(self.root.spread(dv)) + db
        if not np.isfinite(df).all():  # of a factor that is singular to rounding
            return False
        t = self._search(dv, db, df)
        if t == 0.0:
            return False
        self.v, self.b, self.f = self.v + t * dv, self.b + t * db, self.f + t * df
        return True

    def _search(self, dv: Array, db: float, df: Array) -> float:
        """A length along the step at which the slope of the proximal problem is small."""
        along, square = float(self.v @ dv) + db * self.total, float(dv @ dv)
        coefficients = self.responses.along(self.f, df)

        def slope(t: float) -> float:
            return along + t * square - float(coefficients(t) @ df)

        start = along - float(self.response.a @ df)
        if start >= 0.0:
            return 0.0
        low, high, at_low, at_high = 0.0, 1.0, start, slope(1.0)
        for _ in range(60):
            if at_high >= ENOUGH * start:
                break
            low, at_low, high = high, at_high, 2.0 * high
            at_high = slope(high)
        if at_high <= -ENOUGH * start:
            return high
        return _zero(slope, low, high, at_low, at_high, -ENOUGH * start)

    def _solution(self) -> FactorSolution:
        """The coefficients so far, made feasible, with the bounds of the problem itself."""
        a, curvature = self.response
        feasible = with_sum(self.machine, a, curvature.movable, self.total)
        c = self.c if feasible is a else self.rows.transposed_times(feasible)
        lower = self.machine.linear_value(feasible) - 0.5 * float(self.root.diagonal @ c**2)
        # The loss of the function itself: coefficients of zero leave out the rest of the value.
        loss = self.plain.upper_value(
            np.zeros(len(a)), self.f - self.b, Multipliers(np.array([self.b]), 0.0)
        )
        upper = 0.5 * float(self.v @ self.v) + loss
        u = self.root.spread(self.v)
        return FactorSolution(feasible, c, u, self.b, curvature, self.delta, lower, upper)


def with_sum(machine: Machine, a: Array, inside: Mask, total: float) -> Array:
    """Coefficients in the box with this sum, near to ``a``: first those inside are moved."""
    if machine.risk_sets is not None:  # the last risk set takes what is left
        return repaired(machine.risk_sets, a)
    low, high = machine.breakpoints[:, 0], machine.breakpoints[:, -1]
    for movable in (inside, inside, inside, np.ones(len(a), dtype=bool)):
        left = total - float(a.sum())
        if abs(left) <= 1e-15 * float(np.abs(a).sum()):
            break
        room = np.where(movable, high - a if left > 0 else a - low, 0.0)
        # As much as any could need, where there is no end to the room.
        room = np.minimum(room, abs(left))
        if room.sum() > 0:
            a = np.clip(a + left * room / room.sum(), low, high)
    return a


def _zero(
    slope: Callable[[float], float],
    low: float,
    high: float,
    at_low: float,
    at_high: float,
    enough: float,
) -> float:
    """An approximate zero of an increasing function, between a negative and a positive value."""
    for i in range(30):
        # Every third time the middle, so that one end cannot stay where it is for ever.
        share = 0.5 if i % 3 == 2 else at_low / (at_low - at_high)
        middle = low + share * (high - low)
        at = slope(middle)
        if abs(at) <= enough:
            return middle
        if at < 0:
            low, at_low = middle, at
        else:
            high, at_high = middle, at
    return low
