r"""Ordered grades: increasing thresholds on one learned function.

Grades :math:`1 < 2 < \dots < m` are cut out of the line by thresholds, and one function f places
a row on the line: the model of proportional odds (McCullagh 1980),

.. math::

    P(y \le c \mid x) = \sigma(\theta_c - a f(x)), \qquad
    \theta_1 < \theta_2 < \dots < \theta_{m-1}, \quad a \ge 0 ,

so that the probabilities of all grades are positive and sum to one. The function is that of the
machines of the grades, one against the rest, :math:`f = \sum_c s_c f_c` with scores :math:`s_c`
that grow with the grade: a least-squares machine is linear in its targets, and so f is the machine
that learns the scores. Values of rows held out give :math:`a` and :math:`\theta` by maximum
likelihood. With :math:`u_c = \theta_c - a f` and

.. math::

    -\log\bigl(\sigma(u_c) - \sigma(u_{c-1})\bigr) = \log(1 + e^{-u_c}) + \log(1 + e^{u_{c-1}})
    - \log\bigl(1 - e^{-(\theta_c - \theta_{c-1})}\bigr)

that is a convex problem in m numbers, which Newton's method solves, and whose last term keeps the
thresholds apart. The targets are those of the softmax of
:mod:`kernlearn.quality.discriminants`: as if there were one more row of unknown
grade. So thresholds of rare grades, and of functions that separate all grades, are finite.

The link returns the logarithms of the probabilities. They are mixed with the discriminants of
machines that know no order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit, log_expit, ndtri

from kernlearn.numerics.rounding import without_rounding
from kernlearn.quality.discriminants import held_out_values
from kernlearn.typing import Array, Indices

_MAX_STEPS = 100
_TOL = 1e-10
_SHORTEST_STEP = 1e-10
_SUFFICIENT = 1e-4
# Added to the curvature, in units where the function has size one.
_RIDGE = 1e-12
# Half on either side, up to rounding, is the lower grade.
BELOW_HALF = 0.5 - 1e-9


@dataclass(frozen=True, eq=False)
class GradeThresholds:
    """Logarithms of the probabilities of m grades, from the values of their machines.

    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 60)
    >>> grades = np.repeat([0, 1, 2], 20)
    >>> values = np.column_stack([-x, np.full(60, -0.3), x])
    >>> signs = np.where(grades[:, None] == np.arange(3), 1.0, -1.0)
    >>> link = GradeThresholds.of(values, signs, np.ones(60), np.arange(3))
    >>> chances = np.exp(link(values))
    >>> bool(np.allclose(chances.sum(axis=1), 1.0)), bool((np.diff(link.thresholds) > 0).all())
    (True, True)
    >>> float(np.mean(chances.argmax(axis=1) == grades))
    1.0
    """

    order: Indices  # The columns of the values, from the lowest grade to the highest; (m,)
    scores: Array  # s, of the columns in their own order, of shape (m,)
    slope: float  # a
    thresholds: Array  # θ, of shape (m - 1,)

    def __call__(self, values: Array) -> Array:
        """Log probabilities of the grades at values of shape (n, m)."""
        u = self.thresholds - self.slope * (values @ self.scores)[:, None]
        logs = np.zeros((len(values), len(self.order)))
        logs[:, :-1] += log_expit(u)
        logs[:, 1:] += log_expit(-u)
        logs[:, 1:-1] += np.log(-np.expm1(-np.diff(self.thresholds)))
        found = np.empty_like(logs)
        found[:, self.order] = logs
        return found

    @classmethod
    def of(cls, values: Array, signs: Array, weight: Array, order: Indices) -> GradeThresholds:
        """Fit to values (n, m) of held-out rows, signs of +1 for a row's own grade, and weights."""
        own = (signs > 0).astype(float)
        total, m = float(weight.sum()), len(order)
        targets = (total * own + 1.0 / m) / (total + 1.0)
        scores = grade_scores(weight @ targets, order)
        slope, thresholds = fit_thresholds(values @ scores, targets[:, order], weight)
        return cls(order, scores, slope, thresholds)


def grade_scores(in_grade: Array, order: Indices) -> Array:
    """Normal scores of grades with so much weight in each: the quantiles of their middles.

    >>> grade_scores(np.array([1.0, 1.0, 2.0]), np.array([2, 0, 1])).round(2).tolist()
    [0.32, 1.15, -0.67]
    """
    share = in_grade[order] / in_grade.sum()
    scores = np.empty(len(order))
    scores[order] = ndtri(np.cumsum(share) - 0.5 * share)
    return scores


