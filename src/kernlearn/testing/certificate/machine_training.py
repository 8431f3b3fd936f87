"""Machines trained by the judge's own interior-point method: upper bounds at any kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernlearn.testing.certificate.definitions import Definition
from kernlearn.testing.certificate.partial_likelihood import PartialLikelihood
from kernlearn.typing import Array, LongArray, Mask

STEPS = 60
SHORT = 0.3  # a step of less is followed by one towards the middle


def solve_boxes(Q: Array, q: Array, A: Array, b: Array, u: Array) -> tuple[Array, Array]:
    r"""Minimisers and multipliers of ``A x = b``, as well as they could be found.

    .. math::

        \min_x \; \tfrac12 x^\top Q x + q^\top x \quad\text{subject to}\quad
        A x = b, \quad 0 \le x \le u .

    Mehrotra's predictor and corrector on dense matrices, for many programs of one shape in step:
    each is so small that calling takes longer than computing. Accuracy is a convenience only: the
    solutions are judged by values recomputed from definitions, which hold for any x. The first
    axis of everything but A, which they share, is that of the programs.
    """
    programs = _Programs(Q, q, A, b, u)
    x, y, least = programs.x.copy(), programs.y.copy(), np.full(len(Q), np.inf)
    going = np.arange(len(Q))
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            error = programs.error()
            better = error < least[going]
            which = going[better]
            x[which], y[which], least[which] = programs.x[better], programs.y[better], error[better]
            unfinished = (error > 1e-13) & (error < np.inf)
            going = going[unfinished]
            if not len(going):
                break
            programs.keep(unfinished)
            programs.step()
    return x, y


class _Programs:
    """The iterates: x, its distance s to a cap, and the multipliers z, v of the two bounds.

    Without a cap, s is infinite and v is zero.
    """

    def __init__(self, Q: Array, q: Array, A: Array, b: Array, u: Array) -> None:
        self.Q, self.q, self.A, self.b, self.u = Q, q, A, b, u
        (m, n), r = q.shape, len(A)
        self.capped = np.isfinite(u)
        self.pairs = n + self.capped.sum(axis=1)
        self.x = np.where(self.capped, 0.5 * np.minimum(u, 2.0), 1.0)
        self.z, self.v, self.y = np.ones((m, n)), np.where(self.capped, 1.0, 0.0), np.zeros((m, r))
        self.length = np.ones((m, 1))  # of the last step
        self.system = np.zeros((m, n + r, n + r))  # without what changes: the diagonal
        self.system[:, :n, :n], self.system[:, :n, n:], self.system[:, n:, :n] = Q, -A.T, A
        self.system[:, range(n + r), range(n + r)] += 1e-14

    def keep(self, which: Mask) -> None:
        """Go on with some of them."""
        if not which.all():
            for name, value in vars(self).items():
                if name != "A":
                    setattr(self, name, value[which])

    def error(self) -> Array:
        self.s = self.u - self.x
        self.dual = _product(self.Q, self.x) + self.q - self.y @ self.A - self.z + self.v
        self.primal = self.x @ self.A.T - self.b
        self.mu = self._complementarity(self.x, self.z, self.s, self.v)
        residuals = np.concatenate([self.dual, self.primal], axis=1)
        return np.asarray(np.maximum(np.abs(residuals).max(axis=1), self.mu))

    def step(self) -> None:
        KKT = self.system.copy()
        diagonal = np.arange(self.x.shape[1])
        KKT[:, diagonal, diagonal] += self.z / self.x + self.v / self.s
        dx, dy, dz, dv = self._direction(KKT, np.zeros(len(KKT)), 0.0, 0.0)
        t = self._length(dx, dz, dv)
        after = self._complementarity(
            self.x + t * dx, self.z + t * dz, self.s - t * dx, self.v + t * dv
        )
        centre = np.where(self.mu > 0, self.mu * (after / self.mu) ** 3, 0.0)
        # Products that differ much hold every step back, and a correction by them goes astray.
        straight = self.length >= SHORT
        centre = np.where(straight[:, 0], centre, self.mu)
        dx, dy, dz, dv = self._direction(KKT, centre, straight * dx * dz, straight * -dx * dv)
        t = 0.995 * self._length(dx, dz, dv)
        self.length = np.where(straight, t, 1.0)
        self.x, self.y = self.x + t * dx, self.y + t * dy
        self.z, self.v = self.z + t * dz, self.v + t * dv

    def _complementarity(self, x: Array, z: Array, s: Array, v: Array) -> Array:
        total = (x * z).sum(axis=1) + (s * v).sum(axis=1, where=self.capped)
        return np.asarray(total / self.pairs)

    def _direction(
        self, KKT: Array, centre: Array, low: Array | float, high: Array | float
    ) -> tuple[Array, Array, Array, Array]:
        low, high = centre[:, None] - low, centre[:, None] - high
        right = low / self.x - self.z - (high / self.s - self.v) - self.dual
        step = _solve(KKT, np.concatenate([right, -self.primal], axis=1))
        dx, dy = np.split(step, [self.x.shape[1]], axis=1)
        dz = (low - self.z * dx) / self.x - self.z
        dv = (high + self.v * dx) / self.s - self.v
        return dx, dy, dz, dv

    def _length(self, dx: Array, dz: Array, dv: Array) -> Array:
        """The longest steps, at most one, that keep every positive vector positive."""
        value = np.concatenate([self.x, self.s, self.z, self.v], axis=1)
        change = np.concatenate([dx, -dx, dz, dv], axis=1)
        lengths = np.where(change < 0, -value / change, 1.0)
        return np.asarray(np.minimum(1.0, lengths.min(axis=1, keepdims=True)))


def _product(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def _solve(matrices: Array, vectors: Array) -> Array:
    """One system after another only where one is singular: its program goes no further."""
    try:
        return np.asarray(np.linalg.solve(matrices, vectors[..., None])[..., 0])
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(vectors, np.nan)
        return np.concatenate(
            [_solve(A[None], b[None]) for A, b in zip(matrices, vectors, strict=True)]
        )


REGRESSIONS = ("epsilon_svr", "nu_svr", "least_squares", "huber", "quantile")
WIDE = 1e7  # a hard margin's box, in units where K has size one


def best_values(machines: Sequence[Definition], K: LongArray) -> list[float]:
    """Primal values of functions trained at each K: no machine's value there is above its own.

    The machines may differ in their ridge, and in nothing else.
    """
    coefficients, intercepts = train(machines, K.astype(float))
    values = []
    for machine, gram, a, b in zip(machines, K, coefficients, intercepts, strict=True):
        value = np.inf
        if np.isfinite(a).all():
            value = float(machine.primal(gram, a.astype(np.longdouble), float(b)))
        values.append(value if np.isfinite(value) else np.inf)
    return values


def train(machines: Sequence[Definition], K: Array) -> tuple[Array, Array]:
    """Coefficients and intercepts, in units where kernels and targets have size one."""
    machine = machines[0]
    y = machine.y.astype(float)
    size = np.abs(np.diagonal(K, axis1=1, axis2=2)).mean(axis=1, keepdims=True)
    size[size == 0] = 1.0
    spread = 1.0
    centre = 0.0
    if machine.quality in REGRESSIONS:
        centre = float(np.median(y))
        spread = float(np.abs(y - centre).max()) or 1.0
    unit = spread / size
    if machine.quality in ("nu_svm", "one_class"):
        unit = np.ones_like(size)
    Q = K / size[:, None]
    if machine.quality == "lagrangian":
        Q = Q + 1.0 / size[:, None]  # the squared intercept, as part of the kernel
    ridge = np.array([each.diagonal for each in machines]).astype(float) / size
    points = np.arange(len(y))
    Q[:, points, points] += ridge
    upper = machine.upper.astype(float) / unit
    if machine.quality == "hard_margin":
        upper = np.where(ridge.any(axis=1, keepdims=True), upper, WIDE)
    target = (y - centre) / spread
    if machine.quality in ("least_squares", "alignment"):
        a, b = _linear_systems(Q, target, machine.quality == "least_squares")
    elif machine.quality in ("logistic", "cox"):
        a, b = _by_newton(machine, K / size[:, None], upper)
    elif machine.quality in ("huber", "quantile"):
        a, b = _boxed(Q, target, machine.lower.astype(float) / unit, upper)
    elif machine.quality in ("epsilon_svr", "nu_svr"):
        a, b = _two_sided(machine, Q, target, upper, machine.epsilon / spread)
    else:
        a, b = _one_sided(machine, Q, y, upper)
    if machine.quality == "lagrangian":
        return a * unit, b * unit[:, 0]
    return a * unit, b * (unit * size)[:, 0] + centre


def _linear_systems(Q: Array, y: Array, intercept: bool) -> tuple[Array, Array]:
    m, n = Q.shape[:2]
    if not intercept:
        return np.array([np.linalg.lstsq(A, y, rcond=1e-15)[0] for A in Q]), np.zeros(m)
    bordered = np.ones((m, n + 1, n + 1))
    bordered[:, :n, :n], bordered[:, n, n] = Q, 0.0
    right = np.append(y, 0.0)
    solution = np.array([np.linalg.lstsq(A, right, rcond=1e-15)[0] for A in bordered])
    return solution[:, :n], solution[:, n]


def _boxed(Q: Array, y: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Coefficients in a box that sum to zero, from its lower end on."""
    q, rhs = _product(Q, low) - y, -low.sum(axis=1, keepdims=True)
    x, multipliers = solve_boxes(Q, q, np.ones((1, len(y))), rhs, high - low)
    return low + x, -multipliers[:, 0]


