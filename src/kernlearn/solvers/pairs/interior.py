r"""A predictor-corrector interior-point method for hinge losses over a cone.

.. math::

    \min\ \tfrac12 x^\top Q x + \sum_p \xi_p \quad\text{s.t.}\quad
    t_p((Fx)_p + b) - 1 + \xi_p = s_p,\quad x = A^\top\alpha,\quad s, \xi, \alpha \ge 0

With multipliers a of the margins and u of the cone, the optimum has :math:`Qx = F^\top(t a) + u`,
:math:`t^\top a = 0` and :math:`Au = z \ge 0`, and the products :math:`s a`, :math:`\xi(1 - a)` and
:math:`\alpha z` vanish. Steps aim at products of σμ, and a second solve with the same factors
corrects for the curvature of the products (Mehrotra 1992). If the step is short, further solves
bring back products that have strayed from the rest (Gondzio 1996).

With D and E the positive diagonals that are left of the complementarity conditions,
:math:`h = F^\top D 1`, :math:`d = 1^\top D 1`, and A the matrix that takes the coefficients of a
cone to :math:`x = A^\top\alpha`, a step solves

.. math::

    (Q + F^\top D F)\,\Delta x + h\,\Delta b - \Delta u = p, \quad
    h^\top \Delta x + d\,\Delta b = q, \quad
    \Delta x + A^\top E A\,\Delta u = c .

Eliminating b leaves :math:`H = Q + F^\top D F - h h^\top / d`, which is positive definite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrmm, dtrsv
from scipy.linalg.lapack import dpotrf

from kernlearn.solvers.pairs.pair_kernel import times_factor, times_transpose, weighted_gram
from kernlearn.typing import Array


class Breakdown(Exception):
    """Rounding has left a matrix that is not positive definite: no further step is possible."""


class FreeSystem:
    r"""A program min ½xᵀQx + Σ [1 − t(Fx + b)]₊ without a cone: x = w, Q = I/C and F = G.

    Its Newton steps cost one weighted product and r³/3. Programs over a cone x = Aᵀα, α ≥ 0, derive
    from it; `inside` is a vector u with Au > 0.
    """

    def __init__(self, factor: Array, C: float, inside: Array | None = None) -> None:
        self.F, self._C = factor, C
        self.inside = np.zeros(factor.shape[1]) if inside is None else inside

    def curvature(self, x: Array) -> Array:
        """Q x."""
        return x / self._C

    def forward(self, x: Array, u: Array) -> tuple[Array, Array]:
        """F x and A u."""
        return times_factor(self.F, x), np.empty(0)

    def adjoint(self, v: Array, alpha: Array) -> tuple[Array, Array]:
        """Fᵀ v and Aᵀ α."""
        return times_transpose(self.F, v), np.zeros(self.F.shape[1])

    def factorise(self, D: Array, E: Array) -> None:
        """Prepare the steps at these diagonals."""
        H = self._reduced(D)
        H.flat[:: len(H) + 1] += 1.0 / self._C
        self._L = _cholesky(H)

    def solve(self, p: Array, q: float, c: Array) -> tuple[Array, float, Array]:
        """Return Δx, Δb and Δu."""
        dx = _solve(self._L, self._without_b(p, q))
        return dx, self._b(q, dx), np.zeros_like(dx)

    def _reduced(self, D: Array) -> Array:
        self._h, self._d = times_transpose(self.F, D), float(D.sum())
        return weighted_gram(self.F, D, self._h / self._d)

    def _without_b(self, p: Array, q: float) -> Array:
        return p - self._h * (q / self._d)

    def _b(self, q: float, step: Array) -> float:
        return (q - float(self._h @ step)) / self._d


class CoordinateSystem(FreeSystem):
    """x = α itself: F and CQ are parts of K, and A = I. The cheaper cone at nearly full rank."""

    def __init__(self, F: Array, Q: Array, inside: Array) -> None:
        super().__init__(F, 1.0, inside)
        self._Q = Q

    def curvature(self, x: Array) -> Array:
        """Q x."""
        return self._Q @ x

    def forward(self, x: Array, u: Array) -> tuple[Array, Array]:
        """F x and A u."""
        return times_factor(self.F, x), u

    def adjoint(self, v: Array, alpha: Array) -> tuple[Array, Array]:
        """Fᵀ v and Aᵀ α."""
        return times_transpose(self.F, v), alpha

    def factorise(self, D: Array, E: Array) -> None:
        """Prepare the steps at these diagonals."""
        self._E = E
        H = self._reduced(D)
        H += self._Q
        H.flat[:: len(H) + 1] += 1.0 / E
        self._L = _cholesky(H)

    def solve(self, p: Array, q: float, c: Array) -> tuple[Array, float, Array]:
        """Return Δx, Δb and Δu."""
        dx = _solve(self._L, self._without_b(p + c / self._E, q))
        return dx, self._b(q, dx), (c - dx) / self._E


class RowSystem(FreeSystem):
    r"""x = w in the cone of rows of G: Q = I/C, F = G. The cost is linear in the number of pairs.

    With :math:`H = LL^\top` and :math:`\Delta u = L v` the unknown v solves
    :math:`(I + L^\top A^\top E A L) v = L^\top c - L^{-1} p`, which is positive definite without
    an inverse having been formed.
    """

    def __init__(self, factor: Array, rows: Array, C: float, inside: Array) -> None:
        super().__init__(factor, C, inside)
        self._A = rows

    def forward(self, x: Array, u: Array) -> tuple[Array, Array]:
        """F x and A u."""
        if self._A is not self.F:
            return times_factor(self.F, x), times_factor(self._A, u)
        # One pass over the factor for both: at this size its reading takes the time.
        both = times_factor(self.F, np.column_stack([x, u]))
        return both[:, 0], both[:, 1]

    def adjoint(self, v: Array, alpha: Array) -> tuple[Array, Array]:
        """Fᵀ v and Aᵀ α."""
        if self._A is not self.F:
            return times_transpose(self.F, v), times_transpose(self._A, alpha)
        both = times_transpose(self.F, np.column_stack([v, alpha]))
        return both[:, 0], both[:, 1]

    def factorise(self, D: Array, E: Array) -> None:
        """Prepare the steps at these diagonals."""
        super().factorise(D, E)
        M = dtrmm(1.0, self._L, weighted_gram(self._A, E), side=1, lower=1)
        M = dtrmm(1.0, self._L, M, side=0, lower=1, trans_a=1)
        M[np.diag_indices_from(M)] += 1.0
        self._M = _cholesky(M)

    def solve(self, p: Array, q: float, c: Array) -> tuple[Array, float, Array]:
        """Return Δx, Δb and Δu."""
        half = dtrsv(self._L, self._without_b(p, q), lower=1)
        v = _solve(self._M, self._L.T @ c - half)
        dx = dtrsv(self._L, v + half, lower=1, trans=1)
        return dx, self._b(q, dx), self._L @ v


def _cholesky(H: Array) -> Array:
    """The lower factor with zeros above, column by column as LAPACK keeps it."""
    # The matrix is symmetric, and its transpose is what LAPACK reads without a copy.
    L, info = dpotrf(H.T, lower=1, clean=1, overwrite_a=1)
    if info != 0 or not np.isfinite(L[-1, -1]):
        raise Breakdown
    return np.asarray(L)


def _solve(L: Array, rhs: Array) -> Array:
    # One right-hand side: the solvers for many would spend their time on preparing the matrix.
    return np.asarray(dtrsv(L, dtrsv(L, rhs, lower=1), lower=1, trans=1))


@dataclass(frozen=True)
class PairInteriorOptions:
    """Lengths of steps, and the number of their corrections."""

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
    values: Array  # Fx
    against: Array  # Au

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
        # After an overflow of the last steps, no progress is possible.
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
        """A direction, and the length of the step along it."""
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
        """Correction that returns outlying products to the range of the others (Gondzio 1996)."""
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
