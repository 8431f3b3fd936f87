"""Robust spread of the targets: the unit of a default tube."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.typing import Array

# ε in units of the targets' spread, as scikit-learn's SVR has it for standardised targets.
_TUBE = 0.1
# Where Huber's loss becomes linear: 1.345 standard deviations of errors (Huber 1981) that have a
# twentieth of the targets' variance.
_HUBER = 0.3
# The interquartile range of a normal distribution in units of its standard deviation.
_QUARTILES = 1.3489795
# A spread below this part of the largest target is rounding.
_ROUNDING = 1e-12
# Sums of weights that differ by less are equal.
_EQUAL = 1e-9


def tube_of(estimator: BaseEstimator, target: Array, weight: Array) -> tuple[Any, bool]:
    """The ε of a regressor, and whether one constant is as good as any prediction, with a warning.

    Called by ``fit`` itself, whose caller the warning points to.
    """
    epsilon = estimator.epsilon
    if isinstance(epsilon, str) and epsilon == "auto":
        share = _HUBER if estimator.quality == "huber" else _TUBE
        return share * robust_spread(target, weight), False
    if estimator.quality != "epsilon_svr":
        return epsilon, False
    half = 0.5 * float(np.ptp(target)) if len(target) else 0.0
    # Non-finite numbers are refused later, with a message.
    is_constant = isinstance(epsilon, int | float) and 0 < half <= epsilon
    if is_constant:
        warnings.warn(
            f"{type(estimator).__name__} expected targets that differ by more than the tube, got "
            f"all within {half:.3g} of one number, epsilon being {epsilon:g}: the predictions are "
            "constant; lower epsilon, or rescale y",
            UserWarning,
            stacklevel=3,
        )
    return epsilon, is_constant


def robust_spread(
    values: Array,  # (n,): targets
    weight: Array,  # (n,): their weights, positive; a row of weight two counts as two rows
) -> float:
    """The interquartile range, in units of that of a standard normal distribution.

    If half of all targets are the same number, the spread is their standard deviation, and one if
    all are the same.
    """
    order = np.argsort(values, kind="stable")
    ordered, sums = values[order], np.cumsum(weight[order])
    spread = (_quantile(ordered, sums, 0.75) - _quantile(ordered, sums, 0.25)) / _QUARTILES
    least = _ROUNDING * float(np.abs(values).max())
    if not spread > least:
        middle = float(np.average(values, weights=weight))
        largest = float(np.abs(values - middle).max()) or 1.0  # whose square may be no number
        squares = ((values - middle) / largest) ** 2
        spread = largest * float(np.sqrt(np.average(squares, weights=weight)))
    return spread if spread > least else 1.0


def _quantile(ordered: Array, sums: Array, share: float) -> float:
    """A weighted quantile: a value, or the mean of the two that the share of weight separates."""
    level = share * sums[-1]
    low = int(np.searchsorted(sums, level * (1.0 - _EQUAL)))
    high = int(np.searchsorted(sums, level * (1.0 + _EQUAL), side="right"))
    return float(0.5 * ordered[low] + 0.5 * ordered[min(high, len(ordered) - 1)])
