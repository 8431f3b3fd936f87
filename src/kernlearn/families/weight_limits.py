r"""Linear limits of the weights as rows of a cone, and linear programs over them.

With the total :math:`r^\top w = c` held, :math:`a^\top w \le b` is
:math:`(\tfrac{b}{c} r - a)^\top w \ge 0`. So every limit is a row that is non-negative, or zero for
an equation, whatever the unit of the weights.

A linear function has its minimum over the limited set from a small linear program, but the bound on
it needs no solver: for any :math:`\zeta` with :math:`\zeta_j \ge 0` where row j is an inequality,

.. math::

    g^\top w \;\ge\; (g - L^\top\zeta)^\top w \;\ge\; c \min_i \frac{(g - L^\top\zeta)_i}{r_i}
    \qquad\text{for } w \ge 0, \; r^\top w = c, \; Lw \ge 0 .

The multipliers come from the linear program, whether or not that was solved well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from scipy.optimize import linprog

from kernlearn.families.constraints import Constraint, LinearRows
from kernlearn.numerics.sums import EPS
from kernlearn.typing import Array, Mask

THIN = 1e-9  # of the total: a set that is no wider in a direction counts as flat
TOLERANCE = 1e-10  # of the linear programs
LEFT = 1e-9  # of the total: what returned weights may miss a limit by
MOST_MOVED = 1e-3  # share of weights inside: beyond it, they are other weights


class EmptySetError(ValueError):
    """No positive weights are within limits."""


@dataclass(frozen=True, eq=False)
class WeightLimits:
    """Rows that are non-negative at allowed weights, or zero where they are ties."""

    rows: Array  # (k, m)
    sizes: Array  # (k, m): of the terms that the rows were summed of, for rounding
    is_tie: Mask  # (k,)

    @classmethod
    def of(
        cls, constraints: Sequence[tuple[Constraint, LinearRows]], normaliser: Array, total: float
    ) -> WeightLimits | None:
        """The rows of constraints on weights with Σ wᵢrᵢ = total; None if there are none.

        Weights beyond those of the kernels, such as that of an identity, have no part in them.
        """
        parts = [_cone_rows(one, normaliser, total) for _, one in constraints]
        if not parts:
            return None
        joined = reduce(lambda left, right: left.joined(right), parts)
        return joined if len(joined.rows) else None

    def joined(self, other: WeightLimits) -> WeightLimits:
        """The limits of both."""
        return WeightLimits(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.is_tie, other.is_tie]),
        )

    def combined(self, transform: Array) -> WeightLimits:
        """The limits of coordinates x with w = `transform` x."""
        sizes = self.sizes @ np.abs(transform) + np.abs(self.rows @ transform)
        return replace(self, rows=self.rows @ transform, sizes=sizes)

    @property
    def noise(self) -> Array:
        """Bounds on the rounding of the entries of the rows (k, m)."""
        return np.asarray((self.rows.shape[1] + 8) * EPS * self.sizes)

    def scaled(self, unit: Array) -> WeightLimits:
        """The rows divided by these sizes (k,)."""
        return replace(self, rows=self.rows / unit[:, None], sizes=self.sizes / unit[:, None])

    def violation(self, weights: Array, normaliser: Array) -> float:
        """The largest violation, relative to the terms of its row and to shares of the total."""
        exact, whole = self.rows.astype(np.longdouble) @ weights, self._whole(weights, normaliser)
        off = np.where(self.is_tie, np.abs(exact), -exact).astype(float)
        size = np.maximum(np.maximum(self.sizes @ np.abs(weights), whole), 1e-300)
        return float((off / size).max(initial=0.0))

    def moved_within(self, weights: Array, inner: Array, normaliser: Array) -> Array:
        """The weights, as far towards those inside of all limits as it takes to miss none.

        If large weights cancel, the misses that a program leaves may be much of the total.
        """
        off = -(self.rows.astype(np.longdouble) @ weights).astype(float)
        room = self.rows @ inner
        missed = ~self.is_tie & (off > LEFT * self._whole(weights, normaliser)) & (room > 0)
        if not missed.any():
            return weights
        share = float((off / (off + room))[missed].max())
        return (1.0 - share) * weights + share * inner if share <= MOST_MOVED else weights

    def _whole(self, weights: Array, normaliser: Array) -> Array:
        """The value of each row with the whole total on one matrix."""
        used, rows = normaliser > 0, np.abs(self.rows)
        total = float(np.abs(normaliser @ weights))
        whole = total * (rows[:, used] / normaliser[used]).max(axis=1, initial=0.0)
        # For limits of weights, the largest weight: a small matrix could have a far larger one.
        largest = rows.max(axis=1, initial=0.0) * float(np.abs(weights).max())
        return np.asarray(np.minimum(whole, largest))


def _cone_rows(linear_rows: LinearRows, normaliser: Array, total: float) -> WeightLimits:
    """An inequality for every finite limit, an equation where both are the same."""
    matrix = np.zeros((len(linear_rows.matrix), len(normaliser)))
    matrix[:, : linear_rows.matrix.shape[1]] = linear_rows.matrix
    # Shares are wᵢrᵢ/c: rows are stretched by c, so that both kinds are of the size of r.
    matrix *= normaliser if linear_rows.of == "shares" else total
    is_tie = linear_rows.lower == linear_rows.upper
    parts = [
        (is_tie, linear_rows.upper, 1.0, True),
        (~is_tie & np.isfinite(linear_rows.upper), linear_rows.upper, 1.0, False),
        (~is_tie & np.isfinite(linear_rows.lower), linear_rows.lower, -1.0, False),
    ]
    rows, sizes, ties = [], [], []
    for chosen, limit, sign, tie in parts:
        held = limit[chosen, None] * normaliser
        row, size = sign * (held - matrix[chosen]), np.abs(held) + np.abs(matrix[chosen])
        rows.append(np.where(np.abs(row) > 4 * EPS * size, row, 0.0))
        sizes.append(size)
        ties.append(np.full(int(chosen.sum()), tie))
    limits = WeightLimits(np.concatenate(rows), np.concatenate(sizes), np.concatenate(ties))
    is_nonzero = limits.rows.any(axis=1)  # and not that zero is at least zero
    return WeightLimits(
        limits.rows[is_nonzero], limits.sizes[is_nonzero], limits.is_tie[is_nonzero]
    )


@dataclass(frozen=True, eq=False)
class LinearMinimum:
    """The minimiser of a linear function over limited shares, and the multipliers."""

    shares: Array  # (p,)
    multipliers: Array  # (k,): non-negative for inequalities


def smallest_over_shares(g: Array, limits: WeightLimits) -> LinearMinimum | None:
    """Minimise gᵀs over s ≥ 0, Σ s = 1 and the limits of s; None where a program fails."""
    offset = float(g.min())
    scale = float(np.abs(g - offset).max()) or 1.0
    ties = limits.is_tie
    found = linprog(
        (g - offset) / scale,
        A_ub=-limits.rows[~ties] if (~ties).any() else None,
        b_ub=np.zeros(int((~ties).sum())) if (~ties).any() else None,
        A_eq=np.vstack([np.ones(len(g)), limits.rows[ties]]),
        b_eq=np.append(1.0, np.zeros(int(ties.sum()))),
        method="highs",
        options=_OPTIONS,
    )
    if found.x is None or not np.isfinite(found.x).all():
        return None
    multipliers = np.zeros(len(ties))
    multipliers[ties] = scale * found.eqlin.marginals[1:]
    if (~ties).any():
        multipliers[~ties] = np.maximum(-scale * found.ineqlin.marginals, 0.0)
    shares = np.maximum(found.x, 0.0)
    return LinearMinimum(shares / float(shares.sum()), multipliers)


def nearest_shares(targets: Array, limits: WeightLimits) -> Array | None:
    """The shares s within the limits with the least Σ|sᵢ − tᵢ|; None if the program fails."""
    ties, p = limits.is_tie, len(targets)
    each = np.eye(p)
    inside = limits.rows[~ties]
    # Variables are the shares and the distances |sᵢ − tᵢ|.
    found = linprog(
        np.append(np.zeros(p), np.ones(p)),
        A_ub=np.vstack(
            [np.hstack([each, -each]), np.hstack([-each, -each]), np.hstack([-inside, 0 * inside])]
        ),
        b_ub=np.concatenate([targets, -targets, np.zeros(len(inside))]),
        A_eq=np.pad(np.vstack([np.ones(p), limits.rows[ties]]), ((0, 0), (0, p))),
        b_eq=np.append(1.0, np.zeros(int(ties.sum()))),
        method="highs",
        options=_OPTIONS,
    )
    if found.status != 0:
        return None
    shares = np.maximum(found.x[:p], 0.0)
    return np.asarray(shares / float(shares.sum()))


@dataclass(frozen=True, eq=False)
class Interior:
    """A point well inside the limited shares, and rows and shares that are zero at all of them."""

    shares: Array
    is_flat: Mask  # (k,): rows that are zero at all allowed shares, ties among them
    is_used: Mask  # (p,): shares that are not


def interior(limits: WeightLimits) -> Interior | None:
    """A point whose smallest share and slack are large; None if no shares are allowed."""
    is_flat, is_used = limits.is_tie, np.ones(limits.rows.shape[1], dtype=bool)
    found = _deepest(limits.rows, is_flat, is_used)
    if found is None:
        return None
    if found[1] <= THIN:
        # On a cone every slack that can be positive can be one: a single program tells which.
        flat, used = _never_positive(limits.rows, is_flat)
        is_flat, is_used = is_flat | flat, is_used & used
        found = _deepest(limits.rows, is_flat, is_used) or found
    return Interior(found[0], is_flat, is_used)


def _deepest(rows: Array, is_flat: Mask, is_used: Mask) -> tuple[Array, float] | None:
    """The shares of the largest smallest share and slack, and how large that is."""
    slack, p = rows[~is_flat][:, is_used], int(is_used.sum())
    if p == 0:
        return None
    least = np.vstack([np.eye(p), slack])  # each of these is at least the last variable
    equal = np.vstack([np.ones(p), rows[is_flat][:, is_used]])
    found = linprog(
        np.append(np.zeros(p), -1.0),
        A_ub=np.column_stack([-least, np.ones(len(least))]),
        b_ub=np.zeros(len(least)),
        A_eq=np.column_stack([equal, np.zeros(len(equal))]),
        b_eq=np.append(1.0, np.zeros(len(equal) - 1)),
        method="highs",
        options=_OPTIONS,
    )
    if found.status != 0:
        return None
    shares = np.zeros(len(is_used))
    shares[is_used] = np.maximum(found.x[:p], 0.0)
    return shares / float(shares.sum()), float(found.x[p])


def _never_positive(rows: Array, is_tie: Mask) -> tuple[Mask, Mask]:
    """Rows that are zero at all points of the cone, and shares that are not."""
    p = rows.shape[1]
    least = np.vstack([np.eye(p), rows[~is_tie]])
    k, equal = len(least), rows[is_tie]
    # z in the cone, of a sum of one or more, and for each share and slack as much of it as one.
    found = linprog(
        np.append(np.zeros(p), -np.ones(k)),
        A_ub=np.vstack([np.hstack([-least, np.eye(k)]), np.append(-np.ones(p), np.zeros(k))]),
        b_ub=np.append(np.zeros(k), -1.0),
        A_eq=np.hstack([equal, np.zeros((len(equal), k))]),
        b_eq=np.zeros(len(equal)),
        bounds=[(0.0, 1.0 / THIN)] * p + [(0.0, 1.0)] * k,
        method="highs",
        options=_OPTIONS,
    )
    flat, used = np.zeros(len(rows), dtype=bool), np.ones(p, dtype=bool)
    if found.status == 0:
        positive = found.x[p:] > 0.5
        used = positive[:p]
        flat[np.flatnonzero(~is_tie)[~positive[p:]]] = True
    return flat, used


_OPTIONS = {
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}
