r"""Counts: the deviance of Poisson and negative binomial counts, for machines of least squares.

A count :math:`y_i` with the exposure :math:`e_i` has the mean :math:`\mu_i = e_i e^{f(x_i)}` and
the variance :math:`\mu_i + \alpha \mu_i^2`: Poisson for :math:`\alpha = 0`, else negative binomial.
Its deviance, twice the loss of log likelihood against a mean of :math:`y_i`, is

.. math::

    d_i = 2 \Bigl( y_i \log \frac{y_i}{\mu_i} - \bigl(y_i + \tfrac1\alpha\bigr)
    \log \frac{1 + \alpha y_i}{1 + \alpha \mu_i} \Bigr)
    \;\xrightarrow{\alpha \to 0}\; 2 \Bigl( y_i \log \frac{y_i}{\mu_i} - y_i + \mu_i \Bigr) .

Near a function :math:`f_0` it is close to a weighted squared error (McCullagh and Nelder 1989,
section 2.5): that of the working responses

.. math:: z_i = f_0(x_i) + \frac{y_i - \mu_{0i}}{s_i \mu_{0i}}, \qquad
          \text{with weights } \frac{s_i \mu_{0i}}{1 + \alpha \mu_{0i}}, \qquad
          s_i^2 = \frac{1 + \alpha y_i}{1 + \alpha \mu_{0i}} .

Its slope at :math:`f_0` is that of the deviance. Its weights are geometric means of the expected
and the observed second derivative, which are equal for Poisson counts. With the expected one alone,
a count of ten times its mean would ask for a logarithm that is nine larger, where 2.3 is best.

So machines of least squares learn the working responses, with all their closed forms, and their
predictions for rows held out are judged by the deviance of the counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, xlogy

from kernlearn.quality.logarithms import Limits
from kernlearn.quality.predictive import Link, PredictiveLoss
from kernlearn.typing import Array, Indices

# Working weights relative to the largest: the ridge of a row is λ over its weight.
_LEAST = 1e-8
# Below this, counts are as good as Poisson's.
_POISSON = 1e-6
_LARGEST = 1e4
# Margin beyond the logarithms of the least and the largest rate that can be estimated.
_BEYOND = 1.0


def deviance(counts: Array, mean: Array, dispersion: float = 0.0) -> Array:
    """The deviance of every row, for counts and positive means of one shape.

    >>> import numpy as np
    >>> deviance(np.array([2.0, 0.0]), np.array([2.0, 3.0])).tolist()
    [0.0, 6.0]
    """
    found = xlogy(counts, counts / mean)
    if dispersion > _POISSON:
        ratio = np.log1p(dispersion * counts) - np.log1p(dispersion * mean)
        return np.asarray(2.0 * (found - (counts + 1.0 / dispersion) * ratio))
    return np.asarray(2.0 * (found - counts + mean))


def log_likelihood(counts: Array, mean: Array, dispersion: float) -> Array:
    """The log-likelihood of every row."""
    if dispersion <= _POISSON:
        return np.asarray(xlogy(counts, mean) - mean - gammaln(counts + 1.0))
    size = 1.0 / dispersion
    both = np.log1p(dispersion * mean)
    found = gammaln(counts + size) - gammaln(size) - gammaln(counts + 1.0) - size * both
    return np.asarray(found + xlogy(counts, dispersion * mean) - counts * both)


def fit_dispersion(counts: Array, mean: Array, weight: Array) -> float:
    """α of the largest likelihood at these means; zero where Poisson's is as large.

    >>> import numpy as np
    >>> fit_dispersion(np.array([1.0, 2.0, 1.0]), np.full(3, 4 / 3), np.ones(3))
    0.0
    """

    def loss(log: float) -> float:
        return -float(weight @ log_likelihood(counts, mean, float(np.exp(log))))

    ends = float(np.log(_POISSON)), float(np.log(_LARGEST))
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
    poisson = -float(weight @ log_likelihood(counts, mean, 0.0))
    is_clear = found.fun < poisson - 1e-9 * abs(poisson)
    return float(np.exp(found.x)) if is_clear else 0.0


@dataclass(frozen=True, eq=False)
class CountLoss(PredictiveLoss):
    """The deviance of counts, for machines that learn their working responses.

    Targets and predictions are logarithms of rates less a constant.
    """

    counts: Array  # of shape (n,)
    exposure: Array  # of shape (n,)
    row_weight: Array  # of the rows, beside their working weights; of shape (n,)
    dispersion: float  # α
    centre: float  # the constant
    limits: Limits
    sums_to_one: ClassVar[bool] = True

    @classmethod
    def near(
        cls,
        logs: Array,
        counts: Array,
        exposure: Array,
        row_weight: Array,
        dispersion: float,
    ) -> Self:
        """The loss with the working responses near logarithms of rates, of shape (n,)."""
        mean = exposure * np.exp(logs)
        s = np.sqrt((1.0 + dispersion * counts) / (1.0 + dispersion * mean))
        working = row_weight * s * mean / (1.0 + dispersion * mean)
        working = np.maximum(working / working.max(), _LEAST)
        responses = logs + (counts - mean) / (s * mean)
        centre = float(working @ responses / working.sum())
        low, high = (end - centre for end in log_ends(counts, exposure))
        return cls(
            (responses - centre)[:, None],
            working / working.mean(),
            counts,
            exposure,
            row_weight,
            dispersion,
            centre,
            Limits(np.array([low]), np.array([high])),
        )

    @cached_property
    def share(self) -> Array:
        """The weights of the rows, as shares of one."""
        return np.asarray(self.row_weight / self.row_weight.sum())

    def mean(self, predictions: Array) -> Array:
        """The expected counts, of shape (n,)."""
        return np.asarray(self.exposure * np.exp(self.limits(predictions)[:, 0] + self.centre))

    def scale(self, predictions: Array) -> float:
        """Logarithms of rates are taken as they are."""
        return 1.0

    def rows(self, predictions: Array) -> Array:
        """The deviances."""
        return deviance(self.counts, self.mean(predictions), self.dispersion)

    def link(self, predictions: Array) -> Link | None:
        """The limits."""
        return self.limits

    def linked(self, predictions: Array) -> Array:
        """The predictions within the limits."""
        return self.limits(predictions)

    def subset(self, rows: Indices | slice) -> CountLoss:
        """The loss of some rows."""
        return replace(
            self,
            Y=self.Y[rows],
            weight=self.weight[rows],
            counts=self.counts[rows],
            exposure=self.exposure[rows],
            row_weight=self.row_weight[rows],
        )

    def of_rows(self, loss: PredictiveLoss) -> PredictiveLoss:
        """The other loss, whose targets the machines learn."""
        return loss

    def slopes(self, predictions: Array) -> tuple[Array, Array]:
        """Derivatives of the deviances."""
        mean, alpha = self.mean(predictions), self.dispersion
        first = 2.0 * (mean - self.counts) / (1.0 + alpha * mean)
        second = 2.0 * mean * (1.0 + alpha * self.counts) / (1.0 + alpha * mean) ** 2
        return first[:, None], second[:, None]


def log_ends(counts: Array, exposure: Array) -> tuple[float, float]:
    """The least and the largest logarithm of a rate that can be estimated.

    Half a count in all exposure is the least rate.
    """
    largest = float(np.log((counts / exposure).max()))
    least = float(np.log(0.5 / exposure.sum()))
    return least - _BEYOND, largest + _BEYOND
