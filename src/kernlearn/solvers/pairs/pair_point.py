"""Points of a conic pair program, and the way down from one towards another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.solvers.pairs.certificate import best_intercept
from kernlearn.solvers.pairs.program import PairProgram
from kernlearn.typing import Array


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
