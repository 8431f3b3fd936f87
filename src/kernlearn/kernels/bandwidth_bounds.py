r"""The largest :math:`\sum_{ij} A_{ij} e^{-\gamma d_{ij}}` over an interval of γ, with proof.

Split the sum by the signs of the coefficients. The positive part P is convex in γ, so between two
points it is below its chord. The negative part N is concave, so it is below its tangents at both
points. With :math:`t` the tangents' crossing,

.. math::

    P(\gamma) + N(\gamma) \le \max\{P_1 + N_1,\; P_2 + N_2,\;
    P_1 + \tfrac{t - \gamma_1}{\gamma_2 - \gamma_1}(P_2 - P_1) + N_1 + N_1'(t - \gamma_1)\}

on :math:`[\gamma_1, \gamma_2]`: exact to the second order of the interval's length, where a
Lipschitz constant would be to the first. Intervals are halved in log γ, that of the highest bound
first, until no bound exceeds the best value by more than is asked for. Every bound is raised by
the rounding that is possible.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernlearn.typing import Array

EPS = float(np.finfo(float).eps)
FIRST = 24  # intervals to begin with
MOST = 2000  # evaluations: what is left then is in the bound


@dataclass(frozen=True, eq=False)
class BandwidthMaximum:
    """A place where the sum is large, and an upper bound of the sum."""

    gammas: Array  # local maxima among the points looked at, the highest first
    values: Array  # the sums there
    upper: float  # no γ of the interval has a larger sum


@dataclass(frozen=True)
class _Point:
    gamma: float
    positive: float
    negative: float
    slope: float  # of the negative part
    noise: float

    @property
    def value(self) -> float:
        return self.positive + self.negative


class PairSums:
    """The sums over pairs of points, at any γ."""

    def __init__(self, distances: Array, A: Array) -> None:
        upper = np.triu_indices(len(A), 1)
        a, d = 2.0 * A[upper], distances[upper]
        self.constant = float(np.trace(A))  # pairs of a point with itself
        self.positive, self.negative = a > 0, a < 0
        self.a = a[self.positive], a[self.negative]
        self.d = d[self.positive], d[self.negative]
        # Two sums over all terms, and the rounding of distances: γd e^{−γd} is at most 1/e.
        self.relative = (16.0 + 2.0 * np.sqrt(len(a) + 1.0)) * EPS

    def at(self, gamma: float) -> _Point:
        """Both parts of the sum, and the slope of the negative one."""
        above, below = (a * np.exp(-gamma * d) for a, d in zip(self.a, self.d, strict=True))
        positive, negative = float(above.sum()), float(below.sum())
        noise = self.relative * (self.constant + float(abs(self.a[0]).sum()) - negative)
        slope = -float(below @ self.d[1])
        return _Point(gamma, positive + self.constant, negative, slope, noise)


def largest_over_bandwidths(
    sums: PairSums,
    low: float,
    high: float,
    accuracy: float,
    tick: Callable[[], None] = lambda: None,
) -> BandwidthMaximum:
    """Branch and bound over [low, high], to a given accuracy of the largest value."""
    points = [sums.at(float(g)) for g in np.geomspace(low, high, FIRST + 1)]
    heap = [(-bound_between(p, q), i, p, q) for i, (p, q) in enumerate(itertools.pairwise(points))]
    heapq.heapify(heap)
    best, number = max(p.value for p in points), len(heap)
    while len(points) < MOST:
        bound, _, p, q = heap[0]
        if -bound - best <= accuracy or q.gamma <= p.gamma * (1.0 + 8.0 * EPS):
            break
        tick()
        middle = sums.at(float(np.sqrt(p.gamma) * np.sqrt(q.gamma)))
        points.append(middle)
        best = max(best, middle.value)
        heapq.heapreplace(heap, (-bound_between(p, middle), number, p, middle))
        heapq.heappush(heap, (-bound_between(middle, q), number + 1, middle, q))
        number += 2
    points.sort(key=lambda p: p.gamma)
    values = np.array([p.value for p in points])
    beside = np.pad(values, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((values >= beside[:-2]) & (values >= beside[2:]))
    peaks = peaks[np.argsort(-values[peaks], kind="stable")]
    gammas = np.array([p.gamma for p in points])
    return BandwidthMaximum(gammas[peaks], values[peaks], max(-heap[0][0], best))


def bound_between(p: _Point, q: _Point) -> float:
    """An upper bound for all γ between the two points."""
    most, h = max(p.value, q.value), q.gamma - p.gamma
    bend = p.slope - q.slope  # not negative: the slopes of a concave function fall
    if bend > 0.0:
        step = float(np.clip((q.negative - p.negative - q.slope * h) / bend, 0.0, h))
        chord = p.positive + step / h * (q.positive - p.positive)
        most = max(most, chord + p.negative + p.slope * step)
    return most + max(p.noise, q.noise)