SmoothLoss = tuple[Callable[[Array], float], Callable[[Array], tuple[Array, Array]]]
"""A loss of values; its negative slope and its second derivative."""


def _by_newton(machine: Definition, K: Array, upper: Array) -> tuple[Array, Array]:
    """Coefficients of smooth losses by damped Newton steps, for kernels and C one by one."""
    of = _logistic if machine.quality == "logistic" else _cox
    found = [
        _minimiser(gram, machine.signed, *of(machine, c)) for gram, c in zip(K, upper, strict=True)
    ]
    coefficients, intercepts = zip(*found, strict=True)
    return np.array(coefficients), np.array(intercepts)


def _minimiser(
    K: Array,
    intercept: bool,
    loss: Callable[[Array], float],
    derivatives: Callable[[Array], tuple[Array, Array]],
) -> tuple[Array, float]:
    """Solve a = −L′(f), where f = Ka + b and Σa = 0, or f = Ka; each step lowers the value."""
    n, a, b = len(K), np.zeros(len(K)), 0.0
    value = loss(K @ a)
    for _ in range(STEPS):
        pull, curvature = derivatives(K @ a + b)
        system, residual = np.eye(n) + curvature @ K, pull - a
        if intercept:
            system = np.block([[system, curvature.sum(axis=1)[:, None]], [np.ones((1, n)), 0.0]])
            residual = np.append(residual, -a.sum())
        step = np.append(np.linalg.lstsq(system, residual, rcond=1e-15)[0], 0.0)
        for length in 0.5 ** np.arange(28.0):
            next_a, next_b = a + length * step[:n], b + length * step[n]
            next_value = 0.5 * next_a @ K @ next_a + loss(K @ next_a + next_b)
            if next_value <= value:
                break
        if not next_value < value:
            break
        a, b, value = next_a, next_b, next_value
    return a, float(b)


