r"""From the decision values of several machines to probabilities: one slope for all.

.. math::

    \min_{a \ge 0} \; -\sum_i s_i \sum_c t_{ic} \log p_{ic}, \qquad
    p_{ic} = \frac{e^{a f_{ic}}}{\sum_d e^{a f_{id}}},

with targets :math:`t_{ic} = ([c = y_i] N + 1/k)/(N + 1)` for k classes and points of weight N: as
if one more point had been seen, of which nobody knows the class. Without it, points that are all
told apart would send the slope to infinity. The class with the largest value has the largest
probability. One sigmoid for each of the machines, divided by their sum, is less sure than it could
be: against a rest of nine classes, no single one is ever certain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import softmax

from kernlearn.numerics.rounding import without_rounding
from kernlearn.typing import Array

_ROUNDINGS = 4


def fit_softmax(
    values: Array, codes: NDArray[np.intp], sample_weight: Array | None = None
) -> float:
    """The slope for held-out decision values (n, k), and the column of each point's own class.

    The probabilities are ``softmax(slope * values)``; the slope is zero if the values say nothing.

    >>> import numpy as np
    >>> from kernlearn.quality.softmax import fit_softmax
    >>> 0 < fit_softmax(np.eye(3)[[0, 0, 1, 1, 2, 0]], np.array([0, 0, 1, 1, 2, 2])) < 10
    True
    """
    n, k = values.shape
    weight = np.ones(n) if sample_weight is None else sample_weight
    total = float(weight.sum())
    target = np.full((n, k), 1.0 / k / (total + 1.0))
    target[np.arange(n), codes] += total / (total + 1.0)
    centred = values - values.max(axis=1, keepdims=True)
    size = float(np.abs(centred).max(initial=0.0))
    # Values that are the same for every class, or would be in another order of their sums.
    if not without_rounding(size, np.abs(values).max(initial=0.0), _ROUNDINGS) > 0.0:
        return 0.0
    centred = centred / size

    def derivative(slope: float) -> float:
        excess = softmax(slope * centred, axis=1) - target
        return float(weight @ (excess * centred).sum(axis=1))

    # Convex, so that the derivative only grows; with these targets it does change its sign.
    if derivative(0.0) >= 0.0:
        return 0.0
    high = 1.0
    while derivative(high) < 0.0:
        high *= 2.0
    return float(brentq(derivative, 0.0, high, rtol=1e-12)) / size
