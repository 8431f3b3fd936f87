r"""Cox's partial likelihood within strata, of a linear function of few columns, with a ridge.

Rows of different strata are never compared:

.. math:: L(f) = \sum_s L_s(f_s), \qquad
          \min_\beta \; L(Z\beta) + \tfrac12 \beta^\top P \beta .

Held-out predictions of different folds have different origins, because each fold was predicted by
a machine of its own. What is added to all predictions of one stratum changes nothing, so that folds
as strata compare each machine with itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kernlearn.quality.risk_sets import RiskCurvature, RiskSets
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, Indices

_MAX_STEPS = 50
# Relative decrease of the objective at which Newton's method ends, and the shortest step.
_TOL, _SHORTEST = 1e-10, 1e-6
# Differences below this part of the largest value are those of rounding.
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class StratifiedRiskSets:
    """The risk sets of every stratum that has an event, with the rows of the stratum."""

    parts: tuple[tuple[Indices, RiskSets], ...]

    @classmethod
    def of(
        cls,
        signed: Array,
        weight: Array,
        strata: Indices | None = None,
        ties: Ties = "efron",
    ) -> StratifiedRiskSets:
        """From times that have the sign bit where they are censored; one stratum by default."""
        strata = np.zeros(len(signed), dtype=np.intp) if strata is None else strata
        parts = []
        for stratum in np.unique(strata):
            rows = np.flatnonzero(strata == stratum)
            if not np.signbit(signed[rows]).all():
                parts.append((rows, RiskSets.of(signed[rows], weight[rows], weight[rows], ties)))
        return cls(tuple(parts))

    def loss(self, f: Array) -> float:
        """Minus the logarithm of the partial likelihood."""
        return float(sum(sets.losses(f[rows]).sum() for rows, sets in self.parts))

    def derivatives(self, Z: Array, f: Array) -> tuple[Array, Array]:
        """Its first and second derivative in β at f = Zβ, in time linear in the rows."""
        slope, second = np.zeros(Z.shape[1]), np.zeros((Z.shape[1], Z.shape[1]))
        for rows, sets in self.parts:
            part, curvature = Z[rows], RiskCurvature(sets, f[rows])
            slope -= part.T @ (sets.events - curvature.received)
            second += part.T @ curvature.times(part)
        return slope, second


def centred_within(values: Array, weight: Array, strata: Indices) -> Array:
    """Values of shape (n,) or (n, k) less the means of their strata.

    >>> import numpy as np
    >>> centred_within(np.array([1.0, 3.0, 7.0]), np.ones(3), np.array([0, 0, 1])).tolist()
    [-1.0, 1.0, 0.0]
    """
    shares = weight / np.bincount(strata, weight)[strata]
    means = np.zeros((int(strata.max()) + 1, *values.shape[1:]))
    np.add.at(means, strata, (shares * values.T).T)
    # Rounded to a power of two, so that equal values stay equal.
    unit = np.ldexp(1.0, np.frexp(_SAME * float(np.abs(values).max(initial=0.0)))[1])
    return np.asarray(np.rint((values - means[strata]) / unit) * unit)


def ridge_cox(
    Z: Array, sets: StratifiedRiskSets, penalty: Array, start: Array | None = None
) -> Array:
    """The β of least penalised loss, by Newton's method with halved steps.

    >>> import numpy as np
    >>> sets = StratifiedRiskSets.of(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4))
    >>> Z = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    >>> bool(ridge_cox(Z, sets, np.eye(1))[0] > 0.5)  # rows of larger z have the event earlier
    True
    """
    beta = np.zeros(Z.shape[1]) if start is None else start

    def objective(beta: Array) -> float:
        return sets.loss(Z @ beta) + 0.5 * float(beta @ penalty @ beta)

    now = objective(beta)
    for _ in range(_MAX_STEPS):
        slope, second = sets.derivatives(Z, Z @ beta)
        step = np.linalg.solve(second + penalty, slope + penalty @ beta)
        length = 1.0
        while (new := objective(beta - length * step)) > now and length > _SHORTEST:
            length *= 0.5
        if new > now:
            break
        beta = beta - length * step
        before, now = now, new
        if before - now <= _TOL * max(abs(now), 1.0):
            break
    return beta


def positive_ridge_cox(Z: Array, sets: StratifiedRiskSets, penalty: Array) -> Array:
    """The same over β ≥ 0, for very few columns: each set of positive entries is tried.

    The problem is convex: of all sets whose own solution is positive, the best is the solution.
    """
    best, least = np.zeros(Z.shape[1]), sets.loss(np.zeros(len(Z)))
    for size in range(1, Z.shape[1] + 1):
        for chosen in combinations(range(Z.shape[1]), size):
            kept = list(chosen)
            part = penalty[np.ix_(kept, kept)]
            beta = ridge_cox(Z[:, kept], sets, part)
            value = sets.loss(Z[:, kept] @ beta) + 0.5 * float(beta @ part @ beta)
            if (beta >= 0.0).all() and value < least:
                best, least = np.zeros(Z.shape[1]), value
                best[kept] = beta
    return best
