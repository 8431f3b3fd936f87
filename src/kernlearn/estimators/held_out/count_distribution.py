r"""The distribution of a new count around its mean, calibrated on rows held out.

Negative binomial counts of mean μ and variance :math:`\mu + \alpha \mu^2` have the distribution
function F. If F is right, the values :math:`u_i` that are drawn uniformly between
:math:`F(y_i - 1)` and :math:`F(y_i)`, at the held-out means, are uniform (Dunn and Smyth 1996). The
quantile q of a new count is :math:`F^{-1}(u_{(q)})` with the quantile of these values: if few
held-out counts are above 0.9 of their distribution, its tail is longer than that of new ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.stats import nbinom, poisson

from kernlearn.quality.counts import fit_dispersion
from kernlearn.typing import Array

# A dispersion below this one is Poisson's.
_POISSON = 1e-5


@dataclass(frozen=True, eq=False)
class CountDistribution:
    """The dispersion, and the levels of held-out counts in their distributions."""

    dispersion: float  # α
    levels: Array  # sorted, of shape (n,)

    @classmethod
    def of(cls, counts: Array, mean: Array, weight: Array) -> Self:
        """From counts of rows held out and their means."""
        alpha = fit_dispersion(counts, mean, weight)
        law = _law(mean, alpha)
        below, upto = law.cdf(counts - 1.0), law.cdf(counts)
        drawn = np.random.RandomState(0).random_sample(len(counts))
        return cls(alpha, np.sort(below + drawn * (upto - below)))

    def quantile(self, mean: Array, q: float) -> Array:
        """Quantiles of new counts by their means; infinite if rows are too few for the quantile.

        The rank is that of conformal prediction, from above in the upper half and from below in the
        lower one.
        """
        n = len(self.levels)
        rank = int(np.ceil(round(q * (n + 1), 9))) if q >= 0.5 else int(round(q * (n + 1), 9) // 1)
        if rank > n:
            return np.full(len(mean), np.inf)
        level = self.levels[rank - 1] if rank > 0 else 0.0
        found = np.asarray(_law(mean, self.dispersion).ppf(level), dtype=float)
        return np.asarray(np.maximum(found, 0.0))

    def std(self, mean: Array) -> Array:
        """Standard deviations of new counts."""
        return np.asarray(np.sqrt(mean + self.dispersion * mean**2))


def _law(mean: Array, dispersion: float) -> Any:
    if dispersion <= _POISSON:
        return poisson(mean)
    return nbinom(1.0 / dispersion, 1.0 / (1.0 + dispersion * mean))
