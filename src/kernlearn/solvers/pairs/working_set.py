r"""Solve a conic pair program by small quadratic programs over working sets.

At the optimum few pairs have a coefficient, and few sit at the kink of their hinge: some ten of
them, out of hundreds or of hundreds of thousands. So a round takes part of the columns and part of
the rows (`restricted_minimum`); all other rows stay in their loss, or out of it, as they are at the
point reached. A hinge is the larger of its two lines, so that the restricted program is nowhere
above the program; and near the point reached it equals the program on these columns, since the rows
at their kinks are taken. So the program descends from the point towards the minimiser, as far as an
exact line search goes. Then the columns with the most negative :math:`z_p / \sqrt{K_{pp}}`, where
:math:`z = K(\alpha - t a)`, are taken too, and the rows that the minimiser has on the wrong side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kernlearn.solvers.optimize.quadratic import QuadraticSolution, quadratic_program
from kernlearn.solvers.pairs.certificate import Candidate, PairProgram, best_intercept
from kernlearn.typing import Array, Indices, Mask


@dataclass(frozen=True)
class WorkingSetOptions:
    """Growth of working sets, and the limits from which the interior-point method takes over."""

    # Columns and rows that join at most in a round: fewer make more rounds, more make longer ones.
    columns: int = 12
    rows: int = 16
    rows_per_root: float = 0.25  # of the number of pairs: with more, more are near to their kinks
    at_kink: float = 1e-9  # a row that is as near to its kink as this is at it
    at_bound: float = 1e-9  # and a multiplier to its bounds, relative to C
    negligible: float = 1e-10  # of the largest share of w: a coefficient that is zero
    sampled_above: int = 2000  # pairs above which a sample gives the point to start from:
    one_in: int = 8  # one pair in this many
    # Two to forty rounds are the rule, with working sets of ten to a hundred columns and rows. One
    # should take no longer than a Newton step on the whole, whose cost grows as n_pairs r². Harder
    # problems, such as sections that are zero but for their own pair, go to the other method.
    rounds: int = 60
    always: int = 5
    per_step: float = 0.6


OPTIONS = WorkingSetOptions()
QuadraticSolver = Callable[..., QuadraticSolution | None]


@dataclass(frozen=True, eq=False)
class PairPoint:
    """Coefficients α and b, with the values Kα of the function on the pairs."""

    coef: Array
    b: float
    values: Array

    @classmethod
    def at(cls, program: PairProgram, coef: Array) -> PairPoint:
        """The point of these coefficients with the best b, nearest to zero."""
        values = program.kernel.values(program.kernel.lift(coef))
        return cls(coef, best_intercept(values, program.labels, 0.0), values)

    def slack(self, labels: Array) -> Array:
        """t(Kα + b) − 1: negative for a pair with a loss."""
        return np.asarray(labels * (self.values + self.b) - 1.0)


def lowest_between(one: PairPoint, other: PairPoint, program: PairProgram) -> PairPoint:
    """The minimum of the program on the way from one point to the other, with the best b there."""
    labels = program.labels
    along, change = other.coef - one.coef, other.values - one.values
    step = best_step(
        float(one.coef @ change),
        float(along @ change),
        -one.slack(labels),
        -labels * (change + other.b - one.b),
        program.C,
    )
    values = one.values + step * change
    b = best_intercept(values, labels, one.b + step * (other.b - one.b))
    return PairPoint(one.coef + step * along, b, values)


def best_step(slope: float, curvature: float, loss: Array, rate: Array, C: float) -> float:
    r"""The s in [0, 1] that minimises :math:`g s + \tfrac12 h s^2 + C \sum_p [l_p + s r_p]_+`.

    The derivative is a line of slope h that jumps up by :math:`C |r_p|` wherever a term begins or
    ends, so that its sign changes once.
    """
    turning = (loss * rate < 0) & (np.abs(loss) < np.abs(rate))
    turns = -loss[turning] / rate[turning]
    order = np.argsort(turns, kind="stable")
    turns, jumps = turns[order], C * np.abs(rate[turning][order])
    begun = (loss > 0) | ((loss == 0) & (rate > 0))
    # The derivative less h s, on every stretch between two turns.
    stretches = slope + C * float(rate[begun].sum()) + np.append(0.0, np.cumsum(jumps))
    rising = stretches + curvature * np.append(turns, 1.0) >= 0
    if not rising[-1]:
        return 1.0
    first = int(np.argmax(rising))
    start = float(turns[first - 1]) if first > 0 else 0.0
    return max(start, -float(stretches[first]) / curvature) if curvature > 0 else start


@dataclass(frozen=True, eq=False)
class WorkingSetRound:
    """The minimiser over a working set, and its slopes in the whole program."""

    point: PairPoint
    a: Array
    z: Array
    wrong: Array  # how far each row is from what it was taken to be; negative on the wrong side

    @property
    def right(self) -> bool:
        """Whether every row is as it was taken to be, so that the part equals the program here."""
        return bool(self.wrong.min() >= -OPTIONS.at_kink)

    def candidate(self) -> Candidate:
        """The minimiser, to be judged."""
        return Candidate(self.point.coef, self.point.b, self.a)


def working_set_rounds(
    program: PairProgram, solve: QuadraticSolver = quadratic_program
) -> Iterator[WorkingSetRound]:
    """Yield every round's result, until no round can gain anything; the program is conic."""
    if not program.generators.any():
        return
    labels, units = program.labels, coefficient_units(program)
    n_rows = max(OPTIONS.rows, int(OPTIONS.rows_per_root * np.sqrt(len(labels))))
    largest = max(
        OPTIONS.always * n_rows,
        OPTIONS.per_step * np.cbrt(len(labels) * float(len(program.interior)) ** 2),
    )
    point = start_point(program, units)
    columns, rows = point.coef > 0, np.zeros(len(labels), dtype=bool)
    for _ in range(OPTIONS.rounds):
        slack = point.slack(labels)
        rows |= (np.abs(slack) <= OPTIONS.at_kink) | _first(np.abs(slack), n_rows)
        if columns.sum() + rows.sum() > largest:
            return
        found = _round(program, units, columns, rows, (slack < 0) & ~rows, solve)
        if found is None:
            return
        yield found
        z = np.where(columns, 0.0, found.z * units)
        if found.right and z.min() >= 0:
            return
        point = found.point if found.right else lowest_between(point, found.point, program)
        rows &= (found.a > OPTIONS.at_bound * program.C) & (
            found.a < (1.0 - OPTIONS.at_bound) * program.C
        )
        rows |= _first(found.wrong, n_rows) & (found.wrong < 0)
        columns = (point.coef > 0) | (_first(z, OPTIONS.columns) & (z < 0))


