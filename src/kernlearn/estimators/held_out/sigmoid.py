r"""From decision values to probabilities: Platt's sigmoid.

.. math::

    \min_{a \ge 0,\, b} \; -\sum_i s_i \bigl( t_i \log p_i + (1 - t_i) \log(1 - p_i) \bigr),
    \qquad p_i = \frac{1}{1 + e^{-(a f_i + b)}},

with targets :math:`t = (N_+ + 1)/(N_+ + 2)` for points of the class and :math:`1/(N_- + 2)` for
the others, N the weight of either kind (Platt 1999): without them, the slope of separated points
would be infinite. The problem is convex and smooth in two numbers;
Newton's method with halved steps solves it, in the form of Lin, Lin and Weng (2007), where no
exponential overflows and no logarithm takes zero. Held-out values of a few rows may suggest a
negative slope, which would reverse the machine; the slope is then zero and the probability is the
frequency of the class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from kernlearn.typing import Array

_MAX_STEPS = 100
# Added to the curvature, in units where the values have size one: it is singular where all the
# values are equal.
_RIDGE = 1e-12
_SLOPE_TOL = 1e-9
_SHORTEST_STEP = 1e-10
_SUFFICIENT = 1e-4


def fit_sigmoid(
    values: Array, positive: NDArray[np.bool_], sample_weight: Array | None = None
) -> tuple[float, float]:
    """Fit a sigmoid to held-out decision values; inputs are checked.

    `values` of shape (n,) are of points that did not train the machine, `positive` marks the
    points of the class of positive values. The probability of the class at a value f
    is ``expit(slope * f + offset)``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.estimators.held_out.sigmoid import fit_sigmoid
    >>> slope, offset = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 1, 0, 1]) > 0)
    >>> slope > 0, abs(offset) < 1e-9
    (True, True)
    """
    weight = np.ones(len(values)) if sample_weight is None else sample_weight
    total = float(weight.sum())
    target = _targets(positive, weight)
    share = float(weight @ target) / total
    size = float(np.abs(values).max(initial=0.0))
    constant = 0.0, float(logit(share))
    if size == 0.0 or weight @ ((target - share) * (values / size)) <= 0.0:
        return constant  # the derivative by the slope, at zero
    slope, offset = _newton(values / size, target, weight / total, constant[1])
    return slope / size, offset


def fit_offset(log_odds: Array, positive: NDArray[np.bool_], weight: Array) -> float:
    """The best constant to add to log-odds, with the same targets; inputs are checked.

    >>> fit_offset(np.zeros(4), np.array([True, True, False, False]), np.ones(4))
    0.0
    """
    share, target = weight / weight.sum(), _targets(positive, weight)

    def excess(offset: float) -> float:
        return float(share @ (expit(log_odds + offset) - target))

    if excess(0.0) == 0.0:
        return 0.0
    # Every probability is then below the least target, or above the largest.
    end = float(np.abs(log_odds).max()) + float(np.abs(logit(target)).max())
    return float(brentq(excess, -end, end))


def _targets(positive: NDArray[np.bool_], weight: Array) -> Array:
    on, off = float(weight[positive].sum()), float(weight[~positive].sum())
    return np.where(positive, (on + 1.0) / (on + 2.0), 1.0 / (off + 2.0))


def _newton(values: Array, target: Array, weight: Array, offset: float) -> tuple[float, float]:
    """The minimum from a slope of zero, for values of size one and weights that sum to one."""
    design = np.stack([values, np.ones_like(values)])
    point = np.array([0.0, offset])
    loss = _loss(point @ design, target, weight)
    for _ in range(_MAX_STEPS):
        p = expit(point @ design)
        gradient = design @ (weight * (p - target))
        if np.abs(gradient).max() <= _SLOPE_TOL:
            break
        curvature = (design * (weight * p * (1.0 - p))) @ design.T
        step = -_newton_step(curvature, gradient)
        decrease = float(gradient @ step)
        length = 1.0
        while length >= _SHORTEST_STEP:
            tried = point + length * step
            value = _loss(tried @ design, target, weight)
            if value <= loss + _SUFFICIENT * length * decrease:
                break
            length *= 0.5
        else:
            break  # rounding leaves nothing to gain
        point, loss = tried, value
    return float(point[0]), float(point[1])


def _newton_step(curvature: Array, gradient: Array) -> Array:
    """The Newton step of two numbers, with a small ridge, by Cramer's rule."""
    (a, b), (_, d) = curvature.tolist()
    a, d, (g, h) = a + _RIDGE, d + _RIDGE, gradient.tolist()
    return np.asarray([d * g - b * h, a * h - b * g]) / float(a * d - b * b)


def _loss(z: Array, target: Array, weight: Array) -> float:
    """Cross-entropy at log-odds z: log(1 + eᶻ) − t z, without overflow."""
    return float(weight @ (np.logaddexp(0.0, z) - target * z))
