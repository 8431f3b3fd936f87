r"""The value of a pair program and a bound on it, recomputed from their definition.

Any :math:`\alpha \ge 0` bounds the optimum from above. From below, by the dual program, any a with
:math:`0 \le a \le C`, :math:`t^\top a = 0` and any function u that is nowhere negative on the pairs
(u = 0 without a cone), since then :math:`\langle u, w\rangle \ge 0` on the cone of the sections:

.. math:: 1^\top a - \tfrac12 \Bigl\lVert \sum_p t_p a_p K_p + u \Bigr\rVert^2

At the optimum u is w minus that sum. Elsewhere the difference is moved along the mean of all
sections, which is positive, until it is not negative any more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.pairs.program import PairProgram

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Certificate:
    """A feasible primal and dual pair with their values."""

    coef: Array
    w: Array
    intercept: float
    dual_coef: Array
    objective: float
    lower_bound: float


def certify(program: PairProgram, coef: Array, b: float, a: Array) -> Certificate:
    """Make the coefficients and multipliers feasible, and evaluate both programs at them."""
    coef = np.maximum(coef, 0.0)
    w = program.space.lift(coef)
    return _certified(program, coef, w, b, a)


def certify_free(program: PairProgram, w: Array, b: float, a: Array) -> Certificate:
    """The same for a program without a cone, where only w is known yet."""
    return _certified(program, np.empty(0), w, b, a)


def _certified(program: PairProgram, coef: Array, w: Array, b: float, a: Array) -> Certificate:
    space = program.space
    f = space.values(w)
    b = best_intercept(f, program.labels, b)
    loss = np.maximum(1.0 - program.labels * (f + b), 0.0).sum()
    a = balanced(a, program.labels, program.C)
    v = space.lift(program.labels * a)
    summed = w + _correction(program, w - v) if program.conic else v
    return Certificate(
        coef=coef,
        w=w,
        intercept=b,
        dual_coef=a,
        objective=0.5 * space.squared_norm(w) + program.C * float(loss),
        lower_bound=float(a.sum()) - 0.5 * space.squared_norm(summed),
    )


def best_intercept(f: Array, labels: Array, b: float) -> float:
    """The b nearest to the given one that minimises Σ [1 − t(f + b)]₊.

    The slope in b is −n₊ at first and grows by one at every breakpoint t − f, so that it is zero
    between the n₊-th and the next.
    """
    breakpoints = labels - f
    n_positive = int((labels > 0).sum())
    ordered = np.partition(breakpoints, [n_positive - 1, n_positive])
    return float(np.clip(b, ordered[n_positive - 1], ordered[n_positive]))


def balanced(a: Array, labels: Array, C: float) -> Array:
    """The multipliers in their box, the heavier side scaled down until tᵀa = 0."""
    a = np.clip(a, 0.0, C)
    positive = labels > 0
    above, below = float(a[positive].sum()), float(a[~positive].sum())
    smaller = min(above, below)
    a[positive] *= smaller / above if above > 0 else 0.0
    a[~positive] *= smaller / below if below > 0 else 0.0
    return a


def _correction(program: PairProgram, u: Array) -> Array:
    """What makes u non-negative on the pairs: the least multiple of the mean section."""
    reach, values = program.reach, program.space.values(u)
    usable = program.generators
    needed = float(np.max(-values[usable] / reach[usable], initial=0.0))
    return needed * program.interior