def _round(
    program: PairProgram,
    units: Array,
    columns: Mask,
    rows: Mask,
    lost: Mask,
    solve: QuadraticSolver,
) -> WorkingSetRound | None:
    chosen = np.flatnonzero(columns), np.flatnonzero(rows)
    solved = restricted_minimum(program, units, *chosen, lost, solve)
    if solved is None:
        return None
    coef, b, a = solved
    labels, kernel = program.labels, program.kernel
    point = PairPoint(coef, b, kernel.values(kernel.lift(coef)))
    z = point.values - kernel.values(kernel.lift(labels * a))
    wrong = np.where(rows, 0.0, np.where(lost, -1.0, 1.0) * point.slack(labels))
    return WorkingSetRound(point, a, z, wrong)


def coefficient_units(program: PairProgram) -> Array:
    """Coefficients that make sections of one length, whose values do not exceed one.

    Coefficients of pairs that are no generators are zero.
    """
    diagonal = np.where(program.generators, program.kernel.diagonal(), np.inf)
    return np.asarray(1.0 / np.sqrt(diagonal * diagonal[program.generators].max()))


def start_point(program: PairProgram, units: Array) -> PairPoint:
    """A point near the optimum: from a sample of the pairs if they are many."""
    labels = program.labels
    coef = np.zeros(len(labels))
    if len(labels) > OPTIONS.sampled_above:
        sample = _sample_of(labels)
        weight = len(labels) / len(sample)  # each of them stands for many
        few = program.kernel.restricted(sample), labels[sample], weight * program.C
        for found in working_set_rounds(PairProgram(*few, conic=True)):
            coef[sample] = found.point.coef
            if found.right:
                break
        coef[~program.generators] = 0.0  # they may be generators of the sample
    if not coef.any():
        coef = _first_sections(program, units)
    return PairPoint.at(program, coef)


