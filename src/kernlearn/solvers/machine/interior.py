r"""A machine solved by an interior-point method: slow, but robust to ill-conditioning.

Every segment of the piecewise-linear term is a block of variables :math:`0 \le z_j \le w_j` with
:math:`a = t + \sum_j s_j z_j`, :math:`s_j = \pm1`; convexity fills them in order. A budget on
:math:`\lVert a\rVert_1 = \sum_j z_j` is one more equality, with a slack. Mehrotra's predictor and
corrector take one Cholesky factorisation of the size of K per step: since all blocks share
K, a step :math:`D_j\,dz_j + s_j K u = r_j` with :math:`u = \sum_j s_j\,dz_j` comes down to
:math:`(K + E^{-1})\,u = E^{-1} \sum_j s_j D_j^{-1} r_j`, where :math:`E = \sum_j D_j^{-1}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor, solve_factored
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.typing import Array


@dataclass(frozen=True)
class InteriorPointOptions:
    """Conditions that end the predictor-corrector method, and the unit of the coefficients."""

    max_steps: int = 80
    small: float = 1e-15  # residuals and complementarity, in units of one
    step: float = 0.995  # part of the way to the boundary
    stalled: int = 8  # steps without a better point
    units: tuple[float, float] = (1e-2, 1e2)  # sizes of coefficients that need no other unit


OPTIONS = InteriorPointOptions()


def interior_points(K: Array, machine: Machine) -> Iterator[tuple[Array, Multipliers]]:
    """Coefficients and multipliers of ``machine`` at ``K``, by one way after the other.

    The package's method has the better digits on tame problems, ours comes through on wild ones.
    If the targets cannot be fitted, coefficients grow until the box or the ridge stops them, and
    are far from one; no single unit suits both kinds of problem, so the last way has its own.
    """
    if not np.isfinite(machine.breakpoints).any():
        yield _linear_system(K, machine)
        return
    found = _by_package(K, machine)
    if found is not None:
        yield found
    yield _solve(K, machine)
    with np.errstate(divide="ignore"):
        bounds = np.append(np.abs(machine.breakpoints).ravel(), 1.0 / machine.ridge)
    bounds = bounds[np.isfinite(bounds) & (bounds > 0)]
    unit = float(np.median(bounds)) if len(bounds) else 1.0
    if not OPTIONS.units[0] <= unit <= OPTIONS.units[1]:
        a, multipliers = _solve(K * unit, machine.rescaled(1.0 / unit, 1.0))
        yield a * unit, multipliers


def _by_package(K: Array, machine: Machine) -> tuple[Array, Multipliers] | None:
    """The same blocks of variables as one large quadratic program; None if that fails."""
    program = _SegmentProgram(K, machine)
    n, k, r = len(K), len(program.sign), len(machine.rows)
    sign = program.sign.ravel()
    # The ridge is of the sum of the blocks.
    P = np.tile(K + np.diag(machine.ridge), (k, k)) * np.outer(sign, sign)
    linear = program.sign * ((K @ program.base) + machine.ridge * program.base) + program.cost
    rows = program.rows.transpose(1, 0, 2).reshape(len(program.rhs), n * k)
    budget = (rows[r:], program.rhs[r:]) if program.budgeted else ()
    low, high = np.zeros(n * k), program.width.ravel()
    solution = quadratic_program(P, linear.ravel(), rows[:r], program.rhs[:r], low, high, *budget)
    if solution is None:
        return None
    a = program.base + (program.sign * solution.x.reshape(k, n)).sum(axis=0)
    return a, Multipliers(solution.equality, float(solution.inequality.sum()))


def _linear_system(K: Array, machine: Machine) -> tuple[Array, Multipliers]:
    """The solution without bounds; by eigenvectors, if the matrix is nearly singular."""
    n, r = len(K), len(machine.rows)
    bordered = np.zeros((n + r, n + r))
    bordered[:n, :n] = K
    bordered.flat[: n * (n + r) : n + r + 1] += machine.ridge
    bordered[n:, :n], bordered[:n, n:] = machine.rows, machine.rows.T
    values, vectors = lowest_eigenpairs(bordered, n + r)
    kept = np.abs(values) > np.finfo(float).eps * np.abs(values).max()
    right = np.append(machine.linear, machine.rhs)
    solution = vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept])
    return solution[:n], Multipliers(solution[n:], 0.0)


def _solve(K: Array, machine: Machine) -> tuple[Array, Multipliers]:
    program = _SegmentProgram(K, machine)
    best, smallest, left = program.point(), np.inf, OPTIONS.stalled
    with np.errstate(all="ignore"):  # a NaN ends the iteration
        for _ in range(OPTIONS.max_steps):
            error = program.error()
            left -= 1
            if error < smallest:
                best, smallest, left = program.point(), error, OPTIONS.stalled
            if error < OPTIONS.small or left == 0 or not np.isfinite(error):
                break
            try:
                program.step()
            except LinAlgError:
                break
    return best


class _SegmentProgram:
    """The iterate of the method: z, the slack of the budget, and the multipliers of both.

    Arrays of the budget have one entry, or none without a budget.
    """

    def __init__(self, K: Array, machine: Machine) -> None:
        self.K, self.machine = K, machine
        low, high = machine.breakpoints[:, :-1].T, machine.breakpoints[:, 1:].T
        # Counted from the end that is nearer to zero, which is zero for both sides of a tube.
        k = machine.slopes.shape[1]
        downwards = np.abs(high) < np.abs(low)
        self.sign = np.where(downwards, -1.0, 1.0)
        self.base = np.where(downwards, high, low)[0] if k == 1 else np.zeros(len(K))
        self.width = high - low
        self.capped = np.isfinite(self.width)
        self.cost = self.sign * (machine.slopes.T - machine.linear)
        self.rows = self.sign[:, None, :] * machine.rows
        self.rhs = machine.rhs - machine.rows @ self.base
        self.budgeted = bool(np.isfinite(machine.budget))
        if self.budgeted:
            self.rows = np.concatenate([self.rows, np.ones((k, 1, len(K)))], axis=1)
            self.rhs = np.append(self.rhs, machine.budget)
        self.r = len(machine.rows)
        self.z = np.where(self.capped, 0.5 * np.minimum(self.width, 2.0), 1.0)
        self.lower, self.upper = np.ones_like(self.z), np.where(self.capped, 1.0, 0.0)
        self.slack, self.price = np.ones(int(self.budgeted)), np.ones(int(self.budgeted))
        self.y = np.zeros(len(self.rhs))
        self.size = 1.0 + float(np.abs(self.cost).max())

    def point(self) -> tuple[Array, Multipliers]:
        """The coefficients, and the machine's multipliers."""
        budget = max(float(-self.y[self.r :].sum()), 0.0)
        return self._coef(), Multipliers(-self.y[: self.r], budget)

    def _coef(self) -> Array:
        return np.asarray(self.base + (self.sign * self.z).sum(axis=0))

    def error(self) -> float:
        """Largest residual of the optimality conditions; prepares a step from the point."""
        self.gap = np.where(self.capped, self.width - self.z, 1.0)
        a = self._coef()
        pull = self.sign * (self.K @ a + self.machine.ridge * a)
        prices = np.einsum("r,krn->kn", self.y, self.rows)
        self.dual = pull + self.cost - prices - self.lower + self.upper
        self.primal = np.einsum("krn,kn->r", self.rows, self.z) - self.rhs
        self.primal[self.r :] += self.slack
        self.pairs = self.z.size + int(self.capped.sum()) + self.budgeted
        product = float((self.z * self.lower).sum() + (self.gap * self.upper).sum())
        self.mu = (product + float(self.slack @ self.price)) / self.pairs
        dual = float(np.abs(self.dual).max()) / self.size
        return max(dual, float(np.abs(self.primal).max(initial=0.0)), self.mu)

    def step(self) -> None:
        """One predictor-corrector step, from the residuals that :meth:`error` has prepared."""
        gap, mu = self.gap, self.mu
        system = _NewtonSystem(self)
        none = np.zeros_like(self.z)
        dz, _, ds, dl, du, dp = system.direction(0.0, none, none, np.zeros_like(self.slack))
        t = self._length(dz, ds, dl, du, dp)
        after = float(((self.z + t * dz) * (self.lower + t * dl)).sum())
        after += float(((gap - t * dz) * (self.upper + t * du))[self.capped].sum())
        after += float((self.slack + t * ds) @ (self.price + t * dp))
        centre = mu * (max(after / self.pairs, 0.0) / mu) ** 3 if mu > 0 else 0.0
        dz, dy, ds, dl, du, dp = system.direction(centre, dz * dl, -dz * du, ds * dp)
        t = OPTIONS.step * self._length(dz, ds, dl, du, dp)
        self.z, self.y, self.slack = self.z + t * dz, self.y + t * dy, self.slack + t * ds
        self.lower, self.upper = self.lower + t * dl, self.upper + t * du
        self.price = self.price + t * dp

    def _length(self, dz: Array, ds: Array, dl: Array, du: Array, dp: Array) -> float:
        """The longest step, at most one, that keeps positive variables positive."""
        capped = self.capped
        changes = [
            (self.z, dz),
            (self.gap[capped], -dz[capped]),
            (self.lower, dl),
            (self.upper[capped], du[capped]),
            (self.slack, ds),
            (self.price, dp),
        ]
        falling = [-value[change < 0] / change[change < 0] for value, change in changes]
        return min([1.0, *(float(ratios.min()) for ratios in falling if len(ratios))])


