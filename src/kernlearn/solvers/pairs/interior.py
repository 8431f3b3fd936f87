r"""A predictor-corrector interior-point method for hinge losses over a cone.

.. math::

    \min\ \tfrac12 x^\top Q x + \sum_p \xi_p \quad\text{s.t.}\quad
    t_p((Fx)_p + b) - 1 + \xi_p = s_p,\quad x = A^\top\alpha,\quad s, \xi, \alpha \ge 0

With multipliers a of the margins and u of the cone, the optimum has :math:`Qx = F^\top(t a) + u`,
:math:`t^\top a = 0` and :math:`Au = z \ge 0`, and the products :math:`s a`, :math:`\xi(1 - a)` and
:math:`\alpha z` vanish. Steps aim at products of σμ, and a second solve with the same factors
corrects for the curvature of the products (Mehrotra 1992). Where the step is short, further solves
bring back products that have strayed from the rest (Gondzio 1996).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernlearn.solvers.pairs.systems import Breakdown, FreeSystem
from kernlearn.typing import Array


@dataclass(frozen=True)
class PairInteriorOptions:
    """How long steps are, and how often they are corrected."""

    nearly: float = 0.995  # part of the way to the boundary that a step goes
    # Corrections that are tried, each with a step that is longer by so much, for products that
    # would leave this range around the goal. They take a third of the steps away (measured), and
    # cost two passes over the factor each, where a step takes two weighted products.
    corrections: int = 2
    further: float = 0.3
    spread: float = 0.1
    shortest: float = 1e-7  # a method that takes steps as short as this has stopped


OPTIONS = PairInteriorOptions()


@dataclass(eq=False)
class Iterate:
    """An iterate, or a direction from one.

    `slack` holds s, ξ and α one after the other, and `dual` the multipliers a, 1 − a and z that
    their products are taken with: few long arrays, since small problems spend their time on calls.
    """

    x: Array
    b: float
    u: Array
    slack: Array
    dual: Array
    values: Array
    """Fx."""
    against: Array
    """Au."""

    @property
    def a(self) -> Array:
        """The multipliers of the margins."""
        return self.dual[: len(self.values)]

    @property
    def alpha(self) -> Array:
        """The coefficients of the cone."""
        return self.slack[2 * len(self.values) :]

    @property
    def loss(self) -> float:
        """Σ ξ."""
        n = len(self.values)
        return float(self.slack[n : 2 * n].sum())

    @property
    def complementarity(self) -> float:
        """The duality gap once the equations hold."""
        return float(self.slack @ self.dual)

    def move(self, d: Iterate, step: float) -> None:
        """Add ``step`` times a direction."""
        self.x = self.x + step * d.x
        self.b += step * d.b
        self.u = self.u + step * d.u
        self.slack = self.slack + step * d.slack
        self.dual = self.dual + step * d.dual
        self.values = self.values + step * d.values
        self.against = self.against + step * d.against


def iterates(system: FreeSystem, labels: Array) -> Iterator[Iterate]:
    """Yield the point after every step, ever nearer to the optimum, until no step can be made."""
    point = _start(system, labels)
    while True:
        # Where the last steps overflow there is nothing to be gained any more.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            try:
                direction, step = _NewtonStep(system, labels, point).step()
            except Breakdown:
                return
            if not step > OPTIONS.shortest:
                return
            point.move(direction, step)
        yield point


def _start(system: FreeSystem, labels: Array) -> Iterate:
    """Inside all constraints, with equal products, and with values of about one."""
    n = len(labels)
    against = system.forward(np.zeros_like(system.inside), system.inside)[1]
    # Coefficients in inverse proportion: the scale of a row of A is of no importance.
    x = system.adjoint(np.zeros(n), 1.0 / against)[1]
    values = system.forward(x, np.zeros_like(x))[0]
    size = 1.0 / float(np.abs(values).mean()) if len(against) else 1.0
    margins = labels * (size * values) - 1.0
    xi = 1.0 + np.maximum(-margins, 0.0)
    dual = 0.5 / size
    return Iterate(
        x=size * x,
        b=0.0,
        u=dual * system.inside,
        slack=np.concatenate([xi + margins, xi, size / against]),
        dual=np.concatenate([np.full(2 * n, 0.5), dual * against]),
        values=size * values,
        against=dual * against,
    )


class _NewtonStep:
    """The linearised conditions at one point, with their factors."""

    def __init__(self, system: FreeSystem, labels: Array, at: Iterate) -> None:
        self.system, self.labels, self.at = system, labels, at
        n = self.n = len(labels)
        self.ratio = at.slack / at.dual
        self.D = 1.0 / (self.ratio[:n] + self.ratio[n : 2 * n])
        self.E = self.ratio[2 * n :]
        self.signed_D = labels * self.D
        system.factorise(self.D, self.E)
        pulled, generated = system.adjoint(labels * at.a, at.alpha)
        self.dual_left = system.curvature(at.x) - pulled - at.u
        self.balance_left = float(labels @ at.a)
        self.margin_left = labels * (at.values + at.b) - 1.0 - at.slack[:n] + at.slack[n : 2 * n]
        self.cone_left = at.x - generated
        self.against_left = at.against - at.dual[2 * n :]

    def step(self) -> tuple[Iterate, float]:
        """A direction, and how far to go along it."""
        at = self.at
        mu = at.complementarity / len(at.slack)
        first = self._direction(-at.slack)
        step = min(1.0, self._longest(first))
        ahead = (at.slack + step * first.slack) @ (at.dual + step * first.dual)
        goal = mu * (float(ahead) / len(at.slack) / mu) ** 3
        target = (goal - first.slack * first.dual) / at.dual - at.slack
        direction = self._direction(target)
        length = self._longest(direction)
        for _ in range(OPTIONS.corrections):
            if OPTIONS.nearly * length >= 1.0:
                break
            target = target + self._outliers(direction, min(1.0, length + OPTIONS.further), goal)
            corrected = self._direction(target)
            if self._longest(corrected) <= length:
                break
            direction, length = corrected, self._longest(corrected)
        return direction, min(1.0, OPTIONS.nearly * length)

    def _outliers(self, d: Iterate, step: float, goal: float) -> Array:
        """What would bring the products ahead of us back among the others (Gondzio 1996)."""
        products = (self.at.slack + step * d.slack) * (self.at.dual + step * d.dual)
        change = np.clip(products, OPTIONS.spread * goal, goal / OPTIONS.spread) - products
        return np.maximum(change, -goal / OPTIONS.spread) / self.at.dual

    def _direction(self, target: Array) -> Iterate:
        """Towards products that change by ``target``, given in units of the multipliers."""
        n, labels, system = self.n, self.labels, self.system
        rho = target[:n] - target[n : 2 * n] - self.margin_left
        pulled, generated = system.adjoint(
            self.signed_D * rho, target[2 * n :] - self.E * self.against_left
        )
        dx, db, du = system.solve(
            pulled - self.dual_left,
            self.balance_left + float(self.signed_D @ rho),
            generated - self.cone_left,
        )
        values, against = system.forward(dx, du)
        da = self.D * (rho - labels * (values + db))
        dual = np.concatenate([da, -da, against + self.against_left])
        return Iterate(dx, db, du, target - self.ratio * dual, dual, values, against)

    def _longest(self, d: Iterate) -> float:
        """The longest step that keeps every inequality."""
        fastest = -min(float((d.slack / self.at.slack).min()), float((d.dual / self.at.dual).min()))
        return 1.0 / fastest if fastest > 0 else np.inf