def _first_sections(program: PairProgram, units: Array) -> Array:
    """The sum of the sections that gain most at w = 0, with values that spread by two."""
    labels, kernel = program.labels, program.kernel
    n_of_label = np.where(labels > 0, (labels > 0).sum(), (labels < 0).sum())
    chosen = _first(-units * kernel.values(kernel.lift(labels / n_of_label)), OPTIONS.columns)
    coef = np.where(chosen, units, 0.0)
    spread = float(np.ptp(kernel.values(kernel.lift(coef))))
    return coef * (2.0 / spread) if spread > 0 else coef


def _sample_of(labels: Array) -> Indices:
    """One in `one_in` pairs of either label, in their order."""
    generator = np.random.default_rng(0)
    parts = [np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)]
    drawn = [
        generator.choice(part, -(-len(part) // OPTIONS.one_in), replace=False) for part in parts
    ]
    return np.sort(np.concatenate(drawn))


def _first(values: Array, count: int) -> Mask:
    """Mark the `count` smallest values."""
    marked = np.zeros(len(values), dtype=bool)
    marked[np.argpartition(values, min(count, len(values)) - 1)[:count]] = True
    return marked


def restricted_minimum(
    program: PairProgram,
    units: Array,
    columns: Indices,
    rows: Indices,
    lost: Mask,
    solve: QuadraticSolver = quadratic_program,
) -> tuple[Array, float, Array] | None:
    r"""α, b and the multipliers of all rows that minimise the program of columns S and rows E.

    .. math::

        \min_{\alpha_S \ge 0,\, b}\ \tfrac12 \alpha_S^\top K_{SS} \alpha_S
        + C \sum_{p \in E} [1 - t_p f_p]_+ + C \sum_{p \in L} (1 - t_p f_p),
        \qquad f = K_{\cdot S}\,\alpha_S + b

    Columns outside of S have no coefficient. Rows in L (`lost`) are taken to have a loss whatever
    happens, and those that are neither in E nor in L to have none. `units` are the coefficients
    that make sections of one length. None if there is no minimiser.
    """
    labels, C, kernel = program.labels, program.C, program.kernel
    k, scale = len(columns), units[columns]
    both = kernel.block(columns, np.concatenate([columns, rows])) * scale[:, None]
    signed = np.where(lost, labels, 0.0)
    pull = scale * kernel.values(kernel.lift(signed), columns)
    solution = _minimise(
        both[:, :k] * (scale / C), both[:, k:], pull, labels[rows], signed.sum(), solve
    )
    if solution is None:
        return None
    x, b, multipliers = solution
    coef = np.zeros(len(labels))
    coef[columns] = scale * np.where(x > OPTIONS.negligible * x.max(initial=0.0), x, 0.0)
    a = np.where(lost, C, 0.0)
    a[rows] = C * multipliers
    return coef, b, a


def _minimise(
    P: Array, at_rows: Array, pull: Array, labels: Array, balance: float, solve: QuadraticSolver
) -> tuple[Array, float, Array] | None:
    """Solve it as a quadratic program over x, b and the losses ξ of E, divided by C."""
    k, e = at_rows.shape
    n = k + 1 + e
    quadratic, G = np.zeros((n, n)), np.zeros((e, n))
    quadratic[:k, :k] = P
    G[:, :k] = -labels[:, None] * at_rows.T
    G[:, k] = -labels
    G[np.arange(e), np.arange(k + 1, n)] = -1.0
    linear = np.concatenate([-pull, [-balance], np.ones(e)])
    low = np.zeros(n)
    low[k] = -np.inf
    nothing = np.zeros((0, n))
    solution = solve(
        quadratic, linear, nothing, nothing[:, 0], low, np.full(n, np.inf), G, np.full(e, -1.0)
    )
    if solution is None:
        return None
    return solution.x[:k], float(solution.x[k]), solution.inequality
