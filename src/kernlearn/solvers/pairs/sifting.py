r"""Solve a conic pair program by small quadratic programs over what is undecided.

At the optimum few pairs have a coefficient, and few sit at the kink of their hinge: some ten of
them, out of hundreds or of hundreds of thousands. So a round takes part of the columns and part of
the rows (see `part`); all other rows stay in their loss, or out of it, as they are at the point
reached. A hinge is the larger of its two lines, so that the part is nowhere above the program; and
near the point reached it equals the program on these columns, since the rows at their kinks are
taken. So the program descends from the point towards the minimiser of the part, as far as an exact
line search goes. Then the columns with the most negative :math:`z_p / \sqrt{K_{pp}}`, where
:math:`z = K(\alpha - t a)`, are taken too, and the rows that the minimiser has on the wrong side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernlearn.solvers.pairs.certificate import Candidate, best_intercept
from kernlearn.solvers.pairs.descent import Point, lowest_between
from kernlearn.solvers.pairs.part import solve_part
from kernlearn.solvers.pairs.program import PairProgram
from kernlearn.typing import Array, Indices, Mask

# How many columns and rows join at most in a round: fewer make more rounds, more make longer ones.
# With more pairs there are more near to their kinks.
_COLUMNS, _ROWS, _ROWS_PER_ROOT = 12, 16, 0.25
# A row that is as near to its kink as this is at it, and a multiplier to its bounds.
_AT_KINK, _AT_BOUND = 1e-9, 1e-9
# Of more than so many pairs, one in so many gives the point to start from.
_MANY, _ONE_IN = 2000, 8
# Two to forty rounds are the rule, with parts of ten to a hundred columns and rows. A part should
# take no longer than a Newton step on the whole, whose cost grows as n_pairs r². What needs more,
# such as sections that are zero but for their own pair, is for the interior-point method.
_ROUNDS, _ALWAYS, _PER_STEP = 60, 5, 0.6


@dataclass(frozen=True, eq=False)
class Round:
    """The minimiser of a part, and what the whole program says of it."""

    point: Point
    a: Array
    z: Array
    wrong: Array
    """How far each row is from what it was taken to be; negative on the wrong side."""

    @property
    def right(self) -> bool:
        """Whether every row is as it was taken to be, so that the part equals the program here."""
        return bool(self.wrong.min() >= -_AT_KINK)

    def candidate(self) -> Candidate:
        """The minimiser, to be judged."""
        return Candidate(self.point.coef, self.point.b, self.a)


def sift(program: PairProgram) -> Iterator[Round]:
    """Yield every round's result, until no round can gain anything; the program is conic."""
    if not program.generators.any():
        return
    labels, units = program.labels, _units(program)
    n_rows = max(_ROWS, int(_ROWS_PER_ROOT * np.sqrt(len(labels))))
    largest = max(
        _ALWAYS * n_rows, _PER_STEP * np.cbrt(len(labels) * float(len(program.interior)) ** 2)
    )
    point = _start(program, units)
    columns, rows = point.coef > 0, np.zeros(len(labels), dtype=bool)
    for _ in range(_ROUNDS):
        slack = point.slack(labels)
        rows |= (np.abs(slack) <= _AT_KINK) | _first(np.abs(slack), n_rows)
        if columns.sum() + rows.sum() > largest:
            return
        found = _round(program, units, columns, rows, (slack < 0) & ~rows)
        if found is None:
            return
        yield found
        z = np.where(columns, 0.0, found.z * units)
        if found.right and z.min() >= 0:
            return
        point = found.point if found.right else lowest_between(point, found.point, program)
        rows &= (found.a > _AT_BOUND * program.C) & (found.a < (1.0 - _AT_BOUND) * program.C)
        rows |= _first(found.wrong, n_rows) & (found.wrong < 0)
        columns = (point.coef > 0) | (_first(z, _COLUMNS) & (z < 0))


def _round(
    program: PairProgram, units: Array, columns: Mask, rows: Mask, lost: Mask
) -> Round | None:
    solved = solve_part(program, units, np.flatnonzero(columns), np.flatnonzero(rows), lost)
    if solved is None:
        return None
    coef, b, a = solved
    labels, space = program.labels, program.space
    point = Point(coef, b, space.values(space.lift(coef)))
    z = point.values - space.values(space.lift(labels * a))
    wrong = np.where(rows, 0.0, np.where(lost, -1.0, 1.0) * point.slack(labels))
    return Round(point, a, z, wrong)


def _units(program: PairProgram) -> Array:
    """Coefficients that make sections of one length, whose values do not exceed one.

    Zero for what is not a generator.
    """
    diagonal = np.where(program.generators, program.space.diagonal(), np.inf)
    return np.asarray(1.0 / np.sqrt(diagonal * diagonal[program.generators].max()))


def _start(program: PairProgram, units: Array) -> Point:
    """A point near the optimum: from a sample of the pairs if they are many."""
    labels, space = program.labels, program.space
    coef = np.zeros(len(labels))
    if len(labels) > _MANY:
        sample = _sample(labels)
        for found in sift(_restricted(program, sample)):
            coef[sample] = found.point.coef
            if found.right:
                break
        coef[~program.generators] = 0.0  # they may be generators of the sample
    if not coef.any():
        coef = _first_sections(program, units)
    values = space.values(space.lift(coef))
    return Point(coef, best_intercept(values, labels, 0.0), values)


def _first_sections(program: PairProgram, units: Array) -> Array:
    """The sum of the sections that gain most at w = 0, with values that spread by two."""
    labels, space = program.labels, program.space
    n_of_label = np.where(labels > 0, (labels > 0).sum(), (labels < 0).sum())
    chosen = _first(-units * space.values(space.lift(labels / n_of_label)), _COLUMNS)
    coef = np.where(chosen, units, 0.0)
    spread = float(np.ptp(space.values(space.lift(coef))))
    return coef * (2.0 / spread) if spread > 0 else coef


def _sample(labels: Array) -> Indices:
    """One in so many pairs of either label, in their order."""
    generator = np.random.default_rng(0)
    parts = [np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)]
    drawn = [generator.choice(part, -(-len(part) // _ONE_IN), replace=False) for part in parts]
    return np.sort(np.concatenate(drawn))


def _restricted(program: PairProgram, rows: Indices) -> PairProgram:
    """The program of some pairs, each of which stands for many."""
    weight = len(program.labels) / len(rows)
    space = program.space.restricted(rows)
    return PairProgram(space, program.labels[rows], weight * program.C, True)


def _first(values: Array, count: int) -> Mask:
    """Mark the smallest values, so many of them."""
    marked = np.zeros(len(values), dtype=bool)
    marked[np.argpartition(values, min(count, len(values)) - 1)[:count]] = True
    return marked