class _NewtonSystem:
    """The linear system of one step, factorised."""

    def __init__(self, program: _SegmentProgram) -> None:
        self.program = program
        bounded = np.where(program.capped, program.upper / program.gap, 0.0)
        self.D = program.lower / program.z + bounded
        self.E_inverse = 1.0 / (1.0 / self.D).sum(axis=0)
        matrix = program.K.copy()
        jitter = np.finfo(float).eps * float(np.abs(matrix.diagonal()).mean())
        matrix.flat[:: len(matrix) + 1] += program.machine.ridge + self.E_inverse + jitter
        if not np.isfinite(self.E_inverse).all():
            raise LinAlgError("a bound is reached to the last digit")
        self.factor = lower_factor(matrix)
        self.across = self._solve(program.rows.transpose(0, 2, 1))
        self.schur = np.einsum("krn,knq->rq", program.rows, self.across)
        self.schur.flat[:: len(self.schur) + 1] += np.finfo(float).tiny
        self.schur[program.r :, program.r :] += program.slack / program.price

    def _solve(self, right: Array) -> Array:
        """M⁻¹ times blocks of shape (k, n, c)."""
        sign, D = self.program.sign[:, :, None], self.D[:, :, None]
        total = self.E_inverse[:, None] * (sign * right / D).sum(axis=0)
        u = solve_factored(self.factor, total)
        # Ku from the equation itself: E⁻¹u is what it was made of, less what is left of it.
        Ku = total - self.E_inverse[:, None] * u
        return np.asarray((right - sign * Ku) / D)

    def direction(
        self, centre: float, low: Array, high: Array, slack: Array
    ) -> tuple[Array, Array, Array, Array, Array, Array]:
        """Changes of z, y and the slack, then of the multipliers of both bounds and of the slack.

        The arguments are the product to aim at, and the second-order terms of the products.
        """
        p = self.program
        right = -p.dual + (centre - low) / p.z - p.lower
        right -= np.where(p.capped, (centre - high) / p.gap - p.upper, 0.0)
        alone = self._solve(right[:, :, None])[:, :, 0]
        missing = -p.primal - np.einsum("krn,kn->r", p.rows, alone)
        # The slack's dual is the price of the budget, which is minus its multiplier.
        target = (centre - slack) / p.price - p.slack
        missing[p.r :] -= target + (p.slack / p.price) * (p.price + p.y[p.r :])
        if not np.isfinite(missing).all() or not np.isfinite(self.schur).all():
            raise LinAlgError("the step is no number")
        dy = np.linalg.lstsq(self.schur, missing, rcond=None)[0] if len(missing) else missing
        dz = alone + self.across @ dy
        ds = -p.primal[p.r :] - np.einsum("krn,kn->r", p.rows[:, p.r :], dz)
        dl = (centre - low - p.lower * dz) / p.z - p.lower
        du = np.where(p.capped, (centre - high + p.upper * dz) / p.gap - p.upper, 0.0)
        dp = (centre - slack - p.price * ds) / p.slack - p.price
        return dz, dy, ds, dl, du, dp


def smallest_hull_distance(K: Array, machine: Machine) -> Iterator[tuple[Array, Multipliers]]:
    r"""The hard margin as the distance between the classes' convex hulls, which always exists.

    With u the two convex combinations and d² = uᵀKu the squared distance between them, the hard
    margin's coefficients are :math:`a = 2u/d^2`; the classes can be separated just if a function
    is found that separates them, which is checked on the function itself.
    """
    y = np.sign(machine.linear)
    positive = y > 0
    rows = np.stack([positive, ~positive]).astype(float)
    low, high = machine.breakpoints.T
    solution = quadratic_program(
        P=K, q=np.zeros(len(y)), A=rows, b=np.array([1.0, -1.0]), low=low, high=high
    )
    if solution is None:
        return
    u = solution.x
    f = K @ u
    lowest, highest = f[positive].min(), f[~positive].max()
    distance = float(u @ f)
    # A margin below the rounding of f counts as zero.
    if lowest - highest <= 1e-11 * max(np.abs(f).max(), float(K.diagonal().max())):
        return
    a = u * (2.0 / distance)
    b = -(lowest + highest) / distance
    yield a, Multipliers(np.array([b]), 0.0)
