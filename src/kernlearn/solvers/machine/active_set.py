r"""Exact solution of a machine from a good guess, by block exchanges of the active set.

With S the points strictly inside a segment of their :math:`\varphi_i` and the others held at
breakpoints, the optimality conditions are one linear system,

.. math::

    (K + \tau)_{SS}\, a_S + E_S^\top b = p_S - \text{slope}_S - K_{SB} a_B, \qquad
    E_S a_S = d - E_B a_B .

Solve it, move every point that left its segment to the breakpoint it crossed, free every held
point whose residual left the subdifferential, and repeat.  When this stops moving, the solution
is exact.  A small proximal term keeps the system well posed for kernels of low rank without
biasing the answer, since it vanishes as the iterates settle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor, minor, solve_factored
from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.typing import Array, Indices


@dataclass(frozen=True)
class ExchangeOptions:
    """Conditions for the end of exchanges in the active set, and for keeping a factor."""

    tolerance: float = 1e-10
    proximal: float = 1e-9  # weight of the proximal term, relative to the mean diagonal of K
    large: int = 300  # free points whose factor is kept from one exchange to the next,
    few: float = 0.12  # while at most this share of them changes places
    patience: int = 4  # full exchanges without progress before single exchanges take over


EXCHANGE = ExchangeOptions()
# Up to this share of the rows, to copy them takes less time than to multiply with all.
COPIED = 0.2


@dataclass(frozen=True, eq=False)
class MachineSolution:
    """Coefficients of a machine at one kernel, with what the outer method needs of them.

    The factor is of the points ``free``. Free points that are held after all have unit rows among
    ``free_rows``, beside the equalities. A few free points may be missing, which lowers the
    curvature a little.
    """

    coef: Array
    multipliers: Multipliers
    K_coef: Array
    state: Indices
    factor: Array | None
    free: Indices
    free_rows: Array
    lower: float
    upper: float

    @classmethod
    def of(
        cls,
        machine: Machine,
        coef: Array,
        K_coef: Array,
        multipliers: Multipliers,
        state: Indices,
        factor: Array | None,
        free: Indices,
        free_rows: Array,
    ) -> MachineSolution:
        """The solution with its two bounds."""
        lower = machine.lower_value(coef, K_coef)
        upper = machine.upper_value(coef, K_coef, multipliers)
        return cls(coef, multipliers, K_coef, state, factor, free, free_rows, lower, upper)

    @property
    def gap(self) -> float:
        """Upper minus lower bound on the machine's value at this kernel."""
        return self.upper - self.lower

    @property
    def relative_gap(self) -> float:
        """The gap in units of the value."""
        return self.gap / max(abs(self.upper), abs(self.lower), 1e-300)


def state_of(machine: Machine, a: Array) -> Indices:
    """Number of the breakpoint (even) or segment (odd) on which each coefficient lies."""
    points = machine.breakpoints
    # A box far wider than any coefficient must not swallow them all.
    slack = 1e-9 * np.minimum(points[:, -1] - points[:, 0], np.abs(a).max(initial=0.0))
    n, k = machine.slopes.shape
    state = np.ones(n, dtype=np.intp)
    for j in range(k + 1):
        state[a > points[:, j] + slack] = 2 * j + 1
        state[np.abs(a - points[:, j]) <= slack] = 2 * j
    return np.clip(state, 0, 2 * k)


def polish(
    K: Array,
    machine: Machine,
    coef: Array,
    state: Indices | None = None,
    max_iter: int = 12,
    options: ExchangeOptions = EXCHANGE,
) -> MachineSolution | None:
    """Exact solution near ``coef``, or None if the exchanges do not settle in ``max_iter``."""
    state = state_of(machine, coef) if state is None else state
    exchange = _Exchange(K, machine, coef, state, options)
    fewest, patience = np.inf, options.patience
    for _ in range(max_iter):
        try:
            exchange.solve()
        except LinAlgError:
            return None
        if not np.isfinite(exchange.a).all():
            return None
        proposal = exchange.proposal()
        (changed,) = (proposal != exchange.state).nonzero()
        if len(changed) == 0 and exchange.settled:
            # Does not hold for a released budget.
            if np.abs(exchange.a).sum() <= machine.budget * (1.0 + 1e-10):
                return exchange.result()
            exchange.budget_active = True
        if len(changed) < fewest:
            fewest, patience = len(changed), options.patience
        else:
            patience -= 1
        if patience < 0 and len(changed) > 1:
            changed = changed[-1:]
        exchange.state = exchange.state.copy()
        exchange.state[changed] = proposal[changed]
    return None


