"""A minimum along λ: a loss that falls and rises, known at few places, perhaps with its slope."""

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


# Least predicted decrease of the loss, relative to it, for which a place is evaluated.
_WORTH = 2e-3
# Steps downhill from a start, at most.
_STEPS = 8


def descend_along(
    loss: Callable[[float], tuple[float, float]], start: float, factor: float = 10.0
) -> LineMinimum:
    """Minimise a loss of one positive number λ whose slope by log λ is known, too.

    The search goes downhill by this factor until the slope changes its sign. A last step leads to
    the minimum of the cubic between the last two places, if it promises a gain that is worth it.
    Two or three evaluations are usual. The loss is infinite without a machine.

    >>> from kernlearn.solvers.selection.ridge_search import descend_along
    >>> found = descend_along(lambda l: (np.log(l / 0.03) ** 2, 2 * np.log(l / 0.03)), start=1.0)
    >>> round(found.at, 3), found.n_evaluations
    (0.03, 4)
    """
    known: dict[float, tuple[float, float]] = {}

    def at(x: float) -> float:
        known[x] = loss(float(np.exp(x)))
        return x

    last = at(float(np.log(start)))
    value, slope = known[last]
    # Without a machine at the start, one of a larger λ is more likely.
    step = float(np.log(factor)) * (-1.0 if slope > 0.0 and np.isfinite(value) else 1.0)
    for _ in range(_STEPS):
        is_flat = np.isfinite(value) and abs(slope * step) < _WORTH * value
        if is_flat or not _LEAST <= last + step <= _LARGEST:
            break
        here, last = last, at(last + step)
        before, (value, slope) = known[here], known[last]
        has_fallen = is_less(value, before[0]) or not np.isfinite(before[0])
        if has_fallen and slope * step <= 0.0:  # and goes on to fall
            continue
        share, promised = _cubic_minimum(last - here, *before, value, slope)
        if promised < (1.0 - _WORTH) * min(before[0], value):
            at(here + share * (last - here))
        break
    best = list(known)[first_least(value for value, _ in known.values())]
    return LineMinimum(float(np.exp(best)), known[best][0], len(known))


def _cubic_minimum(
    step: float, value: float, slope: float, after: float, slope_after: float
) -> tuple[float, float]:
    """Minimum of the cubic of two values and slopes, as a share of the step, and its value."""
    if not np.isfinite([value, slope, after, slope_after]).all():
        return 0.0, np.inf
    left, right = slope * step, slope_after * step
    cubic = left + right - 2.0 * (after - value)
    square = 3.0 * (after - value) - 2.0 * left - right
    shares = np.linspace(0.0, 1.0, 101)
    values = value + shares * (left + shares * (square + shares * cubic))
    best = int(values.argmin())
    return float(shares[best]), float(values[best])