def middle_grades(chances: Array, order: Indices) -> Indices:
    """The medians of distributions of shape (n, m): the columns that they are in.

    The mean distance to a grade that is drawn from the distribution is least there.

    >>> middle_grades(np.array([[0.4, 0.35, 0.25], [0.1, 0.6, 0.3]]), np.array([0, 2, 1])).tolist()
    [2, 1]
    """
    below = np.cumsum(chances[:, order], axis=1)[:, :-1]
    return np.asarray(order[(below < BELOW_HALF).sum(axis=1)])


def held_out_grades(values: Array, signs: Array, weight: Array, order: Indices) -> Array:
    """The logarithms of every row by the values of other rows alone."""
    return held_out_values(values, signs, weight, partial(GradeThresholds.of, order=order))


def fit_thresholds(values: Array, targets: Array, weight: Array) -> tuple[float, Array]:
    """The slope and the thresholds of least loss; inputs are checked.

    `values` of shape (n,) are of rows that did not train the machine. `targets`, of shape (n, m),
    are positive shares of the grades in increasing order.
    """
    share = weight / weight.sum()
    known = np.isfinite(values)
    size = float(np.abs(values[known]).max(initial=0.0))
    spread = float(np.std(values)) if known.all() else 0.0
    is_flat = not without_rounding(spread, size, len(values)) > 0.0
    f = np.zeros(len(values)) if is_flat else values / size
    slope, thresholds = _newton(f, targets, share)
    if slope < 0.0:  # the values rank the grades the wrong way round: they say nothing
        slope, thresholds = _newton(np.zeros(len(f)), targets, share)
    return (0.0 if is_flat else slope / size), thresholds


def _newton(f: Array, targets: Array, share: Array) -> tuple[float, Array]:
    """The minimum from a slope of zero, where the thresholds are those of the shares."""
    below = np.cumsum(share @ targets)[:-1]
    point = np.append(np.log(below) - np.log1p(-below), 0.0)
    loss = _loss(point, f, targets, share)
    for _ in range(_MAX_STEPS):
        gradient, curvature = _derivatives(point, f, targets, share)
        if np.abs(gradient).max() <= _TOL:
            break
        step = -np.linalg.solve(curvature, gradient)
        decrease = float(gradient @ step)
        length = 1.0
        while length >= _SHORTEST_STEP:
            tried = point + length * step
            value = _loss(tried, f, targets, share)
            if value <= loss + _SUFFICIENT * length * decrease:
                break
            length *= 0.5
        else:
            break  # rounding leaves nothing to gain
        point, loss = tried, value
    return float(point[-1]), point[:-1]


def _loss(point: Array, f: Array, targets: Array, share: Array) -> float:
    """Cross-entropy; infinite where thresholds do not increase."""
    gaps = np.diff(point[:-1])
    if (gaps <= 0.0).any():
        return np.inf
    u = point[:-1] - point[-1] * f[:, None]
    rows = (targets[:, :-1] * log_expit(u) + targets[:, 1:] * log_expit(-u)).sum(axis=1)
    return -float(share @ rows) - float((share @ targets)[1:-1] @ np.log(-np.expm1(-gaps)))


def _derivatives(point: Array, f: Array, targets: Array, share: Array) -> tuple[Array, Array]:
    """Gradient and curvature in the thresholds and, last, the slope."""
    m = len(point)
    p = expit(point[:-1] - point[-1] * f[:, None])
    first = share[:, None] * (targets[:, 1:] * p - targets[:, :-1] * (1.0 - p))
    second = share[:, None] * (targets[:, 1:] + targets[:, :-1]) * p * (1.0 - p)
    gradient, curvature = np.empty(m), np.zeros((m, m))
    gradient[:-1], gradient[-1] = first.sum(axis=0), -(first.sum(axis=1) @ f)
    curvature[np.diag_indices(m - 1)] = second.sum(axis=0)
    curvature[-1, :-1] = curvature[:-1, -1] = -(f @ second)
    curvature[-1, -1] = second.sum(axis=1) @ f**2
    gaps, between = np.diff(point[:-1]), (share @ targets)[1:-1]
    slopes = between / np.expm1(gaps)
    bends = between / (np.expm1(gaps) * -np.expm1(-gaps))
    for c, (slope, bend) in enumerate(zip(slopes.tolist(), bends.tolist(), strict=True)):
        gradient[c + 1] -= slope
        gradient[c] += slope
        curvature[c : c + 2, c : c + 2] += bend * np.array([[1.0, -1.0], [-1.0, 1.0]])
    curvature[np.diag_indices(m)] += _RIDGE
    return gradient, curvature