class _Exchange:
    """Working state of :func:`polish`."""

    def __init__(
        self, K: Array, machine: Machine, coef: Array, state: Indices, options: ExchangeOptions
    ) -> None:
        self.K, self.machine, self.a, self.state = K, machine, coef.astype(float), state
        self.options = options
        self.proximal = options.proximal * max(float(K.diagonal().mean()), 1e-300)
        self.edges = machine.edges
        self.budget_active = np.isfinite(machine.budget)
        self.epsilon = 0.0
        self.factor: Array | None = None
        self.base: Indices = np.zeros(0, dtype=np.intp)
        self.border: Array = np.zeros((0, 0))

    def solve(self) -> None:
        """Solve the linear system of the current active set."""
        machine, K = self.machine, self.K
        free, place = self.state % 2 == 1, self.state // 2
        (self.S,), (self.held,) = free.nonzero(), (~free).nonzero()
        self.segment, self.at = place[self.S], place[self.held]
        a = np.zeros(len(free))
        a[self.held] = machine.breakpoints[self.held, self.at]
        K_held = sparse_product(K, a)
        rows, rhs = self._rows(a)
        if len(self.S) == 0:
            self.base, self.factor, self.border = self.S, np.zeros((0, 0)), rows[:, self.S].T
            self.K_a, self.b, self.settled = K_held, self._middle_intercept(K_held), True
        else:
            S, before = self.S, self.a[self.S]
            target = machine.linear[S] - machine.slopes[S, self.segment]
            target += self.proximal * before - K_held[S]
            found, self.b = self._free_part(target, rows, rhs)
            a[S] = found
            drift = self.proximal * np.abs(found - before).max()
            self.settled = bool(drift <= self.options.tolerance)
            self.K_a = sparse_product(K, a)
        self.a, self.epsilon = a, 0.0
        r = len(machine.rows)
        if self.budget_active and len(self.b) > r:
            self.epsilon = float(self.b[r])
            if self.epsilon < 0:  # the budget does not bind: let it go
                self.budget_active, self.epsilon, self.settled = False, 0.0, False

    def _free_part(self, target: Array, rows: Array, rhs: Array) -> tuple[Array, Array]:
        r"""The coefficients of the free points, and the multipliers of the rows.

        The target t is that of the free points. With :math:`M = (K + \tau)_{FF}` of the points F
        that were free when it was factorised, D those of them that are held by now and N those that
        have become free,

        .. math::

            \begin{bmatrix} M & B \\ B^\top & C \end{bmatrix}
            \begin{bmatrix} x \\ v \end{bmatrix} = \begin{bmatrix} t_F \\ s \end{bmatrix},
            \quad B = [E_F^\top, I_{FD}, K_{FN}], \quad v = (b, \mu, a_N),

        where C holds the rows and the kernel of N. Nothing is factorised again for a few changes.
        """
        machine = self.machine
        dropped, new = self._changes()
        F, r, d = self.base, len(rows), len(dropped)
        border, right, own = rows[:, F].T, rhs, target
        if F is not self.S:
            of_all = np.zeros(rows.shape[1])
            of_all[self.S] = target
            own = of_all[F]
        if d:
            border = np.hstack([border, np.zeros((len(F), d))])
            border[dropped, r + np.arange(d)] = 1.0
            right = np.append(rhs, np.zeros(d))
        full = border
        corner = np.zeros((r + d + len(new), r + d + len(new)))
        if len(new):
            full = np.hstack([border, self.K[np.ix_(F, new)]])
            corner[:r, r + d :], corner[r + d :, :r] = rows[:, new], rows[:, new].T
            block = minor(self.K, new)
            block.flat[:: len(new) + 1] += self.proximal + machine.ridge[new]
            corner[r + d :, r + d :] = block
            right = np.append(right, target[np.searchsorted(self.S, new)])
        solved = solve_factored(self.factor, np.concatenate([own[:, None], full], axis=1))
        if not np.isfinite(solved).all():
            raise LinAlgError("the system of the free points has no solution in numbers")
        schur = full.T @ solved[:, 1:] - corner
        v = _least_squares(schur, full.T @ solved[:, 0] - right)
        x = solved[:, 0] - solved[:, 1:] @ v
        # One step of refinement: rounding in a nearly singular system shows in the equalities.
        correction = _least_squares(schur, full.T @ x + corner @ v - right)
        v, x = v + correction, x - solved[:, 1:] @ correction
        self.border = border
        if F is self.S:
            return x, v[:r]
        found = np.zeros(rows.shape[1])
        found[F] = x
        found[new] = v[r + d :]
        return found[self.S], v[:r]

    def _changes(self) -> tuple[Indices, Indices]:
        """Places of F that are held by now, and points beside it that are free.

        Many of them are no longer cheaper than a new F with its factor.
        """
        none = np.zeros(0, dtype=np.intp)
        if self.factor is not None and np.array_equal(self.base, self.S):
            return none, none
        if self.factor is not None and len(self.base) >= self.options.large:
            dropped = np.flatnonzero(self.state[self.base] % 2 == 0)
            new = np.setdiff1d(self.S, self.base, assume_unique=True)
            if len(dropped) + len(new) <= self.options.few * len(self.base):
                return dropped, new
        self.base = self.S
        matrix = minor(self.K, self.S)
        matrix.flat[:: len(self.S) + 1] += self.proximal + self.machine.ridge[self.S]
        self.factor = lower_factor(matrix)
        return none, none

    def _rows(self, held: Array) -> tuple[Array, Array]:
        """Equality rows on the free points, and what the held ones leave of their right side."""
        machine = self.machine
        rows, rhs = machine.rows, machine.rhs - machine.rows @ held
        if self.budget_active:
            sign = np.where(self.state < 2, -1.0, 1.0)
            rows = np.vstack([rows, sign])
            rhs = np.append(rhs, machine.budget - np.abs(held).sum())
        return rows, rhs

    def _middle_intercept(self, K_a: Array) -> Array:
        """With no free point any intercept in an interval will do: take its middle."""
        r = self.machine.rows.shape[0]
        if r != 1:
            return np.zeros(r)
        residual = self.machine.linear - K_a
        low = (residual - self.edges[self.held, self.at + 1]).max()
        high = (residual - self.edges[self.held, self.at]).min()
        if np.isinf(low) or np.isinf(high):
            return np.array([high if np.isinf(low) else low])
        return np.array([0.5 * (low + high)])

    def proposal(self) -> Indices:
        """The proposed piece of every point."""
        machine, S = self.machine, self.S
        state = self.state.copy()
        low, high = machine.breakpoints[S, self.segment], machine.breakpoints[S, self.segment + 1]
        tolerance = self.options.tolerance
        slack = tolerance * np.minimum(high - low, max(1.0, float(np.abs(self.a).max())))
        a = self.a[S]
        state[S[a < low - slack]] -= 1
        state[S[a > high + slack]] += 1
        held, j = self.held, self.at
        g = machine.linear - self.K_a - machine.rows.T @ self.b[: machine.rows.shape[0]]
        if machine.has_ridge:
            g -= machine.ridge * self.a
        g, below, above = g[held], self.edges[held, j], self.edges[held, j + 1]
        if self.epsilon:
            # Effect of the budget's multiplier on the slope left of breakpoints 0, 1, 2, (3).
            tube = np.array([0.0, -self.epsilon, self.epsilon, 0.0])
            below, above = below + tube[j], above + tube[j + 1]
        state[held[g < below - tolerance]] -= 1
        state[held[g > above + tolerance]] += 1
        return state

    def result(self) -> MachineSolution | None:
        """Pack the settled solution; None if it does not lie in the polytope."""
        machine = self.machine
        coef = machine.feasible(self.a)
        if coef is None:
            return None
        K_a = self.K_a if np.array_equal(coef, self.a) else self.K @ coef
        b = np.asarray(self.b[: len(machine.rows)], dtype=float)
        multipliers = Multipliers(b, self.epsilon)
        rows = self.border.T
        return MachineSolution.of(
            machine, coef, K_a, multipliers, self.state, self.factor, self.base, rows
        )


def _least_squares(A: Array, right: Array) -> Array:
    """The least solution of Av = r: mostly of one unknown, which needs no LAPACK."""
    if A.shape == (1, 1):
        return right / A[0, 0] if A[0, 0] else np.zeros(1)
    return np.asarray(np.linalg.lstsq(A, right, rcond=1e-14)[0], dtype=float)


def sparse_product(K: Array, a: Array) -> Array:
    """The product Ka, from the rows of a symmetric K that count, if these are few."""
    if np.count_nonzero(a) > COPIED * len(a):
        return np.asarray(K @ a)
    (used,) = a.nonzero()
    return np.asarray(K[used].T @ a[used]) if len(used) else np.zeros(len(a))
