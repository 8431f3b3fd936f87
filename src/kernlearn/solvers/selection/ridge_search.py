"""A minimum along λ: a loss that falls and rises, known at few places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernlearn.numerics.rounding import first_least, is_less

# A factor of ten moves a held-out loss by a few per cent at most near its minimum, and a parabola
# through three such points finds that to a fraction of the step.
_STEP = float(np.log(10.0))
_LEAST, _LARGEST = float(np.log(1e-8)), float(np.log(1e4))


@dataclass(frozen=True)
class LineMinimum:
    """The best place that was tried."""

    at: float  # The argument
    value: float  # The loss there; infinite if there was none anywhere
    n_evaluations: int  # Places tried


def minimise_along(loss: Callable[[float], float], start: float) -> LineMinimum:
    """Minimise a loss of one positive number, from a start.

    The search goes downhill by factors of ten, then once to the vertex of the parabola in the
    logarithm. The loss takes λ, between 1e-8 and 1e4, and is infinite where there is no machine.

    >>> from kernlearn.solvers.selection.ridge_search import minimise_along
    >>> found = minimise_along(lambda lam: abs(np.log(lam / 0.03)) ** 2, start=1.0)
    >>> round(found.at, 4), found.n_evaluations
    (0.03, 5)
    """
    known: dict[float, float] = {}

    def at(x: float) -> float:
        if x not in known:
            known[x] = float(loss(float(np.exp(x)))) if _LEAST <= x <= _LARGEST else np.inf
        return known[x]

    x = float(np.log(start))
    at(x)  # the first, where the loss is flat
    step = -_STEP if is_less(at(x - _STEP), at(x)) else _STEP
    while is_less(at(x + step), at(x)):
        x += step
    left, middle, right = at(x - _STEP), at(x), at(x + _STEP)
    curvature = left + right - 2.0 * middle
    if np.isfinite(curvature) and curvature > 0.0:
        at(x + 0.5 * _STEP * (left - right) / curvature)
    best = list(known)[first_least(known.values())]
    return LineMinimum(float(np.exp(best)), known[best], len(known))