def _logistic(machine: Definition, cost: Array) -> SmoothLoss:
    y = machine.y.astype(float)

    def derivatives(f: Array) -> tuple[Array, Array]:
        p = 1.0 / (1.0 + np.exp(np.clip(y * f, -700.0, 700.0)))
        return cost * y * p, np.diag(cost * p * (1.0 - p))

    return lambda f: float(cost @ np.logaddexp(0.0, -y * f)), derivatives


def _cox(machine: Definition, cost: Array) -> SmoothLoss:
    weight = machine.sample_weight.astype(float)
    likelihood = PartialLikelihood(machine.likelihood.time, cost, weight, machine.ties)
    return lambda f: float(likelihood.loss(f)), likelihood.derivatives


def _one_sided(machine: Definition, Q: Array, y: Array, upper: Array) -> tuple[Array, Array]:
    m, n = upper.shape
    sign = np.ones(n) if machine.quality in ("one_class", "ranking") else y
    q = -np.ones(n)
    rows, rhs = sign[None, :], np.zeros(1)
    if machine.quality in ("lagrangian", "ranking"):
        rows, rhs = np.zeros((0, n)), np.zeros(0)
    if machine.quality == "nu_svm":
        q, rows, rhs = np.zeros(n), np.stack([sign, np.ones(n)]), np.array([0.0, machine.nu])
    if machine.quality == "one_class":
        q, rhs = np.zeros(n), np.ones(1)
    q, rhs = np.tile(q, (m, 1)), np.tile(rhs, (m, 1))
    x, multipliers = solve_boxes(Q * np.outer(sign, sign), q, rows, rhs, upper)
    a = sign * x
    if machine.quality == "lagrangian":
        return a, a.sum(axis=1)
    if machine.quality == "ranking":
        return a, np.zeros(m)
    return a, -multipliers[:, 0]


def _two_sided(
    machine: Definition, Q: Array, y: Array, upper: Array, epsilon: float
) -> tuple[Array, Array]:
    m, n = upper.shape
    Q2 = np.concatenate([np.concatenate([Q, -Q], axis=1), np.concatenate([-Q, Q], axis=1)], axis=2)
    rows = np.append(np.ones(n), -np.ones(n))[None, :]
    rhs, bounds = np.zeros((m, 1)), np.tile(upper, 2)
    if machine.quality == "epsilon_svr":
        q = np.append(epsilon - y, epsilon + y)
    else:
        # The budget gets a slack variable of its own.
        q = np.append(np.append(-y, y), 0.0)
        Q2 = np.pad(Q2, ((0, 0), (0, 1), (0, 1)))
        rows = np.vstack([np.append(rows, 0.0), np.ones(2 * n + 1)])
        rhs = np.column_stack([np.zeros(m), machine.nu * upper.sum(axis=1)])
        bounds = np.column_stack([bounds, np.full(m, np.inf)])
    x, multipliers = solve_boxes(Q2, np.tile(q, (m, 1)), rows, rhs, bounds)
    return x[:, :n] - x[:, n : 2 * n], -multipliers[:, 0]
